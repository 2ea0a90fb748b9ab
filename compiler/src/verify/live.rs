//! Rules that do something: each can be the first that fires, and none with a condition fires
//! always. Over all labels, arguments and facts, so that a change far away does not flip it.
//!
//! `always` and `otherwise` are what they say and are exempt, and so is an `allow` rule behind others
//! that lets all that is left through.

use rtbas_artifact::certificate::Method;
use rtbas_artifact::ir::{Effect, RuleId, Tool};
use rtbas_artifact::program::Program;

use super::decision::Decisions;
use super::encode::Encoder;
use super::outcome::{All, Outcome};
use super::query::{Found, HIGH, find};
use super::term::Formula;
use super::trial::Trial;

/// A rule that does nothing, or says what it does not mean.
#[derive(Debug)]
pub(super) struct Idle {
    pub(super) rule: RuleId,
    pub(super) why: Why,
}

#[derive(Debug)]
pub(super) enum Why {
    /// Its condition never makes it fire.
    Never,
    /// Wherever it would fire, one of these does before it.
    Shadowed(Vec<RuleId>),
    /// It fires always.
    Always,
}

/// Checks the rules of one tool.
pub(super) fn check(program: &Program, tool: &Tool) -> Vec<Outcome<Idle>> {
    let space = program.space();
    let trial = Trial::plain(program, tool);
    let tried: Vec<Vec<bool>> = [space.bottom(), space.top()]
        .into_iter()
        .filter_map(|label| trial.fires(program, tool, |_| label.clone()))
        .map(|rules| rules.into_iter().map(|(_, fires)| fires).collect())
        .collect();
    let mut all = All::default();
    for (index, rule) in tool.rules.iter().enumerate() {
        if rule.when.is_none() {
            continue;
        }
        let decides = |fires: &Vec<bool>| fires.iter().position(|fires| *fires) == Some(index);
        let rests = |fires: &Vec<bool>| fires.get(index) == Some(&false);
        let judge = Judge { program, tool, index };
        let why = match if tried.iter().any(decides) { Ok(None) } else { judge.silent() } {
            // `allow otherwise` there is not, so a bound that all flows to is the way to say it.
            Ok(None) if rule.effect == Effect::Allow && index > 0 => Ok(None),
            Ok(None) if !tried.iter().any(rests) => judge.constant(),
            other => other,
        };
        all.add(match why {
            Ok(None) => Outcome::Proved { method: Method::Instance, resource: 0 },
            Ok(Some(why)) => {
                let rule = RuleId(u32::try_from(index).unwrap_or(u32::MAX));
                Outcome::Refuted(Idle { rule, why })
            }
            Err(reason) => Outcome::Unknown { reason },
        });
    }
    all.outcomes(Method::Instance)
}

/// Asks the solver about one rule.
struct Judge<'p> {
    program: &'p Program,
    tool: &'p Tool,
    index: usize,
}

impl Judge<'_> {
    /// Why the rule is never the first to fire, if it is not.
    fn silent(&self) -> Result<Option<Why>, String> {
        let index = self.index;
        let this = |all: &Decisions| all.0.get(index).map(|rule| rule.alone.clone());
        if self.is_possible(|all| all.0.get(index).map(|rule| rule.first.clone()))? {
            return Ok(None);
        }
        if !self.is_possible(this)? {
            return Ok(Some(Why::Never));
        }
        // One rule that covers it says more than all that stand above it.
        for earlier in 0..index {
            let escapes = |all: &Decisions| {
                Some(Formula::and([this(all)?, !all.0.get(earlier)?.alone.clone()]))
            };
            if !self.is_possible(escapes)? {
                return Ok(Some(Why::Shadowed(ids(earlier..=earlier))));
            }
        }
        Ok(Some(Why::Shadowed(ids(0..=index.saturating_sub(1)))))
    }

    /// Whether the rule fires whatever the label and the values are.
    fn constant(&self) -> Result<Option<Why>, String> {
        let index = self.index;
        let is_idle = |all: &Decisions| all.0.get(index).map(|rule| !rule.alone.clone());
        Ok((!self.is_possible(is_idle)?).then_some(Why::Always))
    }

    fn is_possible(&self, goal: impl Fn(&Decisions) -> Option<Formula>) -> Result<bool, String> {
        let mut encoder = Encoder::new(self.program);
        let place = encoder.call(self.tool);
        let decisions = Decisions::of(&mut encoder, self.tool, &place, HIGH);
        let decisions = decisions.map_err(|outside| outside.0)?;
        let goal = goal(&decisions).unwrap_or_else(|| Formula::constant(false));
        match find(&mut encoder, self.program.policy(), goal) {
            Found::Nothing { .. } => Ok(false),
            Found::Something(_) => Ok(true),
            Found::Unknown { reason } => Err(reason),
        }
    }
}

fn ids(indices: std::ops::RangeInclusive<usize>) -> Vec<RuleId> {
    indices.map(|index| RuleId(u32::try_from(index).unwrap_or(u32::MAX))).collect()
}
