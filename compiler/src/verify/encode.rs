//! Conditions as formulas: the mirror of `artifact::eval`, construct by construct. What the mirror
//! shows is replayed through the evaluator, so a slip here is an internal error and not a proof.
//!
//! Takes a program and one of its tools; gives, for a condition, when it is true and when it is
//! false (it is undefined where neither holds). A construct outside the fragment of
//! `docs/semantics.md` is named, and the obligation is then *unknown*.

mod pattern;
mod function;
mod date;
mod choice;

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::function::Function;
use rtbas_artifact::ir::{
    Comparison, Condition, ConditionId, Field, LabelPart, Operand, Policy, Tool, Type, TypeId,
};
use rtbas_artifact::lattice::LevelId;
use rtbas_artifact::program::Program;
use rtbas_artifact::value::Value;

use super::term::{Formula, Number};
use sets::Sets;

pub(super) mod sets;

/// A construct that the fragment does not cover, in the policy's words.
#[derive(Debug)]
pub(super) struct Outside(pub(super) String);

/// When a condition is true and when it is false.
#[derive(Clone, Debug)]
pub(super) struct Truth {
    pub(super) yes: Formula,
    pub(super) no: Formula,
}

/// A value that the solver chooses.
#[derive(Clone, Debug)]
pub(super) struct Coded {
    /// When it is there and not null.
    present: Formula,
    shape: Shape,
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Bool(Formula),
    Number(Number),
    /// Texts are numbered; equal numbers are equal texts.
    Text(Number),
    /// Elements that are written out.
    Elements(Vec<Value>),
    /// A list or set of which only membership is known.
    Open,
    /// Never there.
    Absent,
}

/// Builds the formulas of one tool's conditions.
pub(super) struct Encoder<'p> {
    program: &'p Program,
    tool: &'p Tool,
    /// Operands met, other than literals.
    pub(super) operands: BTreeSet<Operand>,
    /// What is asked of sets.
    pub(super) sets: Sets,
    /// Literal texts and their numbers.
    texts: BTreeMap<String, i64>,
    asked: pattern::Asked,
    images: Vec<function::Image>,
    dates: Vec<date::Dated>,
    /// For each lattice: the levels that some bound names.
    pub(super) bounds: Vec<BTreeSet<LevelId>>,
    /// What holds of every assignment.
    pub(super) background: BTreeMap<String, Formula>,
}

/// The proposition that the label's level of a lattice flows to a level. `run` tells apart the
/// labels of a formula that speaks of two.
pub(super) fn flows(run: usize, lattice: usize, level: LevelId) -> String {
    format!("label {run} part {lattice} flows to {}", level.0)
}

pub(super) fn present(operand: &Operand) -> String {
    format!("present {operand:?}")
}

pub(super) fn value(operand: &Operand) -> String {
    format!("value {operand:?}")
}

impl<'p> Encoder<'p> {
    pub(super) fn new(program: &'p Program, tool: &'p Tool) -> Self {
        Self {
            program,
            tool,
            operands: BTreeSet::new(),
            sets: Sets::default(),
            texts: BTreeMap::new(),
            asked: pattern::Asked::default(),
            images: Vec::new(),
            dates: Vec::new(),
            bounds: vec![BTreeSet::new(); program.policy().lattices.len()],
            background: BTreeMap::new(),
        }
    }

