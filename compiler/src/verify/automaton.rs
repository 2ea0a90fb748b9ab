//! Which patterns one text can match together, and the shortest texts that do.
//!
//! Takes the trees of several patterns, gives the automaton that follows all of them at once. Its
//! states are made by `regex-automata`; what is asked of them is asked of the graph that they form.

use std::collections::BTreeMap;

use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::{Anchored, MatchKind};
use rtbas_artifact::pattern::{Class, Tree};

/// Most memory for the states, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Most states.
const MAX_STATES: usize = 20_000;
/// Most steps that looking for texts may take.
const MAX_STEPS: usize = 20_000_000;

/// The patterns have too many states together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// For each pattern, whether a text matches it.
pub(super) type Signs = Vec<bool>;

/// Several patterns at once.
#[derive(Debug)]
pub(super) struct Automaton {
    /// For each state and each class of bytes: the next state. State 0 is the first.
    next: Vec<Vec<Option<usize>>>,
    /// For each state: what a text that ends there matches. `None` where no text ends.
    signs: Vec<Option<Signs>>,
    /// The class of each byte.
    classes: Vec<usize>,
    /// All bytes, those that read well first.
    bytes: Vec<u8>,
}

impl Automaton {
    pub(super) fn new<'t>(trees: impl IntoIterator<Item = &'t Tree>) -> Result<Self, TooLarge> {
        let mut all: Vec<_> = trees.into_iter().map(Tree::hir).collect();
        let patterns = all.len();
        // What no pattern matches is a text, too; bytes that are no text match not even this one.
        let any = Tree::Class(Class::of(&[('\0', char::MAX)]));
        all.push(Tree::Repeat { part: Box::new(any), least: 0, most: None }.hir());
        let states = thompson::Config::new()
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(MAX_BYTES));
        let states = thompson::Compiler::new().configure(states).build_many_from_hir(&all);
        let config = dense::Config::new()
            .match_kind(MatchKind::All)
            .start_kind(StartKind::Anchored)
            .accelerate(false)
            .dfa_size_limit(Some(MAX_BYTES))
            .determinize_size_limit(Some(MAX_BYTES));
        let table = dense::Builder::new()
            .configure(config)
            .build_from_nfa(&states.map_err(|_| TooLarge)?)
            .map_err(|_| TooLarge)?;
        let mut bytes: Vec<u8> = (0..=u8::MAX).collect();
        bytes.sort_by_key(|byte| (rank(*byte), *byte));
        let start = table.universal_start_state(Anchored::Yes).ok_or(TooLarge)?;
        let mut this = Self {
            next: Vec::new(),
            signs: Vec::new(),
            classes: (0..=u8::MAX).map(|byte| table.byte_classes().get(byte).into()).collect(),
            bytes,
        };
        let representatives: Vec<u8> = table
            .byte_classes()
            .representatives(0..=u8::MAX)
            .filter_map(|unit| unit.as_u8())
            .collect();
        let (mut numbers, mut found) = (BTreeMap::from([(start, 0)]), vec![start]);
        while let Some(&state) = found.get(this.next.len()) {
            let mut row = vec![None; table.byte_classes().alphabet_len()];
            for &byte in &representatives {
                let next = table.next_state(state, byte);
                if table.is_dead_state(next) {
                    continue;
                }
                let number = *numbers.entry(next).or_insert(found.len());
                if number == found.len() {
                    found.push(next);
                }
                let class = usize::from(table.byte_classes().get(byte));
                row.get_mut(class).into_iter().for_each(|cell| *cell = Some(number));
            }
            if found.len() > MAX_STATES {
                return Err(TooLarge);
            }
            this.next.push(row);
            let end = table.next_eoi_state(state);
            this.signs.push(table.is_match_state(end).then(|| {
                let mut signs = vec![false; patterns];
                for match_ in 0..table.match_len(end) {
                    let pattern = table.match_pattern(end, match_).as_usize();
                    signs.get_mut(pattern).into_iter().for_each(|sign| *sign = true);
                }
                signs
            }));
        }
        Ok(this)
    }

    fn step(&self, state: usize, byte: u8) -> Option<usize> {
        let class = *self.classes.get(usize::from(byte))?;
        *self.next.get(state)?.get(class)?
    }

    /// What a text matches.
    pub(super) fn signs_of(&self, text: &str) -> Option<&Signs> {
        let end = text.bytes().try_fold(0, |state, byte| self.step(state, byte))?;
        self.signs.get(end)?.as_ref()
    }

    /// All that some text matches, each once.
    pub(super) fn combinations(&self) -> Vec<&Signs> {
        let mut all: Vec<&Signs> = self.signs.iter().flatten().collect();
        all.sort();
        all.dedup();
        all
    }

    /// The first texts that match just this, shorter ones first: `most`, or all if there are fewer.
    pub(super) fn texts(&self, wanted: &Signs, most: usize) -> Result<Vec<String>, TooLarge> {
        let ends: Vec<bool> = self.signs.iter().map(|s| s.as_ref() == Some(wanted)).collect();
        let live = self.live(&ends);
        // Without a cycle, a text visits each state once at most.
        let longest = match self.has_cycle(&live) {
            true => usize::MAX,
            false => live.iter().filter(|live| **live).count(),
        };
        // For each number of steps: the states from which a text may end after them.
        let mut ahead: Vec<Vec<bool>> = vec![ends];
        let mut texts = Vec::new();
        let mut budget = MAX_STEPS;
        while texts.len() < most && ahead.len() <= longest.saturating_add(1) {
            self.collect(&ahead, most, &mut texts);
            budget = budget.checked_sub(self.next.len() * 8).ok_or(TooLarge)?;
            let last = ahead.last().map_or(&[][..], Vec::as_slice);
            let leads = |next: &usize| last.get(*next) == Some(&true);
            let row = |row: &Vec<Option<usize>>| row.iter().flatten().any(leads);
            ahead.push(self.next.iter().map(row).collect());
        }
        Ok(texts)
    }

    /// Adds the texts of as many bytes as rows follow the first, as long as there are too few.
    fn collect(&self, ahead: &[Vec<bool>], most: usize, texts: &mut Vec<String>) {
        let mut text = Vec::new();
        // The states that the text passes, each with how many bytes have been tried there.
        let mut path = vec![(0, 0)];
        while texts.len() < most {
            let left = ahead.len().saturating_sub(path.len());
            let Some((state, tried)) = path.last_mut() else { return };
            let possible = ahead.get(left).and_then(|row| row.get(*state)) == Some(&true);
            if possible && left == 0 {
                texts.extend(String::from_utf8(text.clone()));
            }
            match self.bytes.get(*tried).filter(|_| possible && left > 0) {
                Some(&byte) => {
                    *tried += 1;
                    if let Some(next) = self.step(*state, byte) {
                        text.push(byte);
                        path.push((next, 0));
                    }
                }
                None => {
                    path.pop();
                    text.pop();
                }
            }
        }
    }

    /// The states from which an end can be reached.
    fn live(&self, ends: &[bool]) -> Vec<bool> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.next.len()];
        for (state, row) in self.next.iter().enumerate() {
            for &next in row.iter().flatten() {
                before.get_mut(next).into_iter().for_each(|before| before.push(state));
            }
        }
        let mut live = ends.to_vec();
        let mut open: Vec<usize> =
            (0..live.len()).filter(|s| ends.get(*s) == Some(&true)).collect();
        while let Some(state) = open.pop() {
            for &earlier in before.get(state).into_iter().flatten() {
                if let Some(live) = live.get_mut(earlier).filter(|live| !**live) {
                    *live = true;
                    open.push(earlier);
                }
            }
        }
        live
    }

    /// Whether some of these states follows itself by way of others of them.
    fn has_cycle(&self, of: &[bool]) -> bool {
        let is_of = |state: &usize| of.get(*state) == Some(&true);
        let mut waiting = vec![0_usize; of.len()];
        let after = |state: usize| {
            self.next.get(state).into_iter().flatten().flatten().copied().filter(is_of)
        };
        let states = || (0..of.len()).filter(is_of);
        for next in states().flat_map(after) {
            waiting.get_mut(next).into_iter().for_each(|count| *count += 1);
        }
        let mut free: Vec<usize> = states().filter(|s| waiting.get(*s) == Some(&0)).collect();
        let mut gone = 0;
        while let Some(state) = free.pop() {
            gone += 1;
            for next in after(state) {
                if let Some(count) = waiting.get_mut(next) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(next);
                    }
                }
            }
        }
        gone < states().count()
    }
}

