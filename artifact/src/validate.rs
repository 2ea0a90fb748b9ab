//! Whether a policy can be evaluated: everything that is cheap to check.
//!
//! Takes a policy from anywhere, gives nothing but the first fault, and trusts nothing: neither the
//! compiler that wrote the tables nor the signature that they came with. What it checks is what
//! [`crate::eval`] and the engine rely on to be total, to need little stack, and to end soon. What
//! needs a proof (O2 to O5 of `docs/semantics.md`) is the verifier's.

mod reads;
mod tables;
mod tools;

use std::collections::BTreeSet;
use std::fmt;

use crate::ir::{Exception, Policy, Store, Target};
use crate::lattice::Lattice;
use crate::validate::reads::{Reach, Readers};
use crate::value::{MAX_DEPTH, Value};

/// Most entries in one table, and most parts of one entry.
pub const MAX_ENTRIES: usize = 100_000;
/// Most closed lattices in a label; a powerset is one for each of its elements.
pub const MAX_LATTICES: usize = 256;
/// Most open lattices in a label.
pub const MAX_OPEN: usize = 16;
/// Deepest nesting of types, conditions and regions.
pub const MAX_NESTING: usize = 64;
/// Most entries of which one type, condition or region may consist when shared parts are counted
/// each time: what evaluating it may cost.
pub const MAX_WEIGHT: usize = 65_536;
/// Largest weight of all patterns together: what matching may take in memory.
pub const MAX_PATTERNS: usize = 1_000_000;
/// Most bytes in one text: as many as there are in the largest file that a compiler reads, so that
/// no policy has a longer one.
pub const MAX_TEXT: usize = 1024 * 1024;

/// Why a policy cannot be evaluated. A compiler writes no such policy, so this is for whoever
/// builds one by hand, and for damaged files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The place in the policy, such as `tools[3].rules[0]`.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.place, self.problem)
    }
}

impl std::error::Error for Invalid {}

impl Invalid {
    fn new(place: &str, problem: impl Into<String>) -> Self {
        Self { place: place.to_owned(), problem: problem.into() }
    }

    fn under(mut self, place: &str) -> Self {
        let dot = if self.place.starts_with('[') { "" } else { "." };
        self.place = format!("{place}{dot}{}", self.place);
        self
    }
}

/// Checks a policy.
///
/// # Errors
/// The first fault, in the order of the policy's fields.
pub fn validate(policy: &Policy) -> Result<(), Invalid> {
    name("name", &policy.name)?;
    lattices(policy)?;
    tables::types(&policy.types)?;
    tables::conditions(&policy.conditions)?;
    tables::patterns(policy)?;
    let readers = Readers::new(policy)?;
    each("facts", &policy.facts, |fact| {
        name("name", &fact.name)?;
        index("ty", fact.ty.index(), policy.types.len())
    })?;
    unique("facts", policy.facts.iter().map(|fact| &fact.name))?;
    let facts = Reach::default();
    readers.label("messages.system", policy.messages.system, facts)?;
    readers.label("messages.user", policy.messages.user, facts)?;
    readers.label("messages.reply", policy.messages.reply, facts)?;
    each("stores", &policy.stores, |one| store(policy, &readers, one))?;
    unique("stores", policy.stores.iter().map(|store| &store.name))?;
    cells(policy, &readers)?;
    tools::validate(policy, &readers)?;
    downgrades(policy, &readers)?;
    claims(policy, &readers)
}

