//! The engine as a [`Monitor`]: seals a policy, opens it again, and drives a session of it.

#![expect(clippy::expect_used, reason = "whoever drives a session out of order wrote a wrong test")]

use std::collections::BTreeMap;
use std::fmt;

use rtbas::{Cause, Decision, Permit, Receipt, Reply, Request, Session};
use rtbas_artifact::certificate::Certificate;
use rtbas_artifact::ir::{Effect, Policy};
use rtbas_artifact::label::Label as Code;
use rtbas_artifact::open::Requirements;
use rtbas_artifact::origin::{Origin, Origins};
use rtbas_artifact::seal::seal;
use rtbas_artifact::sets::{NameSet, SetLevel};
use rtbas_artifact::sign::{Signer, TrustedKeys};
use rtbas_artifact::value::Value;

use crate::monitor::{Call, Label, Message, Monitor, Names, Outcome, Region, Role, Ruling, View};

/// A key that guards nothing.
const KEY: [u8; 32] = [7; 32];

const SETTLED: &str = "every call is settled before the next step";
const OPEN: &str = "the call is open";

/// A session of the engine.
pub struct Engine {
    session: Session,
    /// For each call of the last output: what it may be settled with.
    tokens: Vec<Option<Token>>,
}

enum Token {
    Permit(Permit),
    Request(Request),
}

impl Engine {
    /// Seals a policy, opens it, and opens a session. No proof is asked for: most policies here are
    /// not ones that a compiler would let pass.
    ///
    /// # Errors
    /// A policy that is not valid, or facts that are not those it declares.
    pub fn new(policy: &Policy, facts: &BTreeMap<String, Value>) -> Result<Self, String> {
        let signer = Signer::hmac(&KEY).map_err(|e| e.to_string())?;
        let bytes = seal(policy, &origins(policy), &Certificate::default(), &[signer])
            .map_err(|e| e.to_string())?;
        let keys: TrustedKeys = Signer::hmac(&KEY).iter().map(Signer::trusted_key).collect();
        let anything = Requirements { minimum_version: 0, properties: Vec::new() };
        let engine = rtbas::Engine::open(&bytes, &keys, &anything).map_err(|e| e.to_string())?;
        let session = engine.session(facts.clone()).map_err(|e| e.to_string())?;
        Ok(Self { session, tokens: Vec::new() })
    }

    fn message(&self, message: &rtbas::Message) -> Message {
        let regions = message.regions();
        let region = |(i, region): (usize, &rtbas::LabelledRegion)| Region {
            path: region.path.clone(),
            label: self.levels(&region.label),
            parent: region.parent,
            text: (!regions.iter().any(|other| other.parent == Some(i)))
                .then(|| message.text().get(region.span.clone()).unwrap_or("?").to_owned()),
        };
        let call = |call: &rtbas::Call| Call {
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
        };
        Message {
            role: match message.role() {
                rtbas::Role::System => Role::System,
                rtbas::Role::User => Role::User,
                rtbas::Role::Assistant => Role::Assistant,
                rtbas::Role::Tool => Role::Tool,
            },
            existence: self.levels(message.existence()),
            text: message.text().to_owned(),
            calls: message.calls().iter().map(call).collect(),
            answers: message.answers(),
            regions: regions.iter().enumerate().map(region).collect(),
        }
    }

    /// The levels of a label; none if it is no label of the policy, which is a difference.
    fn levels(&self, label: &Code) -> Label {
        let program = self.session.artifact().program();
        let levels = program.space().levels(label).unwrap_or_default();
        let sets = (0..program.policy().open.len()).filter_map(|open| label.set(open));
        let names = |set: &SetLevel| match set.names() {
            NameSet::All => Names::All,
            NameSet::Listed(names) => Names::Of(names.iter().map(ToString::to_string).collect()),
        };
        Label {
            levels: levels.into_iter().map(|level| level.index()).collect(),
            sets: sets.map(names).collect(),
        }
    }

