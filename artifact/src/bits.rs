//! Rows of bits: the form in which orders are stored and labels are compared.

use serde::{Deserialize, Serialize};

/// Bits per word.
const WORD: usize = 64;

/// A matrix of bits, row by row. Bits beyond the last column are zero.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BitMatrix {
    columns: u32,
    words: Vec<u64>,
}

impl BitMatrix {
    /// A matrix of zeros.
    #[must_use]
    pub fn zeros(rows: usize, columns: u32) -> Self {
        Self { columns, words: vec![0; rows * words(columns)] }
    }

    /// How many bits a row has.
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// The words of row `row`, least significant bit first; empty if there is no such row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[u64] {
        let width = words(self.columns);
        let start = row.saturating_mul(width);
        self.words.get(start..start.saturating_add(width)).unwrap_or(&[])
    }

    /// The rows in order. There are none where rows have no bits.
    pub fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.words.chunks_exact(words(self.columns).max(1))
    }

    /// One bit; `false` outside the matrix.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> bool {
        column < self.columns as usize
            && self.row(row).get(column / WORD).is_some_and(|w| w >> (column % WORD) & 1 == 1)
    }

    /// Sets or clears one bit; nothing outside the matrix.
    pub fn set(&mut self, row: usize, column: usize, bit: bool) {
        if column >= self.columns as usize {
            return;
        }
        if let Some(word) = self.words.get_mut(row * words(self.columns) + column / WORD) {
            let mask = 1 << (column % WORD);
            *word = if bit { *word | mask } else { *word & !mask };
        }
    }

    /// Whether this is a matrix of that many rows and columns with nothing beyond the last column.
    /// Decoded bytes need the question asked.
    #[must_use]
    pub fn is_shape(&self, rows: usize, columns: u32) -> bool {
        let width = words(columns);
        let spare = width * WORD - columns as usize;
        self.columns == columns
            && Some(self.words.len()) == rows.checked_mul(width)
            && (spare == 0
                || self
                    .rows()
                    .all(|row| row.last().is_none_or(|w| w.leading_zeros() as usize >= spare)))
    }
}

/// Words needed for that many bits.
#[must_use]
pub fn words(bits: u32) -> usize {
    (bits as usize).div_ceil(WORD)
}

/// Whether every bit of `a` is in `b`.
#[must_use]
pub fn subset(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}
