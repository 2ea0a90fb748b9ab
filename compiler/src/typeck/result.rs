//! Regions that `reads … as` and labels name exist, and records fit the stores that they show.

use std::collections::BTreeSet;

use rtbas_artifact::ir::{Field, Format, StoreId, Type, TypeId};
use rtbas_artifact::ty::describe;
use rtbas_artifact::validate::MAX_ENTRIES;

use crate::diag::{Code, Diagnostic, Diagnostics, listed, nearest};
use crate::resolve::division::Division;
use crate::resolve::hir::{Policy, Reads, Step, Store, Tool};
use crate::resolve::scope::written;
use crate::source::Span;

pub(super) fn check(policy: &Policy, diagnostics: &mut Diagnostics) {
    let mut regions = 0_usize;
    for tool in &policy.tools {
        match (tool.result_span, tool.format) {
            (Some(at), Format::Text) if tool.form.is_empty() => {
                text(policy, tool, at, diagnostics);
            }
            (Some(at), Format::Text) => form(policy, tool, at, diagnostics),
            (Some(at), Format::Mcp) => mcp(policy, tool, at, diagnostics),
            _ => {}
        }
        regions = regions.saturating_add(count(policy, tool.result));
        if regions > MAX_ENTRIES {
            let message = format!("the results have more than {MAX_ENTRIES} regions together");
            let diagnostic = Diagnostic::new(Code::E0309, tool.span, message);
            diagnostics.push(diagnostic.help("give large results a smaller type"));
            return;
        }
        let mut records: Vec<(&[Step], &Reads)> = Vec::new();
        for reads in &tool.reads {
            let Some(path) = &reads.path else { continue };
            if let Some((_, first)) = records.iter().find(|(known, _)| known == path) {
                let message = "this region is a record of a store already";
                let diagnostic = Diagnostic::new(Code::E0305, reads.span, message);
                let help = "name a region inside it, or write `reads STORE` without `as`";
                diagnostics.push(diagnostic.label(first.span, "of this one").help(help));
            }
            records.push((path, reads));
            if let Some(other) =
                tool.reads.iter().find(|other| at_large(policy, tool, other, path, reads))
            {
                let store = policy.stores.get(reads.store.index()).map_or("?", |store| &store.name);
                let message = format!("what shows all of `{store}` is no record of it");
                let diagnostic = Diagnostic::new(Code::E0305, reads.span, message);
                let help = "delete one of the two lines";
                diagnostics.push(diagnostic.label(other.span, "shows all of it").help(help));
            }
            for ty in region(policy, tool, path, reads.region, diagnostics).unwrap_or_default() {
                record(policy, reads.store, path, (ty, reads.span), diagnostics);
            }
        }
        for label in &tool.labels {
            region(policy, tool, &label.path, label.span, diagnostics);
        }
    }
}

/// Whether a line says of the region at a path that it shows all of the store of which another line
/// says that it shows a record.
fn at_large(policy: &Policy, tool: &Tool, line: &Reads, path: &[Step], record: &Reads) -> bool {
    let is_record = |path: &[Step]| policy.types.are_records(&ends(policy, tool, path));
    line.store == record.store
        && is_record(path)
        && line.path.as_ref().is_none_or(|other| path.starts_with(other) && !is_record(other))
}

fn text(policy: &Policy, tool: &Tool, at: Span, diagnostics: &mut Diagnostics) {
    if !is_scalar(policy, tool.result) {
        let ty = describe(policy.types.entries(), tool.result);
        let message = format!("a result that is plain text cannot be read as {ty}");
        let diagnostic = Diagnostic::new(Code::E0308, at, message);
        diagnostics
            .push(diagnostic.help("write the format before the type, such as `result json …`"));
    }
}

