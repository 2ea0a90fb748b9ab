//! A page in Markdown → text for a terminal of some width. Programs keep their lines.

use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use textwrap::Options;

/// How far a program stands from the edge.
const INDENT: &str = "    ";

/// The text of a page.
pub(super) fn text(markdown: &str, width: usize) -> String {
    let mut page = Page { width, ..Page::default() };
    for event in Parser::new(markdown) {
        page.event(event);
    }
    page.out
}

#[derive(Default)]
struct Page {
    width: usize,
    out: String,
    /// The text of the block that is open.
    block: String,
    in_item: bool,
}

impl Page {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::Item) => self.in_item = true,
            Event::Text(text) => self.block.push_str(&text),
            Event::Code(code) => self.block.push_str(&format!("`{code}`")),
            Event::SoftBreak | Event::HardBreak => self.block.push(' '),
            Event::End(TagEnd::CodeBlock) => {
                let program = std::mem::take(&mut self.block);
                self.add(&textwrap::indent(program.trim_end(), INDENT));
            }
            Event::End(TagEnd::Heading(level)) => {
                // The title is marked by its place.
                self.block.push_str(if level == HeadingLevel::H1 { "" } else { ":" });
                self.paragraph();
            }
            Event::End(TagEnd::Paragraph) => self.paragraph(),
            Event::End(TagEnd::Item) => {
                self.paragraph();
                self.in_item = false;
            }
            _ => {}
        }
    }

    fn paragraph(&mut self) {
        let text = std::mem::take(&mut self.block);
        if text.is_empty() {
            return;
        }
        let (first, later) = if self.in_item { ("- ", "  ") } else { ("", "") };
        let options = Options::new(self.width).initial_indent(first).subsequent_indent(later);
        self.add(&textwrap::fill(&text, options.break_words(false)));
    }

    fn add(&mut self, block: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(block);
        self.out.push('\n');
    }
}
