//! Why a call was decided as it was: for the host and the user, never for the model's history.

use std::fmt;

use rtbas_artifact::eval::{Bound, Scope, Side, Truth};
use rtbas_artifact::ir::{Condition, ConditionId, Effect, RuleId, Tool};
use rtbas_artifact::label::Label;

use crate::session::{Session, Slot};

/// Most regions that a reason names.
const MAX_REGIONS: usize = 8;

/// Why a call was decided as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The decision.
    pub effect: Effect,
    /// The tool that was called.
    pub tool: String,
    /// What decided.
    pub cause: Cause,
    /// The label that the call was decided at, in the policy's words.
    pub label: String,
    /// The regions that raised that label above what system and user wrote, first ones first.
    pub raised_by: Vec<Raised>,
    /// How many more there are.
    pub more_raised: usize,
    /// The smallest change that would let the call run unasked, if some rule could.
    pub remedy: Option<Remedy>,
}

/// What decided a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A rule of the policy.
    Rule(RulePlace),
    /// The call itself: an unknown tool or argument, a missing or mistyped one.
    Call(String),
}

/// Where a rule stands, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulePlace {
    /// The file, as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The rule as written.
    pub text: String,
}

/// A region that raised the label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// Index of its message in the history.
    pub message: usize,
    /// Its path in the message.
    pub path: String,
    /// Its label, in the policy's words.
    pub label: String,
}

/// What would have to change for a rule to allow the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The rule.
    pub rule: RulePlace,
    /// What it still needs, all of it.
    pub needs: Vec<Need>,
}

/// One thing that a rule needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// The model must not have seen these regions.
    Hidden {
        /// The bound that they exceed, in the policy's words.
        bound: String,
        /// The first of them.
        regions: Vec<Raised>,
        /// How many more there are.
        more: usize,
    },
    /// A condition on the arguments or the facts must hold.
    Condition(String),
}

impl Session {
    /// Why the call at that index of the last output was decided as it was. `None` if the last
    /// output has no such call.
    #[must_use]
    pub fn explain(&self, index: usize) -> Option<Reason> {
        let slot = self.slot(index)?;
        let program = self.artifact().program();
        let (raised_by, more_raised) = self.raised_above(self.floor(), &slot.label);
        let bound = program.bind(&slot.call.tool, &slot.call.arguments).ok();
        let tool = bound.as_ref().and_then(|bound| program.tool(bound.tool()));
        let (effect, cause) = match &slot.ruling {
            Ok(verdict) => {
                let place = bound.as_ref().zip(verdict.rule);
                let place = place.map(|(bound, rule)| self.place(bound, rule)).unwrap_or_default();
                (verdict.effect, Cause::Rule(place))
            }
            Err(error) => (Effect::Deny, Cause::Call(error.to_string())),
        };
        let remedy = match (effect, tool, &bound) {
            (Effect::Deny | Effect::Confirm, Some(tool), Some(bound)) => {
                self.remedy(slot, tool, bound)
            }
            _ => None,
        };
        Some(Reason {
            effect,
            tool: slot.call.tool.clone(),
            cause,
            label: program.show(&slot.label).to_string(),
            raised_by,
            more_raised,
            remedy,
        })
    }

    fn place(&self, bound: &Bound<'_>, rule: RuleId) -> RulePlace {
        let origins = self.artifact().origins();
        let origin = origins.rule(bound.tool(), rule);
        origin.map_or_else(RulePlace::default, |origin| RulePlace {
            file: origins.file(origin).to_owned(),
            line: origin.line,
            text: origin.text.clone(),
        })
    }

    /// The regions of the messages up to the output in question that exceed `bound`. A region is
    /// left out where its parent exceeds the bound by as much.
    fn raised_above(&self, bound: &Label, label: &Label) -> (Vec<Raised>, usize) {
        let program = self.artifact().program();
        let mut raised = Vec::new();
        let mut more = 0;
        if label.flows_to(bound) {
            return (raised, more);
        }
        for (message, entry) in self.seen_by_last_output().iter().enumerate() {
            for region in entry.regions() {
                let parent = region.parent.and_then(|parent| entry.regions().get(parent));
                let adds = parent
                    .is_none_or(|p| p.label.flows_to(bound) || !region.label.flows_to(&p.label));
                if region.label.flows_to(bound) || !adds {
                    continue;
                }
                if raised.len() < MAX_REGIONS {
                    let (path, label) = (region.path.clone(), program.show(&region.label));
                    raised.push(Raised { message, path, label: label.to_string() });
                } else {
                    more += 1;
                }
            }
        }
        (raised, more)
    }

