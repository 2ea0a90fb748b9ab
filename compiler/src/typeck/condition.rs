//! Conditions compare what can compare, and guards of labels can only lower them.

use rtbas_artifact::ir::{self, Comparison, Type, TypeId};
use rtbas_artifact::lattice::{Lattice, LevelId};
use rtbas_artifact::pattern::Pattern;
use rtbas_artifact::ty::describe;
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
enum Kind<'p> {
    Literal(&'p Value),
    /// One of these types, `null` left out.
    Typed(Vec<TypeId>),
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
            for (index, lattice) in self.lattices.iter().enumerate() {
                let level = |label: &Label| label.levels.get(index).copied().flatten();
                let (from, to) = (level(label), level(&rule.otherwise));
                if !flows(lattice, from, to) {
                    let name = |level: Option<LevelId>| match level {
                        Some(level) => format!("`{}`", lattice.level_name(level)),
                        None => format!("the top of `{}`", lattice.name),
                    };
                    let message = format!(
                        "a guard can only lower a label, and {} does not flow to {}",
                        name(from),
                        name(to)
                    );
                    let help =
                        "turn the condition round, so that the stricter label follows `else`";
                    let diagnostic = Diagnostic::new(Code::E0302, label.span, message);
                    let diagnostic =
                        diagnostic.label(rule.otherwise.span, "the last word").help(help);
                    self.diagnostics.push(match from {
                        Some(_) => diagnostic,
                        None => {
                            diagnostic.note("a lattice that a label leaves out stands at its top")
                        }
                    });
                }
            }
        }
    }

    pub(super) fn condition(&mut self, condition: &'p Condition) {
        match condition {
            Condition::Context(_) => {}
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
            Condition::Present(operand) => {
                self.kind(operand);
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
    fn kind(&mut self, operand: &'p Operand) -> Option<Kind<'p>> {
        let path = match &operand.read {
            ir::Operand::Literal(value) => return Some(Kind::Literal(value)),
            ir::Operand::Fact(_, path)
            | ir::Operand::Argument(_, path)
            | ir::Operand::Field(path) => path,
        };
        let mut types = choices(self.types(), operand.root?);
        let in_record = matches!(operand.read, ir::Operand::Field(_));
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
            let help = "write `present(x)` or `not present(x)`";
            return self.diagnostics.push(Diagnostic::new(Code::E0303, span, message).help(help));
        }
        if !matches!(comparison, Comparison::Equal | Comparison::NotEqual) {
            for (operand, kind) in [(left, l), (right, r)] {
                if self.shapes(kind) & NUMBER == 0 {
                    let message = format!("only numbers have an order; this is {}", self.say(kind));
                    self.diagnostics.push(Diagnostic::new(Code::E0303, operand.span, message));
                }
            }
        } else if self.shapes(l) & self.shapes(r) == 0 {
            let message = format!("{} never equals {}", self.say(l), self.say(r));
            self.diagnostics.push(Diagnostic::new(Code::E0303, span, message));
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
        let items = match l {
            Kind::Literal(Value::List(items)) => {
                if let Kind::Typed(types) = e {
                    for item in items {
                        self.is_listed(types, item, list.span);
                    }
                }
                items.iter().fold(0, |shapes, item| shapes | shape(item))
            }
            Kind::Literal(_) => 0,
            Kind::Typed(types) => self.shapes(&Kind::Typed(self.items(types))),
        };
        if self.shapes(l) & (LIST | SET) == 0 {
            let message = format!("expected a list or a set, found {}", self.say(l));
            self.diagnostics.push(Diagnostic::new(Code::E0303, list.span, message));
        } else if items & self.shapes(e) & !NULL == 0 {
            let message = format!("{} is never an element of this", self.say(e));
            let diagnostic = Diagnostic::new(Code::E0303, element.span, message);
            let elements = match l {
                Kind::Typed(types) => format!("an element is {}", self.words(&self.items(types))),
                Kind::Literal(_) => "the list".to_owned(),
            };
            self.diagnostics.push(diagnostic.label(list.span, elements));
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

    /// A constant that is compared with one of several listed constants is one of them.
    fn is_listed(&mut self, types: &[TypeId], value: &Value, at: Span) {
        let mut listed: Vec<&Value> = Vec::new();
        for ty in types {
            match self.policy.types.get(*ty) {
                Type::Enumeration(values) => listed.extend(values),
                _ => return,
            }
        }
        if listed.contains(&value) {
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

    fn shapes(&self, kind: &Kind<'_>) -> u8 {
        match kind {
            Kind::Literal(value) => shape(value),
            Kind::Typed(types) => types.iter().fold(0, |shapes, ty| shapes | self.of_type(*ty)),
        }
    }

    fn of_type(&self, ty: TypeId) -> u8 {
        match self.policy.types.get(ty) {
            Type::Any => ANYTHING,
            Type::Null => NULL,
            Type::Bool => BOOL,
            Type::Integer | Type::Number => NUMBER,
            Type::Text => TEXT,
            Type::List(_) => LIST,
            Type::Set(_) => SET,
            Type::Record { .. } => RECORD,
            Type::Enumeration(values) => values.iter().fold(0, |shapes, v| shapes | shape(v)),
            Type::Union(choices) => choices.iter().fold(0, |shapes, c| shapes | self.of_type(*c)),
        }
    }

    fn say(&self, kind: &Kind<'_>) -> String {
        match kind {
            Kind::Literal(Value::List(_)) => "a list".to_owned(),
            Kind::Literal(Value::Record(_)) => "a record".to_owned(),
            Kind::Literal(value) => format!("{value}"),
            Kind::Typed(types) => self.words(types),
        }
    }

    fn words(&self, types: &[TypeId]) -> String {
        let words: Vec<String> = types.iter().map(|ty| describe(self.types(), *ty)).collect();
        words.join(" or ")
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
const NULL: u8 = 1;
const BOOL: u8 = 2;
const NUMBER: u8 = 4;
const TEXT: u8 = 8;
const LIST: u8 = 16;
const SET: u8 = 32;
const RECORD: u8 = 64;
const ANYTHING: u8 = 127;

fn shape(value: &Value) -> u8 {
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
