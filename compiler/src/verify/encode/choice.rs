//! From the solver's answers to texts that give them, the shortest there are.
//!
//! Takes what the solver found, gives a text for each variable of which something is asked: the
//! same for equal numbers, another for others. What a function is given is chosen before what it
//! gives, so that the one fits the other.

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::pattern::Tree;
use rtbas_artifact::value::Value;

use super::function::{Image, preimage};
use super::pattern::{Group, too_large};
use super::{Encoder, Outside};
use crate::verify::automaton::Automaton;
use crate::verify::z3::Assignment;

impl Encoder<'_> {
    /// Texts for the variables of which something is asked.
    pub(in crate::verify) fn texts(
        &self,
        found: &Assignment,
    ) -> Result<BTreeMap<String, String>, Outside> {
        let mut choice = Choice { encoder: self, found, known: Vec::new(), texts: BTreeMap::new() };
        for group in &self.asked.groups {
            let text = |number: &Decimal| Some((*number, self.text_of(*number)?.to_owned()));
            let numbered: BTreeMap<_, _> = group.constants.keys().filter_map(text).collect();
            let taken = numbered.values().cloned().collect();
            choice.known.push(Known { numbered, taken });
        }
        for dated in self.dates.iter().filter(|dated| found.satisfies(&dated.parses)) {
            choice.texts.insert(dated.of.clone(), dated.text(found)?);
        }
        let is_given = |name: &str| self.images.iter().any(|image| image.of == name);
        let groups = self.asked.groups.iter().enumerate();
        let variables = groups.flat_map(|(at, group)| group.variables.iter().map(move |n| (at, n)));
        let (given, others): (Vec<_>, Vec<_>) = variables.partition(|(_, name)| is_given(name));
        for (group, name) in given.into_iter().chain(others) {
            choice.choose(group, name)?;
        }
        Ok(choice.texts)
    }
}

/// The texts of a group so far.
struct Known {
    /// By their numbers.
    numbered: BTreeMap<Decimal, String>,
    /// All that are taken.
    taken: BTreeSet<String>,
}

struct Choice<'e, 'p> {
    encoder: &'e Encoder<'p>,
    found: &'e Assignment,
    /// For each group.
    known: Vec<Known>,
    texts: BTreeMap<String, String>,
}

impl Choice<'_, '_> {
    /// The number that the solver gave a variable. Where nothing is compared with it, it has none.
    fn number(&self, name: &str) -> Result<Option<Decimal>, Outside> {
        match self.found.numbers.get(name) {
            None => Ok(None),
            Some(Some(number)) => Ok(Some(*number)),
            Some(None) => Err(Outside("a number that is too large to be shown".to_owned())),
        }
    }

    fn take(&mut self, group: usize, number: Option<Decimal>, text: &str) {
        if let Some(known) = self.known.get_mut(group) {
            known.taken.insert(text.to_owned());
            known.numbered.extend(number.map(|number| (number, text.to_owned())));
        }
    }

    fn choose(&mut self, at: usize, name: &str) -> Result<(), Outside> {
        let Some(group) = self.encoder.asked.groups.get(at) else { return Ok(()) };
        if self.texts.contains_key(name) {
            return Ok(());
        }
        let number = self.number(name)?;
        let images = self.images(name)?;
        let numbered = self.known.get(at).zip(number).and_then(|(k, n)| k.numbered.get(&n));
        let text = match numbered {
            Some(text) => text.clone(),
            None => self.fresh(at, group, name, &images)?,
        };
        self.take(at, number, &text);
        for (image, at, number) in images {
            if let Some(Value::Text(given)) = image.function.of(&Value::Text(text.clone())) {
                self.take(at, number, &given);
                self.texts.insert(image.value, given);
            }
        }
        self.texts.insert(name.to_owned(), text);
        Ok(())
    }

    /// What functions make of a variable that is there: the group of that, and its number.
    fn images(&self, name: &str) -> Result<Vec<(Image, usize, Option<Decimal>)>, Outside> {
        let mut images = Vec::new();
        let of = |image: &&Image| image.of == name && self.found.satisfies(&image.present);
        for image in self.encoder.images.iter().filter(of) {
            let groups = &self.encoder.asked.groups;
            let at = groups.iter().position(|group| group.variables.contains(&image.value));
            let number = self.number(&image.value)?;
            images.extend(at.map(|at| (image.clone(), at, number)));
        }
        Ok(images)
    }

    /// A text that is not taken, of which no function makes one that is taken.
    fn fresh(
        &self,
        at: usize,
        group: &Group,
        name: &str,
        images: &[(Image, usize, Option<Decimal>)],
    ) -> Result<String, Outside> {
        let mut signs = group.signs(name, self.found);
        let taken = |at: usize| self.known.get(at).map(|known| &known.taken);
        let is_free = |text: &&String| taken(at).is_none_or(|taken| !taken.contains(*text));
        if images.is_empty() {
            let texts = group.answers.get(&signs).map_or(&[][..], |texts| &texts.some);
            return self.or_doubt(texts.iter().find(is_free));
        }
        let mut trees: Vec<Tree> = group.patterns.values().cloned().collect();
        let mut add = |image: &Image, given: &str, sign| {
            let of = preimage(image.function, &Tree::literal(given));
            signs.extend(of.iter().map(|_| sign));
            trees.extend(of);
        };
        for (image, at, number) in images {
            let numbered = self.known.get(*at).map(|known| &known.numbered);
            match numbered.zip(*number).and_then(|(texts, number)| texts.get(&number)) {
                Some(given) => add(image, given, true),
                None => taken(*at).into_iter().flatten().for_each(|given| add(image, given, false)),
            }
        }
        let automaton = Automaton::new(&trees).map_err(too_large)?;
        let most = taken(at).map_or(0, BTreeSet::len) + 1;
        let texts = automaton.texts(&signs, most).map_err(too_large)?;
        self.or_doubt(texts.iter().find(is_free))
    }

    fn or_doubt(&self, text: Option<&String>) -> Result<String, Outside> {
        text.cloned().ok_or_else(|| Outside(self.encoder.doubt().unwrap_or_default()))
    }
}
