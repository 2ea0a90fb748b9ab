//! What all pages of HTML have in common. A page is one file: it has no script and loads nothing, and
//! its policy for browsers says so, in case something got through.

pub(crate) mod text;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("page/page.css");

/// The head of a page. Pictures are part of it, in its own bytes.
pub(crate) fn head(title: &str) -> Markup {
    let style = STANDARD.encode(Sha256::digest(STYLE));
    let policy = format!(
        "default-src 'none'; img-src data:; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"
    );
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
    }
}
