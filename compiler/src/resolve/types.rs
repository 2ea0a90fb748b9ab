//! Types: names followed to what they stand for, equal types made one.
//!
//! A type that contains itself has no end, so that is refused with the whole cycle. Depth and
//! weight are bounded as an artifact's are, and with them what any later phase does with a type.

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::ir::{self, TypeId};
use rtbas_artifact::validate::{MAX_NESTING, MAX_WEIGHT};
use rtbas_artifact::value::Value;

use super::scope::{meaning, unknown};
use super::table::Table;
use crate::diag::{Code, Diagnostic, Diagnostics, listed};
use crate::source::Span;
use crate::syntax::ast::{Name, Type, TypeKind};

/// Distinct types.
#[derive(Debug, Default)]
pub struct Types {
    table: Table<ir::Type>,
    /// Of each type: how deep it nests, and of how many entries it consists.
    sizes: Vec<(usize, usize)>,
}

/// A type is nested too deeply, or too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Types {
    /// The types, by id.
    #[must_use]
    pub fn entries(&self) -> &[ir::Type] {
        self.table.entries()
    }

    /// The types, when no more come.
    #[must_use]
    pub fn into_entries(self) -> Vec<ir::Type> {
        self.table.into_entries()
    }

    /// A type.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &ir::Type {
        self.entries().get(id.index()).unwrap_or(&ir::Type::Any)
    }

    /// The fields of a record type; none for any other.
    #[must_use]
    pub fn fields(&self, id: TypeId) -> &[ir::Field] {
        match self.get(id) {
            ir::Type::Record { fields, .. } => fields,
            _ => &[],
        }
    }

    /// The id of a type that consists of nothing but itself.
    pub(super) fn simple(&mut self, ty: ir::Type) -> TypeId {
        self.add(ty, (1, 1))
    }

    /// The id of a type.
    pub(super) fn intern(&mut self, ty: ir::Type) -> Result<TypeId, TooLarge> {
        let parts: Vec<TypeId> = match &ty {
            ir::Type::List(inner) | ir::Type::Set(inner) | ir::Type::Map(inner) => vec![*inner],
            ir::Type::Record { fields, .. } => fields.iter().map(|field| field.ty).collect(),
            ir::Type::Union(choices) => choices.clone(),
            _ => Vec::new(),
        };
        let sizes = parts.iter().filter_map(|part| self.sizes.get(part.index()));
        let (depth, weight) = sizes.fold((0, 1_usize), |(depth, weight), (d, w)| {
            (depth.max(*d), weight.saturating_add(*w))
        });
        if depth >= MAX_NESTING || weight > MAX_WEIGHT {
            return Err(TooLarge);
        }
        Ok(self.add(ty, (depth + 1, weight)))
    }

    /// `map T`
    pub(super) fn map(&mut self, value: TypeId) -> Result<TypeId, TooLarge> {
        // Where a result is divided, its names are texts.
        self.simple(ir::Type::Text);
        self.intern(ir::Type::Map(value))
    }

    /// The id of a type, if it is there.
    #[must_use]
    pub fn find(&self, ty: &ir::Type) -> Option<TypeId> {
        let at = self.entries().iter().position(|entry| entry == ty)?;
        u32::try_from(at).ok().map(TypeId)
    }

    /// `T?`
    pub(super) fn nullable(&mut self, ty: TypeId) -> Result<TypeId, TooLarge> {
        let null = self.simple(ir::Type::Null);
        self.union(vec![ty, null])
    }

    /// The alternatives of a type: itself, but for unions.
    pub(crate) fn alternatives(&self, ty: TypeId) -> Vec<TypeId> {
        match self.get(ty) {
            ir::Type::Union(choices) => choices.clone(),
            _ => vec![ty],
        }
    }

    /// Values of at least one of these types.
    pub(super) fn union(&mut self, choices: Vec<TypeId>) -> Result<TypeId, TooLarge> {
        let mut flat = Vec::new();
        for choice in choices {
            let inner = match self.get(choice) {
                ir::Type::Union(inner) => inner.clone(),
                _ => vec![choice],
            };
            for choice in inner {
                if !flat.contains(&choice) {
                    flat.push(choice);
                }
            }
        }
        match flat.as_slice() {
            [only] => Ok(*only),
            _ => self.intern(ir::Type::Union(flat)),
        }
    }

    fn add(&mut self, ty: ir::Type, size: (usize, usize)) -> TypeId {
        let id = TypeId(self.table.intern(ty));
        if id.index() == self.sizes.len() {
            self.sizes.push(size);
        }
        id
    }
}

