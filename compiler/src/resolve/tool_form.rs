//! The forms in which tools are listed: the answer to MCP's `tools/list`, and the lists of
//! functions that model providers take.
//!
//! Specifications: Model Context Protocol, "Tools"; OpenAI's API reference, `tools` and the older
//! `functions`; Anthropic's, which calls the schema `input_schema`. A list says who it is for by
//! its keys, and a tool that gives two schemas of its arguments says nothing: the model would be
//! told one, and the other enforced.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// A tool as a list gives it.
#[derive(Debug)]
pub struct Entry<'v> {
    /// Where it stands in the document: the steps of a JSON pointer.
    pub place: Vec<String>,
    /// Where its name and schema stand, below `place`.
    pub inner: Option<&'static str>,
    value: &'v Value,
    /// Whether it is a function, which may leave out its arguments.
    is_function: bool,
}

/// Why there is no schema of a tool's arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSchema {
    /// None is given, and the form wants one.
    Missing,
    /// Two are given, under these keys.
    Two(&'static str, &'static str),
    /// The tool is of a kind that has none.
    Kind(String),
}

/// What the schema of the arguments is called.
const SCHEMAS: [&str; 3] = ["inputSchema", "parameters", "input_schema"];

/// The tools of a document; `None` if it is no list of tools.
#[must_use]
pub fn entries(document: &Value) -> Option<Vec<Entry<'_>>> {
    let places: [&[&str]; 4] = [&["tools"], &["result", "tools"], &["functions"], &[]];
    let (place, list) = places.into_iter().find_map(|place| {
        let list = place.iter().try_fold(document, |value, step| value.get(step));
        Some((place, list?.as_array()?))
    })?;
    let all_functions = place == ["functions"];
    let entries = list.iter().enumerate().map(|(index, value)| {
        let mut at: Vec<String> = place.iter().map(ToString::to_string).collect();
        at.push(index.to_string());
        let kind = value.get("type").and_then(Value::as_str);
        let inner = value.get("function").and_then(Value::as_object).map(|_| "function");
        let is_function = all_functions || inner.is_some() || kind == Some("function");
        Entry { place: at, inner, value, is_function }
    });
    Some(entries.collect())
}

impl<'v> Entry<'v> {
    /// What the list says of the tool.
    #[must_use]
    pub fn body(&self) -> Option<&'v Map<String, Value>> {
        match self.inner {
            Some(inner) => self.value.get(inner)?.as_object(),
            None => self.value.as_object(),
        }
    }

    /// A text that the list gives.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&'v str> {
        self.body()?.get(key)?.as_str()
    }

    /// The key and the schema of the arguments; without a key, the function has no arguments.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub fn schema(&self) -> Result<(Option<&'static str>, Value), NoSchema> {
        let given = |key: &&'static str| Some((*key, self.body()?.get(*key)?));
        let mut given = SCHEMAS.iter().filter_map(given);
        match (given.next(), given.next()) {
            (Some((first, _)), Some((second, _))) => Err(NoSchema::Two(first, second)),
            (Some((key, schema)), None) => Ok((Some(key), schema.clone())),
            (None, _) if self.is_function => {
                Ok((None, json!({ "type": "object", "properties": {} })))
            }
            (None, _) => Err(match self.value.get("type").and_then(Value::as_str) {
                Some(kind) => NoSchema::Kind(kind.to_owned()),
                None => NoSchema::Missing,
            }),
        }
    }
}

/// A name that an object of a document gives twice, and the second value. Two readers of such a
/// document may see two lists.
#[must_use]
pub fn repeated(text: &str) -> Option<(String, &str)> {
    match text.trim_start().chars().next()? {
        '{' => {
            let Members(members) = serde_json::from_str(text).ok()?;
            let mut names = BTreeSet::new();
            members.into_iter().find_map(|(name, value)| match names.insert(name.clone()) {
                true => repeated(value.get()),
                false => Some((name, value.get())),
            })
        }
        '[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            items.into_iter().find_map(|item| repeated(item.get()))
        }
        _ => None,
    }
}

/// All members of an object, those of one name, too.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'t> Deserialize<'t> for Members<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Collector)
    }
}

struct Collector;

impl<'t> Visitor<'t> for Collector {
    type Value = Members<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