fn lattices(policy: &Policy) -> Result<(), Invalid> {
    let (lattices, open) = (&policy.lattices, &policy.open);
    if lattices.is_empty() && open.is_empty() || lattices.len() > MAX_LATTICES {
        let problem = format!("{} lattices; 1 to {MAX_LATTICES} are possible", lattices.len());
        return Err(Invalid::new("lattices", problem));
    }
    if open.len() > MAX_OPEN {
        let problem = format!("{} open lattices; at most {MAX_OPEN} are possible", open.len());
        return Err(Invalid::new("open", problem));
    }
    each("lattices", lattices, |lattice| {
        name("name", &lattice.name)?;
        lattice.laws().map_err(|law| Invalid::new("levels", law.to_string()))?;
        each("levels", &lattice.levels, |level| name("name", level))?;
        unique("levels", lattice.levels.iter())?;
        lattice.element.as_ref().map_or(Ok(()), |element| element_of(lattice, element))
    })?;
    each("open", open, |lattice| name("name", &lattice.name))?;
    let mut seen = BTreeSet::new();
    let closed = lattices.iter().map(|lattice| (&lattice.name, lattice.element.as_ref()));
    let powersets: BTreeSet<&String> =
        closed.clone().filter(|(_, element)| element.is_some()).map(|(name, _)| name).collect();
    for (name, element) in closed.chain(open.iter().map(|lattice| (&lattice.name, None))) {
        // The elements of a powerset share its name, which nothing else has.
        if !seen.insert((name, element)) || element.is_none() && powersets.contains(name) {
            return Err(Invalid::new("lattices", format!("the name {name:?} stands there twice")));
        }
    }
    Ok(())
}

/// A powerset's element is there or not.
fn element_of(lattice: &Lattice, element: &str) -> Result<(), Invalid> {
    name("element", element)?;
    match lattice.levels.len() {
        2 => Ok(()),
        n => Err(Invalid::new("levels", format!("{n} levels, where an element is there or not"))),
    }
}

fn store(policy: &Policy, readers: &Readers<'_>, store: &Store) -> Result<(), Invalid> {
    name("name", &store.name)?;
    index("record", store.record.index(), policy.types.len())?;
    let outsiders = store.outsiders.iter();
    outsiders.flat_map(|o| [("read", o.read), ("write", o.write)]).try_for_each(|(place, label)| {
        label.map_or(Ok(()), |label| {
            readers.label(&format!("outsiders.{place}"), label, Reach::default())
        })
    })
}

fn cells(policy: &Policy, readers: &Readers<'_>) -> Result<(), Invalid> {
    let mut seen = BTreeSet::new();
    let record = Reach { fields: true, ..Reach::default() };
    let check = |cell: &crate::ir::Cell| {
        index("store", cell.store.index(), policy.stores.len())?;
        if let crate::ir::CellPart::Field(field) = &cell.part {
            text("part", field)?;
        }
        text("because", cell.because.as_deref().unwrap_or_default())?;
        cell.ty.map_or(Ok(()), |ty| index("ty", ty.index(), policy.types.len()))?;
        readers.rule("label", &cell.label, record)
    };
    each("cells", &policy.cells, check)?;
    match policy.cells.iter().find(|cell| !seen.insert((cell.store, &cell.part))) {
        Some(cell) => {
            let problem = format!("store {} has {:?} twice", cell.store.0, cell.part);
            Err(Invalid::new("cells", problem))
        }
        None => Ok(()),
    }
}

fn downgrades(policy: &Policy, readers: &Readers<'_>) -> Result<(), Invalid> {
    each("downgrades", &policy.downgrades, |downgrade| {
        name("name", &downgrade.name)?;
        text("by", &downgrade.by)?;
        text("because", &downgrade.because)?;
        index("tool", downgrade.tool.index(), policy.tools.len())?;
        let Some(tool) = policy.tools.get(downgrade.tool.index()) else { return Ok(()) };
        index("node", downgrade.node.index(), tool.nodes.len())?;
        let node = tool.nodes.get(downgrade.node.index());
        if node.is_none_or(|node| node.leaf().is_none()) {
            return Err(Invalid::new("node", "a region that is divided further"));
        }
        let call = Reach { arguments: tool.arguments.len(), ..Reach::default() };
        readers.label("from", downgrade.from, call)?;
        readers.label("to", downgrade.to, call)?;
        if readers.raises(downgrade.to, downgrade.from) {
            return Err(Invalid::new("to", "this label might not flow to the one that it follows"));
        }
        let guards = [("when", downgrade.when), ("checked", downgrade.checked)];
        let guarded = Reach { fields: true, ..call };
        guards.into_iter().try_for_each(|(place, guard)| {
            guard.map_or(Ok(()), |guard| readers.condition(place, guard, guarded))
        })
    })?;
    unique("downgrades", policy.downgrades.iter().map(|downgrade| &downgrade.name))?;
    let mut regions = BTreeSet::new();
    for downgrade in &policy.downgrades {
        if !regions.insert((downgrade.tool, downgrade.node)) {
            let problem = format!("{:?} is the second of its region", downgrade.name);
            return Err(Invalid::new("downgrades", problem));
        }
    }
    Ok(())
}

