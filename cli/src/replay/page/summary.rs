//! The numbers of a replay that have no bars.

use std::collections::BTreeMap;

use maud::{Markup, html};
use rtbas::Engine;

use crate::page::text::{code, visible};
use crate::replay::tally::{Attacks, Tally, Tasks, Verdicts};

/// The policies that the sessions were played with.
pub(crate) fn policies(engines: &BTreeMap<String, Engine>) -> Markup {
    html! {
        table {
            caption { "Policies" }
            thead { tr { th scope="col" { "Policy" } th scope="col" { "Version" } th scope="col" { "Digest" } } }
            tbody {
                @for (name, engine) in engines {
                    tr {
                        th scope="row" { (code(name)) }
                        td { (engine.artifact().version()) }
                        td { code { (engine.artifact().digest()) } }
                    }
                }
            }
        }
    }
}

/// Sessions, calls, answers and questions.
pub(crate) fn numbers(tally: &Tally) -> Markup {
    let calls = &tally.calls;
    html! {
        dl.numbers {
            div { dt { "Sessions" } dd { (tally.sessions) } }
            div { dt { "Calls" } dd { (calls.calls) } dd.more { (calls.allow) " allowed, " (calls.confirm) " to confirm, " (calls.deny) " denied" } }
            div { dt { "Answers" } dd { (tally.replies.allow + tally.replies.confirm) } dd.more { (tally.replies.allow) " allowed, " (tally.replies.confirm) " to confirm" } }
            div { dt { "Questions a session" } dd { (format!("{:.2}", tally.confirmations.mean)) } dd.more { "at most " (tally.confirmations.max) } }
            div { dt { "Labelled regions" } dd { (tally.regions) } }
        }
    }
}

/// What the numbers leave out.
pub(crate) fn notes(tally: &Tally) -> Markup {
    html! {
        @if !tally.skipped.is_empty() || tally.repeated > 0 || tally.malformed > 0 {
            ul {
                @for (suite, sessions) in &tally.skipped {
                    li { "Skipped, since no policy is named " (code(suite)) ": " (sessions) }
                }
                @if tally.repeated > 0 { li { "Left out, since their ids came before: " (tally.repeated) } }
                @if tally.malformed > 0 { li { "Calls that no rule decides: " (tally.malformed) } }
            }
        }
        @if !tally.unfit.is_empty() {
            table {
                caption { "Results that are not as the policy declares" }
                thead { tr { th scope="col" { "Tool" } th scope="col" { "Results" } th scope="col" { "The first" } } }
                tbody {
                    @for (tool, unfit) in &tally.unfit {
                        tr {
                            th scope="row" { (code(tool)) }
                            td { (unfit.results) }
                            td { (visible(&unfit.problem)) ", in " (code(&unfit.session)) }
                        }
                    }
                }
            }
        }
    }
}

/// What became of attacks and tasks.
pub(crate) fn verdicts(verdicts: &Verdicts) -> Markup {
    html! {
        (attacks(&verdicts.attacks))
        (tasks(verdicts))
        @if verdicts.unlabelled + verdicts.unsure > 0 {
            p { "Not counted: " (verdicts.unlabelled) " without a label, " (verdicts.unsure) " whose verdict is not sure." }
        }
    }
}

fn attacks(attacks: &Attacks) -> Markup {
    let ends = [
        ("stopped", attacks.stopped),
        ("went through", attacks.went_through),
        ("need no call, only words", attacks.words_only),
        ("got what the user asked for, before an attacker’s text was read", attacks.unread),
    ];
    let hidden = attacks.went_through - attacks.through.len();
    html! {
        table {
            caption { "Attacks: " (attacks.succeeded) " of " (attacks.sessions) " reached their goal in the recording" }
            thead { tr { th scope="col" { "Of these" } th scope="col" { "Sessions" } } }
            tbody { @for (end, sessions) in ends { tr { th scope="row" { (end) } td { (sessions) } } } }
        }
        @if !attacks.through.is_empty() {
            p { "Went through:" }
            ul {
                @for id in &attacks.through { li { (code(id)) } }
                @if hidden > 0 { li { "and " (hidden) " more" } }
            }
        }
    }
}

fn tasks(verdicts: &Verdicts) -> Markup {
    let rows = [("Unattacked", &verdicts.tasks), ("Attacked", &verdicts.attacked_tasks)];
    html! {
        table {
            caption { "Tasks done as recorded, and kept under the policy" }
            thead { tr {
                th scope="col" { "Sessions" } th scope="col" { "All" } th scope="col" { "Done" }
                th scope="col" { "Kept, user absent" } th scope="col" { "Kept, user approves" }
            } }
            tbody {
                @for (name, Tasks { sessions, done, kept, kept_if_approved }) in rows {
                    tr { th scope="row" { (name) } td { (sessions) } td { (done) } td { (kept) } td { (kept_if_approved) } }
                }
            }
        }
    }
}
