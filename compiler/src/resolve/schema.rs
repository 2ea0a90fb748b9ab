//! JSON Schema → types of arguments.
//!
//! Specification: JSON Schema 2020-12 and draft 7. What restricts values and is not a type (a
//! pattern, a range) is collected to be warned of; what cannot be understood is a mistake, since
//! to let it pass would be to enforce something else than the model is told.

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::ir::{Argument, Field, Type, TypeId};
use rtbas_artifact::ty;
use rtbas_artifact::validate::MAX_NESTING;
use rtbas_artifact::value::Value as Constant;
use serde_json::{Map, Value};

use super::types::{TooLarge, Types};
use crate::source::is_name;

/// Keywords that say something about a schema, and nothing about values.
const ANNOTATIONS: [&str; 19] = [
    "$anchor",
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "contentEncoding",
    "contentMediaType",
    "default",
    "definitions",
    "deprecated",
    "description",
    "example",
    "examples",
    "format",
    "markdownDescription",
    "readOnly",
    "title",
    "writeOnly",
    "annotations",
];

/// Keywords that are enforced.
const ENFORCED: [&str; 6] =
    ["additionalProperties", "const", "enum", "items", "properties", "required"];

/// A place in a schema: the steps of a JSON pointer.
pub(super) type Pointer = Vec<String>;

/// What a schema comes to.
#[derive(Debug, Default)]
pub(super) struct Translated {
    pub(super) arguments: Vec<Argument>,
    /// Where the schema is not understood, and why.
    pub(super) mistakes: Vec<(Pointer, String)>,
    /// Places of keywords that are not enforced.
    pub(super) unchecked: Vec<Pointer>,
}

/// The arguments that a tool's schema describes. An argument that it does not name is refused,
/// whatever `additionalProperties` says.
pub(super) fn arguments(root: &Value, types: &mut Types) -> Translated {
    let known = BTreeMap::new();
    let mut reader = Reader { root, types, open: Vec::new(), known, out: Translated::default() };
    let Some(schema) = root.as_object() else {
        reader.mistake(&Vec::new(), "expected an object");
        return reader.out;
    };
    let is_object = schema.get("type").is_none_or(|ty| ty == "object");
    if !is_object || schema.contains_key("$ref") {
        reader.mistake(
            &Vec::new(),
            "expected `\"type\": \"object\"` with the arguments in `properties`",
        );
        return reader.out;
    }
    reader.note_unchecked(schema, &Vec::new(), &["type"]);
    for (field, schema, pointer) in reader.fields(schema, &Vec::new()) {
        let default = reader.default(schema, &pointer, field.ty);
        let Field { name, ty, required } = field;
        if !is_name(&name) {
            let message = "an argument has no name, or one with characters that cannot be seen";
            reader.mistake(&pointer, message);
        }
        reader.out.arguments.push(Argument { name, ty, required, default });
    }
    reader.out
}

struct Reader<'s, 't> {
    root: &'s Value,
    types: &'t mut Types,
    /// References that are being followed.
    open: Vec<&'s str>,
    known: BTreeMap<&'s str, TypeId>,
    out: Translated,
}

/// The absence of a schema.
static ANYTHING: Value = Value::Bool(true);

fn under(pointer: &Pointer, steps: &[&str]) -> Pointer {
    pointer.iter().cloned().chain(steps.iter().map(ToString::to_string)).collect()
}

