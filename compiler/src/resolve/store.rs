//! Stores: fields, `*` and `shape` → cells.

use std::collections::BTreeMap;

use rtbas_artifact::ir::{self, CellId, CellPart, StoreId, Type, TypeId};

use super::condition::{Scope, label, label_rule};
use super::context::Context;
use super::hir::{Cell, Label, LabelRule, Store};
use super::scope::{unknown, written};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{self, CellName, Cells, StoreLine, StorePart};

/// Declares a store and its cells.
pub(super) fn declare<'a>(cx: &mut Context<'a>, written: &'a ast::Store) {
    let id = StoreId(u32::try_from(cx.stores.len()).unwrap_or(u32::MAX));
    if !cx.store_names.declare(&written.name, id, cx.diagnostics) {
        return;
    }
    let lines = Lines::new(cx, written);
    let declared = written.of.as_ref().map(|of| (cx.ty(of), of.span));
    let record = match declared {
        Some((ty, _)) if matches!(cx.types.get(ty), Type::Record { .. }) => ty,
        Some((ty, span)) => cx.types.merged(ty).unwrap_or_else(|| {
            let message =
                format!("the records of store `{}` are of no record type", written.name.text);
            cx.push(
                Diagnostic::new(Code::E0304, span, message).help("write `of { field: type, … }`"),
            );
            ty
        }),
        None => undeclared_record(cx, &lines),
    };
    if declared.is_some() {
        check_fields(cx, written, &lines, record);
    }
    let guards = Scope { record: Some(record), ..Scope::default() };
    let rest = lines.rest.map(|line| (line, label_rule(cx, guards, &line.label)));
    let add =
        |cx: &mut Context<'_>, part, label, line: Option<&StoreLine>, of: Option<&ir::Field>| {
            let because = line.and_then(|line| line.because.clone());
            let ty = of.and_then(|field| match field.required {
                true => Some(field.ty),
                false => cx.types.nullable(field.ty).ok(),
            });
            let required = of.is_some_and(|field| field.required);
            cx.cells.push(Cell { store: id, part, label, because, ty, required });
        };
    for field in cx.types.fields(record).to_vec() {
        let part = CellPart::Field(field.name.clone());
        let of = declared.is_some().then_some(&field);
        match lines.fields.get(field.name.as_str()) {
            Some((line, _)) => {
                let label = label_rule(cx, guards, &line.label);
                add(cx, part, label, Some(line), of);
            }
            None => {
                let (line, label) = rest.clone().unzip();
                add(cx, part, label.flatten(), line, of);
            }
        }
    }
    // Only one without a declared type has content beside its fields.
    let facts_only = Scope::default();
    let content = if declared.is_some() { None } else { lines.all.or(lines.rest) };
    if let Some(line) = content {
        let label = label_rule(cx, facts_only, &line.label);
        add(cx, CellPart::Content, label, Some(line), None);
    }
    let shape = lines.shape.or(lines.all);
    let label = match (shape, rest) {
        (Some(line), _) => label_rule(cx, facts_only, &line.label),
        // Guards of `*` read fields, and the shape is no part of one record.
        (None, Some((line, Some(rule)))) => {
            if reads_fields(&rule.otherwise) {
                let mistake = shape_of_field(cx, &written.name.text, line.span);
                cx.push(mistake);
            }
            Some(LabelRule { alternatives: Vec::new(), otherwise: rule.otherwise })
        }
        (None, _) => None,
    };
    add(cx, CellPart::Shape, label, shape, None);
    let outsiders = outsiders(cx, &written.outsiders);
    let (name, declared) = (written.name.text.clone(), declared.map_or(record, |(ty, _)| ty));
    cx.stores.push(Store { name, record, declared, outsiders });
}

fn reads_fields(label: &Label) -> bool {
    label.sets.iter().flatten().any(|set| set.term.reads_fields())
}

fn shape_of_field(cx: &Context<'_>, store: &str, at: Span) -> Diagnostic {
    let message = format!("store `{store}` gives no label to its shape");
    let label = cx.levels.strictest(true);
    let help = format!("this is the strictest label; choose what holds:\nshape : {label}");
    Diagnostic::new(Code::E0213, at, message)
        .note("the label of `*` reads fields, and the shape is no part of one record")
        .help(help)
}

/// The lines of a store by what they label; each part once.
struct Lines<'a> {
    all: Option<&'a StoreLine>,
    rest: Option<&'a StoreLine>,
    shape: Option<&'a StoreLine>,
    fields: BTreeMap<&'a str, (&'a StoreLine, Span)>,
    /// Fields in source order.
    order: Vec<&'a ast::Name>,
}

impl<'a> Lines<'a> {
    fn new(cx: &mut Context<'_>, written: &'a ast::Store) -> Self {
        let (fields, order) = (BTreeMap::new(), Vec::new());
        let mut lines = Self { all: None, rest: None, shape: None, fields, order };
        for line in &written.lines {
            let place = match &line.part {
                StorePart::All => &mut lines.all,
                StorePart::Rest => &mut lines.rest,
                StorePart::Shape => &mut lines.shape,
                StorePart::Fields(names) => {
                    for name in names {
                        match lines.fields.get(name.text.as_str()) {
                            Some((_, first)) => {
                                let what = format!("the field `{}`", name.text);
                                cx.push(said_twice(&what, name.span, *first));
                            }
                            None => {
                                lines.fields.insert(&name.text, (line, name.span));
                                lines.order.push(name);
                            }
                        }
                    }
                    continue;
                }
            };
            match place {
                Some(first) => {
                    let what = if matches!(line.part, StorePart::Rest) { "`*`" } else { "`shape`" };
                    cx.push(said_twice(what, line.span, first.span));
                }
                None => *place = Some(line),
            }
        }
        lines
    }
}

