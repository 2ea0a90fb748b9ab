//! Theorem 1 of `docs/semantics.md`, tried on pairs of runs.
//!
//! # What is claimed
//!
//! Let b be a label with F ⊑ b. Two sessions of one policy and one set of facts are driven turn by
//! turn, with these premises:
//!
//! - the user writes the same in both (released events);
//! - the model is a function of its view: its next output is drawn from a hash of the messages in it;
//! - worlds differ only above b (T1): what comes of a call that is made in a turn at l ⊑ b is the
//!   same but for the regions of its result, or the text of its failure, whose label does not flow
//!   to b; where neither the root of a result nor a failure flows to b, also whether the call fails
//!   and whether the result has its shape. In turns at l ⋢ b anything may come of a call. That a
//!   result which b sees in part has its shape is the same in both worlds: it is told, not proved;
//! - what a downgrade brings to ⊑ b is the same in both (released events): a region that flows to b
//!   once it is lowered has one value, and one that does not passes the checks of its downgrades in
//!   both worlds or in neither. What else decides about a downgrade may differ above b;
//! - the user answers requests of turns at l ⊑ b alike, and others as the world likes.
//!
//! Stores are not modelled: that what a region shows at ⊑ b depends on nothing above it is the
//! premise here, and O2's business. The policies respect O3, where what decides about a
//! downgrade flows to what is lowered; nothing is asked of them besides.
//!
//! Then, at every step of the two runs:
//!
//! - l ⊑ b holds in both or in neither, and where it holds, both views are the same: bytes, labels
//!   and all;
//! - hence the outputs are the same, and so are the decisions on their calls, with the rules that
//!   made them and the arguments to run them with;
//! - View(H, b) with its labels is the same, also after turns at l ⋢ b. That is all there is to see
//!   at b: with the screener `all` a turn above b stays above b, so nothing that the two runs do
//!   from then on, different as it is, leaves a mark in it.
//!
//! That this test can fail is a test of its own: monitors that label too low are caught.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use proptest::num::u64::ANY;
use proptest::test_runner::{TestCaseError, TestRunner};
use rtbas_tests::engine::Engine;
use rtbas_tests::generate::dice::{Dice, tape};
use rtbas_tests::generate::sessions::{self, Step};
use rtbas_tests::generate::{Case, Style, cases};
use rtbas_tests::model::Model;
use rtbas_tests::model::flaw::Flaw;
use rtbas_tests::monitor::{Call, Label, Monitor, Ruling, View};

use super::runner::{config, sample};
use super::world::{Cut, Secrets, cuts, is_mixed};

/// Turns of a session.
const TURNS: usize = 8;

