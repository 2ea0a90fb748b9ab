//! The texts that are compiled, and places in them.
//!
//! Takes a loader, since the library itself reads no files; gives texts by [`FileId`] and turns
//! byte offsets into lines and columns. Trusts the loader to return what the path names.

use std::fmt;

/// Largest file that is read, in bytes. It also keeps byte offsets within `u32`.
pub const MAX_FILE: usize = 1024 * 1024;

/// A text that was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(u32);

/// A stretch of a text, in bytes; the end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The text.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// A line and a column of a text, both from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// Reads the text that a path names.
pub type Loader<'l> = dyn FnMut(&str) -> Result<String, String> + 'l;

/// All texts of a policy.
pub struct Sources<'l> {
    loader: &'l mut Loader<'l>,
    files: Vec<File>,
}

struct File {
    path: String,
    text: String,
    /// Where each line begins.
    lines: Vec<u32>,
}

/// Why a text cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The loader refused, for this reason.
    Refused(String),
    /// The text is larger than [`MAX_FILE`]; this is its size.
    TooLarge(usize),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(reason) => f.write_str(reason),
            Self::TooLarge(size) => {
                write!(f, "it has {size} bytes; at most {MAX_FILE} are read")
            }
        }
    }
}

impl std::error::Error for LoadError {}

impl fmt::Debug for Sources<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.files.iter().map(|file| &file.path)).finish()
    }
}

impl Span {
    /// The span of a range of bytes; what lies beyond [`MAX_FILE`] is cut off.
    #[must_use]
    pub fn new(file: FileId, range: std::ops::Range<usize>) -> Self {
        let offset = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        Self { file, start: offset(range.start), end: offset(range.end) }
    }

    /// The smallest span that holds both; the other's file must be the same.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end), ..self }
    }

    /// The bytes of the text.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl FileId {
    /// The index as a table index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl<'l> Sources<'l> {
    /// No texts yet. Paths given to the loader are those given to [`Self::load`], or relative to
    /// the folder of the file that names them.
    #[must_use]
    pub fn new(loader: &'l mut Loader<'l>) -> Self {
        Self { loader, files: Vec::new() }
    }

    /// Loads a text.
    ///
    /// # Errors
    /// The loader refuses, or the text is too large.
    pub fn load(&mut self, path: &str) -> Result<FileId, LoadError> {
        let text = (self.loader)(path).map_err(LoadError::Refused)?;
        if text.len() > MAX_FILE {
            return Err(LoadError::TooLarge(text.len()));
        }
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let ends = text.match_indices('\n').filter_map(|(at, _)| u32::try_from(at + 1).ok());
        let lines = std::iter::once(0).chain(ends).collect();
        self.files.push(File { path: path.to_owned(), text, lines });
        Ok(id)
    }

    /// Loads a text whose path is relative to the folder of another.
    ///
    /// # Errors
    /// The loader refuses, or the text is too large.
    pub fn load_beside(&mut self, file: FileId, path: &str) -> Result<FileId, LoadError> {
        let joined = match self.path(file).rsplit_once('/') {
            Some((folder, _)) if !path.starts_with('/') => format!("{folder}/{path}"),
            _ => path.to_owned(),
        };
        self.load(&joined)
    }

    /// The path that a text was loaded from.
    #[must_use]
    pub fn path(&self, file: FileId) -> &str {
        self.files.get(file.index()).map_or("", |file| &file.path)
    }

    /// The last part of the path that a text was loaded from.
    #[must_use]
    pub fn name(&self, file: FileId) -> &str {
        let path = self.path(file);
        path.rsplit_once('/').map_or(path, |(_, name)| name)
    }

    /// A text.
    #[must_use]
    pub fn text(&self, file: FileId) -> &str {
        self.files.get(file.index()).map_or("", |file| &file.text)
    }

    /// What stands in a place; empty if there is no such place.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.file).get(span.range()).unwrap_or("")
    }

    /// The line in which a place begins, from 1, and where that line starts.
    fn line_start(&self, span: Span) -> (usize, u32) {
        let lines = self.files.get(span.file.index()).map_or(&[][..], |file| &file.lines);
        let line = lines.partition_point(|start| *start <= span.start);
        let start = line.checked_sub(1).and_then(|line| lines.get(line)).copied();
        (line, start.unwrap_or(0))
    }

    /// The text of the line in which a place begins.
    #[must_use]
    pub fn line(&self, span: Span) -> &str {
        let (_, start) = self.line_start(span);
        let rest = self.text(span.file).get(start as usize..).unwrap_or("");
        rest.lines().next().unwrap_or("")
    }

    /// Where a place begins.
    #[must_use]
    pub fn position(&self, span: Span) -> Position {
        let (line, start) = self.line_start(span);
        let column = self.slice(Span { start, end: span.start, ..span }).chars().count();
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position { line: number(line), column: number(column + 1) }
    }

    /// The paths and texts, in the order of their ids.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (file.path.as_str(), file.text.as_str()))
    }
}

/// Characters that show nothing, or turn the direction of what follows: with them a text can read
/// otherwise than it compiles.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    let invisible = matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e01ef}');
    invisible || (character.is_control() && !matches!(character, '\t' | '\n' | '\r'))
}

/// Whether a text can be the name of something that is shown to people.
#[must_use]
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(|c| is_hidden(c) || c.is_control())
}