impl<'s> Reader<'s, '_> {
    fn mistake(&mut self, pointer: &Pointer, message: impl Into<String>) -> TypeId {
        self.out.mistakes.push((pointer.clone(), message.into()));
        self.types.simple(Type::Any)
    }

    /// Collects what a schema demands beside `allowed` and the keywords that are always enforced.
    fn note_unchecked(&mut self, schema: &Map<String, Value>, pointer: &Pointer, allowed: &[&str]) {
        for keyword in schema.keys() {
            let known = [allowed, &ANNOTATIONS, &ENFORCED].concat();
            if !known.contains(&keyword.as_str()) && !keyword.starts_with("x-") {
                self.out.unchecked.push(under(pointer, &[keyword]));
            }
        }
    }

    fn ty(&mut self, schema: &'s Value, pointer: &Pointer) -> TypeId {
        let schema = match schema {
            Value::Object(schema) => schema,
            Value::Bool(true) => return self.types.simple(Type::Any),
            _ => return self.mistake(pointer, "expected a schema: an object, or `true`"),
        };
        if let Some(reference) = schema.get("$ref") {
            self.note_unchecked(schema, pointer, &["$ref"]);
            return self.reference(reference, pointer);
        }
        let declared = schema.get("type");
        if let Some(constant) = schema.get("const") {
            self.note_unchecked(schema, pointer, &["const", "type"]);
            let ty = declared.map(|declared| self.declared(declared, schema, pointer));
            return self.enumeration(std::slice::from_ref(constant), ty, pointer);
        }
        if let Some(values) = schema.get("enum") {
            self.note_unchecked(schema, pointer, &["enum", "type"]);
            let Some(values) = values.as_array() else {
                return self.mistake(&under(pointer, &["enum"]), "expected a list of values");
            };
            let ty = declared.map(|declared| self.declared(declared, schema, pointer));
            return self.enumeration(values, ty, pointer);
        }
        if let Some(declared) = declared {
            self.note_unchecked(schema, pointer, &["type"]);
            return self.declared(declared, schema, pointer);
        }
        for (key, name) in [("properties", "object"), ("items", "array")] {
            if schema.contains_key(key) {
                self.note_unchecked(schema, pointer, &[]);
                return self.named(name, schema, pointer);
            }
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            let Some(choices) = schema.get(key) else { continue };
            self.note_unchecked(schema, pointer, &[key]);
            let pointer = under(pointer, &[key]);
            let Some(choices) = choices.as_array().filter(|choices| !choices.is_empty()) else {
                return self.mistake(&pointer, "expected a list of schemas");
            };
            if key == "allOf" && choices.len() > 1 {
                return self.mistake(&pointer, "`allOf` of several schemas is not supported");
            }
            let choices = choices.iter().enumerate();
            let choices: Vec<TypeId> = choices
                .map(|(i, choice)| self.ty(choice, &under(&pointer, &[&i.to_string()])))
                .collect();
            let union = self.types.union(choices);
            return self.or_too_large(union, &pointer);
        }
        self.note_unchecked(schema, pointer, &[]);
        self.types.simple(Type::Any)
    }

    /// `"type"`: a name or several.
    fn declared(
        &mut self,
        declared: &'s Value,
        schema: &'s Map<String, Value>,
        pointer: &Pointer,
    ) -> TypeId {
        match declared {
            Value::String(name) => self.named(name, schema, pointer),
            Value::Array(names) if names.iter().all(Value::is_string) && !names.is_empty() => {
                let names: BTreeSet<&str> = names.iter().filter_map(Value::as_str).collect();
                let choices =
                    names.into_iter().map(|name| self.named(name, schema, pointer)).collect();
                let union = self.types.union(choices);
                self.or_too_large(union, pointer)
            }
            _ => self.mistake(&under(pointer, &["type"]), "expected the name of a type"),
        }
    }

    fn named(&mut self, name: &str, schema: &'s Map<String, Value>, pointer: &Pointer) -> TypeId {
        let simple = match name {
            "string" => match schema.get("format").and_then(Value::as_str) {
                Some("date") => Type::Date,
                Some("date-time") => Type::Time,
                _ => Type::Text,
            },
            "number" => Type::Number,
            "integer" => Type::Integer,
            "boolean" => Type::Bool,
            "null" => Type::Null,
            "array" => {
                let items = schema.get("items").unwrap_or(&ANYTHING);
                let element = self.ty(items, &under(pointer, &["items"]));
                let list = self.types.intern(Type::List(element));
                return self.or_too_large(list, pointer);
            }
            "object" => {
                let additional = schema.get("additionalProperties");
                let has_names = ["properties", "required"].iter().any(|k| schema.contains_key(*k));
                if let Some(value @ Value::Object(_)) = additional.filter(|_| !has_names) {
                    let value = self.ty(value, &under(pointer, &["additionalProperties"]));
                    let map = self.types.map(value);
                    return self.or_too_large(map, pointer);
                }
                let open = match additional {
                    None | Some(Value::Bool(true)) => true,
                    Some(Value::Bool(false)) => false,
                    Some(_) => {
                        let keyword = under(pointer, &["additionalProperties"]);
                        self.out.unchecked.push(keyword);
                        true
                    }
                };
                let fields = self.fields(schema, pointer);
                let fields = fields.into_iter().map(|(field, _, _)| field).collect();
                let record = self.types.intern(Type::Record { fields, open });
                return self.or_too_large(record, pointer);
            }
            _ => {
                let message = format!("there is no type `{name}` in JSON Schema");
                return self.mistake(&under(pointer, &["type"]), message);
            }
        };
        self.types.simple(simple)
    }

    /// The fields of an object's schema, each with its own schema and the place of that.
    fn fields(
        &mut self,
        schema: &'s Map<String, Value>,
        pointer: &Pointer,
    ) -> Vec<(Field, &'s Value, Pointer)> {
        let mut schemas: BTreeMap<&str, &Value> = BTreeMap::new();
        match schema.get("properties") {
            None => {}
            Some(Value::Object(properties)) => {
                schemas.extend(properties.iter().map(|(name, schema)| (name.as_str(), schema)));
            }
            Some(_) => {
                self.mistake(&under(pointer, &["properties"]), "expected an object");
            }
        }
        let required: Vec<&str> = match schema.get("required") {
            None => Vec::new(),
            Some(Value::Array(names)) if names.iter().all(Value::is_string) => {
                names.iter().filter_map(Value::as_str).collect()
            }
            Some(_) => {
                self.mistake(&under(pointer, &["required"]), "expected a list of names");
                Vec::new()
            }
        };
        for name in &required {
            schemas.entry(name).or_insert(&ANYTHING);
        }
        let mut fields = Vec::new();
        for (name, schema) in schemas {
            let pointer = under(pointer, &["properties", name]);
            let ty = self.ty(schema, &pointer);
            let field = Field { name: name.to_owned(), ty, required: required.contains(&name) };
            fields.push((field, schema, pointer));
        }
        fields
    }

    /// One of these values, as far as they are of the type that stands beside them.
    fn enumeration(
        &mut self,
        values: &'s [Value],
        ty: Option<TypeId>,
        pointer: &Pointer,
    ) -> TypeId {
        let mut constants: Vec<Constant> = Vec::new();
        for value in values {
            match Constant::from_json(value) {
                Ok(constant) => {
                    let types = self.types.entries();
                    let fits = ty.is_none_or(|ty| ty::check(types, ty, &constant).is_ok());
                    if fits && !constants.contains(&constant) {
                        constants.push(constant);
                    }
                }
                Err(error) => return self.mistake(pointer, format!("`{value}`: {error}")),
            }
        }
        if constants.is_empty() {
            return self.mistake(pointer, "no value is permitted here");
        }
        self.types.simple(Type::Enumeration(constants))
    }

    fn reference(&mut self, reference: &'s Value, pointer: &Pointer) -> TypeId {
        let at = under(pointer, &["$ref"]);
        let Some(reference) = reference.as_str() else {
            return self.mistake(&at, "expected a string");
        };
        if let Some(known) = self.known.get(reference) {
            return *known;
        }
        let steps: Option<Vec<&str>> = ["#/$defs/", "#/definitions/"]
            .iter()
            .find_map(|prefix| reference.strip_prefix(prefix))
            .map(|_| reference.trim_start_matches("#/").split('/').collect());
        let Some(steps) = steps else {
            let message = format!("`{reference}` does not point into `$defs` or `definitions`");
            return self.mistake(&at, message);
        };
        if self.open.contains(&reference) {
            let open: Vec<&str> = self.open.iter().copied().chain([reference]).collect();
            let message = format!("the schema contains itself: {}", open.join(" -> "));
            return self.mistake(&at, message);
        }
        if self.open.len() >= MAX_NESTING {
            return self.mistake(&at, format!("more than {MAX_NESTING} references in a row"));
        }
        let unescaped = |step: &&str| step.replace("~1", "/").replace("~0", "~");
        let target: Pointer = steps.iter().map(unescaped).collect();
        let Some(schema) = target.iter().try_fold(self.root, |value, step| value.get(step)) else {
            return self.mistake(&at, format!("`{reference}` points to nothing"));
        };
        self.open.push(reference);
        let ty = self.ty(schema, &target);
        self.open.pop();
        self.known.insert(reference, ty);
        ty
    }

    /// The value of an argument that a call leaves out.
    fn default(&mut self, schema: &Value, pointer: &Pointer, of: TypeId) -> Option<Constant> {
        let default = schema.get("default")?;
        let at = under(pointer, &["default"]);
        let default = match Constant::from_json(default) {
            Ok(default) => default,
            Err(error) => {
                self.mistake(&at, error.to_string());
                return None;
            }
        };
        match ty::check(self.types.entries(), of, &default) {
            Ok(()) => Some(default),
            Err(mismatch) => {
                self.mistake(&at, format!("the default is not of its type: {mismatch}"));
                None
            }
        }
    }

    fn or_too_large(&mut self, ty: Result<TypeId, TooLarge>, pointer: &Pointer) -> TypeId {
        ty.unwrap_or_else(|TooLarge| self.mistake(pointer, "this type is too large"))
    }
}