#[test]
fn what_is_above_a_label_leaves_no_mark_below_it() {
    let mut runner = TestRunner::new(config("suite/model/two_runs.txt"));
    let result = runner.run(&(cases(Style::Sound), ANY), |(case, seed)| {
        let engine = || Engine::new(&case.policy, &case.facts);
        let monitors = [engine(), engine()].map(|engine| engine.map_err(TestCaseError::fail));
        let [first, second] = monitors;
        two_runs(&case, seed, [Box::new(first?), Box::new(second?)])
            .map(drop)
            .map_err(TestCaseError::fail)
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn monitors_that_label_too_low_are_caught() {
    let cases: Vec<Case> = sample(Style::Sound).collect();
    let flaws = [
        Flaw::UnlabelledAtBottom,
        Flaw::OwnLabelInsteadOfCells,
        Flaw::UnfitAtCall,
        Flaw::FailureAtCall,
        Flaw::NamelessDataAtBottom,
        Flaw::UndefinedGuardHolds,
        Flaw::ContextOfLastMessage,
        Flaw::ValuesOfFormApart,
        Flaw::JoinIsMeet,
        Flaw::StrangeValueNamesNoOne,
        Flaw::DowngradeFromAnything,
        Flaw::DowngradeWithoutGuard,
        Flaw::DowngradeUnchecked,
        Flaw::UndefinedLowers,
    ];
    for flaw in flaws {
        let caught = |(seed, case): (u64, &Case)| {
            let flawed = || Box::new(Model::new(&case.policy, &case.facts, Some(flaw)));
            two_runs(case, seed, [flawed(), flawed()]).is_err()
        };
        assert!((0..).zip(&cases).any(caught), "{flaw:?} goes unnoticed");
    }
}

/// What is released is the value that passes the check. What decides about it is as low as what is
/// released, be it read by a guard, or by the label that is lowered only where it is low enough.
#[test]
fn downgrades_that_secrets_decide_about_are_caught() {
    for is_guarded in [true, false] {
        let cases: Vec<Case> = sample(Style::Swayed)
            .map(|mut case| {
                case.policy.downgrades.retain(|downgrade| downgrade.when.is_some() == is_guarded);
                case
            })
            .collect();
        let is_caught = |seed: u64, case: &Case| {
            let model = || Box::new(Model::new(&case.policy, &case.facts, None));
            two_runs(case, seed, [model(), model()]).is_err()
        };
        // Worlds that differ in just what decides are rare, so each policy has several.
        let caught = (0..32).any(|seed| cases.iter().any(|case| is_caught(seed, case)));
        assert!(caught, "guarded: {is_guarded}");
    }
}

#[test]
fn the_runs_are_about_something() {
    let mut seen = Seen::default();
    let mut cases = 0;
    for (seed, case) in (0..).zip(sample(Style::Sound)) {
        let model = || Box::new(Model::new(&case.policy, &case.facts, None));
        let now = two_runs(&case, seed, [model(), model()])
            .unwrap_or_else(|e| panic!("{e} {:#?}", case.policy));
        seen.low += now.low;
        seen.differ += now.differ;
        seen.mixed += now.mixed;
        cases += 1;
    }
    println!("{cases} cases, {seen:?}");
    assert!(seen.low * 2 > cases, "{seen:?}");
    assert!(seen.differ * 5 > cases, "{seen:?}");
    assert!(seen.mixed * 10 > cases, "{seen:?}");
}

/// What two runs were about.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Turns at ⊑ b with results.
    low: usize,
    /// Whether the runs ended with different histories.
    differ: usize,
    /// Whether some message was seen from b in part.
    mixed: usize,
}

/// One of the two runs.
struct Run<'a> {
    monitor: Box<dyn Monitor + 'a>,
    /// The model without mistakes, driven alongside: it says what is secret from b.
    model: Model<'a>,
    /// What makes the secrets of this world.
    tape: Vec<u32>,
    output: Option<(String, Vec<Call>)>,
    rulings: Vec<Ruling>,
}

/// Drives two sessions of a policy; says where they differ below b.
fn two_runs<'a>(
    case: &'a Case,
    seed: u64,
    monitors: [Box<dyn Monitor + 'a>; 2],
) -> Result<Seen, String> {
    let plan = tape(seed, 64);
    let plan = &mut Dice::new(&plan);
    let mut secrets = [seed.wrapping_add(1), seed.wrapping_add(2)].into_iter();
    let mut runs = monitors.map(|monitor| Run {
        monitor,
        model: Model::new(&case.policy, &case.facts, None),
        tape: tape(secrets.next().unwrap(), 4_000),
        output: None,
        rulings: Vec::new(),
    });
    let bound = bound(plan, &runs[0].model);
    let mut users = case.script.steps.iter().filter_map(|step| match step {
        Step::User(text) => Some(text.clone()),
        _ => None,
    });
    let mut seen = Seen::default();
    for turn in 0..TURNS {
        if plan.chance(25) || turn == 0 {
            let text = users.next().unwrap_or_else(|| format!("user {turn}"));
            for run in &mut runs {
                run.monitor.user(&text);
                run.model.user(&text);
            }
        }
        let low = turn_of(case, turn, seed, &bound, &mut runs)?;
        seen.low += usize::from(low && !runs[0].rulings.is_empty());
        let [first, second] = [&runs[0], &runs[1]].map(|run| run.cuts(&bound));
        if first != second {
            let pairs = first.iter().zip(&second).filter(|(first, second)| first != second);
            let pairs: Vec<_> = pairs.collect();
            let counts = (first.len(), second.len());
            return Err(format!("seen from {bound:?} after turn {turn}: {counts:?} {pairs:#?}"));
        }
        seen.mixed = seen.mixed.max(usize::from(is_mixed(&first)));
    }
    seen.differ = usize::from(runs[0].monitor.view() != runs[1].monitor.view());
    Ok(seen)
}

/// A label above the floor, and not the top if there is another.
fn bound(dice: &mut Dice<'_>, model: &Model<'_>) -> Label {
    let floor = model.view().label;
    let labels = model.space().labels();
    let labels: Vec<Label> = labels.iter().map(|label| model.space().join(&floor, label)).collect();
    let below_top: Vec<Label> =
        labels.iter().filter(|label| **label != model.space().top()).cloned().collect();
    dice.pick(&below_top).or(labels.first()).unwrap().clone()
}

/// One turn of both runs. Says whether it was at ⊑ b.
fn turn_of(
    case: &Case,
    turn: usize,
    seed: u64,
    bound: &Label,
    runs: &mut [Run<'_>; 2],
) -> Result<bool, String> {
    let views = [&runs[0], &runs[1]].map(|run| run.monitor.view());
    let low = views.each_ref().map(|view| runs[0].model.space().flows(&view.label, bound));
    if low[0] != low[1] || (low[0] && views[0] != views[1]) {
        let [first, second] = &views;
        return Err(format!("views of turn {turn} for {bound:?}:\n{first:#?}\n{second:#?}"));
    }
    for (run, view) in runs.iter_mut().zip(&views) {
        run.propose(case, view);
    }
    if low[0] && (runs[0].rulings != runs[1].rulings || runs[0].output != runs[1].output) {
        let [first, second] = [&runs[0].rulings, &runs[1].rulings];
        return Err(format!("decisions of turn {turn}:\n{first:#?}\n{second:#?}"));
    }
    for run in runs {
        run.settle(case, turn, low[0].then_some(seed), bound);
    }
    Ok(low[0])
}

impl Run<'_> {
    /// The model's part: an output that depends on its view and on nothing else.
    fn propose(&mut self, case: &Case, view: &View) {
        let mut hasher = DefaultHasher::new();
        for message in &view.messages {
            (message.role, &message.text, message.answers).hash(&mut hasher);
            format!("{:?}", message.calls).hash(&mut hasher);
        }
        let hash = hasher.finish();
        let tape = tape(hash, 200);
        let dice = &mut Dice::new(&tape);
        let text = format!("output {hash:016x}");
        let calls: Vec<Call> =
            (0..=dice.below(3)).map(|_| sessions::call(dice, &case.policy)).collect();
        self.rulings = self.monitor.propose(&text, &calls);
        self.model.propose(&text, &calls);
        self.output = Some((text, calls));
    }

    /// What comes of the calls. At ⊑ b it is the same in both worlds but for what b may not know.
    fn settle(&mut self, case: &Case, turn: usize, low: Option<u64>, bound: &Label) {
        let calls = self.output.iter().flat_map(|(_, calls)| calls.clone()).collect::<Vec<_>>();
        for (index, call) in calls.iter().enumerate() {
            let own = self.tape.split_off(self.tape.len().saturating_sub(100));
            let common =
                low.map(|seed| tape(seed ^ u64::try_from(1_000 + 10 * turn + index).unwrap(), 200));
            let dice = &mut Dice::new(common.as_ref().unwrap_or(&own));
            let approve = !dice.chance(20);
            let tool = sessions::tool(&case.policy, call);
            let mut outcome = sessions::outcome(dice, &case.policy, tool);
            if let (Some(_), Some(tool)) = (low, tool) {
                let (policy, model, dice) = (&case.policy, &self.model, Dice::new(&own));
                let mut secrets = Secrets { policy, model, call: index, tool, bound, dice };
                outcome = secrets.in_outcome(&outcome);
            }
            self.monitor.settle(index, approve, &outcome);
            self.model.settle(index, approve, &outcome);
        }
        self.monitor.withdraw_all();
        self.model.withdraw_all();
    }

    fn cuts(&self, bound: &Label) -> Vec<Cut> {
        cuts(&self.model, &self.monitor.view().messages, bound)
    }
}
