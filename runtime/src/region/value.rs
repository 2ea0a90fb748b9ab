//! Values that are not divided: what a scalar, or a list or record as a whole, means as a type.
//!
//! The type decides, never the look of a value alone: `2024` is text where text is declared. A
//! plain scalar is null if it is empty, `~`, `null`, `Null` or `NULL`, and a truth value if it is
//! `true`, `True`, `TRUE` or the like of `false`, as in YAML's core schema. Numbers are plain
//! scalars in JSON's notation, which all that emit YAML keep to; the other notations of the core
//! schema (`+1`, `.5`, `0x1f`, `.inf`) are text, so that no reading of them loses anything. In JSON
//! and Python what has no quotes is no text, and their readers give its meaning in these words.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::ir::{Field, Type, TypeId};
use rtbas_artifact::ty::check;
use rtbas_artifact::value::Value;

use super::token::{Expected, Notation, Reader, Scalar, Token};

/// A value as it is written, before its type is known.
#[derive(Debug)]
pub(super) enum Undivided<'t> {
    Scalar(Scalar<'t>),
    List(Vec<Undivided<'t>>),
    Record(BTreeMap<Cow<'t, str>, Undivided<'t>>),
}

impl<'t> Undivided<'t> {
    /// Reads the value that begins with a token, and where it stands.
    pub(super) fn read(
        reader: &mut impl Reader<'t>,
        first: Token<'t>,
    ) -> Result<(Self, Range<usize>), Expected> {
        match first {
            Token::Scalar(scalar) => {
                let span = scalar.span.clone();
                Ok((Self::Scalar(scalar), span))
            }
            Token::List(start) => {
                let mut items = Vec::new();
                loop {
                    match reader.next()? {
                        Token::End(end) => return Ok((Self::List(items), start..end)),
                        item => items.push(Self::read(reader, item)?.0),
                    }
                }
            }
            Token::Record(start) => {
                let mut fields = BTreeMap::new();
                loop {
                    let key = match reader.next()? {
                        Token::End(end) => return Ok((Self::Record(fields), start..end)),
                        key => named(key)?.0,
                    };
                    let first = reader.next()?;
                    let (value, _) = Self::read(reader, first)?;
                    if fields.insert(key, value).is_some() {
                        return Err(ONCE);
                    }
                }
            }
            Token::End(_) => Err("a value"),
        }
    }

    /// The value as a type, if it is one of it: of a union, the first member that it fits.
    pub(super) fn fit(&self, types: &[Type], ty: TypeId) -> Option<Value> {
        match (types.get(ty.index())?, self) {
            (Type::Union(choices), _) => choices.iter().find_map(|&choice| self.fit(types, choice)),
            (Type::Any, _) => Some(self.any()),
            (Type::Enumeration(values), Self::Scalar(scalar)) => {
                values.iter().find(|value| scalar.spells(value)).cloned()
            }
            (Type::Enumeration(values), _) => Some(self.any()).filter(|v| values.contains(v)),
            (Type::Null, Self::Scalar(scalar)) => scalar.is_null().then_some(Value::Null),
            (Type::Bool, Self::Scalar(scalar)) => scalar.truth().map(Value::Bool),
            (Type::Number, Self::Scalar(scalar)) => scalar.number().map(Value::Number),
            (Type::Integer, Self::Scalar(scalar)) => {
                scalar.number().filter(|n| n.is_integer()).map(Value::Number)
            }
            (Type::Text, Self::Scalar(scalar)) => {
                scalar.is_text().then(|| Value::Text(scalar.text.to_string()))
            }
            (Type::Date | Type::Time | Type::Pattern(_), Self::Scalar(scalar)) => {
                let text = Value::Text(scalar.word().unwrap_or(&scalar.text).to_owned());
                (scalar.is_text() && check(types, ty, &text).is_ok()).then_some(text)
            }
            (Type::List(element), Self::List(items)) => {
                items.iter().map(|i| i.fit(types, *element)).collect::<Option<_>>().map(Value::List)
            }
            (Type::Set(element), Self::List(items)) => {
                items.iter().map(|i| i.fit(types, *element)).collect::<Option<_>>().map(Value::Set)
            }
            (Type::Record { fields, open }, Self::Record(values)) => {
                fit_record(types, fields, *open, values)
            }
            (Type::Map(inner), Self::Record(values)) => {
                let fit = |(name, value): (&Cow<'_, str>, &Self)| {
                    Some((name.to_string(), value.fit(types, *inner)?))
                };
                values.iter().map(fit).collect::<Option<_>>().map(Value::Record)
            }
            _ => None,
        }
    }

    /// The value where any is declared.
    fn any(&self) -> Value {
        match self {
            Self::Scalar(scalar) => scalar.any(),
            Self::List(items) => Value::List(items.iter().map(Self::any).collect()),
            Self::Record(fields) => {
                Value::Record(fields.iter().map(|(k, v)| (k.to_string(), v.any())).collect())
            }
        }
    }
}

pub(super) const ONCE: Expected = "each field once";

/// The name that a key gives, and where. Merge keys (`<<`) and keys that are not written are none.
pub(super) fn named(key: Token<'_>) -> Result<(Cow<'_, str>, Range<usize>), Expected> {
    match key {
        Token::Scalar(key)
            if key.notation == Notation::Quoted || !matches!(&*key.text, "" | "<<") =>
        {
            Ok((key.text, key.span))
        }
        _ => Err("names of fields, and no `<<`"),
    }
}

fn fit_record(
    types: &[Type],
    fields: &[Field],
    open: bool,
    values: &BTreeMap<Cow<'_, str>, Undivided<'_>>,
) -> Option<Value> {
    let missing = |field: &Field| field.required && !values.contains_key(&*field.name);
    if fields.iter().any(missing) {
        return None;
    }
    let fit = |(name, value): (&Cow<'_, str>, &Undivided<'_>)| {
        let value = match fields.iter().find(|field| field.name == **name) {
            Some(field) => value.fit(types, field.ty)?,
            None if open => value.any(),
            None => return None,
        };
        Some((name.to_string(), value))
    };
    values.iter().map(fit).collect::<Option<_>>().map(Value::Record)
}

impl Scalar<'_> {
    /// The text that can be more than text, where there is one.
    fn word(&self) -> Option<&str> {
        match self.notation {
            Notation::Plain | Notation::Word | Notation::Part => Some(&self.text),
            Notation::Quoted => None,
            // A program ends what it prints with one line break; more blanks would be its author's.
            Notation::Whole => {
                let end = ["\r\n", "\n", "\r"];
                let bare = end.iter().find_map(|end| self.text.strip_suffix(end));
                Some(bare.unwrap_or(&self.text))
            }
        }
    }

    fn is_null(&self) -> bool {
        matches!(self.word(), Some("" | "~" | "null" | "Null" | "NULL"))
    }

    fn truth(&self) -> Option<bool> {
        match self.word()? {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        }
    }

    fn number(&self) -> Option<Decimal> {
        self.word()?.parse().ok()
    }

    fn is_text(&self) -> bool {
        match self.notation {
            Notation::Plain => !self.is_null(),
            Notation::Word => false,
            Notation::Quoted | Notation::Whole | Notation::Part => true,
        }
    }

    fn spells(&self, value: &Value) -> bool {
        match value {
            Value::Null => self.is_null(),
            Value::Bool(truth) => self.truth() == Some(*truth),
            Value::Number(number) => self.number() == Some(*number),
            Value::Text(text) => self.is_text() && self.word().unwrap_or(&self.text) == text,
            Value::List(_) | Value::Set(_) | Value::Record(_) => false,
        }
    }

    fn any(&self) -> Value {
        let text = || Value::Text(self.text.to_string());
        if matches!(self.notation, Notation::Whole | Notation::Part) {
            return text();
        }
        let truth = || self.truth().map(Value::Bool);
        let number = || self.number().map(Value::Number);
        if self.is_null() { Value::Null } else { truth().or_else(number).unwrap_or_else(text) }
    }
}
