//! Bars by tool and by rule: tables of numbers with a bar in each row. The numbers say it all; the
//! bars are for the eye, and hidden from those who listen.

use std::cmp::Reverse;

use maud::{Markup, html};

use crate::page::text::{code, visible};
use crate::replay::tally::{Counts, Tally};

/// The width of a bar, in its own units.
const WIDTH: usize = 1000;

/// Calls by tool and decision, most calls first.
pub(crate) fn by_tool(tally: &Tally) -> Markup {
    let mut tools: Vec<(&String, &Counts)> = tally.tools.iter().collect();
    tools.sort_by_key(|(name, counts)| (Reverse(counts.calls), *name));
    let most = tools.first().map_or(0, |(_, counts)| counts.calls);
    html! {
        table.bars {
            caption { "Calls by tool and decision" }
            thead { tr {
                th scope="col" { "Tool" } th scope="col" { "Calls" }
                th.allow scope="col" { span.sign aria-hidden="true" { "✓ " } "allow" }
                th.confirm scope="col" { span.sign aria-hidden="true" { "? " } "confirm" }
                th.deny scope="col" { span.sign aria-hidden="true" { "✕ " } "deny" }
            } }
            tbody {
                @for (name, Counts { calls, allow, confirm, deny }) in tools {
                    tr {
                        th scope="row" {
                            (code(name))
                            (bar(most, &[("allow", *allow), ("confirm", *confirm), ("deny", *deny)]))
                        }
                        td { (calls) } td { (allow) } td { (confirm) } td { (deny) }
                    }
                }
            }
        }
    }
}

/// Calls by the rule that decided them, in the order of the policy.
pub(crate) fn by_rule(tally: &Tally) -> Markup {
    let most = tally.rules.values().copied().max().unwrap_or(0);
    html! {
        table.bars {
            caption { "Calls by the rule that decided them" }
            thead { tr { th scope="col" { "Rule" } th scope="col" { "Decision" } th scope="col" { "Calls" } } }
            tbody {
                @for (place, calls) in &tally.rules {
                    tr {
                        th scope="row" {
                            (code(&place.rule))
                            span.place { (visible(&place.file)) ":" (place.line) }
                            (bar(most, &[(place.decision, *calls)]))
                        }
                        td { (place.decision) } td { (calls) }
                    }
                }
            }
        }
    }
}

/// A bar of parts, as long as its share of the most.
fn bar(most: usize, parts: &[(&str, usize)]) -> Markup {
    let scale = |n: usize| n * WIDTH / most.max(1);
    let mut before = 0;
    let mut rects = Vec::with_capacity(parts.len());
    for &(class, count) in parts {
        let (from, to) = (scale(before), scale(before + count));
        before += count;
        if count > 0 {
            // What is there is seen, however little it is.
            rects.push((class, from, (to - from).max(3)));
        }
    }
    html! {
        svg.bar viewBox={ "0 0 " (WIDTH) " 10" } preserveAspectRatio="none" aria-hidden="true" focusable="false" {
            @for (class, x, width) in rects {
                rect class=(class) x=(x) y="0" width=(width) height="10" {}
            }
        }
    }
}
