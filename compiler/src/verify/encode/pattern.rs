//! Patterns without strings: the solver sees propositions, never a text.
//!
//! "x matches p" is a proposition for this x and this p. Texts that are compared with each other
//! form a group; an automaton of all patterns that are asked of a group says which answers some
//! text gives together, and only those are possible. Equal texts give equal answers, a constant
//! gives its own, and where fewer texts than the group may need give some answers, those texts are
//! written out. Whatever numbers and answers the solver then chooses, there are texts for them.

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::pattern::{Pattern, Tree};

use super::{Encoder, Outside};
use crate::verify::automaton::{Automaton, Signs, TooLarge};
use crate::verify::term::{Formula, Node, Number};
use crate::verify::z3::Assignment;

/// Most combinations of answers that one group may have.
const MAX_COMBINATIONS: usize = 512;

/// What is asked of texts.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// For each variable text: the patterns, by what they are called.
    of: BTreeMap<String, BTreeMap<String, Tree>>,
    groups: Vec<Group>,
}

/// Texts that are compared with each other, and what is asked of them.
#[derive(Debug)]
struct Group {
    /// Names of the variables.
    variables: Vec<String>,
    /// The constants among them: their numbers, and what they answer.
    constants: BTreeMap<Decimal, Signs>,
    patterns: Vec<String>,
    /// The answers that some text gives.
    answers: BTreeMap<Signs, Texts>,
}

/// The texts that give the same answers.
#[derive(Debug)]
struct Texts {
    /// As many as the group may need, if there are.
    some: Vec<String>,
    /// The numbers of all, if they are fewer.
    all: Option<Vec<Decimal>>,
}

/// The proposition that a text matches a pattern.
fn matches(text: &str, pattern: &str) -> String {
    format!("{text} matches {pattern}")
}

fn variable(name: &str) -> Number {
    Number::Variable { name: name.to_owned(), whole: true }
}

impl Encoder<'_> {
    /// That a text matches.
    pub(super) fn matches(&mut self, text: &Number, pattern: &Pattern) -> Formula {
        match text {
            Number::Constant(number) => {
                let text = self.text_of(*number).unwrap_or_default();
                Formula::constant(pattern.matches(text) == Some(true))
            }
            Number::Variable { name, .. } => {
                let called = pattern.to_string();
                let proposition = Formula::variable(matches(name, &called));
                let of = self.asked.of.entry(name.clone()).or_default();
                of.insert(called, pattern.tree().clone());
                proposition
            }
        }
    }

    /// Adds what holds of the texts that the assertions speak of: the last thing to be asserted.
    pub(in crate::verify) fn close(
        &mut self,
        assertions: &mut Vec<Formula>,
    ) -> Result<(), Outside> {
        if self.asked.of.is_empty() {
            return Ok(());
        }
        let mut equal = Equal::default();
        assertions.iter().for_each(|assertion| equal.read(assertion));
        let mut grouped = BTreeSet::new();
        let asked: Vec<String> = self.asked.of.keys().cloned().collect();
        for name in asked {
            if grouped.contains(&name) {
                continue;
            }
            let variables = equal.group_of(name);
            grouped.extend(variables.iter().cloned());
            let of = variables.iter().filter_map(|variable| equal.constants.get(variable));
            let constants = of.flatten().copied().collect();
            let large = |TooLarge| Outside("patterns that are too large together".to_owned());
            let group = self.group(variables, constants).map_err(large)?;
            group.constrain(assertions);
            self.asked.groups.push(group);
        }
        Ok(())
    }

    fn group(
        &mut self,
        variables: BTreeSet<String>,
        constants: BTreeSet<Decimal>,
    ) -> Result<Group, TooLarge> {
        let of = variables.iter().filter_map(|variable| self.asked.of.get(variable));
        let patterns: BTreeMap<String, Tree> =
            of.flatten().map(|(p, t)| (p.clone(), t.clone())).collect();
        let automaton = Automaton::new(patterns.values())?;
        let combinations = automaton.combinations();
        if combinations.len() > MAX_COMBINATIONS {
            return Err(TooLarge);
        }
        let answer = |text: Option<&str>| text.and_then(|text| automaton.signs_of(text)).cloned();
        let of_constant = |number| Some((number, answer(self.text_of(number))?));
        let mut known: BTreeMap<Decimal, Signs> =
            constants.iter().copied().filter_map(of_constant).collect();
        // Every variable may have to differ from all others and from all constants.
        let most = variables.len() + constants.len();
        let mut answers = BTreeMap::new();
        for signs in combinations {
            let some = automaton.texts(signs, most)?;
            let all = (some.len() < most).then(|| {
                let numbers: Vec<Decimal> = some.iter().map(|text| self.number_of(text)).collect();
                known.extend(numbers.iter().map(|number| (*number, signs.clone())));
                numbers
            });
            answers.insert(signs.clone(), Texts { some, all });
        }
        let (variables, patterns) =
            (variables.into_iter().collect(), patterns.into_keys().collect());
        Ok(Group { variables, constants: known, patterns, answers })
    }

    /// Texts for the variables of which something is asked, or `None` if a number cannot be read.
    pub(in crate::verify) fn texts(&self, found: &Assignment) -> Option<BTreeMap<String, String>> {
        let mut texts = BTreeMap::new();
        for group in &self.asked.groups {
            let constants = group.constants.keys().filter_map(|number| self.text_of(*number));
            let mut taken: BTreeSet<String> = constants.map(str::to_owned).collect();
            let mut numbered: BTreeMap<Decimal, String> = BTreeMap::new();
            for variable in &group.variables {
                // Where nothing is compared with it, it has no number.
                let number = match found.numbers.get(variable) {
                    Some(number) => Some((*number)?),
                    None => None,
                };
                let constant = number.filter(|number| group.constants.contains_key(number));
                let known = constant.and_then(|number| self.text_of(number).map(str::to_owned));
                let known = known.or_else(|| numbered.get(&number?).cloned());
                let text = known.or_else(|| {
                    let answers = group.answers.get(&group.signs(variable, found))?;
                    answers.some.iter().find(|text| !taken.contains(*text)).cloned()
                })?;
                taken.insert(text.clone());
                numbered.extend(number.map(|number| (number, text.clone())));
                texts.insert(variable.clone(), text);
            }
        }
        Some(texts)
    }
}

