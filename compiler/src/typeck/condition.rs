//! Conditions compare what can compare, and guards of labels can only lower them.

mod date;

use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::function::Function;
use rtbas_artifact::ir::{self, Comparison, Type, TypeId};
use rtbas_artifact::lattice::{Lattice, LevelId};
use rtbas_artifact::pattern::Pattern;
use rtbas_artifact::sets::{NameSet, SetLattice};
use rtbas_artifact::term::set_flows;
use rtbas_artifact::ty::{check, describe};
use rtbas_artifact::value::Value;

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::resolve::hir::{Condition, Label, LabelRule, Operand, Policy};
use crate::source::Span;

/// What the checks look at and write to.
pub(super) struct Rules<'p, 'd> {
    pub(super) policy: &'p Policy,
    pub(super) lattices: &'p [Lattice],
    pub(super) diagnostics: &'d mut Diagnostics,
}

/// What an operand may be.
pub(super) enum Kind<'p> {
    Literal(&'p Value),
    /// One of these types, `null` left out.
    Typed(Vec<TypeId>),
    /// The text that this function gives.
    Given(Function),
}

impl<'p> Rules<'p, '_> {
    pub(super) fn label_rules(&mut self, rules: impl IntoIterator<Item = &'p LabelRule>) {
        for rule in rules {
            self.label_rule(rule);
        }
    }

    /// Every alternative flows to the last word, so that a guard that is undefined lowers nothing.
    pub(super) fn label_rule(&mut self, rule: &'p LabelRule) {
        for (label, when) in &rule.alternatives {
            self.condition(when);
            self.label(label);
            for (index, lattice) in self.lattices.iter().enumerate() {
                let level = |label: &Label| label.levels.get(index).copied().flatten();
                let (from, to) = (level(label), level(&rule.otherwise));
                if !flows(lattice, from, to) {
                    let name = |level: Option<LevelId>| match level {
                        Some(level) => format!("`{}`", lattice.level_name(level)),
                        None => format!("the top of `{}`", lattice.name),
                    };
                    let words = (name(from), name(to));
                    self.raises(label, &rule.otherwise, words, from.is_none());
                }
            }
            for (index, lattice) in self.policy.open.iter().enumerate() {
                self.set_lowers(index, lattice, label, &rule.otherwise);
            }
        }
        self.label(&rule.otherwise);
    }

    fn set_lowers(
        &mut self,
        index: usize,
        lattice: &'p SetLattice,
        label: &'p Label,
        last: &'p Label,
    ) {
        let set = |label: &'p Label| label.sets.get(index).and_then(Option::as_ref);
        let term = |label| set(label).map(|set| &set.term);
        let flows = match (term(label), term(last)) {
            (_, None) => true,
            (None, Some(high)) => match lattice.top() {
                NameSet::All => *high == ir::SetTerm::All,
                NameSet::Listed(_) => *high == ir::SetTerm::Of(Vec::new()),
            },
            (Some(low), Some(high)) => {
                set_flows(self.types(), &self.policy.facts, lattice, low, high)
            }
        };
        if !flows {
            let name = |label| match set(label) {
                Some(_) => format!("this set of {}", lattice.kind),
                None => format!("the top of `{}`", lattice.name),
            };
            let (words, is_unsaid) = ((name(label), name(last)), set(label).is_none());
            self.raises(label, last, words, is_unsaid);
        }
    }

    fn raises(&mut self, label: &Label, last: &Label, words: (String, String), is_unsaid: bool) {
        let (from, to) = words;
        let message = format!("a guard can only lower a label, and {from} does not flow to {to}");
        let help = "turn the condition round, so that the stricter label follows `else`";
        let diagnostic = Diagnostic::new(Code::E0302, label.span, message);
        let diagnostic = diagnostic.label(last.span, "the last word").help(help);
        self.diagnostics.push(match is_unsaid {
            true => diagnostic.note("a lattice that a label leaves out stands at its top"),
            false => diagnostic,
        });
    }

    /// Values that name readers or sources are texts, or lists, sets or maps of them.
    pub(super) fn label(&mut self, label: &'p Label) {
        for (set, lattice) in label.sets.iter().zip(&self.policy.open) {
            for (operand, optional) in set.iter().flat_map(|set| &set.operands) {
                self.names(operand, *optional, lattice);
            }
        }
    }

    /// The level of a claim is the same in every session.
    pub(super) fn constant(&mut self, label: &'p Label) {
        self.label(label);
        let sets = label.sets.iter().flatten();
        for (operand, _) in sets.flat_map(|set| &set.operands) {
            if !matches!(operand.read, ir::Operand::Literal(_)) {
                let message = "a claim speaks of all sessions, so its level names constants only";
                let help = "write the names as strings, or `nobody` or `any`";
                let diagnostic = Diagnostic::new(Code::E0311, operand.span, message);
                self.diagnostics.push(diagnostic.help(help));
            }
        }
    }

    fn names(&mut self, operand: &'p Operand, optional: bool, lattice: &SetLattice) {
        let Some(kind) = self.kind(operand) else { return };
        let names = match &kind {
            Kind::Literal(value) => NameSet::of(value).is_some(),
            Kind::Typed(types) => types.iter().any(|ty| self.holds_names(*ty)),
            Kind::Given(_) => true,
        };
        if !names {
            let message = format!("{} names no {}", self.say(&kind), lattice.kind);
            let help =
                "a name is a text; a list or set of texts, or the keys of a map, are several";
            let diagnostic = Diagnostic::new(Code::E0311, operand.span, message);
            return self.diagnostics.push(diagnostic.help(help));
        }
        if let (true, Kind::Given(function)) = (optional, &kind) {
            let message = format!("what `{}` does not give would free its label", function.name());
            let help = "delete the `?`: a label with a value that is missing is at the top";
            let diagnostic = Diagnostic::new(Code::E0311, operand.span, message);
            self.diagnostics.push(diagnostic.help(help));
        }
        let is_field = matches!(operand.read.source(), ir::Operand::Field(_));
        if optional && is_field && lattice.joins_by_union() {
            let message = "a field that a result leaves out would free its label";
            let help = "delete the `?`: a label with a value that is missing is at the top";
            let diagnostic = Diagnostic::new(Code::E0311, operand.span, message);
            self.diagnostics.push(diagnostic.help(help));
        }
    }

    fn holds_names(&self, ty: TypeId) -> bool {
        match self.policy.types.get(ty) {
            Type::List(item) | Type::Set(item) => self.of_type(*item) & TEXT != 0,
            Type::Map(_) => true,
            _ => self.of_type(ty) & TEXT != 0,
        }
    }

    pub(super) fn condition(&mut self, condition: &'p Condition) {
        match condition {
            Condition::Context(bound) => self.label(bound),
            Condition::Compare(comparison, left, right) => {
                if let (Some(l), Some(r)) = (self.kind(left), self.kind(right)) {
                    self.compare(*comparison, (left, &l), (right, &r));
                }
            }
            Condition::In(element, list) => {
                if let (Some(e), Some(l)) = (self.kind(element), self.kind(list)) {
                    self.contains((element, &e), (list, &l));
                }
            }
            Condition::SubsetOf(inner, outer) => {
                if let (Some(i), Some(o)) = (self.kind(inner), self.kind(outer)) {
                    self.within((inner, &i), (outer, &o));
                }
            }
            Condition::Present(operand) => {
                self.kind(operand);
            }
            Condition::Stated(operand) => {
                let kind = self.kind(operand);
                if let Some(kind) = kind.filter(|kind| self.shapes(kind) & BOOL == 0) {
                    let message =
                        format!("a condition is true or false; this is {}", self.say(&kind));
                    self.diagnostics.push(Diagnostic::new(Code::E0303, operand.span, message));
                }
            }
            Condition::Matches(operand, pattern) => self.matches(operand, pattern),
            Condition::Not(inner) => self.condition(inner),
            Condition::All(parts) | Condition::Any(parts) => {
                for part in parts {
                    self.condition(part);
                }
            }
        }
    }

    fn types(&self) -> &'p [Type] {
        self.policy.types.entries()
    }

    /// What an operand may be; `None` after a message.
    pub(super) fn kind(&mut self, operand: &'p Operand) -> Option<Kind<'p>> {
        let kind = self.kind_of(operand.read.source(), operand)?;
        let ir::Operand::Derived(function, _) = operand.read else { return Some(kind) };
        if !self.is_written(operand, &kind) {
            return None;
        }
        if self.shapes(&kind) & Self::given(function).1 == 0 {
            let message = format!("`{}` reads text; this is {}", function.name(), self.say(&kind));
            self.diagnostics.push(Diagnostic::new(Code::E0303, operand.span, message));
            return None;
        }
        Some(Kind::Given(function))
    }

    /// What is read may be; `None` after a message.
    fn kind_of(&mut self, read: &'p ir::Operand, operand: &'p Operand) -> Option<Kind<'p>> {
        let path = match read {
            ir::Operand::Literal(value) => return Some(Kind::Literal(value)),
            ir::Operand::Fact(_, path)
            | ir::Operand::Argument(_, path)
            | ir::Operand::Field(path) => path,
            ir::Operand::Derived(..) => return None,
        };
        let mut types = choices(self.types(), operand.root?);
        let in_record = matches!(read, ir::Operand::Field(_));
        for step in path {
            if in_record && types.iter().any(|&ty| *self.policy.types.get(ty) == Type::Any) {
                // A result may give it any type, and then nothing lies in it.
                let message = format!("no type is declared for what `{step}` is read from");
                let help = "declare the store's records: `store NAME of TYPE { … }`";
                let diagnostic = Diagnostic::new(Code::E0304, operand.span, message);
                self.diagnostics.push(diagnostic.help(help));
                return None;
            }
            match self.step(operand, &types, step) {
                Ok(next) => types = next,
                Err(mistake) => {
                    self.diagnostics.push(*mistake);
                    return None;
                }
            }
        }
        Some(Kind::Typed(types))
    }

    fn step(
        &self,
        operand: &Operand,
        types: &[TypeId],
        step: &str,
    ) -> Result<Vec<TypeId>, Box<Diagnostic>> {
        let (mut next, mut known) = (Vec::new(), Vec::new());
        for &ty in types {
            match self.policy.types.get(ty) {
                Type::Any => next.push(ty),
                Type::Record { fields, .. } => {
                    let field = fields.iter().find(|field| field.name == step);
                    next.extend(field.iter().flat_map(|f| choices(self.types(), f.ty)));
                    known.extend(fields.iter().map(|field| field.name.as_str()));
                }
                _ => {}
            }
        }
        if !next.is_empty() {
            return Ok(next);
        }
        let message = if known.is_empty() {
            format!("there is no field `{step}` in {}", self.words(types))
        } else {
            format!("there is no field `{step}` in this record")
        };
        let diagnostic = Diagnostic::new(Code::E0304, operand.span, message);
        Err(Box::new(diagnostic.did_you_mean(step, known)))
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        (left, l): (&Operand, &Kind<'_>),
        (right, r): (&Operand, &Kind<'_>),
    ) {
        let span = left.span.to(right.span);
        if [l, r].iter().any(|kind| matches!(kind, Kind::Literal(Value::Null))) {
            let message = "a comparison with `null` never holds";
            let help = match comparison {
                Comparison::NotEqual => "write `present(x)`",
                _ => "write `not present(x)`",
            };
            return self.diagnostics.push(Diagnostic::new(Code::E0303, span, message).help(help));
        }
        if !matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
            self.order((left, l), (right, r));
        } else if self.times_within((left, l), (right, r)) {
            // Said.
        } else if self.shapes(l) & self.shapes(r) == 0 {
            let message = format!("{} never equals {}", self.say(l), self.say(r));
            let mistake = Diagnostic::new(Code::E0303, span, message);
            let shapes = self.shapes(l) | self.shapes(r);
            let mistake = match shapes & TEXT != 0 {
                true if shapes & DATE != 0 => mistake.help("read the text as a date: `date(…)`"),
                true if shapes & TIME != 0 => {
                    mistake.help("read the text as a time: `datetime(…)`")
                }
                _ => mistake,
            };
            let mistake = requoted(mistake, left.span, l, self.shapes(r));
            self.diagnostics.push(requoted(mistake, right.span, r, self.shapes(l)));
        } else {
            match (l, r) {
                (Kind::Typed(types), Kind::Literal(value)) => {
                    self.is_listed(types, value, right.span);
                }
                (Kind::Literal(value), Kind::Typed(types)) => {
                    self.is_listed(types, value, left.span);
                }
                _ => {}
            }
        }
        if let (Kind::Literal(l), Kind::Literal(r)) = (l, r)
            && self.diagnostics.gate(()).is_some()
        {
            self.diagnostics.push(constants(comparison, (left.span, l), (right.span, r)));
        }
    }

    fn contains(&mut self, (element, e): (&Operand, &Kind<'_>), (list, l): (&Operand, &Kind<'_>)) {
        if let (Kind::Literal(Value::List(items)), Kind::Typed(types)) = (l, e) {
            for item in items {
                self.is_listed(types, item, list.span);
            }
        }
        let Some(elements) = self.dates_among((element, e), (list, l)) else { return };
        if self.times_within((element, e), (element, e)) {
            return;
        }
        if self.is_list(list, l) && elements & self.shapes(e) & !NULL == 0 {
            let message = format!("{} is never an element of this", self.say(e));
            let diagnostic = Diagnostic::new(Code::E0303, element.span, message);
            let diagnostic = diagnostic.label(list.span, self.say_elements(l));
            let is_list = self.shapes(e) & (LIST | SET) != 0;
            self.diagnostics.push(match is_list {
                true => diagnostic.help("that each of its elements is one: write `subset_of`"),
                false => diagnostic,
            });
        }
    }

    fn within(&mut self, (inner, i): (&Operand, &Kind<'_>), (outer, o): (&Operand, &Kind<'_>)) {
        if self.times_within((inner, i), (outer, o)) {
            return;
        }
        let lists = self.is_list(inner, i) && self.is_list(outer, o);
        let (elements, others) = (self.elements(i), self.elements(o));
        // The empty list lies within every list.
        if lists && elements & others & !NULL == 0 && elements != 0 && others != 0 {
            let message = "no element of the first is ever an element of the second";
            let diagnostic = Diagnostic::new(Code::E0303, inner.span.to(outer.span), message);
            let diagnostic = diagnostic.label(inner.span, self.say_elements(i));
            self.diagnostics.push(diagnostic.label(outer.span, self.say_elements(o)));
        }
    }

    /// Whether a value is a list or a set, or else a message.
    fn is_list(&mut self, operand: &Operand, kind: &Kind<'_>) -> bool {
        let is_list = self.shapes(kind) & (LIST | SET) != 0;
        if !is_list {
            let message = format!("expected a list or a set, found {}", self.say(kind));
            self.diagnostics.push(Diagnostic::new(Code::E0303, operand.span, message));
        }
        is_list
    }

    /// The shapes of a list's elements.
    fn elements(&self, list: &Kind<'_>) -> u16 {
        match list {
            Kind::Literal(Value::List(items)) => {
                items.iter().fold(0, |shapes, item| shapes | shape(item))
            }
            Kind::Literal(_) | Kind::Given(_) => 0,
            Kind::Typed(types) => self.shapes(&Kind::Typed(self.items(types))),
        }
    }

    fn say_elements(&self, list: &Kind<'_>) -> String {
        match list {
            Kind::Typed(types) => format!("an element is {}", self.words(&self.items(types))),
            Kind::Literal(_) | Kind::Given(_) => "the list".to_owned(),
        }
    }

    fn matches(&mut self, operand: &'p Operand, pattern: &Pattern) {
        let Some(kind) = self.kind(operand) else { return };
        if self.shapes(&kind) & TEXT == 0 {
            let message = format!("a pattern matches text; this is {}", self.say(&kind));
            self.diagnostics.push(Diagnostic::new(Code::E0303, operand.span, message));
        } else if let Kind::Literal(Value::Text(text)) = kind {
            let holds = pattern.matches(text).unwrap_or(false);
            self.diagnostics.push(constant("a constant is matched", holds, operand.span));
        }
    }

    /// What the elements of these types may be.
    fn items(&self, types: &[TypeId]) -> Vec<TypeId> {
        let item = |ty: &TypeId| match self.policy.types.get(*ty) {
            Type::List(item) | Type::Set(item) => Some(*item),
            Type::Any => Some(*ty),
            _ => None,
        };
        types.iter().filter_map(item).collect()
    }

    /// A constant that is compared with one of several listed constants is one of them, and what is
    /// compared with a text that matches a pattern matches it.
    fn is_listed(&mut self, types: &[TypeId], value: &Value, at: Span) {
        let mut listed: Vec<&Value> = Vec::new();
        for ty in types {
            match self.policy.types.get(*ty) {
                Type::Enumeration(values) => listed.extend(values),
                Type::Pattern(_) => {}
                _ => return,
            }
        }
        if types.iter().any(|ty| check(self.types(), *ty, value).is_ok()) {
            return;
        }
        let message = format!("{value} is not {}", self.words(types));
        let texts = listed.iter().filter_map(|value| match value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        });
        let diagnostic = Diagnostic::new(Code::E0303, at, message);
        self.diagnostics.push(match value {
            Value::Text(text) => diagnostic.did_you_mean(text, texts),
            _ => diagnostic,
        });
    }

    fn shapes(&self, kind: &Kind<'_>) -> u16 {
        match kind {
            Kind::Literal(value) => shape(value),
            Kind::Given(function) => Self::given(*function).0,
            Kind::Typed(types) => types.iter().fold(0, |shapes, ty| shapes | self.of_type(*ty)),
        }
    }

    fn of_type(&self, ty: TypeId) -> u16 {
        match self.policy.types.get(ty) {
            Type::Any => ANYTHING,
            Type::Null => NULL,
            Type::Bool => BOOL,
            Type::Integer | Type::Number => NUMBER,
            Type::Text | Type::Pattern(_) => TEXT,
            Type::Date => DATE,
            Type::Time => TIME,
            Type::List(_) => LIST,
            Type::Set(_) => SET,
            Type::Record { .. } | Type::Map(_) => RECORD,
            Type::Enumeration(values) => values.iter().fold(0, |shapes, v| shapes | shape(v)),
            Type::Union(choices) => choices.iter().fold(0, |shapes, c| shapes | self.of_type(*c)),
        }
    }

    pub(super) fn say(&self, kind: &Kind<'_>) -> String {
        match kind {
            Kind::Literal(Value::List(_)) => "a list".to_owned(),
            Kind::Literal(Value::Record(_)) => "a record".to_owned(),
            Kind::Literal(value) => format!("{value}"),
            Kind::Typed(types) => self.words(types),
            Kind::Given(Function::Date) => "a date".to_owned(),
            Kind::Given(Function::Time) => "a time".to_owned(),
            Kind::Given(function) => format!("what `{}` gives", function.name()),
        }
    }

    fn words(&self, types: &[TypeId]) -> String {
        let words: Vec<String> = types.iter().map(|ty| describe(self.types(), *ty)).collect();
        words.join(" or ")
    }
}

