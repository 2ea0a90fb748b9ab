//! Types, values of a type, and values of a type as a tool may write them.

use std::collections::BTreeMap;

use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::ir::{Field, Type, TypeId};
use rtbas_artifact::pattern::Pattern;
use rtbas_artifact::value::Value;

use crate::generate::dice::Dice;
use crate::generate::tables::Tables;
use crate::model::types::Types;
use crate::written::{Language, Layout, Written};

const NUMBERS: [&str; 7] = ["1", "0", "-1", "2.5", "10", "1e1", "12"];
const DATES: [&str; 3] = ["2024-05-31", "2024-06-01", "1999-12-31"];
const TIMES: [&str; 4] =
    ["2024-05-31T12:00Z", "2024-05-31 14:00+02:00", "2024-05-31T12:00:00.5", "1999-12-31T00:00Z"];
const TRUTHS: [&str; 3] = ["true", "false", "True"];
const NULLS: [&str; 2] = ["null", "~"];

/// Where values of a type come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The model, in JSON.
    Argument,
    /// The host, or a tool. Their lists may be sets.
    Other,
}

/// A random type.
pub fn ty(dice: &mut Dice<'_>, tables: &mut Tables, usage: Use, depth: usize) -> TypeId {
    let ty = match dice.below(18) {
        4 => Type::Number,
        5 => Type::Bool,
        6 => Type::Integer,
        7 => enumeration(dice),
        8 => Type::List(tables.ty(Type::Text)),
        9 | 10 if depth > 0 => {
            let inner = self::ty(dice, tables, usage, depth - 1);
            Type::Union(vec![inner, tables.ty(Type::Null)])
        }
        11 if depth > 0 => record(dice, tables, usage, depth - 1),
        12 => Type::Any,
        14 if depth > 0 => {
            let inner = self::ty(dice, tables, usage, depth - 1);
            // A map has names, which are text.
            tables.ty(Type::Text);
            Type::Map(inner)
        }
        15 => Type::Date,
        16 => Type::Time,
        17 => pattern(dice).map_or(Type::Text, Type::Pattern),
        13 if usage == Use::Other => Type::Set(tables.ty(Type::Text)),
        _ => Type::Text,
    };
    tables.ty(ty)
}

/// What generators have texts for.
fn pattern(dice: &mut Dice<'_>) -> Option<Pattern> {
    Pattern::new(*dice.pick(&["[a-f]", "(yo)?u?", "\\d+|null"])?).ok()
}

/// A text of a type that only some texts are of.
fn fitting(dice: &mut Dice<'_>, ty: &Type) -> String {
    let texts: &[&str] = match ty {
        Type::Date => &DATES,
        Type::Time => &TIMES,
        Type::Pattern(pattern) => match pattern.text().get(..1) {
            Some("[") => &["a", "f", "b"],
            Some("(") => &["you", "", "u", "yo"],
            _ => &["12", "null"],
        },
        _ => &[],
    };
    dice.pick(texts).copied().unwrap_or_default().to_owned()
}

fn enumeration(dice: &mut Dice<'_>) -> Type {
    let mut members = vec![Value::Text(dice.text())];
    for _ in 0..dice.between(1, 3) {
        let member = if dice.chance(25) { number(dice) } else { Value::Text(dice.text()) };
        members.push(member);
    }
    members.extend(dice.chance(20).then_some(Value::Null));
    Type::Enumeration(members)
}

fn record(dice: &mut Dice<'_>, tables: &mut Tables, usage: Use, depth: usize) -> Type {
    let mut fields = Vec::new();
    for name in ["x", "y"].into_iter().take(dice.between(1, 2)) {
        let ty = ty(dice, tables, usage, depth);
        fields.push(Field { name: name.to_owned(), ty, required: !dice.chance(30) });
    }
    Type::Record { fields, open: dice.chance(25) }
}

/// A number.
pub fn number(dice: &mut Dice<'_>) -> Value {
    let text = dice.pick(&NUMBERS).copied().unwrap_or("0");
    text.parse::<Decimal>().map_or(Value::Null, Value::Number)
}