    fn policy(&self) -> &'p Policy {
        self.program.policy()
    }

    /// When a condition is true and when it is false, at the label of that run.
    pub(super) fn condition(&mut self, id: ConditionId, run: usize) -> Result<Truth, Outside> {
        let never = || Truth { yes: Formula::constant(false), no: Formula::constant(false) };
        let Some(condition) = self.policy().conditions.get(id.index()) else {
            return Ok(never());
        };
        Ok(match condition {
            Condition::Context(bound) => {
                let yes = self.context(bound.index(), run)?;
                Truth { no: !yes.clone(), yes }
            }
            Condition::Present(operand) => {
                let yes = match operand {
                    Operand::Literal(literal) => Formula::constant(*literal != Value::Null),
                    Operand::Derived(..) => self.operand(operand)?.present,
                    _ => self.presence(operand)?.1,
                };
                Truth { no: !yes.clone(), yes }
            }
            Condition::Compare(comparison, left, right) => {
                let (left, right) = (self.operand(left)?, self.operand(right)?);
                match relation(*comparison, &left.shape, &right.shape)? {
                    None => never(),
                    Some(holds) => defined([left.present, right.present], holds),
                }
            }
            Condition::In(element, set) => self.membership(element, set)?,
            Condition::Matches(operand, pattern) => {
                let Coded { present, shape } = self.operand(operand)?;
                match shape {
                    Shape::Text(text) => {
                        let holds = self.matches(&text, pattern);
                        defined([present, Formula::constant(true)], holds)
                    }
                    _ => never(),
                }
            }
            Condition::SubsetOf(inner, outer) => self.subset(inner, outer)?,
            Condition::Not(inner) => {
                let Truth { yes, no } = self.condition(*inner, run)?;
                Truth { yes: no, no: yes }
            }
            Condition::All(parts) => {
                let parts = self.conditions(parts, run)?;
                Truth {
                    yes: Formula::and(parts.iter().map(|part| part.yes.clone())),
                    no: Formula::or(parts.iter().map(|part| part.no.clone())),
                }
            }
            Condition::Any(parts) => {
                let parts = self.conditions(parts, run)?;
                Truth {
                    yes: Formula::or(parts.iter().map(|part| part.yes.clone())),
                    no: Formula::and(parts.iter().map(|part| part.no.clone())),
                }
            }
        })
    }

    fn conditions(&mut self, ids: &[ConditionId], run: usize) -> Result<Vec<Truth>, Outside> {
        ids.iter().map(|&id| self.condition(id, run)).collect()
    }

    /// The label of that run flows to a bound: each of its parts flows to the bound's part.
    fn context(&mut self, bound: usize, run: usize) -> Result<Formula, Outside> {
        let parts = self.policy().labels.get(bound).map_or(&[][..], |term| &term.parts);
        let mut all = Vec::new();
        for (lattice, part) in parts.iter().enumerate() {
            all.push(match part {
                LabelPart::Level(level) => self.flows(run, lattice, *level),
                LabelPart::Named(operand) => self.named(run, lattice, operand)?,
            });
        }
        let sets = self.policy().labels.get(bound).map_or(&[][..], |term| &term.sets);
        for (open, set) in sets.iter().enumerate() {
            all.push(self.set_flows(run, open, set)?);
        }
        Ok(Formula::and(all))
    }

    fn flows(&mut self, run: usize, lattice: usize, level: LevelId) -> Formula {
        if let Some(bounds) = self.bounds.get_mut(lattice) {
            bounds.insert(level);
        }
        Formula::variable(flows(run, lattice, level))
    }

    /// The level that a value names, or bottom if it names none.
    fn named(&mut self, run: usize, index: usize, operand: &Operand) -> Result<Formula, Outside> {
        let coded = self.operand(operand)?;
        let Some(lattice) = self.policy().lattices.get(index) else {
            return Ok(Formula::constant(false));
        };
        let Shape::Text(text) = coded.shape else {
            return Err(Outside("a level that is named by a value other than text".to_owned()));
        };
        let mut names = Vec::new();
        let mut named = Vec::new();
        for level in lattice.ids() {
            let number = self.text(lattice.level_name(level));
            let is_it = Formula::and([coded.present.clone(), text.clone().equal(number)]);
            names.push(is_it.clone());
            named.push(Formula::and([is_it, self.flows(run, index, level)]));
        }
        if let Some(bottom) = lattice.bottom() {
            let flows = self.flows(run, index, bottom);
            named.push(Formula::and([!Formula::or(names), flows]));
        }
        Ok(Formula::or(named))
    }

    fn text(&mut self, text: &str) -> Number {
        Number::Constant(self.number_of(text))
    }

    fn number_of(&mut self, text: &str) -> Decimal {
        let next = i64::try_from(self.texts.len()).unwrap_or(i64::MAX);
        (*self.texts.entry(text.to_owned()).or_insert(next)).into()
    }

    /// The literal text of that number.
    pub(super) fn text_of(&self, number: Decimal) -> Option<&str> {
        self.texts.iter().find(|(_, n)| Decimal::from(**n) == number).map(|(text, _)| text.as_str())
    }

    /// Whether the policy's conditions hold this text.
    pub(super) fn is_literal(&self, text: &str) -> bool {
        self.texts.contains_key(text)
    }

    fn literal(&mut self, literal: &Value) -> Result<Coded, Outside> {
        let shape = match literal {
            Value::Null => Shape::Absent,
            Value::Bool(value) => Shape::Bool(Formula::constant(*value)),
            Value::Number(number) => Shape::Number(Number::Constant(*number)),
            Value::Text(text) => Shape::Text(self.text(text)),
            Value::List(items) => Shape::Elements(items.clone()),
            Value::Set(items) => Shape::Elements(items.iter().cloned().collect()),
            Value::Record(_) => return Err(Outside("a record in a condition".to_owned())),
        };
        Ok(Coded { present: Formula::constant(!matches!(shape, Shape::Absent)), shape })
    }

    /// The type of what an operand reads, null aside, and when it is there and not null.
    fn presence(&mut self, operand: &Operand) -> Result<(TypeId, Formula), Outside> {
        let types = &self.policy().types;
        let Some((ty, always)) = declared_type(self.policy(), self.tool, operand) else {
            return Err(Outside("a field that its type does not have".to_owned()));
        };
        let nullable = admits_null(types, ty);
        let (ty, _) = without_null(types, ty);
        let present = match () {
            () if is_only_null(types, ty) => Formula::constant(false),
            () if always && !nullable => Formula::constant(true),
            () => Formula::variable(present(operand)),
        };
        // What lies in a record is there only if the record is, and if it must be, exactly then.
        if self.operands.insert(operand.clone())
            && let Some(record) = enclosing(operand)
        {
            let (_, there) = self.presence(&record)?;
            let required = is_required(self.policy(), self.tool, &record, operand) && !nullable;
            let holds = match required {
                true => present.clone().same(there),
                false => present.clone().implies(there),
            };
            self.background.insert(self::present(operand), holds);
        }
        Ok((ty, present))
    }

    fn operand(&mut self, operand: &Operand) -> Result<Coded, Outside> {
        match operand {
            Operand::Literal(literal) => return self.literal(literal),
            Operand::Derived(function, _) => return self.given(operand, *function),
            Operand::Fact(..) | Operand::Argument(..) | Operand::Field(_) => {}
        }
        let (ty, present) = self.presence(operand)?;
        let number = |whole| Number::Variable { name: value(operand), whole };
        let shape = match self.policy().types.get(ty.index()) {
            Some(Type::Null) => Shape::Absent,
            Some(Type::Bool) => Shape::Bool(Formula::variable(value(operand))),
            Some(Type::Integer) => Shape::Number(number(true)),
            Some(Type::Number) => Shape::Number(number(false)),
            Some(Type::Text) => Shape::Text(number(true)),
            Some(Type::Enumeration(values)) => {
                let one = number(true);
                let choice = self.one_of(&one, values)?;
                self.background.insert(value(operand), choice);
                Shape::Text(one)
            }
            Some(Type::Date) => {
                self.dated(Function::Date, &value(operand), true);
                Shape::Text(number(true))
            }
            Some(Type::Time) => {
                self.dated(Function::Time, &value(operand), true);
                Shape::Text(number(true))
            }
            Some(Type::Pattern(pattern)) => {
                let matches = self.matches(&number(true), pattern);
                self.background.insert(value(operand), matches);
                Shape::Text(number(true))
            }
            Some(Type::List(_) | Type::Set(_)) => Shape::Open,
            Some(Type::Any | Type::Record { .. } | Type::Map(_) | Type::Union(_)) | None => {
                return Err(Outside(format!(
                    "a condition on {}",
                    rtbas_artifact::ty::describe(&self.policy().types, ty)
                )));
            }
        };
        Ok(Coded { present, shape })
    }

    /// That a text is one of those that an enumeration lists.
    fn one_of(&mut self, text: &Number, values: &[Value]) -> Result<Formula, Outside> {
        let each = values.iter().map(|value| match value {
            Value::Text(value) => Ok(text.clone().equal(self.text(value))),
            _ => Err(Outside("an enumeration of values other than text".to_owned())),
        });
        each.collect::<Result<Vec<_>, _>>().map(Formula::or)
    }

    /// What holds of a value that is an element of a declared list or set.
    fn of_element(&mut self, set: &Operand, value: &Shape) -> Result<Formula, Outside> {
        let types = &self.policy().types;
        let element = declared_type(self.policy(), self.tool, set).and_then(|(ty, _)| match types
            .get(without_null(types, ty).0.index())
        {
            Some(Type::List(element) | Type::Set(element)) => types.get(element.index()),
            _ => None,
        });
        Ok(match (element, value) {
            (Some(Type::Bool), Shape::Bool(_))
            | (Some(Type::Number), Shape::Number(_))
            | (Some(Type::Text), Shape::Text(_)) => Formula::constant(true),
            (Some(Type::Integer), Shape::Number(number)) => {
                let whole = format!("whole {number:?}");
                number.clone().equal(Number::Variable { name: whole, whole: true })
            }
            (Some(Type::Enumeration(values)), Shape::Text(text)) => self.one_of(text, values)?,
            (Some(Type::Pattern(pattern)), Shape::Text(text)) => self.matches(text, pattern),
            (Some(ty @ (Type::Date | Type::Time)), Shape::Text(text)) => {
                let function = if *ty == Type::Date { Function::Date } else { Function::Time };
                match text {
                    Number::Constant(number) => {
                        let text = self.text_of(*number).unwrap_or_default().to_owned();
                        Formula::constant(function.of(&Value::Text(text)).is_some())
                    }
                    Number::Variable { name, .. } => self.dated(function, name, false).parses,
                }
            }
            _ => return Err(Outside("membership among values of another type".to_owned())),
        })
    }

    /// Whether the elements of a list or set are numbers, or else texts; `None` if neither.
    fn has_number_elements(&self, set: &Operand) -> Option<bool> {
        let types = &self.policy().types;
        let (ty, _) = declared_type(self.policy(), self.tool, set)?;
        let (Type::List(item) | Type::Set(item)) = types.get(without_null(types, ty).0.index())?
        else {
            return None;
        };
        match types.get(item.index())? {
            Type::Integer | Type::Number => Some(true),
            Type::Text | Type::Enumeration(_) | Type::Pattern(_) => Some(false),
            Type::Date | Type::Time => Some(false),
            _ => None,
        }
    }

    fn membership(&mut self, element: &Operand, set: &Operand) -> Result<Truth, Outside> {
        let (coded, coded_set) = (self.operand(element)?, self.operand(set)?);
        let both = [coded.present.clone(), coded_set.present.clone()];
        let holds = match &coded_set.shape {
            Shape::Absent => return Ok(defined(both, Formula::constant(false))),
            Shape::Elements(items) => {
                let mut equal = Vec::new();
                let mut comparable = true;
                for item in items {
                    let item = self.literal(item)?;
                    match relation(Comparison::Equal, &coded.shape, &item.shape)? {
                        Some(holds) => equal.push(holds),
                        None => comparable = false,
                    }
                }
                let Truth { yes, no } = defined(both, Formula::or(equal));
                let no = Formula::and([no, Formula::constant(comparable)]);
                return Ok(Truth { yes, no });
            }
            Shape::Open => self.member(set, &coded.shape)?,
            Shape::Bool(_) | Shape::Number(_) | Shape::Text(_) => {
                return Ok(Truth { yes: Formula::constant(false), no: Formula::constant(false) });
            }
        };
        Ok(defined(both, holds))
    }
}