impl Group {
    fn constrain(&self, assertions: &mut Vec<Formula>) {
        for name in &self.variables {
            let is = |number: &Decimal| variable(name).equal(Number::Constant(*number));
            assertions.push(Formula::or(self.answers.iter().map(|(signs, texts)| {
                let all = texts.all.iter().map(|numbers| Formula::or(numbers.iter().map(is)));
                Formula::and(all.chain([self.says(name, signs)]))
            })));
            for (number, signs) in &self.constants {
                assertions.push(is(number).implies(self.says(name, signs)));
            }
        }
        for (i, a) in self.variables.iter().enumerate() {
            for b in self.variables.iter().skip(i + 1) {
                let agree = Formula::and(self.patterns.iter().map(|pattern| {
                    let says = |name| Formula::variable(matches(name, pattern));
                    says(a).same(says(b))
                }));
                assertions.push(variable(a).equal(variable(b)).implies(agree));
            }
        }
    }

    /// That a variable gives these answers.
    fn says(&self, name: &str, signs: &Signs) -> Formula {
        let each = self.patterns.iter().zip(signs).map(|(pattern, sign)| {
            Formula::variable(matches(name, pattern)).same(Formula::constant(*sign))
        });
        Formula::and(each)
    }

    /// The answers that the solver chose for a variable.
    fn signs(&self, name: &str, found: &Assignment) -> Signs {
        let sign = |pattern| found.formulas.get(&matches(name, pattern)) == Some(&true);
        self.patterns.iter().map(|pattern| sign(pattern)).collect()
    }
}

/// Which variables are compared with which, and with which constants.
#[derive(Debug, Default)]
struct Equal {
    variables: BTreeMap<String, BTreeSet<String>>,
    constants: BTreeMap<String, BTreeSet<Decimal>>,
}

impl Equal {
    fn read(&mut self, formula: &Formula) {
        match formula.node() {
            Node::Not(inner) => self.read(inner),
            Node::And(parts) | Node::Or(parts) => parts.iter().for_each(|part| self.read(part)),
            Node::Same(a, b) => [a, b].into_iter().for_each(|part| self.read(part)),
            Node::NumberEqual(a, b) => match (a, b) {
                (Number::Variable { name, .. }, Number::Constant(number))
                | (Number::Constant(number), Number::Variable { name, .. }) => {
                    self.constants.entry(name.clone()).or_default().insert(*number);
                }
                (Number::Variable { name: a, .. }, Number::Variable { name: b, .. }) => {
                    self.variables.entry(a.clone()).or_default().insert(b.clone());
                    self.variables.entry(b.clone()).or_default().insert(a.clone());
                }
                (Number::Constant(_), Number::Constant(_)) => {}
            },
            Node::Constant(_)
            | Node::Variable(_)
            | Node::Less(..)
            | Node::BitsEqual(..)
            | Node::Below(..) => {}
        }
    }

    /// The variables that may equal this one, itself among them.
    fn group_of(&self, name: String) -> BTreeSet<String> {
        let (mut group, mut open) = (BTreeSet::new(), vec![name]);
        while let Some(name) = open.pop() {
            if group.insert(name.clone()) {
                open.extend(self.variables.get(&name).into_iter().flatten().cloned());
            }
        }
        group
    }
}
