//! What a value of a type is divided into, and what tells the alternatives of a union apart.
//!
//! How a value is written tells null, truth values, numbers, texts, lists and records apart. Of
//! records there may be several if each has a field of listed values, its tag, and no value is
//! listed twice.

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::ir::{self, TypeId};
use rtbas_artifact::ty::describe;
use rtbas_artifact::value::Value;

use super::types::Types;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::Step;

/// What a value of a type may be.
#[derive(Debug, Default)]
pub(crate) struct Division<'t> {
    /// What is not divided: the first type that it fits.
    pub(crate) leaves: Vec<TypeId>,
    /// The type of the elements, if it may be a list.
    pub(crate) list: Option<TypeId>,
    /// The type of the values, if it may be a map.
    pub(crate) map: Option<TypeId>,
    /// The fields of the records that it may be.
    pub(crate) records: Vec<&'t [ir::Field]>,
    /// The field that tells several records apart.
    pub(crate) tag: Option<&'t str>,
}

/// What matters of an alternative besides how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Record,
    Any,
    Other,
}

/// Two alternatives that nothing tells apart, by their places.
#[derive(Clone, Copy, Debug)]
struct Alike {
    first: usize,
    second: usize,
    /// Whether both are records.
    records: bool,
}

impl Division<'_> {
    /// Whether it is a record, or one of several.
    pub(crate) fn is_record(&self) -> bool {
        !self.records.is_empty() && self.list.is_none() && self.map.is_none()
    }

    /// Whether it is one region, whatever it is.
    pub(crate) fn is_leaf(&self) -> bool {
        self.records.is_empty() && self.list.is_none() && self.map.is_none()
    }
}