/// What the names of types stand for.
#[derive(Debug)]
pub(super) struct TypeNames<'a> {
    declared: BTreeMap<&'a str, &'a (Name, Type)>,
    known: BTreeMap<&'a str, TypeId>,
    /// Names that are being followed, each with where it was met.
    open: Vec<(&'a str, Span)>,
    used: BTreeSet<&'a str>,
}

/// Names that need no declaration.
const BUILT_IN: [(&str, ir::Type); 6] = [
    ("bool", ir::Type::Bool),
    ("date", ir::Type::Date),
    ("datetime", ir::Type::Time),
    ("int", ir::Type::Integer),
    ("number", ir::Type::Number),
    ("string", ir::Type::Text),
];

/// What built-in types are called elsewhere.
const ELSEWHERE: [(&str, &str); 8] = [
    ("boolean", "bool"),
    ("double", "number"),
    ("float", "number"),
    ("integer", "int"),
    ("str", "string"),
    ("text", "string"),
    ("time", "datetime"),
    ("timestamp", "datetime"),
];

impl<'a> TypeNames<'a> {
    /// The declarations of a policy.
    pub(super) fn new(declarations: &'a [(Name, Type)], diagnostics: &mut Diagnostics) -> Self {
        let mut declared: BTreeMap<&str, &(Name, Type)> = BTreeMap::new();
        for declaration in declarations {
            let (name, _) = declaration;
            if BUILT_IN.iter().any(|(built_in, _)| *built_in == name.text) {
                let message = format!("the type `{}` is built in", name.text);
                diagnostics.push(Diagnostic::new(Code::E0202, name.span, message));
            } else if let Some((first, _)) = declared.get(name.text.as_str()) {
                diagnostics.push(super::scope::twice("type", name, first.span));
            } else {
                declared.insert(&name.text, declaration);
            }
        }
        let (known, open) = (BTreeMap::new(), Vec::new());
        Self { declared, known, open, used: BTreeSet::new() }
    }

    /// Follows every declaration and warns of those that nothing uses.
    pub(super) fn finish(&mut self, types: &mut Types, diagnostics: &mut Diagnostics) {
        let declared: Vec<&(Name, Type)> = self.declared.values().copied().collect();
        for (name, _) in &declared {
            self.named(&name.text, name.span, types, diagnostics);
        }
        if diagnostics.gate(()).is_none() {
            return;
        }
        for (name, _) in declared {
            if !self.used.contains(name.text.as_str()) {
                let message = format!("nothing uses the type `{}`", name.text);
                diagnostics.push(Diagnostic::new(Code::W0202, name.span, message));
            }
        }
    }

