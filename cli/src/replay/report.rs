//! A replay's numbers as text for people.

use super::tally::{Counts, Tally, Tasks, Verdicts};
use crate::output::shown;

/// The numbers as text.
pub(crate) fn human(tally: &Tally) -> String {
    let mut lines = vec![format!("sessions   {} replayed", tally.sessions)];
    for (suite, sessions) in &tally.skipped {
        lines.push(format!("           {sessions} skipped: no policy named `{}`", shown(suite)));
    }
    if tally.repeated > 0 {
        lines.push(format!("           {} left out: their ids came before", tally.repeated));
    }
    let Counts { calls, allow, confirm, deny } = &tally.calls;
    lines.push(format!("calls      {calls}: {allow} allow, {confirm} confirm, {deny} deny"));
    if tally.malformed > 0 {
        lines.push(format!("           {} that no rule decides", tally.malformed));
    }
    let replies = &tally.replies;
    lines.push(format!("replies    {} allow, {} confirm", replies.allow, replies.confirm));
    let asked = &tally.confirmations;
    lines.push(format!("questions  {:.2} a session, at most {}", asked.mean, asked.max));
    lines.push(format!("regions    {}", tally.regions));
    for (tool, unfit) in &tally.unfit {
        let (tool, problem) = (shown(tool), shown(&unfit.problem));
        lines.push(format!("unfit      {} of `{tool}`: {problem}", unfit.results));
        lines.push(format!("           first in {}", shown(&unfit.session)));
    }
    if let Some(verdicts) = &tally.verdicts {
        lines.extend(attacks_and_tasks(verdicts));
    }
    lines.push(String::new());
    lines.extend(tools(tally));
    lines.push(String::new());
    lines.extend(rules(tally));
    lines.push(String::new());
    lines.join("\n")
}

fn attacks_and_tasks(verdicts: &Verdicts) -> Vec<String> {
    let attacks = &verdicts.attacks;
    let mut lines = vec![format!(
        "attacks    {} sessions: {} succeeded as recorded, of which {} stopped, {} went through",
        attacks.sessions, attacks.succeeded, attacks.stopped, attacks.went_through
    )];
    lines.extend(attacks.through.iter().map(|id| format!("           through: {}", shown(id))));
    if attacks.went_through > attacks.through.len() {
        let more = attacks.went_through - attacks.through.len();
        lines.push(format!("           and {more} more"));
    }
    if attacks.words_only > 0 {
        lines.push(format!("           {} need no call, only words", attacks.words_only));
    }
    if attacks.unread > 0 {
        lines.push(format!(
            "           {} got what the user asked for, before an attacker's text was read",
            attacks.unread
        ));
    }
    for (title, of, tasks) in
        [("tasks", "unattacked", &verdicts.tasks), ("", "attacked", &verdicts.attacked_tasks)]
    {
        let Tasks { sessions, done, kept, kept_if_approved } = tasks;
        lines.push(format!(
            "{title:10} {sessions} {of} sessions: {done} done as recorded, {kept} kept if the user \
             is absent, {kept_if_approved} if the user approves"
        ));
    }
    if verdicts.unlabelled + verdicts.unsure > 0 {
        lines.push(format!(
            "           not counted: {} without a label, {} whose verdict is not sure",
            verdicts.unlabelled, verdicts.unsure
        ));
    }
    lines
}

fn tools(tally: &Tally) -> Vec<String> {
    let names: Vec<String> = tally.tools.keys().map(|name| shown(name)).collect();
    let width = widest(&names).max("tool".len());
    let row = |name: &str, cells: [&dyn std::fmt::Display; 4]| {
        let [calls, allow, confirm, deny] = cells;
        format!("{name:width$}  {calls:>6} {allow:>6} {confirm:>7} {deny:>6}")
    };
    let mut lines = vec![row("tool", [&"calls", &"allow", &"confirm", &"deny"])];
    for (name, counts) in names.iter().zip(tally.tools.values()) {
        let Counts { calls, allow, confirm, deny } = counts;
        lines.push(row(name, [calls, allow, confirm, deny]));
    }
    lines
}

fn rules(tally: &Tally) -> Vec<String> {
    let place = |file: &str, line: u32| format!("{}:{line}", shown(file));
    let places: Vec<String> = tally.rules.keys().map(|p| place(&p.file, p.line)).collect();
    let width = widest(&places).max("rule".len());
    let mut lines = vec![format!("{:width$}   calls", "rule")];
    for (place, (rule, calls)) in places.iter().zip(&tally.rules) {
        lines.push(format!("{place:width$}  {calls:>6}  {}", shown(&rule.rule)));
    }
    lines
}

fn widest(names: &[String]) -> usize {
    names.iter().map(|name| name.chars().count()).max().unwrap_or(0)
}
