//! The text of a message, divided by the labels of its regions.

use std::ops::Range;

use maud::{Markup, html};
use rtbas::Message;

use super::labels::Labels;
use crate::page::text::{cut, end, short, visible};

/// Most regions of a message that are listed.
const MAX_LISTED: usize = 300;

/// A part of a text that has one label throughout.
struct Run {
    span: Range<usize>,
    label: usize,
}

/// The text of a message, each part of it marked with its label, and the list of its regions.
pub(crate) fn text(labels: &Labels<'_>, of: &[usize], message: &Message, number: usize) -> Markup {
    let text = message.text();
    let root = of.first().copied().unwrap_or_default();
    let end = end(text);
    let mut runs = runs(of, message);
    runs.retain_mut(|run| {
        run.span.end = run.span.end.min(end);
        !run.span.is_empty()
    });
    let one = runs.iter().all(|run| run.label == root);
    html! {
        div.text dir="auto" {
            @for run in &runs {
                span class={ "run " (labels.colour(run.label)) @if run.label != root { " inner" } } {
                    @if !one {
                        span class=[(run.label == root).then_some("heard")] { (labels.tag(run.label)) " " }
                    }
                    (visible(text.get(run.span.clone()).unwrap_or_default()))
                }
            }
            @if text.is_empty() { span.cut { "(empty)" } }
            (cut(text.len() - end))
        }
        @if message.regions().len() > 1 { (list(labels, of, message, number)) }
    }
}

fn list(labels: &Labels<'_>, of: &[usize], message: &Message, number: usize) -> Markup {
    let regions = message.regions();
    html! {
        details {
            summary { "Regions of message " (number) ": " (regions.len()) }
            table {
                caption.heard { "Regions of message " (number) }
                thead { tr { th scope="col" { "Region" } th scope="col" { "Label" } th scope="col" { "Bytes" } } }
                tbody {
                    @for (region, label) in regions.iter().zip(of).take(MAX_LISTED) {
                        tr {
                            th scope="row" { code { (short(&region.path)) } }
                            td { (labels.tag(*label)) }
                            td { (region.span.start) "–" (region.span.end) }
                        }
                    }
                }
            }
            @if let Some(more @ 1..) = regions.len().checked_sub(MAX_LISTED) { p { "and " (more) " more" } }
        }
    }
}

/// The parts of a text by the label of the innermost region there; neighbours of one label are one.
fn runs(of: &[usize], message: &Message) -> Vec<Run> {
    let regions = message.regions();
    let edges = regions.iter().flat_map(|region| [region.span.start, region.span.end]);
    let mut edges: Vec<usize> = edges.collect();
    edges.sort_unstable();
    edges.dedup();
    let pieces = edges.iter().zip(edges.iter().skip(1));
    let mut pieces: Vec<Run> =
        pieces.map(|(&start, &end)| Run { span: start..end, label: 0 }).collect();
    // A region stands behind the one around it, so the innermost comes last.
    for (region, &label) in regions.iter().zip(of) {
        let from = pieces.partition_point(|piece| piece.span.start < region.span.start);
        let inside = pieces.iter_mut().skip(from);
        inside.take_while(|piece| piece.span.end <= region.span.end).for_each(|p| p.label = label);
    }
    let mut runs: Vec<Run> = Vec::new();
    for piece in pieces {
        match runs.last_mut() {
            Some(last) if last.label == piece.label => last.span.end = piece.span.end,
            _ => runs.push(piece),
        }
    }
    runs
}
