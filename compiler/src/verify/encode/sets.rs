//! Sets of which only membership is known: lists in arguments and facts, and the names in a label's
//! level of an open lattice.
//!
//! There is no quantifier. That one set is not within another is said of a fresh element; that it
//! is, of each element that anything asks about, fresh ones included. That is all there is to say:
//! a set that holds just those of them that the solver put in it is a model of what was said.

use std::collections::BTreeMap;

use rtbas_artifact::eval::Side;
use rtbas_artifact::ir::{Comparison, LabelId, Names, Operand, SetTerm};
use rtbas_artifact::value::Value;

use super::label::{Joined, Part as LabelPart};
use super::place::Place;
use super::{Coded, Encoder, Outside, Shape, Truth, defined, relation};
use crate::verify::term::{Formula, Number};

/// What is known of sets.
#[derive(Debug, Default)]
pub(in crate::verify) struct Sets {
    /// Elements that sets are asked about, by name.
    elements: BTreeMap<String, Shape>,
    /// Questions about lists, by the name of the proposition that answers.
    pub(in crate::verify) memberships: BTreeMap<String, Membership>,
    inclusions: BTreeMap<String, Inclusion>,
}

/// Whether an open list or set holds an element.
#[derive(Clone, Debug)]
pub(in crate::verify) struct Membership {
    pub(in crate::verify) set: Operand,
    pub(in crate::verify) element: Shape,
}

/// Whether a set lies within another.
#[derive(Clone, Debug)]
struct Inclusion {
    inner: Set,
    outer: Set,
}

#[derive(Clone, Debug)]
enum Set {
    /// What is said of the values in a policy.
    Values(Collection),
    /// The names in the level of a label: of that run, in that open lattice.
    Label(usize, usize),
}

/// Elements by where they come from.
#[derive(Clone, Debug, Default)]
struct Collection {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    /// When it is there.
    present: Formula,
    elements: Elements,
}

#[derive(Clone, Debug)]
enum Elements {
    /// These.
    Listed(Vec<Shape>),
    /// Those of a list that the solver chooses.
    Open(Operand),
}

/// The proposition that the label of a run has all names in its level of an open lattice.
pub(in crate::verify) fn has_all(run: usize, open: usize) -> String {
    format!("label {run} set {open} has all")
}

fn has(run: usize, open: usize, element: &str) -> String {
    format!("label {run} set {open} has {element}")
}

/// The element that is in one set and not in the other, unless the one lies within the other.
fn fresh_in(inclusion: &str) -> String {
    format!("fresh in {inclusion}")
}

