//! What was proved of a policy, and what it was told: the two halves of why it holds.

use std::collections::BTreeSet;

use rtbas_artifact::certificate::{Certificate, Property};
use rtbas_artifact::ir::{
    Cell, CellId, CellPart, ConditionId, Downgrade, DowngradeWord, LabelId, LabelRule, Policy,
    Tool, WriteKind,
};
use rtbas_artifact::lattice::LevelId;
use rtbas_artifact::program::Program;
use serde_json::{Value, json};

use crate::output::shown;

/// Most subjects of a proof that a person is shown by name.
const MAX_NAMED: usize = 8;

/// The report for people, line by line.
pub(crate) fn lines(program: &Program, certificate: &Certificate) -> Vec<String> {
    let policy = program.policy();
    let mut lines = vec![format!("policy `{}`, version {}", policy.name, policy.version)];
    lines.push(format!("proved, with {}", shown(&certificate.solver)));
    lines.extend(Property::ALL.into_iter().filter_map(|property| {
        let of_it = certificate.obligations.iter().filter(|o| o.property == property);
        let subjects: Vec<String> = of_it.map(|o| shown(&o.subject)).collect();
        let named: Vec<&str> = subjects.iter().take(MAX_NAMED).map(String::as_str).collect();
        let more = match subjects.len().checked_sub(MAX_NAMED) {
            None | Some(0) => String::new(),
            Some(more) => format!(" and {more} more"),
        };
        let property = property.to_string();
        (!named.is_empty()).then(|| format!("  {property:<20} {}{more}", named.join(", ")))
    }));
    lines.push("told, and taken as it was said".to_owned());
    lines.extend(told(program).into_iter().map(|line| format!("  {line}")));
    lines
}

/// The report for programs.
pub(crate) fn document(program: &Program, certificate: &Certificate) -> Value {
    let proved = certificate.obligations.iter().map(|o| {
        json!({
            "property": o.property.to_string(),
            "subject": o.subject,
            "method": o.method.to_string(),
            "resource": o.resource,
        })
    });
    json!({
        "name": program.policy().name,
        "version": program.policy().version,
        "solver": certificate.solver,
        "proved": proved.collect::<Value>(),
        "told": told(program),
    })
}

/// What nobody proves: the trusted base, line by line.
pub(crate) fn told(program: &Program) -> Vec<String> {
    let policy = program.policy();
    let label = |id| label(program, id);
    let mut told = vec![format!(
        "messages: system {}, user {}",
        label(policy.messages.system),
        label(policy.messages.user)
    )];
    // The elements of a powerset are each an order that nobody wrote.
    told.extend(policy.lattices.iter().filter(|lattice| lattice.element.is_none()).map(
        |lattice| {
            let end = |level: Option<LevelId>| level.map_or("?", |level| lattice.level_name(level));
            let (freest, strictest) = (end(lattice.bottom()), end(lattice.top()));
            format!("order of `{}`: from {freest}, the freest, to {strictest}", lattice.name)
        },
    ));
    told.extend(policy.facts.iter().map(|fact| format!("the host supplies fact `{}`", fact.name)));
    for store in &policy.stores {
        let Some(outsiders) = &store.outsiders else { continue };
        let access = [("read", outsiders.read), ("write", outsiders.write)];
        let access =
            access.into_iter().filter_map(|(verb, l)| Some(format!("{verb} {}", label(l?))));
        let access: Vec<String> = access.collect();
        told.push(format!("store `{}`: outsiders {}", store.name, access.join(" and ")));
    }
    // Fields that are declared together are told together.
    let same =
        |a: &Cell, b: &Cell| (a.store, &a.label, &a.because) == (b.store, &b.label, &b.because);
    told.extend(policy.cells.chunk_by(same).filter_map(|cells| {
        let first = cells.first()?;
        let because = first.because.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        let label = shown_rule(program, None, &first.label);
        Some(format!("label of {} is {label}{because}", named(policy, cells.iter())))
    }));
    told.extend(policy.tools.iter().filter_map(|tool| contract(program, tool)));
    for tool in &policy.tools {
        for endorsement in &tool.endorsements {
            let cells = endorsement.cells.iter().filter_map(|id| policy.cells.get(id.index()));
            let (cells, because) = (named(policy, cells), &endorsement.because);
            told.push(match endorsement.unasked {
                true => {
                    format!("calling `{}`, asked or not, endorses {cells}: {because}", tool.name)
                }
                false => format!("approving `{}` endorses {cells}: {because}", tool.name),
            });
        }
    }
    told.extend(policy.downgrades.iter().map(|downgrade| downgraded(program, downgrade)));
    told.iter().map(|line| shown(line)).collect()
}