    fn ruling(&self, index: usize, decision: &Decision) -> Ruling {
        let reason = self.session.explain(index).expect("the last output has this call");
        let (effect, arguments, endorses) = match decision {
            Decision::Allow(permit) => (Effect::Allow, Some(permit.arguments()), &[][..]),
            Decision::Confirm(request) => {
                (Effect::Confirm, Some(request.arguments()), request.endorses())
            }
            Decision::Deny => (Effect::Deny, None, &[][..]),
        };
        Ruling {
            effect,
            rule: match &reason.cause {
                Cause::Rule(place) if reason.effect == effect => Some(rule(place.line)),
                Cause::Rule(_) => Some(usize::MAX),
                Cause::Call(_) => None,
            },
            label: reason.label,
            arguments: arguments.cloned(),
            endorses: endorses.to_vec(),
        }
    }
}

impl Monitor for Engine {
    fn system(&mut self, text: &str) {
        self.session.system(text).expect("system messages come first");
    }

    fn user(&mut self, text: &str) {
        self.session.user(text).expect(SETTLED);
    }

    fn view(&self) -> View {
        let view = self.session.view().expect(SETTLED);
        View {
            label: self.levels(view.label()),
            messages: view.messages().map(|message| self.message(message)).collect(),
        }
    }

    fn propose(&mut self, text: &str, calls: &[Call]) -> Vec<Ruling> {
        let view = self.session.view().expect(SETTLED);
        let call = |call: &Call| rtbas::Call {
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
        };
        let calls = calls.iter().map(call).collect();
        let decisions = self.session.propose(&view, text, calls).expect("the view is of now");
        let rulings = decisions.iter().enumerate().map(|(i, decision)| self.ruling(i, decision));
        let rulings = rulings.collect();
        self.tokens = decisions.into_iter().map(Token::of).collect();
        rulings
    }

    fn settle(&mut self, call: usize, approve: bool, outcome: &Outcome) -> Option<bool> {
        let session = &mut self.session;
        let permit = match self.tokens.get_mut(call)?.take()? {
            Token::Request(request) if !approve => {
                session.reject(request).expect(OPEN);
                return None;
            }
            Token::Request(request) => session.approve(request).expect(OPEN),
            Token::Permit(permit) => permit,
        };
        match outcome {
            Outcome::Returned(document) => {
                let receipt = session.result(permit, document.text()).expect(OPEN);
                Some(receipt == Receipt::Fits)
            }
            Outcome::Failed(text) => {
                session.failed(permit, text.as_str()).expect(OPEN);
                None
            }
            Outcome::Withdrawn => {
                session.withdraw(permit).expect(OPEN);
                None
            }
            Outcome::Dropped => {
                drop(permit);
                None
            }
        }
    }

    fn withdraw_all(&mut self) {
        self.session.withdraw_all();
    }

    fn reply(&mut self, text: &str) -> bool {
        let view = self.session.view().expect(SETTLED);
        self.session.reply(&view, text).expect("the view is of now") == Reply::Allow
    }
}

impl Token {
    fn of(decision: Decision) -> Option<Self> {
        match decision {
            Decision::Allow(permit) => Some(Self::Permit(permit)),
            Decision::Confirm(request) => Some(Self::Request(request)),
            Decision::Deny => None,
        }
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.session.fmt(f)
    }
}

/// The place of each rule tells which it is.
fn origins(policy: &Policy) -> Origins {
    let origin = |line: usize| Origin {
        file: 0,
        line: u32::try_from(line + 1).unwrap_or(u32::MAX),
        column: 1,
        text: format!("rule {line}"),
    };
    Origins {
        files: vec!["random.pol".to_owned()],
        rules: policy.tools.iter().map(|t| (0..t.rules.len()).map(origin).collect()).collect(),
    }
}

fn rule(line: u32) -> usize {
    usize::try_from(line).map_or(usize::MAX, |line| line.wrapping_sub(1))
}
