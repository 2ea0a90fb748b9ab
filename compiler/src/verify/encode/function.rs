//! What functions make of texts: `host(x)` is a text of its own, tied to x.
//!
//! Every function gives a part of a text in lower case, so "host(x) matches p" is itself a pattern
//! on x, and so is "host(x) is this constant"; all that is asked of one is thereby asked of the
//! other. Equal texts give equal parts, and constants their own. What is left out is how many texts
//! have the same part where texts must differ: no proof becomes wrong by that, but what the solver
//! finds may not be a call. It is then not shown, and the obligation is *unknown*.

use rtbas_artifact::function::{Function, Parts};
use rtbas_artifact::ir::Operand;
use rtbas_artifact::pattern::{Class, Pattern, Tree};
use rtbas_artifact::value::Value;

use super::pattern::{Equal, variable};
use super::{Coded, Encoder, Outside, Shape, value};
use crate::verify::term::{Formula, Number};

/// What a function makes of a variable text.
#[derive(Clone, Debug)]
pub(super) struct Image {
    pub(super) function: Function,
    /// The variable.
    pub(super) of: String,
    /// The variable for the text that the function gives.
    pub(super) value: String,
    /// When it gives one.
    pub(super) present: Formula,
}

impl Encoder<'_> {
    /// What a function gives.
    pub(super) fn given(
        &mut self,
        operand: &Operand,
        function: Function,
    ) -> Result<Coded, Outside> {
        let absent = Coded { present: Formula::constant(false), shape: Shape::Absent };
        let Coded { present, shape } = self.operand(operand.source())?;
        let of = match shape {
            Shape::Text(Number::Variable { name, .. }) => name,
            Shape::Text(Number::Constant(number)) => {
                let text = Value::Text(self.text_of(number).unwrap_or_default().to_owned());
                let shape = match function.of(&text) {
                    Some(Value::Text(given)) => Shape::Text(self.text(&given)),
                    Some(Value::Number(given)) => Shape::Number(Number::Constant(given)),
                    _ => return Ok(absent),
                };
                return Ok(Coded { present, shape });
            }
            _ => return Ok(absent),
        };
        if matches!(function, Function::Date | Function::Time) {
            let dated = self.dated(function, &of, false);
            let present = Formula::and([present, dated.parses.clone()]);
            return Ok(Coded { present, shape: Shape::Number(dated.number()) });
        }
        let parts = function
            .parts()
            .and_then(|parts| Some((parts, preimage(function, parts.value.tree())?)));
        let Some((parts, made_for)) = parts else {
            return Err(Outside(format!("`{}`", function.name())));
        };
        let value = value(operand);
        let made_for = self.ask(&of, &format!("for {}", function.name()), made_for);
        let present = Formula::and([present, made_for]);
        let fits = self.matches(&variable(&value), &parts.value);
        self.background.insert(format!("{value} fits"), present.clone().implies(fits));
        let shape = Shape::Text(variable(&value));
        if self.images.iter().all(|image| image.value != value) {
            self.images.push(Image { function, of, value, present: present.clone() });
        }
        Ok(Coded { present, shape })
    }

    /// Ties what functions give to what they are given.
    pub(super) fn tie(&mut self, assertions: &mut Vec<Formula>) {
        let images = self.images.clone();
        let equal = Equal::of(assertions);
        for (i, image) in images.iter().enumerate() {
            let group = equal.group_of(image.of.clone());
            for number in equal.constants_of(&group) {
                let text = Value::Text(self.text_of(number).unwrap_or_default().to_owned());
                if let Some(Value::Text(given)) = image.function.of(&text) {
                    let is = variable(&image.of).equal(Number::Constant(number));
                    assertions.push(is.implies(variable(&image.value).equal(self.text(&given))));
                }
            }
            let of_same =
                |other: &&Image| other.function == image.function && group.contains(&other.of);
            for other in images.iter().skip(i + 1).filter(of_same) {
                let same = variable(&image.of).equal(variable(&other.of));
                assertions.push(same.implies(variable(&image.value).equal(variable(&other.value))));
            }
        }
        let equal = Equal::of(assertions);
        for image in &images {
            let group = equal.group_of(image.value.clone());
            for (called, tree) in self.asked_of(&group) {
                let own = self.ask_image(image, &called, &tree);
                let given = self.ask(&image.value, &called, tree);
                assertions.push(image.present.clone().implies(given.same(own)));
            }
            for number in equal.constants_of(&group) {
                let text = self.text_of(number).unwrap_or_default().to_owned();
                let own = self.ask_image(image, &format!("{text:?}"), &Tree::literal(&text));
                let given = variable(&image.value).equal(Number::Constant(number));
                assertions.push(image.present.clone().implies(given.same(own)));
            }
        }
    }

    /// That what the function makes of a text matches, as a pattern on the text.
    fn ask_image(&mut self, image: &Image, called: &str, tree: &Tree) -> Formula {
        match preimage(image.function, tree) {
            Some(own) => self.ask(&image.of, &format!("{} {called}", image.function.name()), own),
            None => Formula::constant(false),
        }
    }

    /// Why what the solver finds may be no call, if it may not.
    pub(in crate::verify) fn doubt(&self) -> Option<String> {
        let images = self.images.iter().map(|image| image.function);
        let name = images.chain(self.dates.iter().map(|dated| dated.function)).next()?.name();
        Some(format!("a text that meets the conditions on it and on what `{name}` gives of it"))
    }
}