fn said_twice(what: &str, at: Span, first: Span) -> Diagnostic {
    let message = format!("{what} has a label already");
    Diagnostic::new(Code::E0216, at, message).label(first, "given here")
}

/// The record of a store that declares none: the fields that have labels, of any type.
fn undeclared_record(cx: &mut Context<'_>, lines: &Lines<'_>) -> TypeId {
    let any = cx.types.simple(Type::Any);
    let field = |name: &&ast::Name| ir::Field { name: name.text.clone(), ty: any, required: false };
    let fields = lines.order.iter().map(field).collect();
    let open = lines.all.is_some() || lines.rest.is_some();
    let record = cx.types.intern(Type::Record { fields, open });
    record.unwrap_or(any)
}

/// Every line names fields of the record, and every field has a line.
fn check_fields(cx: &mut Context<'_>, store: &ast::Store, lines: &Lines<'_>, record: TypeId) {
    let fields: Vec<String> =
        cx.types.fields(record).iter().map(|field| field.name.clone()).collect();
    for name in &lines.order {
        if !fields.contains(&name.text) {
            let known = fields.iter().map(String::as_str);
            cx.push(unknown("field", name, known));
        }
    }
    let bare: Vec<&str> = fields
        .iter()
        .map(String::as_str)
        .filter(|field| !lines.fields.contains_key(field) && lines.rest.is_none())
        .collect();
    if !bare.is_empty() {
        let listed = crate::diag::listed(bare.iter().copied());
        let message = format!("store `{}` gives no label to {listed}", store.name.text);
        let names: Vec<String> = bare.iter().map(|name| written(name)).collect();
        let label = cx.levels.strictest(true);
        let help = format!(
            "this is the strictest label; choose what holds:\n{} : {label}",
            names.join(", ")
        );
        cx.push(Diagnostic::new(Code::E0213, store.name.span, message).help(help));
    }
}

type Sides = (Option<Label>, Option<Label>);

fn outsiders(cx: &mut Context<'_>, written: &[ast::Outsiders]) -> Option<Sides> {
    let (first, others) = written.split_first()?;
    for other in others {
        let message = "the store says already what outsiders do";
        let diagnostic = Diagnostic::new(Code::E0216, other.span, message);
        cx.push(diagnostic.label(first.span, "said here").help("write `outsiders read … write …`"));
    }
    let mut resolved = |side: &Option<ast::Label>| {
        side.as_ref().map(|written| label(cx, Scope::default(), written))
    };
    let (read, write) = (resolved(&first.read), resolved(&first.write));
    Some((read, write))
}

/// The store and the cells that are named: all of the store's, if none is named.
pub(super) fn cells(cx: &mut Context<'_>, written: &Cells) -> Option<(StoreId, Vec<CellId>)> {
    let store = cx.store_names.find(&written.store, cx.diagnostics)?;
    let mut found = Vec::new();
    let Some(names) = &written.cells else {
        found.extend(of_store(&cx.cells, store).map(|(id, _)| id));
        return Some((store, found));
    };
    for name in names {
        let cell = match name {
            CellName::Shape(_) => shape(&cx.cells, store),
            CellName::Field(field) => {
                let known = cx.stores.get(store.index()).map(|store| cx.types.fields(store.record));
                let is_plain = known.is_none_or(<[ir::Field]>::is_empty);
                let cell = field_cell(&cx.cells, store, &field.text).filter(|_| !is_plain);
                if cell.is_none() {
                    let mistake = no_cell(cx, store, field);
                    cx.push(mistake);
                }
                cell
            }
        };
        found.extend(cell.filter(|cell| !found.contains(cell)));
    }
    Some((store, found))
}

fn no_cell(cx: &Context<'_>, store: StoreId, field: &ast::Name) -> Diagnostic {
    let name = cx.stores.get(store.index()).map_or("", |store| &store.name);
    let parts = of_store(&cx.cells, store).filter_map(|(_, cell)| match &cell.part {
        CellPart::Field(name) => Some(name.as_str()),
        CellPart::Content | CellPart::Shape => None,
    });
    let diagnostic = unknown(&format!("field in store `{name}` called"), field, parts);
    match &diagnostic.help {
        Some(_) => diagnostic,
        None => diagnostic.help(format!("`{name}` alone means all of the store")),
    }
}

fn of_store(cells: &[Cell], store: StoreId) -> impl Iterator<Item = (CellId, &Cell)> {
    let ids = (0..).map(CellId);
    ids.zip(cells).filter(move |(_, cell)| cell.store == store)
}

/// The cell of a store's shape.
pub(crate) fn shape(cells: &[Cell], store: StoreId) -> Option<CellId> {
    of_store(cells, store).find(|(_, cell)| cell.part == CellPart::Shape).map(|(id, _)| id)
}

/// The cell that holds a field of a store's records: its own, or that of all content.
pub(crate) fn field_cell(cells: &[Cell], store: StoreId, field: &str) -> Option<CellId> {
    let own = |cell: &Cell| matches!(&cell.part, CellPart::Field(name) if name == field);
    let mut of_store = of_store(cells, store);
    let found = of_store.find(|(_, cell)| own(cell)).map(|(id, _)| id);
    found.or_else(|| content(cells, store))
}

fn content(cells: &[Cell], store: StoreId) -> Option<CellId> {
    of_store(cells, store).find(|(_, cell)| cell.part == CellPart::Content).map(|(id, _)| id)
}

/// All cells of a store.
pub(crate) fn all_cells(cells: &[Cell], store: StoreId) -> Vec<CellId> {
    of_store(cells, store).map(|(id, _)| id).collect()
}
