//! Patterns over text, slowly: where a part can end, given where it can begin.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::Chars;

/// Whether all of a text is as a pattern says. The pattern is one that a policy may have.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    let part = choice(&mut pattern.chars().peekable());
    let text: Vec<char> = text.chars().collect();
    part.ends(&text, &BTreeSet::from([0])).contains(&text.len())
}

/// A part of a pattern.
#[derive(Debug)]
enum Part {
    /// One of these ranges of characters, or none of them.
    Class(bool, Vec<(char, char)>),
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
    Repeat(Box<Part>, usize, Option<usize>),
}

type Places = BTreeSet<usize>;

impl Part {
    fn ends(&self, text: &[char], begins: &Places) -> Places {
        match self {
            Self::Class(among, ranges) => {
                let fits = |&place: &usize| {
                    let Some(c) = text.get(place) else { return false };
                    ranges.iter().any(|(first, last)| (first..=last).contains(&c)) == *among
                };
                begins.iter().copied().filter(fits).map(|place| place + 1).collect()
            }
            Self::Sequence(parts) => {
                parts.iter().fold(begins.clone(), |places, part| part.ends(text, &places))
            }
            Self::Choice(parts) => parts.iter().flat_map(|part| part.ends(text, begins)).collect(),
            Self::Repeat(part, least, most) => {
                let mut places = begins.clone();
                let mut all = if *least == 0 { begins.clone() } else { Places::new() };
                for time in 1..=most.unwrap_or(least + text.len() + 1) {
                    places = part.ends(text, &places);
                    if time >= *least {
                        all.extend(&places);
                    }
                }
                all
            }
        }
    }
}

type Rest<'p> = Peekable<Chars<'p>>;

fn choice(rest: &mut Rest<'_>) -> Part {
    let mut parts = vec![sequence(rest)];
    while rest.next_if_eq(&'|').is_some() {
        parts.push(sequence(rest));
    }
    Part::Choice(parts)
}

fn sequence(rest: &mut Rest<'_>) -> Part {
    let mut parts = Vec::new();
    while rest.peek().is_some_and(|c| !matches!(c, '|' | ')')) {
        let part = atom(rest);
        parts.push(match rest.peek() {
            Some('*') => repeat(rest, part, 0, None),
            Some('+') => repeat(rest, part, 1, None),
            Some('?') => repeat(rest, part, 0, Some(1)),
            Some('{') => {
                rest.next();
                let least = number(rest).unwrap_or(0);
                let most = match rest.next_if_eq(&',') {
                    Some(_) => number(rest),
                    None => Some(least),
                };
                repeat(rest, part, least, most)
            }
            _ => part,
        });
    }
    Part::Sequence(parts)
}

/// A repetition, whose last sign is still to be read.
fn repeat(rest: &mut Rest<'_>, part: Part, least: usize, most: Option<usize>) -> Part {
    rest.next();
    Part::Repeat(Box::new(part), least, most)
}

fn number(rest: &mut Rest<'_>) -> Option<usize> {
    let mut digits = String::new();
    while let Some(digit) = rest.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    digits.parse().ok()
}

fn atom(rest: &mut Rest<'_>) -> Part {
    match rest.next() {
        Some('(') => {
            if rest.next_if_eq(&'?').is_some() {
                rest.next();
            }
            let part = choice(rest);
            rest.next();
            part
        }
        Some('[') => {
            let among = rest.next_if_eq(&'^').is_none();
            let mut ranges = Vec::new();
            while let Some(c) = rest.next_if(|c| *c != ']') {
                let first = match c {
                    '\\' => escape(rest, &mut ranges),
                    c => Some(c),
                };
                let Some(first) = first else { continue };
                // A hyphen at the end stands for itself.
                let mut ahead = rest.clone();
                let is_range = ahead.next_if_eq(&'-').is_some() && ahead.peek() != Some(&']');
                let last = match is_range {
                    true => {
                        rest.next();
                        match rest.next() {
                            Some('\\') => escape(rest, &mut ranges),
                            last => last,
                        }
                    }
                    false => Some(first),
                };
                ranges.push((first, last.unwrap_or(first)));
            }
            rest.next();
            Part::Class(among, ranges)
        }
        Some('.') => Part::Class(false, vec![('\n', '\n')]),
        Some('\\') => {
            let mut ranges = Vec::new();
            let one = escape(rest, &mut ranges);
            ranges.extend(one.map(|c| (c, c)));
            Part::Class(true, ranges)
        }
        Some(c) => Part::Class(true, vec![(c, c)]),
        None => Part::Sequence(Vec::new()),
    }
}

/// The character of an escape, or else the ranges of a class.
fn escape(rest: &mut Rest<'_>, ranges: &mut Vec<(char, char)>) -> Option<char> {
    let c = rest.next()?;
    let set: &[(char, char)] = match c.to_ascii_lowercase() {
        'd' => &[('0', '9')],
        'w' => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
        's' => &[('\t', '\r'), (' ', ' ')],
        'n' => return Some('\n'),
        'r' => return Some('\r'),
        't' => return Some('\t'),
        'u' => {
            let hex: String = match rest.next_if_eq(&'{') {
                Some(_) => rest.by_ref().take_while(|c| *c != '}').collect(),
                None => rest.by_ref().take(4).collect(),
            };
            return u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32);
        }
        _ => return Some(c),
    };
    if c.is_ascii_lowercase() {
        ranges.extend(set);
        return None;
    }
    let mut from = '\0';
    for &(first, last) in set {
        let before = char::from_u32(u32::from(first).wrapping_sub(1));
        ranges.extend(before.filter(|before| *before >= from).map(|before| (from, before)));
        from = char::from_u32(u32::from(last) + 1)?;
    }
    ranges.push((from, char::MAX));
    None
}