fn claims(policy: &Policy, readers: &Readers<'_>) -> Result<(), Invalid> {
    each("claims", &policy.claims, |claim| {
        readers.constant("level", claim.level)?;
        let tool = match claim.target {
            Target::Tool(tool) | Target::Argument(tool, _) => Some(tool),
            Target::Reply => None,
            Target::Store(store) => {
                index("target", store.index(), policy.stores.len())?;
                None
            }
            Target::Cell(cell) => {
                index("target", cell.index(), policy.cells.len())?;
                None
            }
        };
        tool.map_or(Ok(()), |tool| index("target", tool.index(), policy.tools.len()))?;
        let tool = tool.and_then(|tool| policy.tools.get(tool.index()));
        let arguments = tool.map_or(0, |tool| tool.arguments.len());
        if let Target::Argument(_, argument) = claim.target {
            index("target", argument.index(), arguments)?;
        }
        each("via", &claim.via, |exception| match exception {
            Exception::Downgrade(id) => index("downgrade", id.index(), policy.downgrades.len()),
            Exception::Approval(None) => Ok(()),
            Exception::Approval(Some(id)) => index("tool", id.index(), policy.tools.len()),
        })?;
        let call = Reach { arguments, ..Reach::default() };
        claim.unless.map_or(Ok(()), |unless| readers.condition("unless", unless, call))
    })
}

/// Checks every entry of a table, and that there are not too many.
fn each<T>(
    table: &str,
    entries: &[T],
    check: impl Fn(&T) -> Result<(), Invalid>,
) -> Result<(), Invalid> {
    if entries.len() > MAX_ENTRIES {
        return Err(Invalid::new(table, format!("more than {MAX_ENTRIES} entries")));
    }
    entries.iter().enumerate().try_for_each(|(i, entry)| {
        check(entry).map_err(|fault| fault.under(&format!("{table}[{i}]")))
    })
}

fn unique<'a>(table: &str, names: impl Iterator<Item = &'a String>) -> Result<(), Invalid> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(Invalid::new(table, format!("the name {name:?} stands there twice")));
        }
    }
    Ok(())
}

fn index(place: &str, index: usize, length: usize) -> Result<(), Invalid> {
    if index < length {
        return Ok(());
    }
    Err(Invalid::new(place, format!("there is no entry {index}; the table has {length}")))
}

fn text(place: &str, text: &str) -> Result<(), Invalid> {
    if text.len() <= MAX_TEXT {
        return Ok(());
    }
    let problem = format!("a text of {} bytes; at most {MAX_TEXT} are possible", text.len());
    Err(Invalid::new(place, problem))
}

/// Names are shown to people, so they hold nothing that could steer a terminal.
fn name(place: &str, name: &str) -> Result<(), Invalid> {
    text(place, name)?;
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(Invalid::new(place, format!("{name:?} is no name")));
    }
    Ok(())
}

/// Checks that a value is in normal form and within limits.
fn value(place: &str, value: &Value, depth: usize) -> Result<(), Invalid> {
    if depth > MAX_DEPTH {
        return Err(Invalid::new(place, format!("a value nested more than {MAX_DEPTH} deep")));
    }
    let mut below = match value {
        Value::Number(number) if !number.is_normal() => {
            return Err(Invalid::new(place, "a number that is not in normal form"));
        }
        Value::Text(content) => return text(place, content),
        Value::Null | Value::Bool(_) | Value::Number(_) => return Ok(()),
        Value::List(items) => {
            return items.iter().try_for_each(|v| self::value(place, v, depth + 1));
        }
        Value::Set(items) => {
            return items.iter().try_for_each(|v| self::value(place, v, depth + 1));
        }
        Value::Record(fields) => fields.iter(),
    };
    below.try_for_each(|(name, value)| {
        text(place, name)?;
        self::value(place, value, depth + 1)
    })
}