/// A relation that is undefined where a side is absent.
fn defined(present: [Formula; 2], holds: Formula) -> Truth {
    let [left, right] = present;
    Truth {
        yes: Formula::and([left.clone(), right.clone(), holds.clone()]),
        no: Formula::and([left, right, !holds]),
    }
}

/// When a comparison holds, or `None` for values of different types: undefined.
fn relation(
    comparison: Comparison,
    left: &Shape,
    right: &Shape,
) -> Result<Option<Formula>, Outside> {
    let equal = match (left, right) {
        (Shape::Bool(a), Shape::Bool(b)) => a.clone().same(b.clone()),
        (Shape::Number(a), Shape::Number(b)) | (Shape::Text(a), Shape::Text(b)) => {
            a.clone().equal(b.clone())
        }
        (Shape::Elements(_) | Shape::Open, Shape::Elements(_) | Shape::Open) => {
            return Err(Outside("a comparison of lists".to_owned()));
        }
        _ => return Ok(None),
    };
    let numbers = match (left, right) {
        (Shape::Number(a), Shape::Number(b)) => Some((a.clone(), b.clone())),
        _ => None,
    };
    Ok(match comparison {
        Comparison::Equal => Some(equal),
        Comparison::NotEqual => Some(!equal),
        Comparison::Less => numbers.map(|(a, b)| a.less(b)),
        Comparison::GreaterOrEqual => numbers.map(|(a, b)| !a.less(b)),
        Comparison::Greater => numbers.map(|(a, b)| b.less(a)),
        Comparison::LessOrEqual => numbers.map(|(a, b)| !b.less(a)),
    })
}