/// Where a byte stands among those that read well: letters, digits, signs, what begins or goes on
/// with a character beyond ASCII, and what nobody can see.
fn rank(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'0'..=b'9' => 1,
        b'A'..=b'Z' => 2,
        b' '..=b'~' => 3,
        // Letters of Latin scripts are two bytes, the first of them 0xc3.
        0xc3 | 0xa0..=0xbf => 4,
        0x80.. => 5,
        _ => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rtbas_artifact::pattern::Pattern;

    fn automaton(patterns: &[&str]) -> (Vec<Pattern>, Automaton) {
        let patterns: Vec<_> = patterns.iter().map(|p| Pattern::new(*p).unwrap()).collect();
        let automaton = Automaton::new(patterns.iter().map(Pattern::tree)).unwrap();
        (patterns, automaton)
    }

    /// All texts of up to three of these characters, shorter ones first.
    fn texts() -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..3 {
            let to = all.len();
            for i in from..to {
                all.extend(
                    "ab1é\n"
                        .chars()
                        .map(|c| format!("{}{c}", all.get(i).unwrap()))
                        .collect::<Vec<_>>(),
                );
            }
            from = to;
        }
        all
    }

    #[test]
    fn combinations_are_those_of_some_text() {
        let sets: [&[&str]; 4] = [
            &["a*", "[ab]*", "b.*"],
            &["(a|b){2}", "a[^a]", ".b|1"],
            &["[^ab]*", "\\w+", "é?1"],
            &["a", "b", "ab"],
        ];
        for set in sets {
            let (patterns, automaton) = automaton(set);
            let mut seen: Vec<Signs> = Vec::new();
            for text in texts() {
                let signs: Signs = patterns.iter().map(|p| p.matches(&text).unwrap()).collect();
                assert_eq!(automaton.signs_of(&text), Some(&signs), "{set:?} {text:?}");
                seen.push(signs);
            }
            seen.sort();
            seen.dedup();
            assert_eq!(automaton.combinations(), seen.iter().collect::<Vec<_>>(), "{set:?}");
        }
    }

    #[test]
    fn texts_come_shortest_first_and_all_if_there_are_few() {
        let found = |patterns: &[&str], signs: &[bool], most| {
            automaton(patterns).1.texts(&signs.to_vec(), most).unwrap()
        };
        assert_eq!(found(&["a|bc|d"], &[true], 9), ["a", "d", "bc"]);
        assert_eq!(found(&["[0-9]"], &[true], 20).len(), 10);
        assert_eq!(found(&["(ab){2,}"], &[true], 2), ["abab", "ababab"]);
        assert_eq!(found(&["[a-z]{3}", ".*b.*"], &[true, false], 2), ["aaa", "aac"]);
        assert_eq!(found(&["é|\\n"], &[true], 9), ["\n", "é"]);
        assert_eq!(found(&["[a-z]{500}x"], &[true], 1), [format!("{}x", "a".repeat(500))]);
        assert_eq!(found(&["a"], &[false], 3), ["", "b", "c"]);
    }

    #[test]
    fn what_is_too_large_is_said() {
        let many = Pattern::new(".*a.{24}").unwrap();
        assert_eq!(Automaton::new([many.tree()]).map(|_| ()), Err(TooLarge));
    }
}