    /// The type that is written.
    pub(super) fn resolve(
        &mut self,
        ty: &'a Type,
        types: &mut Types,
        diagnostics: &mut Diagnostics,
    ) -> TypeId {
        let mut inner = |inner: &'a Type| self.resolve(inner, types, diagnostics);
        let resolved = match &ty.kind {
            TypeKind::Name(name) => {
                self.used.insert(name);
                Ok(self.named(name, ty.span, types, diagnostics))
            }
            TypeKind::List(element) => {
                let element = inner(element);
                types.intern(ir::Type::List(element))
            }
            TypeKind::Set(element) => {
                let element = inner(element);
                types.intern(ir::Type::Set(element))
            }
            TypeKind::Map(value) => {
                let value = inner(value);
                types.map(value)
            }
            TypeKind::Nullable(some) => {
                let some = inner(some);
                types.nullable(some)
            }
            TypeKind::Pattern(pattern) => Ok(types.simple(ir::Type::Pattern(pattern.clone()))),
            TypeKind::Union(choices) => {
                let mut found = Vec::new();
                for choice in choices {
                    let ty = self.resolve(choice, types, diagnostics);
                    let all = types.alternatives(ty);
                    found.extend(all.into_iter().map(|ty| (ty, choice.span)));
                }
                types.complain_of_alike(&found).into_iter().for_each(|d| diagnostics.push(d));
                types.union(found.into_iter().map(|(ty, _)| ty).collect())
            }
            TypeKind::Enumeration(values) => {
                let values = values.iter().cloned().map(Value::Text).collect();
                types.intern(ir::Type::Enumeration(values))
            }
            TypeKind::Record(declared) => {
                let mut fields: Vec<ir::Field> = Vec::new();
                let mut spans: BTreeMap<&str, Span> = BTreeMap::new();
                for field in declared {
                    let ty = self.resolve(&field.ty, types, diagnostics);
                    let name = field.name.text.clone();
                    match spans.insert(&field.name.text, field.name.span) {
                        Some(first) => {
                            diagnostics.push(super::scope::twice("field", &field.name, first));
                        }
                        None => fields.push(ir::Field { name, ty, required: field.required }),
                    }
                }
                types.intern(ir::Type::Record { fields, open: false })
            }
        };
        resolved.unwrap_or_else(|TooLarge| {
            diagnostics.push(too_large(ty.span));
            types.simple(ir::Type::Any)
        })
    }

    fn named(
        &mut self,
        name: &'a str,
        at: Span,
        types: &mut Types,
        diagnostics: &mut Diagnostics,
    ) -> TypeId {
        if let Some((_, built_in)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
            return types.simple(built_in.clone());
        }
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let cycle = self.open.iter().position(|(open, _)| *open == name);
        let id = match self.declared.get(name).copied() {
            None => {
                let built_in = BUILT_IN.iter().map(|(name, _)| *name);
                let known = built_in.chain(self.declared.keys().copied());
                let elsewhere = ELSEWHERE.iter().find(|(elsewhere, _)| *elsewhere == name);
                let name = Name { text: name.to_owned(), span: at };
                let diagnostic = unknown("type", &name, known);
                diagnostics.push(match elsewhere {
                    Some((_, meant)) => {
                        meaning(Diagnostic { fixes: Vec::new(), ..diagnostic }, at, meant)
                    }
                    None => diagnostic,
                });
                return types.simple(ir::Type::Any);
            }
            Some(_) if cycle.is_some() => {
                let cycle = self.open.get(cycle.unwrap_or(0)..).unwrap_or_default();
                diagnostics.push(endless(name, at, cycle));
                return types.simple(ir::Type::Any);
            }
            Some(_) if self.open.len() >= MAX_NESTING => {
                diagnostics.push(too_large(at));
                return types.simple(ir::Type::Any);
            }
            Some((_, ty)) => {
                self.open.push((name, at));
                let id = self.resolve(ty, types, diagnostics);
                self.open.pop();
                id
            }
        };
        self.known.insert(name, id);
        id
    }
}

/// A type that contains itself, by way of the names that were followed.
fn endless(name: &str, at: Span, cycle: &[(&str, Span)]) -> Diagnostic {
    let arrows: Vec<&str> = cycle.iter().map(|(name, _)| *name).chain([name]).collect();
    let message = format!("the type `{name}` contains itself: {}", arrows.join(" -> "));
    let mut diagnostic = Diagnostic::new(Code::E0204, at, message);
    for (name, met) in cycle.iter().skip(1) {
        diagnostic = diagnostic.label(*met, format!("`{name}` is reached from here"));
    }
    let names = listed(cycle.iter().map(|(name, _)| *name));
    diagnostic.help(format!("values are finite: take one of the fields out of {names}"))
}

fn too_large(at: Span) -> Diagnostic {
    let message = format!(
        "this type is too large: at most {MAX_NESTING} deep and {MAX_WEIGHT} parts are possible"
    );
    Diagnostic::new(Code::E0204, at, message)
}
