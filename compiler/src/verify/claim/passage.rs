//! Whether one thing that a tool returns gets through to a call or to the reply: the steps of which
//! flows are made.

use rtbas_artifact::certificate::Method;
use rtbas_artifact::ir::{Claim, Condition, Effect, LabelId, Target, ToolId};
use rtbas_artifact::label::Label;

use super::carrier::{Carrier, downgrade};
use super::{Breach, Exceptions, Goal, Prover, Sink};
use crate::verify::encode::label::Joined;
use crate::verify::encode::{Encoder, Outside};
use crate::verify::outcome::Outcome;
use crate::verify::source::Source;
use crate::verify::term::Node;

impl Prover<'_> {
    /// Whether no session lets a source through to a sink. The witness is one that does. What
    /// outsiders wrote is at or above the label of what they write, and counts only where its own
    /// label is.
    pub(in crate::verify) fn passage(
        &self,
        source: &Source,
        outside: Option<LabelId>,
        sink: Sink,
    ) -> Outcome<Box<Breach>> {
        let via = Exceptions::default();
        // Nothing is asked of the level: whatever the source brings is to get through.
        let claim = Claim {
            level: self.policy().messages.system,
            target: Target::Tool(source.tool),
            unless: None,
            via: Vec::new(),
        };
        let goal = Goal { claim: &claim, sink, via: &via, open: &[], ceilings: &[] };
        let mut resource = 0;
        for lowered in [true, false] {
            if lowered && downgrade(self.program, source).is_none() {
                continue;
            }
            let carrier =
                Carrier { source: source.clone(), lowered, late: false, outside, constant: None };
            match self.with(&goal, &[(None, carrier)], &[].into()) {
                Ok(Outcome::Proved { resource: spent, .. }) => resource += spent,
                Ok(other) => return other,
                Err(Outside(reason)) => return Outcome::Unknown { reason },
            }
        }
        Outcome::Proved { method: Method::Search, resource }
    }

    /// The label that a source always has, where it has one and its call is not refused: then no
    /// more than that label matters of it.
    pub(in crate::verify) fn constant_label(
        &self,
        source: &Source,
        outside: Option<LabelId>,
    ) -> Option<Label> {
        let tool = self.program.tool(source.tool)?;
        let refuses = tool.rules.iter().any(|rule| rule.effect == Effect::Deny);
        if refuses || downgrade(self.program, source).is_some() {
            return None;
        }
        let mut encoder = Encoder::new(self.program);
        let source = source.clone();
        let carrier = Carrier { source, lowered: false, late: false, outside, constant: None };
        let via = Exceptions::default();
        let floor = encoder.floor_parts();
        let carried = carrier.encode(&mut encoder, self.program, tool, (&via, &floor)).ok()?;
        let mut label = self.floor()?;
        for part in &carried.label {
            match (part.present.node(), &part.label) {
                (Node::Constant(false), _) => {}
                (Node::Constant(true), Joined::Top) => label = self.program.space().top().clone(),
                (Node::Constant(true), Joined::Terms(terms, None)) => {
                    for (term, _) in terms {
                        label.join_with(self.program.constant(*term)?);
                    }
                }
                _ => return None,
            }
        }
        Some(label)
    }

    /// The label that every context has at least, if it depends on nothing.
    fn floor(&self) -> Option<Label> {
        let messages = &self.policy().messages;
        let system = self.program.constant(messages.system)?;
        Some(system.join(self.program.constant(messages.user)?))
    }

    /// What the bounds of a sink say to a label. Two of which they say the same get through alike.
    pub(in crate::verify) fn bounds(&self, sink: Sink) -> Option<Vec<&Label>> {
        match sink {
            Sink::Reply => Some(vec![self.program.constant(self.policy().messages.reply)?]),
            Sink::Call(id, _) => self.bounds_of(id),
        }
    }

    fn bounds_of(&self, id: ToolId) -> Option<Vec<&Label>> {
        let tool = self.program.tool(id)?;
        let mut open: Vec<_> = tool.rules.iter().filter_map(|rule| rule.when).collect();
        let mut bounds = Vec::new();
        while let Some(id) = open.pop() {
            match self.policy().conditions.get(id.index())? {
                Condition::Context(label) => bounds.push(self.program.constant(*label)?),
                Condition::Not(inner) => open.push(*inner),
                Condition::All(parts) | Condition::Any(parts) => open.extend(parts),
                Condition::Compare(..)
                | Condition::In(..)
                | Condition::SubsetOf(..)
                | Condition::Present(_)
                | Condition::Matches(..) => {}
            }
        }
        Some(bounds)
    }
}
