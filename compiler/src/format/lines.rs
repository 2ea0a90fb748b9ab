//! Lines of output, and the comments at their ends, which stand in columns.

use std::fmt::Error;

use pretty::{Render, RenderAnnotated};
use unicode_width::UnicodeWidthStr;

/// Blanks between a line and the comment at its end.
const GAP: usize = 2;
/// Lines whose lengths differ by more than this do not share a column for their comments.
const MOST_PADDING: usize = 40;

/// Lines that were printed. A comment at the end of a line is printed as an annotation: it does not
/// count for the width of the line, and where it stands depends on the lines around it.
#[derive(Debug, Default)]
pub(super) struct Lines<'t> {
    lines: Vec<Line<'t>>,
}

#[derive(Debug, Default)]
struct Line<'t> {
    text: String,
    /// The comment at its end, and the lines on which it goes on.
    comment: Vec<&'t str>,
}

/// The comment at the end of a line, as an annotation.
pub(super) type Trailing<'t> = Vec<&'t str>;

impl<'t> Lines<'t> {
    /// Begins a line.
    pub(super) fn begin(&mut self) {
        self.lines.push(Line::default());
    }

    /// The text of all lines.
    pub(super) fn text(mut self) -> String {
        for line in &mut self.lines {
            line.text.truncate(line.text.trim_end().len());
        }
        let mut text = String::new();
        let mut below = self.lines.as_slice();
        for run in self.lines.chunk_by(Line::shares_column) {
            below = below.get(run.len()..).unwrap_or_default();
            let column = column(run);
            for (index, line) in run.iter().enumerate() {
                let next = run.get(index + 1).or_else(|| below.first());
                let column = column.unwrap_or_else(|| line.width() + GAP);
                line.write(apart(column, next), &mut text);
            }
        }
        text
    }
}

impl Line<'_> {
    fn width(&self) -> usize {
        self.text.width()
    }

    fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    /// Whether the comment at the end of the next line stands in the column of this one's.
    fn shares_column(&self, next: &Self) -> bool {
        let may = |line: &Self| {
            !line.comment.is_empty() && !line.text.trim_start().starts_with(['}', ']', ')'])
        };
        may(self) && may(next) && self.indent() == next.indent()
    }

    fn write(&self, column: usize, text: &mut String) {
        text.push_str(&self.text);
        let mut width = self.width();
        for (index, comment) in self.comment.iter().enumerate() {
            if index > 0 {
                text.push('\n');
                width = 0;
            }
            text.extend(std::iter::repeat_n(' ', column.saturating_sub(width)));
            text.push_str(comment);
        }
        text.push('\n');
    }
}

/// The column of the comments of lines that follow each other, if they share one.
fn column(run: &[Line<'_>]) -> Option<usize> {
    let widths = || run.iter().map(Line::width);
    let (most, least) = (widths().max()?, widths().min()?);
    (most - least <= MOST_PADDING).then_some(most + GAP)
}

/// A column that does not make the next line, if it is a comment of its own, go on with this one.
fn apart(column: usize, next: Option<&Line<'_>>) -> usize {
    let comment = next.filter(|next| next.text.trim_start().starts_with("//"));
    let indent = comment.map(Line::indent);
    column + usize::from(indent == Some(column))
}

impl Render for Lines<'_> {
    type Error = Error;

    fn write_str(&mut self, text: &str) -> Result<usize, Error> {
        for (index, part) in text.split('\n').enumerate() {
            if index > 0 {
                self.begin();
            }
            if let Some(line) = self.lines.last_mut() {
                line.text.push_str(part);
            }
        }
        Ok(text.len())
    }

    fn fail_doc(&self) -> Error {
        Error
    }
}

impl<'t> RenderAnnotated<'_, Trailing<'t>> for Lines<'t> {
    fn push_annotation(&mut self, comment: &Trailing<'t>) -> Result<(), Error> {
        if let Some(line) = self.lines.last_mut() {
            line.comment.extend(comment);
        }
        Ok(())
    }

    fn pop_annotation(&mut self) -> Result<(), Error> {
        Ok(())
    }
}
