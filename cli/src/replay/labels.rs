//! What is known about recorded sessions: which calls the attack needs, and which the task.
//!
//! Takes a table in the format of `docs/session-log.md`, which was made by running each session
//! again without some of its calls; gives its rows by session. Trusts its verdicts.

use std::collections::HashMap;
use std::path::Path;

use indicatif::ProgressBar;

use super::lines::{Fault, Lines};

/// What is known about sessions, by their ids.
#[derive(Debug)]
pub(crate) struct Labels(HashMap<String, Known>);

/// What is known about a session.
#[derive(Debug)]
pub(crate) struct Known {
    /// Whether making its calls again gives the recorded verdicts. Nothing else here is sure if not.
    pub(crate) same: bool,
    /// Whether the user's task was done.
    pub(crate) utility: bool,
    /// Whether the attack reached its goal; `None` without an attack.
    pub(crate) attack_success: Option<bool>,
    /// Whether the user's task is done when only the attack's calls are left out.
    pub(crate) utility_without_attack: bool,
    /// The calls that the attack needs.
    pub(crate) attack: Needs,
    /// The calls that the user's task needs.
    pub(crate) task: Needs,
}

/// The calls that something needs.
#[derive(Debug)]
pub(crate) struct Needs {
    each: Vec<String>,
    one_of: Vec<String>,
}

impl Needs {
    /// Whether no call is needed: mere words do it.
    #[must_use]
    pub(crate) fn nothing(&self) -> bool {
        self.each.is_empty() && self.one_of.is_empty()
    }

    /// Whether enough calls run: every one that is needed alone, and one of those of which one is
    /// needed.
    #[must_use]
    pub(crate) fn met(&self, runs: impl Fn(&str) -> bool) -> bool {
        self.each.iter().all(|id| runs(id))
            && (self.one_of.is_empty() || self.one_of.iter().any(|id| runs(id)))
    }

    /// The ids of all these calls.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.each.iter().chain(&self.one_of).map(String::as_str)
    }
}

const COLUMNS: [&str; 9] = [
    "id",
    "same",
    "utility",
    "attack_success",
    "utility_without_attack",
    "attack_needs",
    "attack_needs_one_of",
    "utility_needs",
    "utility_needs_one_of",
];

impl Labels {
    /// Reads a table.
    ///
    /// # Errors
    /// A file that cannot be read, a column that is missing, or a row that is not of the format.
    pub(crate) fn read(path: &Path) -> Result<Self, Fault> {
        let mut lines = Lines::open(path, &ProgressBar::hidden())?;
        let header = match lines.advance()? {
            Some(line) => cells(line).map(|cells| cells.map(str::to_owned).collect::<Vec<_>>()),
            None => return Err(Fault::file(path, "is empty, but a header line was expected")),
        };
        let header = header.map_err(|problem| lines.fault(problem))?;
        let mut places = [0; COLUMNS.len()];
        for (place, name) in places.iter_mut().zip(COLUMNS) {
            let found = header.iter().position(|cell| cell == name);
            let missing = || lines.fault(format!("the header has no column `{name}`"));
            *place = found.ok_or_else(missing)?;
        }
        let mut rows = HashMap::new();
        while let Some(line) = lines.advance()? {
            let row = row(line, &places).and_then(|(id, known)| {
                let twice = format!("a second row for `{id}`");
                rows.insert(id, known).is_none().then_some(()).ok_or(twice)
            });
            row.map_err(|problem| lines.fault(problem))?;
        }
        Ok(Self(rows))
    }

    /// What is known about a session.
    #[must_use]
    pub(crate) fn get(&self, id: &str) -> Option<&Known> {
        self.0.get(id)
    }
}

fn cells(line: &[u8]) -> Result<std::str::Split<'_, char>, String> {
    std::str::from_utf8(line).map(|text| text.split('\t')).map_err(|error| error.to_string())
}

fn row(line: &[u8], places: &[usize; COLUMNS.len()]) -> Result<(String, Known), String> {
    let cells: Vec<&str> = cells(line)?.collect();
    let mut row = [""; COLUMNS.len()];
    for ((cell, place), name) in row.iter_mut().zip(places).zip(COLUMNS) {
        *cell = cells.get(*place).ok_or_else(|| format!("the row has no cell for `{name}`"))?;
    }
    let [id, same, utility, success, without, attack, attack_one, task, task_one] = row;
    let known = Known {
        same: verdict("same", same)?,
        utility: verdict("utility", utility)?,
        attack_success: match success {
            "-" => None,
            success => Some(verdict("attack_success", success)?),
        },
        utility_without_attack: verdict("utility_without_attack", without)?,
        attack: Needs { each: ids(attack), one_of: ids(attack_one) },
        task: Needs { each: ids(task), one_of: ids(task_one) },
    };
    Ok((id.to_owned(), known))
}

fn verdict(column: &str, cell: &str) -> Result<bool, String> {
    match cell {
        "1" => Ok(true),
        "0" => Ok(false),
        other => Err(format!("`{column}` is `{other}`, but 0 or 1 was expected")),
    }
}

fn ids(cell: &str) -> Vec<String> {
    match cell {
        "-" | "" => Vec::new(),
        ids => ids.split(',').map(str::to_owned).collect(),
    }
}