/// With the constant that was meant, where the quotes are what is wrong with it.
fn requoted(mistake: Diagnostic, at: Span, kind: &Kind<'_>, wanted: u16) -> Diagnostic {
    let right = match kind {
        Kind::Literal(Value::Text(text)) => match text.as_str() {
            "true" | "false" if wanted == BOOL => Some(text.clone()),
            digits if wanted & NUMBER != 0 => digits.parse::<Decimal>().ok().map(|n| n.to_string()),
            _ => None,
        },
        Kind::Literal(Value::Number(_) | Value::Bool(_)) if wanted == TEXT => {
            let Kind::Literal(value) = kind else { return mistake };
            Some(format!("\"{value}\""))
        }
        _ => None,
    };
    match right {
        Some(right) => mistake.help(format!("write `{right}`")).fix(at, right),
        None => mistake,
    }
}

/// A comparison that no call changes, of values that compare.
fn constants(comparison: Comparison, left: (Span, &Value), right: (Span, &Value)) -> Diagnostic {
    let order = left.1.cmp(right.1);
    let holds = match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
        Comparison::Less => order.is_lt(),
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order.is_gt(),
        Comparison::GreaterOrEqual => order.is_ge(),
    };
    constant("two constants are compared", holds, left.0.to(right.0))
}

