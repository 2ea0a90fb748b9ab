//! Dates and times are compared as such, and are written as they should be.

use std::collections::BTreeSet;

use rtbas_artifact::function::Function;
use rtbas_artifact::ir::{self, Type, TypeId};
use rtbas_artifact::value::Value;

use super::{ANYTHING, DATE, Kind, LIST, NUMBER, Rules, SET, TEXT, TIME, requoted};
use crate::diag::{Code, Diagnostic};
use crate::resolve::hir::Operand;

impl<'p> Rules<'p, '_> {
    /// What the values of a function may be, and what it reads.
    pub(super) fn given(function: Function) -> (u16, u16) {
        match function {
            Function::Lower | Function::Host | Function::Domain => (TEXT, TEXT),
            Function::Date => (DATE, DATE | TEXT),
            Function::Time => (TIME, TIME | TEXT),
        }
    }

    /// Whether a constant that is read as a date or a time is one, or else a message.
    pub(super) fn is_written(&mut self, operand: &Operand, kind: &Kind<'_>) -> bool {
        let (ir::Operand::Derived(function, _), Kind::Literal(value)) = (&operand.read, kind)
        else {
            return true;
        };
        let written = function.of(value).is_some();
        if !written {
            let (what, help) = match function {
                Function::Date => ("a date", "a date is written \"2024-05-31\""),
                _ => (
                    "a time",
                    "a time is written \"2024-05-31T12:00Z\" or \"2024-05-31 12:00:30+02:00\"",
                ),
            };
            let message = format!("{value} is not {what}");
            self.diagnostics.push(Diagnostic::new(Code::E0306, operand.span, message).help(help));
        }
        written
    }

    /// Checks an order between two values.
    pub(super) fn order(
        &mut self,
        (left, l): (&Operand, &Kind<'_>),
        (right, r): (&Operand, &Kind<'_>),
    ) {
        const ORDERED: u16 = NUMBER | DATE | TIME;
        let mut ordered = true;
        for (operand, kind) in [(left, l), (right, r)] {
            if self.shapes(kind) & ORDERED == 0 {
                ordered = false;
                let say = self.say(kind);
                let message = format!("only numbers, dates and times have an order; this is {say}");
                let mistake = Diagnostic::new(Code::E0303, operand.span, message);
                self.diagnostics.push(requoted(mistake, operand.span, kind, NUMBER));
            }
        }
        if ordered && self.shapes(l) & self.shapes(r) & ORDERED == 0 {
            let message = format!("{} has no order with {}", self.say(l), self.say(r));
            let span = left.span.to(right.span);
            self.diagnostics.push(Diagnostic::new(Code::E0303, span, message));
        }
    }

    /// Whether values are compared in which times lie, after a message: what lies in a list, a map or
    /// a record is compared as it is written.
    pub(super) fn times_within(
        &mut self,
        (left, l): (&Operand, &Kind<'_>),
        (right, r): (&Operand, &Kind<'_>),
    ) -> bool {
        if !self.holds_times(l) && !self.holds_times(r) {
            return false;
        }
        let message = "values with times in them are not compared: one instant is written in many \
                       ways";
        let help = "compare the times themselves, one by one";
        let span = left.span.to(right.span);
        self.diagnostics.push(Diagnostic::new(Code::E0303, span, message).help(help));
        true
    }

    /// Whether times lie in a value, which may be none itself.
    fn holds_times(&self, kind: &Kind<'_>) -> bool {
        let Kind::Typed(declared) = kind else { return false };
        let types = self.types();
        let parts = |ty: &Type| match ty {
            Type::List(part) | Type::Set(part) | Type::Map(part) => vec![*part],
            Type::Record { fields, .. } => fields.iter().map(|field| field.ty).collect(),
            Type::Union(choices) => choices.clone(),
            _ => Vec::new(),
        };
        let mut seen = BTreeSet::new();
        let mut open: Vec<(TypeId, bool)> = declared.iter().map(|ty| (*ty, false)).collect();
        while let Some((id, is_within)) = open.pop() {
            let Some(ty) = types.get(id.index()).filter(|_| seen.insert((id, is_within))) else {
                continue;
            };
            if is_within && *ty == Type::Time {
                return true;
            }
            let below = is_within || !matches!(ty, Type::Union(_));
            open.extend(parts(ty).into_iter().map(|part| (part, below)));
        }
        false
    }

    /// Whether membership compares texts with dates, which are texts in a list: the shapes that
    /// then count, after messages about texts that are no dates.
    pub(super) fn dates_among(
        &mut self,
        (element, e): (&Operand, &Kind<'_>),
        (list, l): (&Operand, &Kind<'_>),
    ) -> Option<u16> {
        let has_times = |shapes: u16| shapes & TIME != 0 && shapes != ANYTHING;
        let times = has_times(self.shapes(e)) || has_times(self.elements(l));
        if times && self.shapes(l) & (LIST | SET) != 0 {
            let message = "a time is not looked for in a list: one instant is written in many ways";
            let help = "compare it: `a == \"2024-05-31T12:00Z\" or …`";
            let span = element.span.to(list.span);
            self.diagnostics.push(Diagnostic::new(Code::E0303, span, message).help(help));
            return None;
        }
        let (at, texts): (_, Vec<&Value>) = match (e, l) {
            (Kind::Literal(text), _) if self.elements(l) == DATE => (element.span, vec![text]),
            (_, Kind::Literal(Value::List(items))) if self.shapes(e) == DATE => {
                (list.span, items.iter().collect())
            }
            _ => return Some(self.elements(l)),
        };
        for text in texts.into_iter().filter(|text| Function::Date.of(text).is_none()) {
            let message = format!("{text} is not a date");
            let help = "a date is written \"2024-05-31\"";
            self.diagnostics.push(Diagnostic::new(Code::E0306, at, message).help(help));
        }
        None
    }
}
