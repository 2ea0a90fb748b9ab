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
    pub(super) groups: Vec<Group>,
}

/// Texts that are compared with each other, and what is asked of them.
#[derive(Debug)]
pub(super) struct Group {
    /// Names of the variables.
    pub(super) variables: Vec<String>,
    /// The constants among them: their numbers, and what they answer.
    pub(super) constants: BTreeMap<Decimal, Signs>,
    /// The patterns, by what they are called.
    pub(super) patterns: BTreeMap<String, Tree>,
    /// The answers that some text gives.
    pub(super) answers: BTreeMap<Signs, Texts>,
}

/// The texts that give the same answers.
#[derive(Debug)]
pub(super) struct Texts {
    /// As many as the group may need, if there are.
    pub(super) some: Vec<String>,
    /// The numbers of all, if they are fewer.
    all: Option<Vec<Decimal>>,
}

/// The proposition that a text matches a pattern.
fn matches(text: &str, pattern: &str) -> String {
    format!("{text} matches {pattern}")
}

/// A variable text.
pub(super) fn variable(name: &str) -> Number {
    Number::Variable { name: name.to_owned(), whole: true }
}

pub(super) fn too_large(_: TooLarge) -> Outside {
    Outside("patterns that are too large together".to_owned())
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
                self.ask(name, &pattern.to_string(), pattern.tree().clone())
            }
        }
    }

    /// That a variable text is as a tree says, which is called by a name of its own.
    pub(super) fn ask(&mut self, variable: &str, called: &str, tree: Tree) -> Formula {
        let of = self.asked.of.entry(variable.to_owned()).or_default();
        of.insert(called.to_owned(), tree);
        Formula::variable(matches(variable, called))
    }

    /// What is asked of some of these variables.
    pub(super) fn asked_of(&self, variables: &BTreeSet<String>) -> BTreeMap<String, Tree> {
        let of = variables.iter().filter_map(|variable| self.asked.of.get(variable));
        of.flatten().map(|(called, tree)| (called.clone(), tree.clone())).collect()
    }

    /// Adds what holds of the texts that the assertions speak of: the last thing to be asserted.
    pub(in crate::verify) fn close(
        &mut self,
        assertions: &mut Vec<Formula>,
    ) -> Result<(), Outside> {
        self.tie_dates(assertions);
        if self.asked.of.is_empty() {
            return Ok(());
        }
        self.tie(assertions);
        let equal = Equal::of(assertions);
        let mut grouped = BTreeSet::new();
        let asked: Vec<String> = self.asked.of.keys().cloned().collect();
        for name in asked {
            if grouped.contains(&name) {
                continue;
            }
            let variables = equal.group_of(name);
            let constants = equal.constants_of(&variables);
            grouped.extend(variables.iter().cloned());
            let group = self.group(variables, constants).map_err(too_large)?;
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
        let patterns = self.asked_of(&variables);
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
        let variables = variables.into_iter().collect();
        Ok(Group { variables, constants: known, patterns, answers })
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
                let agree = Formula::and(self.patterns.keys().map(|pattern| {
                    let says = |name| Formula::variable(matches(name, pattern));
                    says(a).same(says(b))
                }));
                assertions.push(variable(a).equal(variable(b)).implies(agree));
            }
        }
    }

    /// That a variable gives these answers.
    fn says(&self, name: &str, signs: &Signs) -> Formula {
        let each = self.patterns.keys().zip(signs).map(|(pattern, sign)| {
            Formula::variable(matches(name, pattern)).same(Formula::constant(*sign))
        });
        Formula::and(each)
    }

    /// The answers that the solver chose for a variable.
    pub(super) fn signs(&self, name: &str, found: &Assignment) -> Signs {
        let sign = |pattern: &String| found.holds(&matches(name, pattern));
        self.patterns.keys().map(sign).collect()
    }
}

/// Which variables are compared with which, and with which constants.
#[derive(Debug, Default)]
pub(super) struct Equal {
    variables: BTreeMap<String, BTreeSet<String>>,
    constants: BTreeMap<String, BTreeSet<Decimal>>,
}

impl Equal {
    pub(super) fn of(assertions: &[Formula]) -> Self {
        let mut this = Self::default();
        assertions.iter().for_each(|assertion| this.read(assertion));
        this
    }

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
    pub(super) fn group_of(&self, name: String) -> BTreeSet<String> {
        let (mut group, mut open) = (BTreeSet::new(), vec![name]);
        while let Some(name) = open.pop() {
            if group.insert(name.clone()) {
                open.extend(self.variables.get(&name).into_iter().flatten().cloned());
            }
        }
        group
    }

    /// The constants that some of these variables may equal.
    pub(super) fn constants_of(&self, variables: &BTreeSet<String>) -> BTreeSet<Decimal> {
        let of = variables.iter().filter_map(|variable| self.constants.get(variable));
        of.flatten().copied().collect()
    }
}
