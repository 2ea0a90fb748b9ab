//! Values: what arguments, facts and fields of results are made of.

mod flat;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::decimal::{Decimal, DecimalError};

/// Deepest nesting of lists and records in a value.
pub const MAX_DEPTH: usize = 64;

/// A value. Two values are equal if they are the same value, whatever notation they came in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// an exact number
    Number(Decimal),
    /// text, compared code point by code point
    Text(String),
    /// a list
    List(Vec<Value>),
    /// a set, written as a list where its type says `set`
    Set(BTreeSet<Value>),
    /// fields by name
    Record(BTreeMap<String, Value>),
}

/// Why a JSON document is no [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueError {
    /// A number that cannot be held exactly.
    Number(DecimalError),
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(e) => e.fmt(f),
            Self::TooDeep => write!(f, "nested more than {MAX_DEPTH} deep"),
        }
    }
}

impl std::error::Error for ValueError {}

impl Value {
    /// The value of a JSON document.
    ///
    /// # Errors
    /// A number of more than 34 digits, or nesting beyond [`MAX_DEPTH`].
    pub fn from_json(json: &serde_json::Value) -> Result<Self, ValueError> {
        Self::from_json_at(json, 0)
    }

    fn from_json_at(json: &serde_json::Value, depth: usize) -> Result<Self, ValueError> {
        if depth > MAX_DEPTH {
            return Err(ValueError::TooDeep);
        }
        Ok(match json {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(b) => Self::Bool(*b),
            serde_json::Value::Number(n) => {
                Self::Number(n.as_str().parse().map_err(ValueError::Number)?)
            }
            serde_json::Value::String(s) => Self::Text(s.clone()),
            serde_json::Value::Array(items) => Self::List(
                items
                    .iter()
                    .map(|item| Self::from_json_at(item, depth + 1))
                    .collect::<Result<_, _>>()?,
            ),
            serde_json::Value::Object(fields) => Self::Record(
                fields
                    .iter()
                    .map(|(k, v)| Ok((k.clone(), Self::from_json_at(v, depth + 1)?)))
                    .collect::<Result<_, _>>()?,
            ),
        })
    }

    /// Whether it holds no other values.
    #[must_use]
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Self::List(_) | Self::Set(_) | Self::Record(_))
    }

    /// The JSON document of this value.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(b) => (*b).into(),
            Self::Number(n) => serde_json::from_str(&n.to_string()).unwrap_or_default(),
            Self::Text(s) => s.clone().into(),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
            Self::Set(items) => items.iter().map(Self::to_json).collect(),
            Self::Record(fields) => fields.iter().map(|(k, v)| (k.clone(), v.to_json())).collect(),
        }
    }

    /// The value under a path of field names, if every step is there.
    #[must_use]
    pub fn get(&self, path: &[String]) -> Option<&Self> {
        path.iter().try_fold(self, |value, step| match value {
            Self::Record(fields) => fields.get(step),
            _ => None,
        })
    }
}

impl fmt::Display for Value {
    /// JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_json().fmt(f)
    }
}
