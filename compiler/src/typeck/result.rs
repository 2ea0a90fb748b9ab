//! Regions that `reads … as` and labels name exist, and records fit the stores that they show.

use rtbas_artifact::ir::{Format, StoreId, Type, TypeId};
use rtbas_artifact::ty::describe;
use rtbas_artifact::validate::MAX_ENTRIES;

use crate::diag::{Code, Diagnostic, Diagnostics, listed, nearest};
use crate::resolve::hir::{Policy, Reads, Step, Tool};
use crate::resolve::scope::written;
use crate::source::Span;

pub(super) fn check(policy: &Policy, diagnostics: &mut Diagnostics) {
    let mut regions = 0_usize;
    for tool in &policy.tools {
        if let Some(at) = tool.result_span.filter(|_| tool.format == Format::Text) {
            text(policy, tool, at, diagnostics);
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
            if let Some(ty) = region(policy, tool, path, reads.region, diagnostics) {
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
    let is_record = |path: &[Step]| {
        let end =
            path.iter().try_fold(tool.result, |ty, step| match (step, policy.types.get(ty)) {
                (Step::Items, Type::List(item)) => Some(*item),
                (Step::Field(name), Type::Record { fields, .. }) => {
                    fields.iter().find(|field| field.name == *name).map(|field| field.ty)
                }
                _ => None,
            });
        end.is_some_and(|ty| matches!(policy.types.get(ty), Type::Record { .. }))
    };
    line.store == record.store
        && is_record(path)
        && line.path.as_ref().is_none_or(|other| path.starts_with(other) && !is_record(other))
}

fn text(policy: &Policy, tool: &Tool, at: Span, diagnostics: &mut Diagnostics) {
    let scalar = match policy.types.get(tool.result) {
        Type::Bool | Type::Integer | Type::Number | Type::Text | Type::Enumeration(_) => true,
        Type::Date | Type::Time | Type::Pattern(_) => true,
        Type::Any | Type::Null | Type::List(_) | Type::Set(_) | Type::Record { .. } => false,
        Type::Map(_) | Type::Union(_) => false,
    };
    if !scalar {
        let ty = describe(policy.types.entries(), tool.result);
        let message = format!("a result that is plain text cannot be read as {ty}");
        let diagnostic = Diagnostic::new(Code::E0308, at, message);
        diagnostics
            .push(diagnostic.help("write the format before the type, such as `result json …`"));
    }
}

/// How many regions results of a type have.
fn count(policy: &Policy, ty: TypeId) -> usize {
    match policy.types.get(ty) {
        Type::List(item) => count(policy, *item).saturating_add(1),
        Type::Map(value) => count(policy, *value).saturating_add(2),
        Type::Record { fields, open: false } => {
            fields.iter().fold(1, |sum: usize, field| sum.saturating_add(count(policy, field.ty)))
        }
        _ => 1,
    }
}

/// The type of a region of a tool's result; `None` after a message.
pub(super) fn region(
    policy: &Policy,
    tool: &Tool,
    path: &[Step],
    at: Span,
    diagnostics: &mut Diagnostics,
) -> Option<TypeId> {
    let mut ty = tool.result;
    let mut walked = "result".to_owned();
    for (index, step) in path.iter().enumerate() {
        let here = policy.types.get(ty);
        let mistake = |message| Diagnostic::new(Code::E0304, at, message);
        ty = match (step, here) {
            (Step::Items, Type::List(item) | Type::Map(item)) => *item,
            (Step::Keys, Type::Map(_)) => policy.types.find(&Type::Text)?,
            (Step::Field(name), Type::Record { fields, .. }) => {
                let field = fields.iter().find(|field| field.name == *name);
                let Some(field) = field else {
                    let names = fields.iter().map(|field| field.name.as_str());
                    let message = format!("`{walked}` has no field `{name}`");
                    let fields = listed(names.clone());
                    let mistake = mistake(message).note(format!("fields of `{walked}`: {fields}"));
                    let meant = nearest(name, names).map(|meant| Step::Field(meant.to_owned()));
                    let meant = meant.map(|meant| spliced(path, index..index + 1, [meant]));
                    diagnostics.push(meaning(mistake, at, meant));
                    return None;
                };
                field.ty
            }
            (step, _) => {
                let wanted = match step {
                    Step::Items => "list or map",
                    Step::Keys => "map",
                    Step::Field(_) => "record",
                };
                let shown = shown(step);
                let ty = describe(policy.types.entries(), ty);
                let message =
                    format!("`{walked}{shown}` is no region: `{walked}` is {ty}, no {wanted}");
                let diagnostic = mistake(message);
                diagnostics.push(match (tool.result_span, here) {
                    (None, _) => diagnostic.help(format!(
                        "`{}` has no `result` line: declare one, such as `result json [T]`",
                        tool.name
                    )),
                    (Some(_), Type::Map(_)) => diagnostic.help(format!(
                        "its values are `{walked}[*]`, and their names `{walked}[key]`"
                    )),
                    (Some(_), _) => {
                        let meant = other_paths(policy, here, path, index);
                        let meant = meant.into_iter().find(|path| leads(policy, tool, path));
                        meaning(diagnostic, at, meant)
                    }
                });
                return None;
            }
        };
        walked = format!("{walked}{}", shown(step));
    }
    Some(ty)
}

/// The ways around a step that a type does not have: through the elements of a list, into the one
/// list that a record holds, or without the step.
fn other_paths(policy: &Policy, here: &Type, path: &[Step], index: usize) -> Vec<Vec<Step>> {
    let mut paths = Vec::new();
    match (here, path.get(index)) {
        (Type::List(item), Some(Step::Field(name))) => {
            let fields = policy.types.fields(*item).iter().map(|field| field.name.as_str());
            let meant = nearest(name, fields).map(|meant| Step::Field(meant.to_owned()));
            let through = meant.map(|meant| spliced(path, index..index + 1, [Step::Items, meant]));
            paths.extend(through);
        }
        (Type::Record { fields, .. }, Some(Step::Items)) => paths.extend(
            fields.iter().map(|f| spliced(path, index..index, [Step::Field(f.name.clone())])),
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

/// Whether a path leads to a region.
fn leads(policy: &Policy, tool: &Tool, path: &[Step]) -> bool {
    let end = path.iter().try_fold(tool.result, |ty, step| match (step, policy.types.get(ty)) {
        (Step::Items, Type::List(item)) => Some(*item),
        (Step::Field(name), Type::Record { fields, .. }) => {
            fields.iter().find(|field| field.name == *name).map(|field| field.ty)
        }
        _ => None,
    });
    end.is_some()
}

/// With the path that was meant, if there is one.
fn meaning(mistake: Diagnostic, at: Span, meant: Option<Vec<Step>>) -> Diagnostic {
    let Some(path) = meant else { return mistake };
    let right = path.iter().fold("result".to_owned(), |text, step| match step {
        Step::Items | Step::Keys => text + &shown(step),
        Step::Field(name) => format!("{text}.{}", written(name)),
    });
    mistake.help(format!("did you mean `{right}`?")).fix(at, right)
}

fn shown(step: &Step) -> String {
    match step {
        Step::Items => "[*]".to_owned(),
        Step::Keys => "[key]".to_owned(),
        Step::Field(name) => format!(".{name}"),
    }
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
    let here: String = path.iter().map(shown).collect();
    match policy.types.get(ty) {
        Type::List(item) | Type::Map(item)
            if matches!(policy.types.get(*item), Type::Record { .. }) =>
        {
            let is = describe(policy.types.entries(), ty);
            let message = format!("`result{here}` is {is}, not one record of `{}`", store.name);
            let diagnostic = Diagnostic::new(Code::E0305, at, message);
            diagnostics.push(diagnostic.help(format!("write `as result{here}[*]`")));
        }
        Type::Record { fields, .. } if ty != store.record => {
            let Type::Record { fields: known, open: false } = policy.types.get(store.record) else {
                return;
            };
            let names = || known.iter().map(|field| field.name.as_str());
            for field in fields {
                let here = format!("`result{here}` has a field `{}`", field.name);
                let mistake = |message| Diagnostic::new(Code::E0305, at, message);
                let Some(declared) = known.iter().find(|declared| declared.name == field.name)
                else {
                    let message = format!("{here}, and store `{}` has none", store.name);
                    let note = format!("fields of `{}`: {}", store.name, listed(names()));
                    diagnostics.push(mistake(message).note(note));
                    continue;
                };
                // Guards of the store's labels were judged by the store's types, and a field that
                // has none there was judged as anything.
                let is_any = *policy.types.get(declared.ty) == Type::Any;
                if field.ty != declared.ty && !is_any {
                    let [here_is, there_is] =
                        [field.ty, declared.ty].map(|ty| describe(policy.types.entries(), ty));
                    let message = format!("{here} of another type than in store `{}`", store.name);
                    let note = format!("here it is {here_is}, there {there_is}");
                    let help = "give both one type, or write `reads STORE` without `as`";
                    diagnostics.push(mistake(message).note(note).help(help));
                } else if declared.required && !field.required {
                    let message =
                        format!("{here} that is optional, and in store `{}` it is not", store.name);
                    let help = "drop the `?` here, or write it in the store's type, too";
                    diagnostics.push(mistake(message).help(help));
                }
            }
        }
        _ => {}
    }
}
