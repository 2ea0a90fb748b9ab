//! Which values a type holds.

use std::fmt;

use crate::date;
use crate::ir::{Type, TypeId};
use crate::pattern::Pattern;
use crate::value::Value;

/// Why a value does not fit a type. Names the place and the type, never the value: the text goes
/// where the value may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The place in the value, such as `items[2].id`; empty for the whole.
    pub path: String,
    /// What was expected there, in words.
    pub expected: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "expected {}", self.expected),
            path => write!(f, "expected {} at `{path}`", self.expected),
        }
    }
}

/// Checks that a value is of a type.
///
/// # Errors
/// The first place where it is not.
pub fn check(types: &[Type], ty: TypeId, value: &Value) -> Result<(), Mismatch> {
    let mismatch = || Mismatch { path: String::new(), expected: describe(types, ty) };
    let Some(declared) = types.get(ty.index()) else {
        return Err(mismatch());
    };
    match (declared, value) {
        (Type::Any, _)
        | (Type::Null, Value::Null)
        | (Type::Bool, Value::Bool(_))
        | (Type::Number, Value::Number(_))
        | (Type::Text, Value::Text(_)) => Ok(()),
        (Type::Date, Value::Text(text)) if date::days(text).is_some() => Ok(()),
        (Type::Time, Value::Text(text)) if date::seconds(text).is_some() => Ok(()),
        (Type::Pattern(pattern), Value::Text(text)) if pattern.matches(text) == Some(true) => {
            Ok(())
        }
        (Type::Integer, Value::Number(n)) if n.is_integer() => Ok(()),
        (Type::Enumeration(values), _) if values.contains(value) => Ok(()),
        (Type::List(element), Value::List(items)) => check_all(types, *element, items.iter()),
        (Type::Set(element), Value::Set(items)) => check_all(types, *element, items.iter()),
        (Type::Record { fields, open }, Value::Record(values)) => {
            for field in fields {
                match values.get(&field.name) {
                    Some(value) => {
                        check(types, field.ty, value).map_err(|e| e.under(&field.name))?
                    }
                    None if field.required => {
                        return Err(Mismatch {
                            path: field.name.clone(),
                            expected: describe(types, field.ty),
                        });
                    }
                    None => {}
                }
            }
            let known = |name: &String| fields.iter().any(|f| f.name == *name);
            match values.keys().find(|name| !*open && !known(name)) {
                Some(_) => Err(Mismatch {
                    path: String::new(),
                    expected: "no fields beside those declared".to_owned(),
                }),
                None => Ok(()),
            }
        }
        // A name is data like the values, so the place does not give it.
        (Type::Map(inner), Value::Record(values)) => values
            .values()
            .try_for_each(|value| check(types, *inner, value).map_err(|e| e.under("[*]"))),
        (Type::Union(choices), _) => {
            let fits = choices.iter().any(|&choice| check(types, choice, value).is_ok());
            if fits { Ok(()) } else { Err(mismatch()) }
        }
        _ => Err(mismatch()),
    }
}

fn check_all<'a>(
    types: &[Type],
    element: TypeId,
    mut items: impl Iterator<Item = &'a Value>,
) -> Result<(), Mismatch> {
    let mut index = 0_usize;
    items.try_for_each(|item| {
        check(types, element, item).map_err(|e| e.under(&format!("[{index}]")))?;
        index += 1;
        Ok(())
    })
}

impl Mismatch {
    fn under(mut self, step: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{step}{dot}{}", self.path);
        self
    }
}

/// From so many texts on a pattern is not narrow: of letters and blanks, 15 characters would be.
const FEW: u128 = 1 << 72;

/// A type whose values carry no free text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrow {
    /// How many values it has at most; `None` for numbers, dates and times, which say little
    /// however many they are.
    pub values: Option<u128>,
}

impl Narrow {
    /// The texts that match a pattern, if there are few enough.
    #[must_use]
    pub fn of(pattern: &Pattern) -> Option<Self> {
        let few = pattern.tree().count().filter(|count| *count < FEW)?;
        Some(Self { values: Some(few) })
    }
}