/// Names of the values of a map, each once.
pub fn names(dice: &mut Dice<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for _ in 0..dice.below(4) {
        let name = dice.text();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Some value of a type. Where a set is declared it is a list, as in JSON.
pub fn value(dice: &mut Dice<'_>, types: &[Type], ty: TypeId) -> Value {
    match types.get(ty.index()) {
        None | Some(Type::Null) => Value::Null,
        Some(Type::Any) => match dice.below(6) {
            0 => number(dice),
            1 => Value::Bool(true),
            2 => Value::List(vec![Value::Text(dice.text()), number(dice)]),
            3 => Value::Null,
            _ => Value::Text(dice.text()),
        },
        Some(Type::Bool) => Value::Bool(dice.chance(50)),
        Some(Type::Integer) => {
            let number = [0, 1, 2, 10].get(dice.below(4)).copied().unwrap_or(0);
            Value::Number(Decimal::from(number))
        }
        Some(Type::Number) => number(dice),
        Some(Type::Text) => Value::Text(dice.text()),
        Some(ty @ (Type::Date | Type::Time | Type::Pattern(_))) => Value::Text(fitting(dice, ty)),
        Some(Type::Enumeration(members)) => dice.pick(members).cloned().unwrap_or(Value::Null),
        Some(Type::List(element) | Type::Set(element)) => {
            Value::List((0..dice.below(4)).map(|_| value(dice, types, *element)).collect())
        }
        Some(Type::Record { fields, open }) => {
            let mut values = BTreeMap::new();
            for field in fields {
                if field.required || dice.chance(60) {
                    values.insert(field.name.clone(), value(dice, types, field.ty));
                }
            }
            if *open && dice.chance(50) {
                values.insert("z".to_owned(), Value::Text(dice.text()));
            }
            Value::Record(values)
        }
        Some(Type::Map(inner)) => {
            let names = names(dice);
            let value = |name| (name, value(dice, types, *inner));
            Value::Record(names.into_iter().map(value).collect())
        }
        Some(Type::Union(choices)) => {
            let choice = dice.pick(choices).copied().unwrap_or(ty);
            value(dice, types, choice)
        }
    }
}

/// Some value that is not of a type, if one is found soon.
pub fn mistyped(dice: &mut Dice<'_>, types: &[Type], ty: TypeId) -> Option<Value> {
    let checker = Types::new(types, None);
    (0..8).find_map(|_| {
        let value = match dice.below(6) {
            0 => Value::Null,
            1 => number(dice),
            2 => Value::Bool(false),
            3 => Value::List(vec![Value::Bool(true)]),
            4 => Value::Record(BTreeMap::from([("zz".to_owned(), Value::Null)])),
            _ => Value::Text(dice.text()),
        };
        (!checker.holds(ty, &value)).then_some(value)
    })
}

/// Some value of a type, as a tool may write it.
pub fn written(dice: &mut Dice<'_>, language: Language, types: &[Type], ty: TypeId) -> Written {
    let written = |dice: &mut Dice<'_>, ty| written(dice, language, types, ty);
    let plain = |dice: &mut Dice<'_>, words: &[&str]| plain(dice, language, words);
    let text = |dice: &mut Dice<'_>| {
        let text = dice.text();
        scalar(dice, language, text)
    };
    match types.get(ty.index()) {
        None | Some(Type::Null) => plain(dice, &NULLS),
        Some(Type::Any) => match dice.below(6) {
            0 => plain(dice, &NUMBERS),
            1 => plain(dice, &TRUTHS),
            2 => plain(dice, &NULLS),
            3 => Written::List(Layout::Flow, vec![text(dice), plain(dice, &NUMBERS)]),
            _ => text(dice),
        },
        Some(Type::Bool) => plain(dice, &TRUTHS),
        Some(Type::Integer) => plain(dice, &["1", "0", "-1", "1e1"]),
        Some(Type::Number) => plain(dice, &NUMBERS),
        Some(Type::Text) => text(dice),
        Some(ty @ (Type::Date | Type::Time | Type::Pattern(_))) => {
            let text = fitting(dice, ty);
            scalar(dice, language, text)
        }
        Some(Type::Enumeration(members)) => match dice.pick(members) {
            Some(Value::Text(text)) => scalar(dice, language, text.clone()),
            Some(member) => word(language, member.to_string()),
            None => plain(dice, &NULLS),
        },
        Some(Type::List(element) | Type::Set(element)) => {
            let items = (0..dice.below(4)).map(|_| written(dice, *element)).collect();
            Written::List(Layout::Flow, items)
        }
        Some(Type::Record { fields, open }) => {
            let mut values = Vec::new();
            for field in fields {
                if field.required || dice.chance(60) {
                    values.push((field.name.clone(), written(dice, field.ty)));
                }
            }
            if *open && dice.chance(50) {
                values.push(("z".to_owned(), plain(dice, &NUMBERS)));
            }
            Written::Record(Layout::Flow, values)
        }
        Some(Type::Map(inner)) => {
            let names = names(dice);
            let value = |name| (name, written(dice, *inner));
            Written::Record(Layout::Flow, names.into_iter().map(value).collect())
        }
        Some(Type::Union(choices)) => {
            let choice = dice.pick(choices).copied().unwrap_or(ty);
            written(dice, choice)
        }
    }
}

/// A scalar without quotes, out of YAML's notations.
fn plain(dice: &mut Dice<'_>, language: Language, words: &[&str]) -> Written {
    word(language, dice.pick(words).copied().unwrap_or("~").to_owned())
}

/// What is no text.
#[must_use]
pub fn word(language: Language, plain: String) -> Written {
    match (language, plain.as_str()) {
        (Language::Yaml, _) => Written::Plain(plain),
        (_, "~") => Written::Word("null".to_owned()),
        (_, "True") => Written::Word("true".to_owned()),
        _ => Written::Word(plain),
    }
}

/// Text, with quotes where it needs them and sometimes where it does not.
fn scalar(dice: &mut Dice<'_>, language: Language, text: String) -> Written {
    let needs_quotes = language != Language::Yaml || text.is_empty() || NULLS.contains(&&*text);
    if needs_quotes || dice.chance(50) { Written::Quoted(text) } else { Written::Plain(text) }
}