/// What stands in a text is scalars, and something stands between them.
fn form(policy: &Policy, tool: &Tool, at: Span, diagnostics: &mut Diagnostics) {
    let fields = policy.types.fields(tool.result);
    for field in fields.iter().filter(|field| !is_scalar(policy, field.ty)) {
        let ty = describe(policy.types.entries(), field.ty);
        let message = format!("`{}` stands in plain text and cannot be read as {ty}", field.name);
        let help = "give it a type of one value, such as `string`, `int` or `date`";
        diagnostics.push(Diagnostic::new(Code::E0308, at, message).help(help));
    }
    for (pair, piece) in fields.windows(2).zip(tool.form.iter().skip(1)) {
        let ([first, second], true) = (pair, piece.is_empty()) else { continue };
        let (first, second) = (&first.name, &second.name);
        let message = format!("nothing tells where `{first}` ends and `{second}` begins");
        let help = "write what the tool writes between them, such as `\", \"`";
        diagnostics.push(Diagnostic::new(Code::E0308, at, message).help(help));
    }
}

fn is_scalar(policy: &Policy, ty: TypeId) -> bool {
    match policy.types.get(ty) {
        Type::Bool | Type::Integer | Type::Number | Type::Text | Type::Enumeration(_) => true,
        Type::Date | Type::Time | Type::Pattern(_) => true,
        Type::Any | Type::Null | Type::List(_) | Type::Set(_) | Type::Record { .. } => false,
        Type::Map(_) | Type::Union(_) => false,
    }
}

/// The structured content of a result is a record.
fn mcp(policy: &Policy, tool: &Tool, at: Span, diagnostics: &mut Diagnostics) {
    let division = policy.types.division(tool.result);
    let is_record = division.is_record() || division.map.is_some() && division.list.is_none();
    if !is_record || !division.leaves.is_empty() {
        let ty = describe(policy.types.entries(), tool.result);
        let message = format!("`structuredContent` is a record or a map, and this is {ty}");
        let help = "write its type, such as `result mcp { total: int }`; a tool that gives no \
                    `structuredContent` has a `result text`";
        diagnostics.push(Diagnostic::new(Code::E0308, at, message).help(help));
    }
}

/// How many regions results of a type have.
fn count(policy: &Policy, ty: TypeId) -> usize {
    let division = policy.types.division(ty);
    let records = division.records.iter().flat_map(|fields| fields.iter().map(|field| field.ty));
    let below = records.chain(division.list).chain(division.map);
    let keys = usize::from(division.map.is_some());
    below.fold(1 + keys, |sum, ty| sum.saturating_add(count(policy, ty)))
}

/// The types of a region of a tool's result, several where alternatives have it; `None` after a
/// message.
pub(super) fn region(
    policy: &Policy,
    tool: &Tool,
    path: &[Step],
    at: Span,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<TypeId>> {
    let mut here = vec![tool.result];
    let mut walked = "result".to_owned();
    for (index, step) in path.iter().enumerate() {
        let next = policy.types.step(&here, step);
        if next.is_empty() {
            diagnostics.push(no_region(policy, tool, &here, (&walked, path, index), at));
            return None;
        }
        here = next;
        walked = format!("{walked}{step}");
    }
    Some(here)
}

/// Says that a step leads to no region.
fn no_region(
    policy: &Policy,
    tool: &Tool,
    here: &[TypeId],
    (walked, path, index): (&str, &[Step], usize),
    at: Span,
) -> Diagnostic {
    let Some(step) = path.get(index) else {
        return Diagnostic::new(Code::E0304, at, format!("`{walked}` is no region"));
    };
    let mistake = |message| Diagnostic::new(Code::E0304, at, message);
    let divisions: Vec<_> = here.iter().map(|ty| policy.types.division(*ty)).collect();
    let names = field_names(&divisions);
    if let (Step::Field(name), false) = (step, names.is_empty()) {
        let message = format!("`{walked}` has no field `{name}`");
        let fields = listed(names.iter().copied());
        let mistake = mistake(message).note(format!("fields of `{walked}`: {fields}"));
        let meant = nearest(name, names).map(|meant| Step::Field(meant.to_owned()));
        let meant = meant.map(|meant| spliced(path, index..index + 1, [meant]));
        return meaning(mistake, at, meant);
    }
    let wanted = match step {
        Step::Items => "list or map",
        Step::Keys => "map",
        Step::Field(_) => "record",
    };
    let is: Vec<String> = here.iter().map(|ty| describe(policy.types.entries(), *ty)).collect();
    let is = is.join(" or ");
    let message = format!("`{walked}{step}` is no region: `{walked}` is {is}, no {wanted}");
    if tool.result_span.is_none() {
        return mistake(message).help(format!(
            "`{}` has no `result` line: declare one, such as `result json [T]`",
            tool.name
        ));
    }
    if divisions.iter().any(|division| division.map.is_some()) {
        return mistake(message)
            .help(format!("its values are `{walked}[*]`, and their names `{walked}[key]`"));
    }
    let meant = other_paths(policy, &divisions, path, index);
    let meant = meant.into_iter().find(|path| !ends(policy, tool, path).is_empty());
    meaning(mistake(message), at, meant)
}

/// The names of all fields that a value may have.
fn field_names<'p>(divisions: &[Division<'p>]) -> Vec<&'p str> {
    let records = divisions.iter().flat_map(|division| division.records.iter().copied());
    let mut seen = BTreeSet::new();
    let names = records.flatten().map(|field| field.name.as_str());
    names.filter(|name| seen.insert(*name)).collect()
}

