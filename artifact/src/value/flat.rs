//! A value on the wire: its parts in reading order, so that reading it back needs no more stack
//! than a value may be deep, whoever wrote the bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

use super::{MAX_DEPTH, Value};
use crate::decimal::Decimal;

/// One part. A list, a set or a record is followed by its elements.
#[derive(Serialize, Deserialize)]
enum Part<'a> {
    Null,
    Bool(bool),
    Number(Decimal),
    Text(Cow<'a, str>),
    List(u32),
    Set(u32),
    Record(Vec<Cow<'a, str>>),
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut parts = Vec::new();
        flatten(self, &mut parts).ok_or_else(|| ser::Error::custom("too many elements"))?;
        parts.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut parts = Vec::<Part<'_>>::deserialize(deserializer)?.into_iter();
        let value = gather(&mut parts, 0);
        value.filter(|_| parts.next().is_none()).ok_or_else(|| de::Error::custom("not one value"))
    }
}

fn flatten<'a>(value: &'a Value, parts: &mut Vec<Part<'a>>) -> Option<()> {
    let count = |n: usize| u32::try_from(n).ok();
    match value {
        Value::Null => parts.push(Part::Null),
        Value::Bool(b) => parts.push(Part::Bool(*b)),
        Value::Number(n) => parts.push(Part::Number(*n)),
        Value::Text(text) => parts.push(Part::Text(text.into())),
        Value::List(items) => {
            parts.push(Part::List(count(items.len())?));
            items.iter().try_for_each(|item| flatten(item, parts))?;
        }
        Value::Set(items) => {
            parts.push(Part::Set(count(items.len())?));
            items.iter().try_for_each(|item| flatten(item, parts))?;
        }
        Value::Record(fields) => {
            parts.push(Part::Record(fields.keys().map(Cow::from).collect()));
            fields.values().try_for_each(|value| flatten(value, parts))?;
        }
    }
    Some(())
}

/// The value that the next parts are; none if they end too soon or nest too deep.
fn gather<'a>(parts: &mut impl Iterator<Item = Part<'a>>, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match parts.next()? {
        Part::Null => Value::Null,
        Part::Bool(b) => Value::Bool(b),
        Part::Number(n) => Value::Number(n),
        Part::Text(text) => Value::Text(text.into_owned()),
        Part::List(n) => {
            Value::List((0..n).map(|_| gather(parts, depth + 1)).collect::<Option<_>>()?)
        }
        Part::Set(n) => {
            Value::Set((0..n).map(|_| gather(parts, depth + 1)).collect::<Option<_>>()?)
        }
        Part::Record(names) => {
            let mut fields = BTreeMap::new();
            for name in names {
                fields.insert(name.into_owned(), gather(parts, depth + 1)?);
            }
            Value::Record(fields)
        }
    })
}