/// Whether a type is narrow: whether none of its values can hold what somebody would take for an
/// instruction. That are numbers, truth values, dates and times, texts that are listed, texts that
/// match a pattern if fewer than 2^72 do, and closed records of such values. Lists are not: many
/// small values are a text.
#[must_use]
pub fn narrow(types: &[Type], ty: TypeId) -> Option<Narrow> {
    let values = |values| Some(Narrow { values });
    match types.get(ty.index())? {
        Type::Null => values(Some(1)),
        Type::Bool => values(Some(2)),
        Type::Integer | Type::Number | Type::Date | Type::Time => values(None),
        Type::Enumeration(members) => values(u128::try_from(members.len()).ok()),
        Type::Pattern(pattern) => Narrow::of(pattern),
        Type::Record { fields, open: false } => {
            fields.iter().try_fold(Narrow { values: Some(1) }, |record, field| {
                let field_values = narrow(types, field.ty)?.values;
                let absent = u128::from(!field.required);
                let both = record.values.zip(field_values);
                let values = both.map(|(a, b)| a.saturating_mul(b.saturating_add(absent)));
                Some(Narrow { values })
            })
        }
        Type::Union(choices) => {
            choices.iter().try_fold(Narrow { values: Some(0) }, |union, choice| {
                let both = union.values.zip(narrow(types, *choice)?.values);
                Some(Narrow { values: both.map(|(a, b)| a.saturating_add(b)) })
            })
        }
        Type::Any | Type::Text | Type::List(_) | Type::Set(_) | Type::Map(_) => None,
        Type::Record { .. } => None,
    }
}

/// Turns lists into sets where the type says `set`, so that facts written in JSON fit their types.
#[must_use]
pub fn with_sets(types: &[Type], ty: TypeId, value: Value) -> Value {
    match (types.get(ty.index()), value) {
        (Some(Type::Set(element)), Value::List(items)) => {
            Value::Set(items.into_iter().map(|item| with_sets(types, *element, item)).collect())
        }
        (Some(Type::List(element)), Value::List(items)) => {
            Value::List(items.into_iter().map(|item| with_sets(types, *element, item)).collect())
        }
        (Some(Type::Record { fields, .. }), Value::Record(values)) => Value::Record(
            values
                .into_iter()
                .map(|(name, value)| match fields.iter().find(|field| field.name == name) {
                    Some(field) => (name, with_sets(types, field.ty, value)),
                    None => (name, value),
                })
                .collect(),
        ),
        (Some(Type::Map(inner)), Value::Record(values)) => Value::Record(
            values
                .into_iter()
                .map(|(name, value)| (name, with_sets(types, *inner, value)))
                .collect(),
        ),
        (Some(Type::Union(choices)), value) => {
            let fitting = choices.iter().find_map(|&choice| {
                let value = with_sets(types, choice, value.clone());
                check(types, choice, &value).is_ok().then_some(value)
            });
            fitting.unwrap_or(value)
        }
        (_, value) => value,
    }
}

/// A type in words.
#[must_use]
pub fn describe(types: &[Type], ty: TypeId) -> String {
    match types.get(ty.index()) {
        None => "a type that does not exist".to_owned(),
        Some(Type::Any) => "a value".to_owned(),
        Some(Type::Null) => "null".to_owned(),
        Some(Type::Bool) => "true or false".to_owned(),
        Some(Type::Integer) => "a whole number".to_owned(),
        Some(Type::Number) => "a number".to_owned(),
        Some(Type::Text) => "a string".to_owned(),
        Some(Type::Enumeration(values)) => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            format!("one of {}", values.join(", "))
        }
        Some(Type::Date) => "a date such as 2024-05-31".to_owned(),
        Some(Type::Time) => "a time such as 2024-05-31T12:00Z".to_owned(),
        Some(Type::Pattern(pattern)) => format!("a string that matches {pattern}"),
        Some(Type::List(_)) => "a list".to_owned(),
        Some(Type::Set(_)) => "a set".to_owned(),
        Some(Type::Record { .. }) => "a record".to_owned(),
        Some(Type::Map(_)) => "a map".to_owned(),
        Some(Type::Union(choices)) => {
            let choices: Vec<String> = choices.iter().map(|&t| describe(types, t)).collect();
            choices.join(" or ")
        }
    }
}
