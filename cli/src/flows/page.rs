//! Flows as a page of HTML: the picture, and the same in words.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, html};

use super::picture::svg;
use super::{Answer, because};
use crate::page::head;
use crate::page::text::{code, visible};

/// The page.
pub(super) fn html(answer: &Answer<'_>) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head("Flows"))
            body {
                header {
                    h1 { (visible(&answer.title)) }
                    nav aria-label="Parts of this page" {
                        ul {
                            li { a href="#picture" { "Picture" } }
                            li { a href="#words" { "In words" } }
                        }
                    }
                }
                main {
                    section aria-labelledby="picture" {
                        h2 id="picture" { "Picture" }
                        @if answer.steps.is_empty() { p { "There is nothing to draw." } }
                        @else { (picture(answer)) }
                    }
                    section aria-labelledby="words" {
                        h2 id="words" { "In words" }
                        @if answer.is_search { (ways(answer)) } @else { (steps(answer)) }
                    }
                }
                footer { p { "Made by rtbasc " (env!("CARGO_PKG_VERSION")) "." } }
            }
        }
    };
    page.into_string() + "\n"
}

fn picture(answer: &Answer<'_>) -> Markup {
    let source = format!("data:image/svg+xml;base64,{}", STANDARD.encode(svg(answer)));
    html! {
        div.picture tabindex="0" role="group" aria-label="The graph; it may be wider than the page" {
            img alt="The graph of what stands below in words." src=(source);
        }
    }
}

fn ways(answer: &Answer<'_>) -> Markup {
    html! {
        @if answer.ways.is_empty() {
            @for line in answer.lines().iter().skip(1) { p { (visible(line)) } }
        }
        ol {
            @for way in &answer.ways {
                li {
                    @for (index, point) in way.points.iter().enumerate() {
                        @if index > 0 { " → " }
                        (code(&answer.name(point)))
                    }
                    @let sessions = answer.sessions(way);
                    @if !sessions.is_empty() {
                        ul { @for line in &sessions { li.place { (visible(line)) } } }
                    }
                }
            }
        }
    }
}

fn steps(answer: &Answer<'_>) -> Markup {
    html! {
        table {
            thead { tr { th scope="col" { "From" } th scope="col" { "To" } } }
            tbody {
                @for (from, to, step) in &answer.steps {
                    tr {
                        td { (code(&answer.name(from))) }
                        td { (code(&answer.name(to))) (visible(&because(step))) }
                    }
                }
            }
        }
    }
}