fn constant(what: &str, holds: bool, at: Span) -> Diagnostic {
    let message = format!("{what}, which is always {holds}");
    let help = "compare a fact, an argument or a field; a name stands without double quotes";
    Diagnostic::new(Code::W0301, at, message).help(help)
}

/// The types that a value of this type may have, `null` left out.
fn choices(types: &[Type], ty: TypeId) -> Vec<TypeId> {
    let all = match types.get(ty.index()) {
        Some(Type::Union(choices)) => choices.clone(),
        _ => vec![ty],
    };
    all.into_iter().filter(|ty| types.get(ty.index()) != Some(&Type::Null)).collect()
}

/// Whether data at `from` may flow to `to`; no level is the top.
fn flows(lattice: &Lattice, from: Option<LevelId>, to: Option<LevelId>) -> bool {
    match (from, to) {
        (_, None) => true,
        (None, Some(to)) => lattice.top() == Some(to),
        (Some(from), Some(to)) => lattice.flows(from, to),
    }
}

// Shapes of values: two values of different shapes never compare.
const NULL: u16 = 1;
const BOOL: u16 = 2;
const NUMBER: u16 = 4;
const TEXT: u16 = 8;
const LIST: u16 = 16;
const SET: u16 = 32;
const RECORD: u16 = 64;
const DATE: u16 = 128;
const TIME: u16 = 256;
const ANYTHING: u16 = 511;

fn shape(value: &Value) -> u16 {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => BOOL,
        Value::Number(_) => NUMBER,
        Value::Text(_) => TEXT,
        Value::List(_) => LIST,
        Value::Set(_) => SET,
        Value::Record(_) => RECORD,
    }
}