/// The texts of which a function gives one that matches, among those that it is made for; `None` if
/// there are none.
pub(super) fn preimage(function: Function, tree: &Tree) -> Option<Tree> {
    Some(within(function.parts()?, unfolded(tree, function)?))
}

/// A part of a text with what stands before and behind it.
fn within(parts: &Parts, part: Tree) -> Tree {
    let outer = |pattern: &Option<Pattern>| pattern.as_ref().map(|pattern| pattern.tree().clone());
    let all = outer(&parts.before).into_iter().chain([part]).chain(outer(&parts.after));
    Tree::Sequence(all.collect())
}

/// The texts that match in lower case. Of a host or a domain only those whose characters it may
/// have, so that its end is where the function sees it.
fn unfolded(tree: &Tree, function: Function) -> Option<Tree> {
    match tree {
        Tree::Class(class) => unfolded_class(class, function).map(Tree::Class),
        Tree::Sequence(parts) => {
            let parts = parts.iter().map(|part| unfolded(part, function));
            parts.collect::<Option<_>>().map(Tree::Sequence)
        }
        Tree::Choice(parts) => {
            let parts: Vec<Tree> = parts.iter().filter_map(|p| unfolded(p, function)).collect();
            (!parts.is_empty()).then_some(Tree::Choice(parts))
        }
        Tree::Repeat { part, least, most } => match unfolded(part, function) {
            Some(part) => Some(Tree::Repeat { part: Box::new(part), least: *least, most: *most }),
            None => (*least == 0).then(|| Tree::Sequence(Vec::new())),
        },
    }
}

fn unfolded_class(class: &Class, function: Function) -> Option<Class> {
    let possible: &[(char, char)] = match function {
        Function::Lower => &[('\0', '@'), ('[', char::MAX)],
        Function::Date | Function::Time => &[],
        Function::Host | Function::Domain => &[('-', '.'), ('0', '9'), ('a', 'z')],
    };
    let mut ranges = Vec::new();
    for (first, last) in class.ranges() {
        for &(from, to) in possible {
            let (first, last) = (first.max(from), last.min(to));
            if first > last {
                continue;
            }
            ranges.push((first, last));
            let (first, last) = (first.max('a'), last.min('z'));
            if first <= last {
                ranges.push((first.to_ascii_uppercase(), last.to_ascii_uppercase()));
            }
        }
    }
    (!ranges.is_empty()).then(|| Class::of(&ranges))
}