/// What a downgrade lowers, when, and who answers for it.
fn downgraded(program: &Program, downgrade: &Downgrade) -> String {
    let tool = program.tool(downgrade.tool);
    let (name, region) =
        tool.map_or(("?", None), |tool| (tool.name.as_str(), tool.path_of(downgrade.node)));
    let word = match downgrade.word {
        DowngradeWord::Endorse => "endorses",
        DowngradeWord::Declassify => "declassifies",
    };
    let label = |id| program.show_label(tool, id);
    let guard = |word: &str, guard: Option<ConditionId>| {
        guard.map_or_else(String::new, |guard| {
            format!(" {word} {}", program.show_condition(tool, guard))
        })
    };
    format!(
        "`{}` {word} `{}` of `{name}`, from {} to {}{}{}, says {}: {}",
        downgrade.name,
        region.unwrap_or_default(),
        label(downgrade.from),
        label(downgrade.to),
        guard("when", downgrade.when),
        guard("checked", downgrade.checked),
        downgrade.by,
        downgrade.because
    )
}

/// What a tool is said to show, to label itself, and to write.
fn contract(program: &Program, tool: &Tool) -> Option<String> {
    let policy = program.policy();
    let cells = |ids: BTreeSet<CellId>| {
        named(policy, ids.into_iter().filter_map(|id| policy.cells.get(id.index())))
    };
    let shows = cells(tool.nodes.iter().flat_map(|node| node.shows.iter().copied()).collect());
    let written =
        |how| cells(tool.writes.iter().filter(|w| w.how == how).map(|write| write.cell).collect());
    let sets = tool.writes.iter().filter_map(|write| {
        let value = program.show_operand(Some(tool), write.value.as_ref()?);
        Some(format!("{} to {value}", cells([write.cell].into())))
    });
    let sets = sets.collect::<Vec<_>>().join(" and ");
    let own = tool.nodes.iter().filter_map(|node| node.label.as_ref());
    let own: BTreeSet<String> = own.map(|label| shown_rule(program, Some(tool), label)).collect();
    let own = own.into_iter().collect::<Vec<_>>().join(" and ");
    let parts = [
        ("shows", shows),
        ("labels its result", own),
        ("writes", written(WriteKind::Any)),
        ("adds", written(WriteKind::Adds)),
        ("changes", written(WriteKind::Changes)),
        ("sets", sets),
    ];
    let parts = parts.into_iter().filter(|(_, what)| !what.is_empty());
    let parts: Vec<String> = parts.map(|(verb, what)| format!("{verb} {what}")).collect();
    (!parts.is_empty()).then(|| format!("`{}` {}", tool.name, parts.join("; ")))
}

/// A label with its guards.
fn shown_rule(program: &Program, tool: Option<&Tool>, rule: &LabelRule) -> String {
    let label = |id| program.show_label(tool, id);
    let guarded = rule.alternatives.iter().map(|alternative| {
        let when = program.show_condition(tool, alternative.when);
        format!("{} when {when} else ", label(alternative.label))
    });
    guarded.chain([label(rule.otherwise).to_string()]).collect()
}

fn label(program: &Program, id: LabelId) -> String {
    program.show_label(None, id).to_string()
}

/// Cells by name; all of a store by the name of the store.
fn named<'a>(policy: &Policy, cells: impl Iterator<Item = &'a Cell>) -> String {
    let cells: Vec<&Cell> = cells.collect();
    let names = cells.chunk_by(|a, b| a.store == b.store).flat_map(|cells| {
        let store = cells.first().map(|cell| cell.store);
        let all = policy.cells.iter().filter(|cell| Some(cell.store) == store).count();
        let name = store.and_then(|id| policy.stores.get(id.index())).map(|store| &store.name);
        let name = name.map_or("?", String::as_str);
        if cells.len() == all {
            return vec![format!("`{name}`")];
        }
        cells.iter().map(|cell| format!("`{name}{}`", part(cell))).collect()
    });
    names.collect::<Vec<_>>().join(", ")
}

fn part(cell: &Cell) -> String {
    match &cell.part {
        CellPart::Field(field) => format!(".{field}"),
        CellPart::Content => String::new(),
        CellPart::Shape => ".shape".to_owned(),
    }
}