impl Types {
    /// What a value of a type is divided into. A union of alternatives that nothing tells apart,
    /// as schemas may have them, is not divided.
    pub(crate) fn division(&self, ty: TypeId) -> Division<'_> {
        let all = self.alternatives(ty);
        let is_divided = |at: usize| {
            let ty = all.get(at).map_or(&ir::Type::Any, |ty| self.get(*ty));
            self.is_divided(ty) || *ty == ir::Type::Any
        };
        let undivided = || Division { leaves: vec![ty], ..Division::default() };
        if self.alike(&all).iter().any(|a| is_divided(a.first) || is_divided(a.second)) {
            return undivided();
        }
        let mut division = Division { tag: self.tag(&all), ..Division::default() };
        for &choice in &all {
            match self.get(choice) {
                ir::Type::List(item) => division.list = Some(*item),
                ir::Type::Map(value) => division.map = Some(*value),
                ir::Type::Record { fields, open: false } => division.records.push(fields),
                _ => division.leaves.push(choice),
            }
        }
        if division.is_leaf() { undivided() } else { division }
    }

    fn is_divided(&self, ty: &ir::Type) -> bool {
        matches!(ty, ir::Type::List(_) | ir::Type::Map(_) | ir::Type::Record { open: false, .. })
    }

    /// Says which of several types that are written as alternatives nothing tells apart.
    pub(super) fn complain_of_alike(&self, choices: &[(TypeId, Span)]) -> Option<Diagnostic> {
        let all: Vec<TypeId> = choices.iter().map(|(ty, _)| *ty).collect();
        // A type that is no type has a message already.
        let is_known = |alike: &&Alike| {
            [alike.first, alike.second]
                .iter()
                .all(|at| all.get(*at).is_some_and(|ty| *self.get(*ty) != ir::Type::Any))
        };
        let all_alike = self.alike(&all);
        let alike = all_alike.iter().find(is_known)?;
        let (a, b) = choices.get(alike.first).zip(choices.get(alike.second))?;
        let [first, second] = [a, b].map(|(ty, _)| describe(self.entries(), *ty));
        let message = match alike.records {
            true => "nothing tells these records apart".to_owned(),
            false => format!("nothing tells {second} from {first}"),
        };
        let help = match alike.records {
            true => {
                "give each a field that the others have with other values:\n\
                     { kind: \"a\", … } | { kind: \"b\", … }"
            }
            false => "name a type that holds the values of both",
        };
        let diagnostic = Diagnostic::new(Code::E0220, b.1, message);
        Some(diagnostic.label(a.1, "the other alternative").help(help))
    }

    /// Whether a value of any of these types is a record, or null.
    pub(crate) fn are_records(&self, all: &[TypeId]) -> bool {
        let is_null = |ty: &TypeId| *self.get(*ty) == ir::Type::Null;
        let is_record = |ty: &TypeId| {
            let division = self.division(*ty);
            division.is_record() && division.leaves.iter().all(is_null)
        };
        !all.is_empty() && all.iter().all(is_record)
    }

    /// The types of the regions that a step leads to from values of these types.
    pub(crate) fn step(&self, from: &[TypeId], step: &Step) -> Vec<TypeId> {
        let mut found: Vec<TypeId> = Vec::new();
        for division in from.iter().map(|ty| self.division(*ty)) {
            match step {
                Step::Items => found.extend(division.list.into_iter().chain(division.map)),
                Step::Keys => found.extend(division.map.and_then(|_| self.find(&ir::Type::Text))),
                Step::Field(name) => {
                    let fields = division.records.iter().flat_map(|fields| fields.iter());
                    found.extend(fields.filter(|field| field.name == *name).map(|field| field.ty));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A record of the fields that any of several records has, each of the types that it has there.
    pub(super) fn merged(&mut self, ty: TypeId) -> Option<TypeId> {
        let division = self.division(ty);
        if !division.is_record() || !division.leaves.is_empty() {
            return None;
        }
        let count = division.records.len();
        let mut fields: Vec<(String, Vec<TypeId>, bool)> = Vec::new();
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for field in division.records.iter().copied().flatten() {
            let next = fields.len();
            let index = *known.entry(&field.name).or_insert(next);
            match fields.get_mut(index) {
                Some((_, types, required)) => {
                    types.push(field.ty);
                    *required &= field.required;
                }
                None => fields.push((field.name.clone(), vec![field.ty], field.required)),
            }
        }
        let mut merged = Vec::new();
        for (name, types, required) in fields {
            let required = required && types.len() == count;
            merged.push(ir::Field { name, ty: self.union(types).ok()?, required });
        }
        self.intern(ir::Type::Record { fields: merged, open: false }).ok()
    }

    /// Alternatives that nothing tells apart: of those that one is like, the first of each kind, since
    /// these are like each other.
    fn alike(&self, all: &[TypeId]) -> Vec<Alike> {
        let has_tag = self.tag(all).is_some();
        let mut alike = Vec::new();
        let mut earlier: BTreeMap<(u8, Kind), usize> = BTreeMap::new();
        for (second, &ty) in all.iter().enumerate() {
            let kind = match self.get(ty) {
                ir::Type::Record { open: false, .. } => Kind::Record,
                ir::Type::Any => Kind::Any,
                _ => Kind::Other,
            };
            let notations = self.notations(ty);
            for bit in (0..u8::BITS).filter_map(|bit| u8::try_from(bit).ok()) {
                if notations >> bit & 1 == 0 {
                    continue;
                }
                for other in [Kind::Record, Kind::Any, Kind::Other] {
                    let records = kind == Kind::Record && other == Kind::Record;
                    let Some(&first) = earlier.get(&(bit, other)) else { continue };
                    if !records || !has_tag {
                        alike.push(Alike { first, second, records });
                    }
                }
                earlier.entry((bit, kind)).or_insert(second);
            }
        }
        alike.sort_by_key(|alike| (alike.first, alike.second));
        alike
    }

    /// The field that tells the records among these types apart, if there are several.
    fn tag(&self, all: &[TypeId]) -> Option<&str> {
        let records: Vec<&[ir::Field]> = all
            .iter()
            .filter(|ty| matches!(self.get(**ty), ir::Type::Record { open: false, .. }))
            .map(|ty| self.fields(*ty))
            .collect();
        let (first, others) = records.split_first()?;
        if others.is_empty() {
            return None;
        }
        let tells = |name: &str| {
            let mut seen: BTreeSet<&Value> = BTreeSet::new();
            records.iter().all(|fields| {
                let field = fields.iter().find(|field| field.name == name && field.required);
                let Some(ir::Type::Enumeration(values)) = field.map(|field| self.get(field.ty))
                else {
                    return false;
                };
                let is_new = |value: &&Value| value.is_scalar() && !seen.contains(value);
                let are_new = values.iter().all(|value| is_new(&value));
                seen.extend(values);
                are_new
            })
        };
        first.iter().map(|field| field.name.as_str()).find(|name| tells(name))
    }

    /// How values of a type may be written, one bit for each way.
    fn notations(&self, ty: TypeId) -> u8 {
        match self.get(ty) {
            ir::Type::Any => u8::MAX,
            ir::Type::Null => 1,
            ir::Type::Bool => 2,
            ir::Type::Integer | ir::Type::Number => 4,
            ir::Type::Text | ir::Type::Date | ir::Type::Time | ir::Type::Pattern(_) => 8,
            ir::Type::List(_) | ir::Type::Set(_) => 16,
            ir::Type::Record { .. } | ir::Type::Map(_) => 32,
            ir::Type::Enumeration(values) => values.iter().fold(0, |bits, value| {
                bits | match value {
                    Value::Null => 1,
                    Value::Bool(_) => 2,
                    Value::Number(_) => 4,
                    Value::Text(_) => 8,
                    Value::List(_) | Value::Set(_) => 16,
                    Value::Record(_) => 32,
                }
            }),
            ir::Type::Union(choices) => {
                choices.iter().fold(0, |bits, choice| bits | self.notations(*choice))
            }
        }
    }
}