/// The ways around a step that a type does not have: through the elements of a list, into the one
/// list that a record holds, or without the step.
fn other_paths(
    policy: &Policy,
    here: &[Division<'_>],
    path: &[Step],
    index: usize,
) -> Vec<Vec<Step>> {
    let mut paths = Vec::new();
    match path.get(index) {
        Some(Step::Field(name)) => {
            let items = here.iter().filter_map(|division| division.list);
            let items: Vec<_> = items.map(|item| policy.types.division(item)).collect();
            let meant = nearest(name, field_names(&items));
            let meant = meant.map(|meant| Step::Field(meant.to_owned()));
            let through = meant.map(|meant| spliced(path, index..index + 1, [Step::Items, meant]));
            paths.extend(through);
        }
        Some(Step::Items) => paths.extend(
            field_names(here)
                .iter()
                .map(|name| spliced(path, index..index, [Step::Field((*name).to_owned())])),
        ),
        _ => {}
    }
    // The step says nothing that its neighbours do not.
    if path.get(index) == Some(&Step::Items) || path.get(index + 1) == Some(&Step::Items) {
        paths.push(spliced(path, index..index + 1, []));
    }
    paths
}

fn spliced<const N: usize>(
    path: &[Step],
    old: std::ops::Range<usize>,
    new: [Step; N],
) -> Vec<Step> {
    let mut path = path.to_vec();
    path.splice(old, new);
    path
}

/// The types of the regions at a path; none if it leads to none.
fn ends(policy: &Policy, tool: &Tool, path: &[Step]) -> Vec<TypeId> {
    path.iter().fold(vec![tool.result], |here, step| policy.types.step(&here, step))
}

/// With the path that was meant, if there is one.
fn meaning(mistake: Diagnostic, at: Span, meant: Option<Vec<Step>>) -> Diagnostic {
    let Some(path) = meant else { return mistake };
    let right = path.iter().fold("result".to_owned(), |text, step| match step {
        Step::Items | Step::Keys => format!("{text}{step}"),
        Step::Field(name) => format!("{text}.{}", written(name)),
    });
    mistake.help(format!("did you mean `{right}`?")).fix(at, right)
}

/// A record that shows a store has fields of the store's records.
fn record(
    policy: &Policy,
    store: StoreId,
    path: &[Step],
    (ty, at): (TypeId, Span),
    diagnostics: &mut Diagnostics,
) {
    let Some(store) = policy.stores.get(store.index()) else {
        return;
    };
    let here: String = path.iter().map(ToString::to_string).collect();
    let division = policy.types.division(ty);
    let is_record = |ty: TypeId| policy.types.division(ty).is_record();
    if division.list.or(division.map).is_some_and(is_record) {
        let is = describe(policy.types.entries(), ty);
        let message = format!("`result{here}` is {is}, not one record of `{}`", store.name);
        let diagnostic = Diagnostic::new(Code::E0305, at, message);
        diagnostics.push(diagnostic.help(format!("write `as result{here}[*]`")));
        return;
    }
    if ty == store.declared {
        return;
    }
    if let Some(field) = left_out(policy, store, &division) {
        let message = format!(
            "an alternative of `result{here}` leaves out `{field}`, which such records of store \
             `{}` have",
            store.name
        );
        let note = "guards of the store's labels would take it for missing";
        let help = "add the field, or write `reads STORE` without `as`";
        let diagnostic = Diagnostic::new(Code::E0305, at, message).note(note);
        return diagnostics.push(diagnostic.help(help));
    }
    let Type::Record { fields: known, open: false } = policy.types.get(store.record) else {
        return;
    };
    let in_all = |name: &str| {
        let is_required = |f: &Field| f.name == name && f.required;
        division.records.iter().all(|fields| fields.iter().any(is_required))
    };
    let mut seen: Vec<&Field> = Vec::new();
    for field in division.records.iter().flat_map(|fields| fields.iter()) {
        if seen.iter().any(|other| other.name == field.name && other.ty == field.ty) {
            continue;
        }
        seen.push(field);
        let here = format!("`result{here}` has a field `{}`", field.name);
        let mistake = |message| Diagnostic::new(Code::E0305, at, message);
        let Some(declared) = known.iter().find(|declared| declared.name == field.name) else {
            let message = format!("{here}, and store `{}` has none", store.name);
            let names = listed(known.iter().map(|field| field.name.as_str()));
            let note = format!("fields of `{}`: {names}", store.name);
            diagnostics.push(mistake(message).note(note));
            continue;
        };
        if !is_of(policy, field.ty, declared.ty) {
            let [here_is, there_is] =
                [field.ty, declared.ty].map(|ty| describe(policy.types.entries(), ty));
            let message = format!("{here} of another type than in store `{}`", store.name);
            let note = format!("here it is {here_is}, there {there_is}");
            let help = "give both one type, or write `reads STORE` without `as`";
            diagnostics.push(mistake(message).note(note).help(help));
        } else if declared.required && !in_all(&field.name) {
            let message =
                format!("{here} that is optional, and in store `{}` it is not", store.name);
            let help = "drop the `?` here, or write it in the store's type, too";
            diagnostics.push(mistake(message).help(help));
        }
    }
}

/// A field that one of several alternatives leaves out, and that records of its kind have in the
/// store. What a single record leaves out no guard may read, which is for a proof to say.
fn left_out<'p>(policy: &'p Policy, store: &Store, division: &Division<'_>) -> Option<&'p str> {
    let declared = policy.types.division(store.declared).records;
    let declared =
        if declared.is_empty() { vec![policy.types.fields(store.declared)] } else { declared };
    if division.records.len() < 2 && declared.len() < 2 {
        return None;
    }
    let values = |field: &Field| match policy.types.get(field.ty) {
        Type::Enumeration(values) => values.as_slice(),
        _ => &[],
    };
    let differ = |a: &Field, b: &Field| {
        let (a_values, b_values) = (values(a), values(b));
        let is_known = !a_values.is_empty() && !b_values.is_empty();
        a.name == b.name && is_known && a_values.iter().all(|value| !b_values.contains(value))
    };
    let may_be = |shown: &[Field], declared: &[Field]| {
        !shown.iter().any(|a| declared.iter().any(|b| differ(a, b)))
    };
    let pairs = division.records.iter().flat_map(|s| declared.iter().map(move |d| (*s, *d)));
    let mut pairs = pairs.filter(|(shown, declared)| may_be(shown, declared));
    let missing = pairs.find_map(|(shown, declared)| {
        declared.iter().find(|field| shown.iter().all(|other| other.name != field.name))
    });
    missing.map(|field| field.name.as_str())
}

/// Whether all values of a field's type are of the type that the store declares. Guards of the
/// store's labels were judged by the store's types, and a field that has none there was judged as
/// anything.
fn is_of(policy: &Policy, ty: TypeId, declared: TypeId) -> bool {
    let types = &policy.types;
    let all = types.alternatives(declared);
    let is_listed = |ty: TypeId| match types.get(ty) {
        Type::Enumeration(values) => values
            .iter()
            .all(|value| rtbas_artifact::ty::check(types.entries(), declared, value).is_ok()),
        _ => false,
    };
    ty == declared
        || *types.get(declared) == Type::Any
        || types.alternatives(ty).into_iter().all(|ty| all.contains(&ty) || is_listed(ty))
}
