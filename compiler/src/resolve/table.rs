//! Tables of distinct entries: what is the same stands there once and has one index.

use std::collections::BTreeMap;

/// A table.
#[derive(Debug)]
pub struct Table<T> {
    entries: Vec<T>,
    index: BTreeMap<T, u32>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), index: BTreeMap::new() }
    }
}

impl<T: Ord + Clone> Table<T> {
    /// The index of an entry, which is added if it is new.
    pub fn intern(&mut self, entry: T) -> u32 {
        // A source of one megabyte does not name four billion things.
        let next = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let index = *self.index.entry(entry.clone()).or_insert(next);
        if index == next {
            self.entries.push(entry);
        }
        index
    }

    /// The entries.
    #[must_use]
    pub fn entries(&self) -> &[T] {
        &self.entries
    }

    /// The entries, when no more come.
    #[must_use]
    pub fn into_entries(self) -> Vec<T> {
        self.entries
    }
}