    /// Of the rules that could allow the call, the one that needs least. A rule behind one that
    /// fires whatever the label is cannot.
    fn remedy(&self, slot: &Slot, tool: &Tool, bound: &Bound<'_>) -> Option<Remedy> {
        let program = self.artifact().program();
        let scope = |context| Scope {
            facts: self.facts(),
            call: Some(bound),
            context: Some(context),
            record: None,
        };
        let mut best: Option<(RuleId, Vec<Need>)> = None;
        for (rule, id) in tool.rules.iter().zip(0..) {
            match (rule.effect, rule.when) {
                (Effect::Allow, Some(when)) => {
                    let needs = self.needs(slot, tool, when, &scope(&slot.label));
                    let is_least = |needs: &Vec<Need>| {
                        best.as_ref().is_none_or(|(_, least)| needs.len() < least.len())
                    };
                    if let Some(needs) = needs.filter(is_least) {
                        best = Some((RuleId(id), needs));
                    }
                }
                // At the floor a condition on labels is as true as it can be.
                (Effect::Deny | Effect::Confirm, Some(when))
                    if program.holds(when, &scope(self.floor())) == Truth::False => {}
                (_, _) => break,
            }
        }
        best.map(|(rule, needs)| Remedy { rule: self.place(bound, rule), needs })
    }

    /// What a condition still needs to be true, as little as possible; `None` if nothing can be
    /// done about it.
    fn needs(
        &self,
        slot: &Slot,
        tool: &Tool,
        id: ConditionId,
        scope: &Scope<'_, '_>,
    ) -> Option<Vec<Need>> {
        let program = self.artifact().program();
        if program.holds(id, scope) == Truth::True {
            return Some(Vec::new());
        }
        match program.policy().conditions.get(id.index())? {
            Condition::All(parts) => {
                let parts = parts.iter().map(|&part| self.needs(slot, tool, part, scope));
                parts.collect::<Option<Vec<_>>>().map(|needs| needs.concat())
            }
            Condition::Any(parts) => {
                let parts = parts.iter().filter_map(|&part| self.needs(slot, tool, part, scope));
                parts.min_by_key(Vec::len)
            }
            Condition::Context(bound) => {
                let bound = program.label(*bound, Side::Bound, scope);
                // Even the words of system and user exceed the bound.
                if !self.floor().flows_to(&bound) {
                    return None;
                }
                let (regions, more) = self.raised_above(&bound, &slot.label);
                let bound = program.show(&bound).to_string();
                Some(vec![Need::Hidden { bound, regions, more }])
            }
            Condition::Compare(..)
            | Condition::In(..)
            | Condition::SubsetOf(..)
            | Condition::Present(_)
            | Condition::Matches(..)
            | Condition::Not(_) => {
                let text = program.show_condition(Some(tool), id).to_string();
                Some(vec![Need::Condition(text)])
            }
        }
    }
}

impl Default for RulePlace {
    /// A rule whose origin the artifact does not tell.
    fn default() -> Self {
        Self { file: "?".to_owned(), line: 0, text: "a rule".to_owned() }
    }
}

impl fmt::Display for RulePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` at {}:{}", self.text, self.file, self.line)
    }
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {}, {}: {}", self.message, self.path, self.label)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = match self.effect {
            Effect::Allow => "runs unasked",
            Effect::Confirm => "waits for the user",
            Effect::Deny => "is denied",
        };
        write!(f, "`{}` {decision}", self.tool)?;
        match &self.cause {
            Cause::Rule(place) => write!(f, " by {place}")?,
            Cause::Call(problem) => write!(f, ": {problem}")?,
        }
        write!(f, "\nlabel: {}", self.label)?;
        list(f, "raised by", &self.raised_by, self.more_raised)?;
        let Some(remedy) = &self.remedy else {
            return Ok(());
        };
        write!(f, "\nto run unasked by {}:", remedy.rule)?;
        remedy.needs.iter().try_for_each(|need| match need {
            Need::Condition(condition) => write!(f, "\n  `{condition}` must hold"),
            Need::Hidden { bound, regions, more } => {
                write!(f, "\n  the model must not have seen what exceeds {bound}")?;
                list(f, "  that is", regions, *more)
            }
        })
    }
}

fn list(f: &mut fmt::Formatter<'_>, title: &str, regions: &[Raised], more: usize) -> fmt::Result {
    for (i, region) in regions.iter().enumerate() {
        let head = if i == 0 { title } else { "" };
        write!(f, "\n{head:10} {region}")?;
    }
    if more > 0 {
        write!(f, "\n{:10} and {more} more", "")?;
    }
    Ok(())
}
