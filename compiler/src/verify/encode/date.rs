//! Dates and times as numbers: days and seconds, tied to the texts that they are written as.
//!
//! A date is one text for one number, so the two are equal together. A time is many texts for one
//! number; a policy compares the numbers alone. Where a text that may be no date at all is also
//! matched with patterns, what the solver finds may be no call, and is not shown.

use rtbas_artifact::date::{END, START, date_of, time_of};
use rtbas_artifact::decimal::Decimal;
use rtbas_artifact::function::Function;
use rtbas_artifact::value::Value;

use super::pattern::{Equal, variable};
use super::{Encoder, Outside};
use crate::verify::term::{Formula, Number};
use crate::verify::z3::Assignment;

/// A text that is read as a date or a time.
#[derive(Clone, Debug)]
pub(super) struct Dated {
    pub(super) function: Function,
    /// The variable.
    pub(super) of: String,
    /// When the text is one.
    pub(super) parses: Formula,
    /// The variable for the number.
    value: String,
}

impl Dated {
    pub(super) fn number(&self) -> Number {
        Number::Variable { name: self.value.clone(), whole: self.function == Function::Date }
    }

    /// A text for the number that the solver chose.
    pub(super) fn text(&self, found: &Assignment) -> Result<String, Outside> {
        let number = match found.numbers.get(&self.value) {
            Some(number) => *number,
            None => Some(0.into()),
        };
        let text = number.and_then(|number| match self.function {
            Function::Date => whole(number).and_then(date_of),
            _ => time_of(number),
        });
        text.ok_or_else(|| Outside("a time between two that are too close".to_owned()))
    }
}

fn whole(number: Decimal) -> Option<i64> {
    let (coefficient, exponent) = number.parts();
    let power = 10_i128.checked_pow(u32::try_from(exponent).ok()?)?;
    i64::try_from(coefficient.checked_mul(power)?).ok()
}

impl Encoder<'_> {
    /// A variable text read as a date or a time; it always is one, if its type says so.
    pub(super) fn dated(&mut self, function: Function, of: &str, always: bool) -> Dated {
        let known = self.dates.iter().find(|known| known.function == function && known.of == of);
        if let Some(known) = known {
            return known.clone();
        }
        let value = format!("{} of {of}", function.name());
        let parses = match always {
            true => Formula::constant(true),
            false => Formula::variable(format!("{of} is {}", function.name())),
        };
        let dated = Dated { function, of: of.to_owned(), parses, value };
        let unit = if function == Function::Date { 86_400 } else { 1 };
        let [start, end] = [START, END].map(|end| Number::Constant((end / unit).into()));
        let possible = [!dated.number().less(start), dated.number().less(end)];
        self.background.insert(dated.value.clone(), Formula::and(possible));
        self.dates.push(dated.clone());
        dated
    }

    /// Ties numbers to the texts that they are written as.
    pub(super) fn tie_dates(&self, assertions: &mut Vec<Formula>) {
        let equal = Equal::of(assertions);
        for (i, dated) in self.dates.iter().enumerate() {
            let group = equal.group_of(dated.of.clone());
            let one_text = dated.function == Function::Date;
            // All constants, since a number stands for its constant whether or not it is compared.
            for (text, constant) in &self.texts {
                let text = Value::Text(text.clone());
                let is = variable(&dated.of).equal(Number::Constant((*constant).into()));
                let number = match dated.function.of(&text) {
                    Some(Value::Number(number)) => Number::Constant(number),
                    _ => {
                        assertions.push(is.implies(!dated.parses.clone()));
                        continue;
                    }
                };
                let same = Formula::and([dated.parses.clone(), dated.number().equal(number)]);
                assertions.push(match one_text {
                    true => is.same(same),
                    false => is.implies(same),
                });
            }
            let of_same =
                |other: &&Dated| other.function == dated.function && group.contains(&other.of);
            for other in self.dates.iter().skip(i + 1).filter(of_same) {
                let is = variable(&dated.of).equal(variable(&other.of));
                let parse = dated.parses.clone().same(other.parses.clone());
                let number = dated.number().equal(other.number());
                assertions.push(is.clone().implies(Formula::and([parse, number.clone()])));
                if one_text {
                    let both = [dated.parses.clone(), other.parses.clone(), number];
                    assertions.push(Formula::and(both).implies(is));
                }
            }
        }
    }
}