/// The declared type of what an operand reads, and whether it is always there.
pub(super) fn declared_type(
    policy: &Policy,
    tool: &Tool,
    operand: &Operand,
) -> Option<(TypeId, bool)> {
    let (mut ty, mut always, path) = match operand {
        Operand::Fact(fact, path) => (policy.facts.get(fact.index())?.ty, true, path),
        Operand::Argument(argument, path) => {
            let argument = tool.arguments.get(argument.index())?;
            (argument.ty, argument.required || argument.default.is_some(), path)
        }
        Operand::Literal(_) | Operand::Field(_) | Operand::Derived(..) => return None,
    };
    for step in path {
        let field = field(&policy.types, ty, step)?;
        always &= field.required && !admits_null(&policy.types, ty);
        ty = field.ty;
    }
    Some((ty, always))
}

/// A field of a record type, or of one or null.
fn field<'t>(types: &'t [Type], ty: TypeId, name: &str) -> Option<&'t Field> {
    match types.get(without_null(types, ty).0.index()) {
        Some(Type::Record { fields, .. }) => fields.iter().find(|field| field.name == name),
        _ => None,
    }
}

/// Whether a record must have what an operand reads of it.
fn is_required(policy: &Policy, tool: &Tool, record: &Operand, operand: &Operand) -> bool {
    let name = match operand {
        Operand::Fact(_, path) | Operand::Argument(_, path) | Operand::Field(path) => path.last(),
        Operand::Literal(_) | Operand::Derived(..) => None,
    };
    let record = declared_type(policy, tool, record);
    let field = record.zip(name).and_then(|((ty, _), name)| field(&policy.types, ty, name));
    field.is_some_and(|field| field.required)
}