impl Encoder<'_> {
    /// When a label's level of an open lattice flows to what a term is at a place.
    pub(super) fn set_flows(
        &mut self,
        run: usize,
        open: usize,
        term: &SetTerm,
        side: Side,
        place: &Place,
    ) -> Result<Formula, Outside> {
        let Some(lattice) = self.policy().open.get(open) else {
            return Ok(Formula::constant(false));
        };
        let by_union = lattice.joins_by_union();
        let all = Formula::variable(has_all(run, open));
        let SetTerm::Of(names) = term else {
            // Everything flows to the set of all names, or only what has them all.
            return Ok(if by_union { Formula::constant(true) } else { all });
        };
        let (values, is_good) = self.names(names, by_union, side, place)?;
        let label = Set::Label(run, open);
        let name = format!("label {run} set {open} within {values:?}");
        let good = match by_union {
            true => self.includes(&name, label.clone(), Set::Values(values))?,
            // A level that has all names has these.
            false => Formula::or([
                all.clone(),
                self.includes(&name, Set::Values(values), label.clone())?,
            ]),
        };
        // A value that is none makes the term strict: the bottom of a bound, to which little flows,
        // and the top of data, to which all does.
        let bad = match (side, by_union) {
            (Side::Data, _) => Formula::constant(true),
            (Side::Bound, false) => all,
            (Side::Bound, true) => {
                let none = Set::Values(Collection::default());
                self.includes(&format!("label {run} set {open} is empty"), label, none)?
            }
        };
        Ok(Formula::or([Formula::and([is_good.clone(), good]), Formula::and([!is_good, bad])]))
    }

    /// When a term of data flows to another, or to a bound, each read at its place.
    pub(super) fn set_terms_flow(
        &mut self,
        open: usize,
        (low, at_low): (&SetTerm, &Place),
        (high, at_high): (&SetTerm, &Place),
        side: Side,
    ) -> Result<Formula, Outside> {
        let Some(lattice) = self.policy().open.get(open) else {
            return Ok(Formula::constant(false));
        };
        let by_union = lattice.joins_by_union();
        let mut read = |term: &SetTerm, side, place: &Place| match term {
            SetTerm::All => Ok(None),
            SetTerm::Of(names) => self.names(names, by_union, side, place).map(Some),
        };
        let (low, high) = (read(low, Side::Data, at_low)?, read(high, side, at_high)?);
        // All names are the bottom where a join keeps the common ones, else the top; a value that
        // is none makes the whole term strict.
        let (no, yes) = (Formula::constant(false), Formula::constant(true));
        let (low_is_bottom, low_is_top) = match (&low, by_union) {
            (None, false) => (yes.clone(), no.clone()),
            (None, true) => (no.clone(), yes.clone()),
            (Some((_, is_good)), _) => (no.clone(), !is_good.clone()),
        };
        let (high_is_bottom, high_is_top) = match (&high, by_union, side) {
            (None, false, _) => (yes.clone(), no.clone()),
            (None, true, _) => (no.clone(), yes),
            (Some((_, is_good)), _, Side::Data) => (no.clone(), !is_good.clone()),
            (Some((_, is_good)), _, Side::Bound) => (!is_good.clone(), no.clone()),
        };
        let within = match (low, high) {
            (Some((low, _)), Some((high, _))) => {
                let name = format!("{low:?} flows to {high:?} in set {open}");
                let (inner, outer) = if by_union { (low, high) } else { (high, low) };
                self.includes(&name, Set::Values(inner), Set::Values(outer))?
            }
            // Nothing that is listed has all names.
            _ => no,
        };
        let neither = [!low_is_top, !high_is_bottom, within];
        Ok(Formula::or([low_is_bottom, high_is_top, Formula::and(neither)]))
    }

    /// When a bound's level of an open lattice, read where there is no call, flows to that of a
    /// run's label.
    pub(in crate::verify) fn set_below(
        &mut self,
        open: usize,
        term: &SetTerm,
        run: usize,
    ) -> Result<Formula, Outside> {
        let Some(lattice) = self.policy().open.get(open) else {
            return Ok(Formula::constant(false));
        };
        let by_union = lattice.joins_by_union();
        let all = Formula::variable(has_all(run, open));
        let SetTerm::Of(names) = term else {
            return Ok(if by_union { all } else { Formula::constant(true) });
        };
        let (values, is_good) = self.names(names, by_union, Side::Bound, &Place::default())?;
        let name = format!("{values:?} flows to label {run} set {open}");
        let label = Set::Label(run, open);
        let within = match by_union {
            true => Formula::or([all, self.includes(&name, Set::Values(values), label)?]),
            false => self.includes(&name, label, Set::Values(values))?,
        };
        // A value that is none makes a bound the bottom, which flows anywhere.
        Ok(Formula::or([!is_good, within]))
    }

    /// A value that names readers or sources; a map's names are its keys.
    fn naming(&mut self, operand: &Operand) -> Result<Coded, Outside> {
        if self.is_map(operand) {
            let (_, present) = self.presence(operand)?;
            return Ok(Coded { present, shape: Shape::Open });
        }
        if let Operand::Literal(Value::Record(entries)) = operand {
            let keys = entries.keys().cloned().map(Value::Text).collect();
            return Ok(Coded { present: Formula::constant(true), shape: Shape::Elements(keys) });
        }
        self.operand(operand)
    }

    /// `inner subset_of outer`
    pub(super) fn subset(&mut self, inner: &Operand, outer: &Operand) -> Result<Truth, Outside> {
        let (left, right) = (self.operand(inner)?, self.operand(outer)?);
        let both = [left.present.clone(), right.present.clone()];
        let never = Truth { yes: Formula::constant(false), no: Formula::constant(false) };
        let (Some(left), Some(right)) =
            (self.elements(inner, &left)?, self.elements(outer, &right)?)
        else {
            return Ok(never);
        };
        let side = |elements| {
            let part = Part { present: Formula::constant(true), elements };
            Set::Values(Collection { parts: vec![part] })
        };
        let name = format!("{inner:?} within {outer:?}");
        let holds = self.includes(&name, side(left), side(right))?;
        Ok(defined(both, holds))
    }

    /// The elements of a list or set; `None` if it is none.
    fn elements(&mut self, operand: &Operand, coded: &Coded) -> Result<Option<Elements>, Outside> {
        Ok(match &coded.shape {
            Shape::Elements(items) => Some(Elements::Listed(self.shapes(items)?)),
            Shape::Open => Some(Elements::Open(operand.clone())),
            _ => None,
        })
    }

    fn shapes(&mut self, items: &[Value]) -> Result<Vec<Shape>, Outside> {
        items.iter().map(|item| Ok(self.literal(item)?.shape)).collect()
    }

    /// What values name at a place, and when all of them name something.
    fn names(
        &mut self,
        names: &[Names],
        by_union: bool,
        side: Side,
        place: &Place,
    ) -> Result<(Collection, Formula), Outside> {
        let (mut collection, mut good) = (Collection::default(), Vec::new());
        for names in names {
            let located = place.locate(&names.value);
            let coded = match &located {
                Some(operand) => self.naming(operand)?,
                None => Coded { present: Formula::constant(false), shape: Shape::Absent },
            };
            let elements = match (&located, &coded.shape) {
                (_, Shape::Text(_)) => Some(Elements::Listed(vec![coded.shape.clone()])),
                (Some(operand), Shape::Elements(_) | Shape::Open) => {
                    self.elements(operand, &coded)?
                }
                (_, Shape::Bool(_) | Shape::Number(_)) => {
                    return Err(Outside("a label that other values than texts name".to_owned()));
                }
                (_, Shape::Absent) | (None, _) => None,
            };
            let may_lack = match names.value {
                Operand::Derived(..) => false,
                Operand::Field(_) => names.optional && !by_union && place.has_record(),
                Operand::Literal(_) | Operand::Fact(..) | Operand::Argument(..) => names.optional,
            };
            let present = coded.present;
            if !may_lack {
                good.push(present.clone());
            }
            if by_union
                && side == Side::Data
                && let Some(elements) = &elements
            {
                // Data without sources would be free.
                let is_empty = self.is_empty(elements.clone())?;
                good.push(Formula::or([!present.clone(), !is_empty]));
            }
            collection.parts.extend(elements.map(|elements| Part { present, elements }));
        }
        Ok((collection, Formula::and(good)))
    }

    fn know(&mut self, values: &Collection) {
        for part in &values.parts {
            let Elements::Listed(shapes) = &part.elements else { continue };
            for shape in shapes {
                self.sets.elements.insert(format!("{shape:?}"), shape.clone());
            }
        }
    }

    /// The proposition that one set lies within another.
    fn includes(&mut self, name: &str, inner: Set, outer: Set) -> Result<Formula, Outside> {
        for set in [&inner, &outer] {
            if let Set::Values(values) = set {
                self.know(values);
            }
        }
        let proposition = Formula::variable(name);
        if self.sets.inclusions.contains_key(name) {
            return Ok(proposition);
        }
        let (fresh, is_number) = (fresh_in(name), self.holds_numbers(&inner)?);
        let number = Number::Variable { name: fresh.clone(), whole: !is_number };
        let shape = if is_number { Shape::Number(number) } else { Shape::Text(number) };
        self.sets.elements.insert(fresh, shape);
        self.sets.inclusions.insert(name.to_owned(), Inclusion { inner, outer });
        Ok(proposition)
    }

    /// Whether the elements of a set are numbers; else they are texts.
    fn holds_numbers(&self, side: &Set) -> Result<bool, Outside> {
        let Set::Values(values) = side else { return Ok(false) };
        let outside =
            || Outside("`subset_of` between lists of other than texts or numbers".to_owned());
        let mut numbers = None;
        for part in &values.parts {
            let is_number = match &part.elements {
                Elements::Listed(shapes) => match shapes.first() {
                    Some(Shape::Number(_)) => true,
                    Some(Shape::Text(_)) => false,
                    Some(_) => return Err(outside()),
                    None => continue,
                },
                Elements::Open(operand) => self.has_number_elements(operand).ok_or_else(outside)?,
            };
            if numbers.replace(is_number).is_some_and(|other| other != is_number) {
                return Err(outside());
            }
        }
        Ok(numbers.unwrap_or(false))
    }

    /// Adds what holds of sets to the background, and that the label of run 0 flows to that of run
    /// 1. To be called once all that is asked of sets is known.
    pub(in crate::verify) fn close_sets(&mut self) -> Result<(), Outside> {
        let elements: Vec<(String, Shape)> =
            self.sets.elements.iter().map(|(name, shape)| (name.clone(), shape.clone())).collect();
        for (name, inclusion) in self.sets.inclusions.clone() {
            let holds = Formula::variable(&name);
            let fresh = fresh_in(&name);
            for (element, shape) in &elements {
                let inner = self.is_in(element, shape, &inclusion.inner)?;
                let outer = self.is_in(element, shape, &inclusion.outer)?;
                if *element == fresh {
                    let escapes = Formula::and([inner.clone(), !outer.clone()]);
                    let key = format!("{name} unless {fresh}");
                    self.background.insert(key, Formula::or([holds.clone(), escapes]));
                }
                let key = format!("{name} for {element}");
                self.background.insert(key, holds.clone().implies(inner.implies(outer)));
            }
            if let Set::Label(run, open) = inclusion.inner {
                // What has all names lies within nothing that is listed.
                let all = Formula::variable(has_all(run, open));
                self.background.insert(format!("{name} unless all"), holds.implies(!all));
            }
        }
        for open in 0..self.policy().open.len() {
            self.order(open, &elements);
        }
        Ok(())
    }

    /// What holds of the levels of both labels in an open lattice.
    fn order(&mut self, open: usize, elements: &[(String, Shape)]) {
        let by_union = self.policy().open.get(open).is_some_and(|l| l.joins_by_union());
        let (smaller, larger) = if by_union { (0, 1) } else { (1, 0) };
        let all = |run| Formula::variable(has_all(run, open));
        let mut add = |key: String, formula| self.background.insert(key, formula);
        add(format!("set {open} in order"), all(smaller).implies(all(larger)));
        for (i, (element, shape)) in elements.iter().enumerate() {
            let has = |run, element: &str| Formula::variable(has(run, open, element));
            for run in [0, 1] {
                let key = format!("label {run} set {open} all {element}");
                add(key, all(run).implies(has(run, element)));
            }
            let key = format!("set {open} in order {element}");
            add(key, has(smaller, element).implies(has(larger, element)));
            for (other, other_shape) in elements.iter().skip(i + 1) {
                let Ok(Some(same)) = relation(Comparison::Equal, shape, other_shape) else {
                    continue;
                };
                for run in [0, 1] {
                    let agree = has(run, element).same(has(run, other));
                    let key = format!("label {run} set {open} {element} and {other}");
                    add(key, same.clone().implies(agree));
                }
            }
        }
    }

    fn is_in(&mut self, name: &str, element: &Shape, side: &Set) -> Result<Formula, Outside> {
        let values = match side {
            Set::Label(run, open) => return Ok(Formula::variable(has(*run, *open, name))),
            Set::Values(values) => values,
        };
        let mut parts = Vec::new();
        for part in &values.parts {
            let is_in = match &part.elements {
                Elements::Listed(shapes) => {
                    let equal = |shape| {
                        let same = relation(Comparison::Equal, element, shape)?;
                        Ok(same.unwrap_or_else(|| Formula::constant(false)))
                    };
                    Formula::or(shapes.iter().map(equal).collect::<Result<Vec<_>, Outside>>()?)
                }
                Elements::Open(operand) => match (self.has_number_elements(operand), element) {
                    (Some(true), Shape::Text(_)) | (Some(false), Shape::Number(_)) => {
                        Formula::constant(false)
                    }
                    _ => self.member(operand, element)?,
                },
            };
            parts.push(Formula::and([part.present.clone(), is_in]));
        }
        Ok(Formula::or(parts))
    }

    /// Whether an open list or set holds an element; an element of another type never.
    pub(super) fn member(&mut self, set: &Operand, element: &Shape) -> Result<Formula, Outside> {
        let name = format!("{} has {element:?}", super::value(set));
        let holds = Formula::variable(&name);
        if self.sets.memberships.contains_key(&name) {
            return Ok(holds);
        }
        let admitted = self.of_element(set, element)?;
        self.background.insert(name.clone(), holds.clone().implies(admitted));
        // Equal elements are both in the set or both out of it.
        let mut agreements = Vec::new();
        for (other, membership) in self.sets.memberships.iter().filter(|(_, m)| m.set == *set) {
            if let Some(same) = relation(Comparison::Equal, element, &membership.element)? {
                let agree = holds.clone().same(Formula::variable(other));
                agreements.push((format!("{name} and {other}"), same.implies(agree)));
            }
        }
        self.background.extend(agreements);
        let membership = Membership { set: set.clone(), element: element.clone() };
        self.sets.memberships.insert(name, membership);
        self.sets.elements.insert(format!("{element:?}"), element.clone());
        Ok(holds)
    }

    /// Notes the elements that a label's terms list, so that all is said of them, too.
    pub(super) fn know_names(&mut self, part: &LabelPart) -> Result<(), Outside> {
        for (label, place) in part.terms() {
            for open in 0..self.policy().open.len() {
                if let Some((values, _)) = self.names_of(*label, open, place)? {
                    self.know(&values);
                }
            }
        }
        Ok(())
    }

    /// What a label of data names in an open lattice; `None` for all names.
    fn names_of(
        &mut self,
        label: LabelId,
        open: usize,
        place: &Place,
    ) -> Result<Option<(Collection, Formula)>, Outside> {
        let term = self.policy().labels.get(label.index()).and_then(|term| term.sets.get(open));
        let by_union = self.policy().open.get(open).is_some_and(|l| l.joins_by_union());
        match term {
            Some(SetTerm::Of(names)) => self.names(names, by_union, Side::Data, place).map(Some),
            _ => Ok(None),
        }
    }

    /// Adds what holds of the levels of open lattices in a label that is a join of terms.
    pub(super) fn close_join_sets(
        &mut self,
        run: usize,
        parts: &[LabelPart],
    ) -> Result<(), Outside> {
        let elements: Vec<(String, Shape)> =
            self.sets.elements.iter().map(|(name, shape)| (name.clone(), shape.clone())).collect();
        for (open, lattice) in self.policy().open.iter().enumerate() {
            let by_union = lattice.joins_by_union();
            // The larger of two labels has all names of both, or only the common ones.
            let join = |each: Vec<Formula>| match by_union {
                true => Formula::or(each),
                false => Formula::and(each),
            };
            let meet = |each: [Formula; 2]| match by_union {
                true => Formula::and(each),
                false => Formula::or(each),
            };
            // What is not there is the bottom.
            let there = |present: &Formula, has: Formula| match by_union {
                true => Formula::and([present.clone(), has]),
                false => present.clone().implies(has),
            };
            let questions = std::iter::once(None).chain(elements.iter().map(Some));
            for question in questions {
                let mut each = Vec::new();
                for part in parts {
                    let has = match &part.label {
                        Joined::Top => Formula::constant(by_union),
                        Joined::Terms(joined, met) => {
                            let mut terms = Vec::new();
                            for (label, place) in joined {
                                terms.push(self.answers(*label, open, place, question)?);
                            }
                            let has = join(terms);
                            match met {
                                None => has,
                                Some((label, place)) => {
                                    meet([has, self.answers(*label, open, place, question)?])
                                }
                            }
                        }
                    };
                    each.push(there(&part.present, has));
                }
                let name = match question {
                    None => has_all(run, open),
                    Some((element, _)) => has(run, open, element),
                };
                let is = Formula::variable(&name).same(join(each));
                self.background.insert(format!("{name} as a join"), is);
            }
        }
        Ok(())
    }

    /// Whether a label of data has an element in an open lattice, or all names. A value that is
    /// none makes it the top: all names, or none.
    fn answers(
        &mut self,
        label: LabelId,
        open: usize,
        place: &Place,
        question: Option<&(String, Shape)>,
    ) -> Result<Formula, Outside> {
        let by_union = self.policy().open.get(open).is_some_and(|l| l.joins_by_union());
        let Some((values, is_good)) = self.names_of(label, open, place)? else {
            return Ok(Formula::constant(true));
        };
        let is_in = match question {
            None => Formula::constant(false),
            Some((element, shape)) => self.is_in(element, shape, &Set::Values(values))?,
        };
        Ok(match by_union {
            true => Formula::or([!is_good, is_in]),
            false => Formula::and([is_good, is_in]),
        })
    }

    /// That no text, list or set that was read is empty, where it is there.
    pub(in crate::verify) fn nothing_empty(&mut self) -> Result<Vec<Formula>, Outside> {
        let mut all = Vec::new();
        for operand in self.operands.clone() {
            // A record is read through its fields.
            let Ok(coded) = self.operand(&operand) else { continue };
            let is_empty = match &coded.shape {
                Shape::Text(text) => text.clone().equal(self.text("")),
                Shape::Open => self.is_empty(Elements::Open(operand))?,
                _ => continue,
            };
            all.push(coded.present.implies(!is_empty));
        }
        Ok(all)
    }

    fn is_empty(&mut self, elements: Elements) -> Result<Formula, Outside> {
        let name = format!("{elements:?} is empty");
        let part = Part { present: Formula::constant(true), elements };
        let none = Set::Values(Collection::default());
        self.includes(&name, Set::Values(Collection { parts: vec![part] }), none)
    }

    /// The elements that a label's level of an open lattice has, by the answers to propositions.
    pub(in crate::verify) fn elements_of(
        &self,
        run: usize,
        open: usize,
        answer: impl Fn(&str) -> bool,
    ) -> Vec<&Shape> {
        let elements = self.sets.elements.iter();
        let is_in = |name: &str| answer(&has(run, open, name));
        elements.filter(|(name, _)| is_in(name)).map(|(_, shape)| shape).collect()
    }
}
