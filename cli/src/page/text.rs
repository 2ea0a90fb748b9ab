//! Text of sessions on a page: escaped by the templates, and with everything in it made visible.
//!
//! Trusts nothing: models and attackers wrote it. It goes into the content of elements only, never
//! into an attribute.

use maud::{Markup, html};
use rtbas_compiler::source::is_hidden;

/// Most bytes of one text that are shown.
const MAX_TEXT: usize = 32 * 1024;

/// Text whose unseen characters are written as their numbers.
pub(crate) fn visible(text: &str) -> Markup {
    html! {
        @for part in parts(text) {
            @match part {
                Part::Seen(text) => (text),
                Part::Unseen(character) => {
                    span.unseen { "U+" (format!("{:04X}", u32::from(character))) }
                }
            }
        }
    }
}

/// A name or a piece of code.
pub(crate) fn code(text: &str) -> Markup {
    html! { code { (short(text)) } }
}

/// Text as far as there is room for it.
pub(crate) fn short(text: &str) -> Markup {
    let end = end(text);
    html! { (visible(text.get(..end).unwrap_or_default())) (cut(text.len() - end)) }
}

/// The byte behind the last character of a text that there is room for.
pub(crate) fn end(text: &str) -> usize {
    (0..=MAX_TEXT.min(text.len())).rfind(|&end| text.is_char_boundary(end)).unwrap_or(0)
}

/// Says how much of a text is not shown.
pub(crate) fn cut(bytes: usize) -> Markup {
    html! { @if bytes > 0 { span.cut { " … and " (bytes) " bytes more" } } }
}

enum Part<'t> {
    Seen(&'t str),
    Unseen(char),
}

fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    text.split_inclusive(is_unseen).flat_map(|piece| {
        let last = piece.chars().next_back().filter(|c| is_unseen(*c));
        let seen = piece.strip_suffix(is_unseen).unwrap_or(piece);
        (!seen.is_empty()).then_some(Part::Seen(seen)).into_iter().chain(last.map(Part::Unseen))
    })
}

/// A carriage return would be a line feed to the browser.
fn is_unseen(character: char) -> bool {
    is_hidden(character) || character == '\r'
}