/// Whether null is the only value of the type.
fn is_only_null(types: &[Type], ty: TypeId) -> bool {
    match types.get(ty.index()) {
        Some(Type::Null) => true,
        Some(Type::Enumeration(values)) => values.iter().all(|value| *value == Value::Null),
        Some(Type::Union(choices)) => choices.iter().all(|&choice| is_only_null(types, choice)),
        _ => false,
    }
}

/// Whether null is a value of the type. Conditions take it for absent.
fn admits_null(types: &[Type], ty: TypeId) -> bool {
    rtbas_artifact::ty::check(types, ty, &Value::Null).is_ok()
}

/// What an operand that reads a field reads the field of.
fn enclosing(operand: &Operand) -> Option<Operand> {
    let outer = |path: &[String]| path.split_last().map(|(_, outer)| outer.to_vec());
    match operand {
        Operand::Fact(fact, path) => Some(Operand::Fact(*fact, outer(path)?)),
        Operand::Argument(argument, path) => Some(Operand::Argument(*argument, outer(path)?)),
        Operand::Literal(_) | Operand::Field(_) | Operand::Derived(..) => None,
    }
}

/// The other side of a union with null, and whether it was one.
pub(super) fn without_null(types: &[Type], ty: TypeId) -> (TypeId, bool) {
    let is_null = |id: &TypeId| types.get(id.index()) == Some(&Type::Null);
    match types.get(ty.index()) {
        Some(Type::Union(choices)) if choices.iter().any(is_null) => {
            let mut others = choices.iter().filter(|id| !is_null(id));
            match (others.next(), others.next()) {
                (Some(only), None) => (*only, true),
                _ => (ty, true),
            }
        }
        _ => (ty, false),
    }
}
