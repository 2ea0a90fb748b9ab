//! A replay as a page of HTML, in one file.
//!
//! Takes the numbers and one session; gives the page. What sessions say is hostile: it stands in the
//! content of elements only, escaped by the templates. The page has no script and loads nothing, and
//! its policy for browsers says so, in case something got through. The same replay gives the same
//! bytes.

mod summary;
mod bars;
mod labels;
mod regions;
mod timeline;

use std::collections::BTreeMap;

use maud::{DOCTYPE, html};
use rtbas::{Engine, SessionError};

use super::scene::Scene;
use super::tally::Tally;
use crate::page::head;
use crate::page::text::code;

/// The page.
///
/// # Errors
/// None for a session that was played to its end.
pub(crate) fn html(
    engines: &BTreeMap<String, Engine>,
    tally: &Tally,
    scene: &Scene,
) -> Result<String, SessionError> {
    let timeline = timeline::timeline(scene, &scene.view()?);
    let sessions = tally.sessions;
    let title = format!("Replay of {sessions} session{}", if sessions == 1 { "" } else { "s" });
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title))
            body {
                header {
                    h1 { (title) }
                    nav aria-label="Parts of this page" {
                        ul {
                            li { a href="#summary" { "Summary" } }
                            li { a href="#tools" { "By tool" } }
                            li { a href="#rules" { "By rule" } }
                            li { a href="#session" { "One session" } }
                        }
                    }
                }
                main {
                    section aria-labelledby="summary" {
                        h2 id="summary" { "Summary" }
                        (summary::numbers(tally))
                        @if let Some(verdicts) = &tally.verdicts { (summary::verdicts(verdicts)) }
                        (summary::notes(tally))
                        (summary::policies(engines))
                    }
                    section aria-labelledby="tools" { h2 id="tools" { "By tool" } (bars::by_tool(tally)) }
                    section aria-labelledby="rules" { h2 id="rules" { "By rule" } (bars::by_rule(tally)) }
                    section aria-labelledby="session" {
                        h2 id="session" { "One session: " (code(&scene.played.id)) }
                        p { "Nobody is asked in a replay: what waits for the user does not run, and what it returned in the recording stays out." }
                        (timeline)
                    }
                }
                footer { p { "Made by rtbasc " (env!("CARGO_PKG_VERSION")) "." } }
            }
        }
    };
    Ok(page.into_string() + "\n")
}
