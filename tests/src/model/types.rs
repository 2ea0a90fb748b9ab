//! Which values a type holds, and what a written value means as a type.

use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::function::Function;
use rtbas_artifact::ir::{Field, Type, TypeId};
use rtbas_artifact::value::Value;

use crate::model::flaw::Flaw;
use crate::model::function::apply;
use crate::model::pattern;
use crate::written::Written;

/// The types of a policy.
#[derive(Clone, Copy, Debug)]
pub struct Types<'p> {
    types: &'p [Type],
    pub(super) flaw: Option<Flaw>,
}

/// A scalar as a reader meets it.
#[derive(Clone, Copy, Debug)]
pub enum Scalar<'w> {
    /// Without quotes.
    Plain(&'w str),
    /// Without quotes, in JSON or Python, but in JSON's words.
    Word(&'w str),
    /// In quotes.
    Quoted(&'w str),
    /// As a text of its own, where white space around a word does not count.
    Whole(&'w str),
    /// As a part of a text, where all that stands there counts.
    Part(&'w str),
}

impl<'p> Types<'p> {
    /// The types of a policy.
    #[must_use]
    pub fn new(types: &'p [Type], flaw: Option<Flaw>) -> Self {
        Self { types, flaw }
    }

    fn get(&self, ty: TypeId) -> Option<&'p Type> {
        self.types.get(ty.index())
    }

    /// Whether a value is of a type.
    #[must_use]
    pub fn holds(&self, ty: TypeId, value: &Value) -> bool {
        match self.get(ty) {
            None => false,
            Some(Type::Any) => true,
            Some(Type::Null) => *value == Value::Null,
            Some(Type::Bool) => matches!(value, Value::Bool(_)),
            Some(Type::Number) => matches!(value, Value::Number(_)),
            Some(Type::Integer) => matches!(value, Value::Number(n) if is_whole(*n)),
            Some(Type::Text) => matches!(value, Value::Text(_)),
            Some(Type::Date) => is_text(value, |text| apply(Function::Date, text).is_some()),
            Some(Type::Time) => is_text(value, |text| apply(Function::Time, text).is_some()),
            Some(Type::Pattern(pattern)) => {
                is_text(value, |text| pattern::matches(pattern.text(), text))
            }
            Some(Type::Enumeration(members)) => members.iter().any(|member| member == value),
            Some(Type::List(element)) => match value {
                Value::List(items) => items.iter().all(|item| self.holds(*element, item)),
                _ => false,
            },
            Some(Type::Set(element)) => match value {
                Value::Set(items) => items.iter().all(|item| self.holds(*element, item)),
                _ => false,
            },
            Some(Type::Record { fields, open }) => {
                let Value::Record(values) = value else { return false };
                let has = |field: &Field| match values.get(&field.name) {
                    Some(value) => self.holds(field.ty, value),
                    None => !field.required,
                };
                let known = |name: &String| fields.iter().any(|field| field.name == *name);
                fields.iter().all(has) && (*open || values.keys().all(known))
            }
            Some(Type::Map(inner)) => match value {
                Value::Record(values) => values.values().all(|value| self.holds(*inner, value)),
                _ => false,
            },
            Some(Type::Union(choices)) => choices.iter().any(|&choice| self.holds(choice, value)),
        }
    }

    /// A fact as the host gives it: lists stand for sets where sets are declared.
    #[must_use]
    pub fn fact(&self, ty: TypeId, value: &Value) -> Value {
        match (self.get(ty), value) {
            (Some(Type::Set(element)), Value::List(items)) => {
                Value::Set(items.iter().map(|item| self.fact(*element, item)).collect())
            }
            (Some(Type::List(element)), Value::List(items)) => {
                Value::List(items.iter().map(|item| self.fact(*element, item)).collect())
            }
            (Some(Type::Record { fields, .. }), Value::Record(values)) => {
                let fact = |(name, value): (&String, &Value)| {
                    let field = fields.iter().find(|field| field.name == *name);
                    let value = field.map_or(value.clone(), |field| self.fact(field.ty, value));
                    (name.clone(), value)
                };
                Value::Record(values.iter().map(fact).collect())
            }
            (Some(Type::Map(inner)), Value::Record(values)) => {
                let fact =
                    |(name, value): (&String, &Value)| (name.clone(), self.fact(*inner, value));
                Value::Record(values.iter().map(fact).collect())
            }
            (Some(Type::Union(choices)), value) => {
                let facts = choices.iter().map(|&choice| (choice, self.fact(choice, value)));
                let mut fitting = facts.filter(|(choice, fact)| self.holds(*choice, fact));
                fitting.next().map_or(value.clone(), |(_, fact)| fact)
            }
            _ => value.clone(),
        }
    }

    /// What a written value means as a type: of a union, as the first member that it fits.
    #[must_use]
    pub fn read(&self, ty: TypeId, written: &Written) -> Option<Value> {
        let declared = self.get(ty)?;
        if let Type::Union(choices) = declared {
            return choices.iter().find_map(|&choice| self.read(choice, written));
        }
        match (declared, written) {
            (_, Written::Plain(word)) => self.scalar(ty, Scalar::Plain(word)),
            (_, Written::Word(word)) => self.scalar(ty, Scalar::Word(word)),
            (_, Written::Quoted(text)) => self.scalar(ty, Scalar::Quoted(text)),
            (Type::Any, _) => any(written),
            (Type::Enumeration(members), _) => any(written).filter(|v| members.contains(v)),
            (Type::List(element), Written::List(_, items)) => {
                let items: Option<_> = items.iter().map(|item| self.read(*element, item)).collect();
                items.map(Value::List)
            }
            (Type::Set(element), Written::List(_, items)) => {
                let items: Option<_> = items.iter().map(|item| self.read(*element, item)).collect();
                items.map(Value::Set)
            }
            (Type::Record { fields, open }, Written::Record(_, written)) => {
                if twice(written) {
                    return None;
                }
                let written_names: Vec<&String> = written.iter().map(|(name, _)| name).collect();
                if fields.iter().any(|f| f.required && !written_names.contains(&&f.name)) {
                    return None;
                }
                let read = |(name, value): &(String, Written)| {
                    let field = fields.iter().find(|field| field.name == *name);
                    let value = match field {
                        Some(field) => self.read(field.ty, value)?,
                        None if *open => any(value)?,
                        None => return None,
                    };
                    Some((name.clone(), value))
                };
                written.iter().map(read).collect::<Option<_>>().map(Value::Record)
            }
            (Type::Map(_), Written::Record(_, written)) if twice(written) => None,
            (Type::Map(inner), Written::Record(_, written)) => {
                let read = |(name, value): &(String, Written)| {
                    Some((name.clone(), self.read(*inner, value)?))
                };
                written.iter().map(read).collect::<Option<_>>().map(Value::Record)
            }
            _ => None,
        }
    }

    /// What a scalar means as a type.
    #[must_use]
    pub fn scalar(&self, ty: TypeId, scalar: Scalar<'_>) -> Option<Value> {
        match self.get(ty)? {
            Type::Union(choices) => choices.iter().find_map(|&choice| self.scalar(choice, scalar)),
            Type::Any => Some(scalar.any()),
            Type::Null => scalar.is_null().then_some(Value::Null),
            Type::Bool => scalar.truth().map(Value::Bool),
            Type::Number => scalar.number().map(Value::Number),
            Type::Integer => scalar.number().filter(|n| is_whole(*n)).map(Value::Number),
            Type::Text => self.text(scalar).map(Value::Text),
            Type::Date | Type::Time | Type::Pattern(_) => {
                let text = self.text(scalar.trimmed()).map(Value::Text);
                text.filter(|text| self.holds(ty, text))
            }
            Type::Enumeration(members) => {
                let spelt = |member: &&Value| match member {
                    Value::Null => scalar.is_null(),
                    Value::Bool(truth) => scalar.truth() == Some(*truth),
                    Value::Number(number) => scalar.number() == Some(*number),
                    Value::Text(text) => self.text(scalar.trimmed()).as_ref() == Some(text),
                    Value::List(_) | Value::Set(_) | Value::Record(_) => false,
                };
                members.iter().find(spelt).cloned()
            }
            Type::List(_) | Type::Set(_) | Type::Record { .. } | Type::Map(_) => None,
        }
    }

    /// Text is whatever is not null. Where text is declared, `12` is text in YAML.
    fn text(&self, scalar: Scalar<'_>) -> Option<String> {
        match scalar {
            Scalar::Plain(_) if scalar.is_null() => None,
            Scalar::Word(word) => (self.flaw == Some(Flaw::WordIsText)).then(|| word.to_owned()),
            Scalar::Plain(_)
                if self.flaw == Some(Flaw::NumberIsNoText) && scalar.number().is_some() =>
            {
                None
            }
            Scalar::Plain(text)
            | Scalar::Quoted(text)
            | Scalar::Whole(text)
            | Scalar::Part(text) => Some(text.to_owned()),
        }
    }
}

/// A text without the line end that a program prints behind it.
fn without_line_end(text: &str) -> &str {
    ["\r\n", "\n", "\r"].iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text)
}

impl<'w> Scalar<'w> {
    /// What may be more than text.
    fn word(self) -> Option<&'w str> {
        match self {
            Self::Plain(word) | Self::Word(word) | Self::Part(word) => Some(word),
            Self::Quoted(_) => None,
            Self::Whole(text) => Some(without_line_end(text)),
        }
    }

    fn trimmed(self) -> Self {
        match self {
            Self::Whole(text) => Self::Whole(without_line_end(text)),
            other => other,
        }
    }

    fn is_null(self) -> bool {
        self.word().is_some_and(|word| ["", "~", "null", "Null", "NULL"].contains(&word))
    }

    fn truth(self) -> Option<bool> {
        let word = self.word()?;
        let is = |words: [&str; 3]| words.contains(&word);
        if is(["true", "True", "TRUE"]) {
            Some(true)
        } else if is(["false", "False", "FALSE"]) {
            Some(false)
        } else {
            None
        }
    }

    fn number(self) -> Option<Decimal> {
        self.word()?.parse().ok()
    }

    fn any(self) -> Value {
        match self {
            Self::Quoted(text) | Self::Whole(text) | Self::Part(text) => {
                Value::Text(text.to_owned())
            }
            Self::Plain(word) | Self::Word(word) => match (self.truth(), self.number()) {
                _ if self.is_null() => Value::Null,
                (Some(truth), _) => Value::Bool(truth),
                (_, Some(number)) => Value::Number(number),
                _ => Value::Text(word.to_owned()),
            },
        }
    }
}

/// What a written value means where any is declared.
fn any(written: &Written) -> Option<Value> {
    Some(match written {
        Written::Plain(word) => Scalar::Plain(word).any(),
        Written::Word(word) => Scalar::Word(word).any(),
        Written::Quoted(text) => Scalar::Quoted(text).any(),
        Written::List(_, items) => Value::List(items.iter().map(any).collect::<Option<_>>()?),
        Written::Record(_, fields) if twice(fields) => return None,
        Written::Record(_, fields) => {
            let field = |(name, value): &(String, Written)| Some((name.clone(), any(value)?));
            Value::Record(fields.iter().map(field).collect::<Option<_>>()?)
        }
    })
}

/// Whether a field is written twice.
#[must_use]
pub fn twice(fields: &[(String, Written)]) -> bool {
    fields
        .iter()
        .enumerate()
        .any(|(i, (name, _))| fields.iter().skip(i + 1).any(|(n, _)| n == name))
}

/// Whether a number has no fractional part. In normal form the coefficient is no multiple of ten.
fn is_whole(number: Decimal) -> bool {
    let (_, exponent) = number.parts();
    exponent >= 0
}

fn is_text(value: &Value, fits: impl Fn(&str) -> bool) -> bool {
    matches!(value, Value::Text(text) if fits(text))
}
