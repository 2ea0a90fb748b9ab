//! `never` claims: over all sessions, no matter who wrote what, nothing at or above a level reaches
//! the target unless the exceptions hold.
//!
//! Labels of cells are declared and decisions are antitone, so what may come into any session may
//! come into one whose context is the floor: there is no session to unroll. A level is reached if
//! for each *ceiling* of it (a level that it does not flow to, and that no larger such level is
//! above of) something is carried in that does not flow there either; so one carrier for each
//! ceiling is enough. What downgrades and endorsements lower still carries its raw label.
//!
//! A claim is first asked of any context at all; that is what proves most. Only where that fails,
//! carriers are sought.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::certificate::Method;
use rtbas_artifact::eval::Side;
use rtbas_artifact::ir::{
    CellId, Claim, ConditionId, Effect, Exception, LabelId, LabelPart, Policy, SetTerm, Target,
    Tool, ToolId,
};
use rtbas_artifact::label::Label;
use rtbas_artifact::lattice::LevelId;
use rtbas_artifact::program::Program;

use super::decision::Decisions;
use super::encode::place::Place;
use super::encode::{Encoder, Outside};
use super::outcome::Outcome;
use super::query::{Found, HIGH, LOW, find};
use super::source::{Source, sources};
use super::term::{Formula, Node};
use carrier::{Carried, Carrier, downgrade};
use session::Tainted;
pub(super) use session::{Answer, Breach, Returned, Taint};
pub(super) use steered::Steered;
use taint::is_tainted;

mod carrier;
mod session;
mod passage;
mod steered;
mod taint;

/// The run whose label is the floor, at which the calls are made that carry something in.
const FLOOR: usize = 2;

/// Up to so many combinations of carriers are asked about as they are.
const FEW: usize = 64;

/// More carriers together are not sought.
const COMBINATIONS: usize = 16_384;

/// What a claim lets pass: these downgrades, and what approving calls of these tools endorses.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Exceptions {
    downgrades: BTreeSet<usize>,
    approvals: BTreeSet<ToolId>,
}

/// A level of a closed lattice that the level of a claim does not flow to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ceiling {
    lattice: usize,
    level: LevelId,
}

/// What a claim is about: a call, or the reply.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sink {
    /// A call of a tool that is decided so.
    Call(ToolId, Effect),
    Reply,
}

/// Proves the claims of a policy.
pub(super) struct Prover<'p> {
    program: &'p Program,
    /// What may come in, with the label that it always has, if it has one.
    sources: Vec<(Source, Option<Label>)>,
    tainted: RefCell<BTreeMap<(Exceptions, Ceiling), Tainted>>,
}

impl<'p> Prover<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let mut prover = Self { program, sources: Vec::new(), tainted: RefCell::default() };
        let labelled = |source| {
            let label = prover.constant_label(&source, None);
            (source, label)
        };
        prover.sources = sources(program).into_iter().map(labelled).collect();
        prover
    }

    fn policy(&self) -> &'p Policy {
        self.program.policy()
    }

    /// Whether a claim holds.
    pub(super) fn check(&self, claim: &Claim) -> Outcome<Box<Breach>> {
        let prove = || {
            let mut resource = 0;
            for sink in self.sinks(&claim.target) {
                match self.reaches(claim, sink)? {
                    Outcome::Proved { resource: spent, .. } => resource += spent,
                    other => return Ok(other),
                }
            }
            Ok(Outcome::Proved { method: Method::Search, resource })
        };
        prove().unwrap_or_else(|Outside(reason)| Outcome::Unknown { reason })
    }

    /// Whether nothing that comes into a session is at the level of a claim, so that it says
    /// nothing about the rules.
    pub(super) fn is_vacuous(&self, claim: &Claim) -> bool {
        let via = exceptions(self.policy(), &claim.via);
        let Ok(ceilings) = self.ceilings(claim.level) else { return false };
        ceilings.into_iter().any(|ceiling| {
            let tainted = self.tainted(&via, ceiling).unwrap_or_default();
            let carriers = self.carriers(&via, Some((ceiling, Some(&tainted))));
            carriers.is_ok_and(|carriers| carriers.is_empty())
        })
    }

    fn sinks(&self, target: &Target) -> Vec<Sink> {
        let writers = |is_it: &dyn Fn(CellId) -> bool| {
            let tools = self.policy().tools.iter().zip(0..);
            let writes = |tool: &Tool| tool.writes.iter().any(|write| is_it(write.cell));
            let writers = tools.filter(|(tool, _)| writes(tool));
            writers.map(|(_, id)| Sink::Call(ToolId(id), Effect::Allow)).collect()
        };
        match target {
            // Until parts of a context can be handed on by themselves, an argument is as high as the
            // whole call.
            Target::Tool(tool) | Target::Argument(tool, _) => {
                vec![Sink::Call(*tool, Effect::Allow)]
            }
            Target::Reply => vec![Sink::Reply],
            Target::Store(store) => writers(&|cell| {
                self.policy().cells.get(cell.index()).is_some_and(|cell| cell.store == *store)
            }),
            Target::Cell(cell) => writers(&|written| written == *cell),
        }
    }

    fn reaches(&self, claim: &Claim, sink: Sink) -> Result<Outcome<Box<Breach>>, Outside> {
        let via = exceptions(self.policy(), &claim.via);
        let ceilings = self.ceilings(claim.level)?;
        let mut tainted = BTreeMap::new();
        for ceiling in &ceilings {
            tainted.insert(*ceiling, self.tainted(&via, *ceiling)?);
        }
        let open = self.open_part(claim.level);
        let goal = Goal { claim, sink, via: &via, open: &open, ceilings: &ceilings };
        let loose: Vec<Ceiling> = ceilings
            .iter()
            .filter(|ceiling| self.is_loose(&via, **ceiling, &tainted))
            .copied()
            .collect();
        if let Found::Nothing { resource } = self.any_context(&goal, &loose)? {
            return Ok(Outcome::Proved { method: Method::Search, resource });
        }
        self.by_carriers(&goal, &tainted)
    }

    /// The ceilings of a level, but those that the floor is above of already.
    fn ceilings(&self, level: LabelId) -> Result<Vec<Ceiling>, Outside> {
        let by_value = || Outside("a label that names a level by a value".to_owned());
        let mut found = Vec::new();
        for (index, lattice) in self.policy().lattices.iter().enumerate() {
            let part = |label: LabelId| {
                let term = self.policy().labels.get(label.index())?;
                match term.parts.get(index)? {
                    LabelPart::Level(level) => Some(*level),
                    LabelPart::Named(_) => None,
                }
            };
            let messages = &self.policy().messages;
            let claimed = part(level).ok_or_else(by_value)?;
            let floor = [messages.system, messages.user].map(part);
            let [Some(system), Some(user)] = floor else { return Err(by_value()) };
            let below: Vec<LevelId> =
                lattice.ids().filter(|other| !lattice.flows(claimed, *other)).collect();
            let is_largest = |level: &LevelId| {
                below.iter().all(|other| other == level || !lattice.flows(*level, *other))
            };
            let has =
                |level: &LevelId| !lattice.flows(system, *level) || !lattice.flows(user, *level);
            let largest = below.iter().filter(|level| is_largest(level) && !has(level));
            found.extend(largest.map(|level| Ceiling { lattice: index, level: *level }));
        }
        Ok(found)
    }

    /// The open lattices in which a level says something.
    fn open_part(&self, level: LabelId) -> Vec<(usize, SetTerm)> {
        let term = self.policy().labels.get(level.index());
        let sets = term.map_or(&[][..], |term| &term.sets);
        let open = self.policy().open.iter().zip(sets).enumerate();
        let says = |term: &SetTerm, by_union: bool| match term {
            SetTerm::All => by_union,
            SetTerm::Of(names) => !by_union || !names.is_empty(),
        };
        open.filter(|(_, (lattice, set))| says(set, lattice.joins_by_union()))
            .map(|(index, (_, set))| (index, set.clone()))
            .collect()
    }

    /// Whether something may lie above a ceiling and be labelled below it.
    fn is_loose(
        &self,
        via: &Exceptions,
        ceiling: Ceiling,
        tainted: &BTreeMap<Ceiling, Tainted>,
    ) -> bool {
        tainted.get(&ceiling).is_some_and(|cells| !cells.is_empty()) || self.has_downgrades(via)
    }

    /// Whether there are downgrades that a claim does not let pass.
    fn has_downgrades(&self, via: &Exceptions) -> bool {
        (0..self.policy().downgrades.len()).any(|id| !via.downgrades.contains(&id))
    }

    /// Looks for a breach in any context above the floor, whether or not anything makes it so.
    fn any_context(&self, goal: &Goal<'_>, loose: &[Ceiling]) -> Result<Found, Outside> {
        let mut encoder = Encoder::new(self.program);
        let (_, sink) = goal.sink(&mut encoder, self.program, HIGH)?;
        let mut all = vec![sink];
        encoder.floor(LOW)?;
        for ceiling in goal.ceilings.iter().filter(|ceiling| !loose.contains(ceiling)) {
            all.push(!encoder.flows(HIGH, ceiling.lattice, ceiling.level));
        }
        if !self.has_downgrades(goal.via) && !self.has_endorsements(goal.via) {
            for (open, term) in goal.open {
                all.push(encoder.set_below(*open, term, HIGH)?);
            }
        }
        Ok(find(&mut encoder, self.policy(), Formula::and(all)))
    }

    fn has_endorsements(&self, via: &Exceptions) -> bool {
        let tools = self.policy().tools.iter().zip(0..);
        let counts = |(tool, id): (&Tool, u32)| {
            let is_excepted = via.approvals.contains(&ToolId(id));
            tool.endorsements.iter().any(|e| e.unasked || !is_excepted)
        };
        tools.into_iter().any(counts)
    }

    /// Looks for carriers that together reach the level, and a call that they let through.
    fn by_carriers(
        &self,
        goal: &Goal<'_>,
        tainted: &BTreeMap<Ceiling, Tainted>,
    ) -> Result<Outcome<Box<Breach>>, Outside> {
        let mut slots: Vec<Slot> = Vec::new();
        for ceiling in goal.ceilings {
            let cells = tainted.get(ceiling);
            let carriers = self.carriers(goal.via, Some((*ceiling, cells)))?;
            slots.push((Some(*ceiling), self.freest(goal, carriers)));
        }
        let (mut resource, mut unsure) = (0, None);
        // Something else may have to be read so that a downgrade does not apply.
        let has_late = slots.iter().any(|(_, carriers)| carriers.iter().any(|c| c.late));
        let rounds = if goal.open.is_empty() { usize::from(has_late) } else { 2 };
        for _ in 0..=rounds {
            if ways(&slots) > FEW {
                self.sift(goal, &mut slots, tainted);
            }
            for carriers in combinations(&slots)? {
                match self.with(goal, &carriers, tainted)? {
                    Outcome::Proved { resource: spent, .. } => resource += spent,
                    Outcome::Unknown { reason } => unsure = Some(reason),
                    other => return Ok(other),
                }
            }
            if rounds > 0 {
                slots.push((None, self.helpers(goal)?));
            }
        }
        // Of sets of names, more carriers might reach what these do not.
        let open = (!goal.open.is_empty()).then(|| {
            "a claim about who may read, or who had a say, and more than two results".into()
        });
        Ok(match unsure.or(open) {
            Some(reason) => Outcome::Unknown { reason },
            None => Outcome::Proved { method: Method::Search, resource },
        })
    }

    /// Leaves out what does not get through even by itself: with others it gets through no better.
    fn sift(&self, goal: &Goal<'_>, slots: &mut [Slot], tainted: &BTreeMap<Ceiling, Tainted>) {
        for (ceiling, carriers) in slots {
            carriers.retain(|carrier| {
                if carrier.late {
                    return true;
                }
                let alone = self.with(goal, &[(*ceiling, carrier.clone())], tainted);
                !matches!(alone, Ok(Outcome::Proved { .. }))
            });
        }
    }

    /// What may carry something above a ceiling, or anything.
    fn carriers(
        &self,
        via: &Exceptions,
        ceiling: Option<(Ceiling, Option<&Tainted>)>,
    ) -> Result<Vec<Carrier>, Outside> {
        let mut found = Vec::new();
        for (source, label) in &self.sources {
            let Some(tool) = self.program.tool(source.tool) else { continue };
            for lowered in [false, true] {
                if lowered && downgrade(self.program, source).is_none() {
                    continue;
                }
                let constant = label.clone().filter(|_| !lowered);
                let (source, outside) = (source.clone(), None);
                let carrier = Carrier { source, lowered, late: false, outside, constant };
                if let Some((ceiling, cells)) = ceiling {
                    let mut encoder = Encoder::new(self.program);
                    let floor = encoder.floor_parts();
                    let carried =
                        carrier.encode(&mut encoder, self.program, tool, (via, &floor))?;
                    if !self.may_exceed(&mut encoder, &carried, ceiling, cells)? {
                        continue;
                    }
                }
                if carrier.escapes(self.program, via) {
                    found.push(Carrier { late: true, ..carrier.clone() });
                }
                found.push(carrier);
            }
        }
        Ok(found)
    }

    /// What may be read besides: of what always has one label, once.
    fn helpers(&self, goal: &Goal<'_>) -> Result<Vec<Carrier>, Outside> {
        let mut helpers = self.carriers(goal.via, None)?;
        let mut known = BTreeSet::new();
        helpers.retain(|carrier| {
            !carrier.late
                && carrier.constant.as_ref().is_none_or(|label| known.insert(label.clone()))
        });
        Ok(helpers)
    }

    /// Those of the carriers of one ceiling that get through wherever another one does: of two that
    /// always have the same label, only what the bounds of the sink say to it matters.
    fn freest(&self, goal: &Goal<'_>, carriers: Vec<Carrier>) -> Vec<Carrier> {
        let bounds = self.bounds(goal.sink).filter(|_| goal.open.is_empty());
        let Some(bounds) = bounds else { return carriers };
        let says = |carrier: &Carrier| {
            let label = carrier.constant.as_ref()?;
            Some(bounds.iter().map(|bound| label.flows_to(bound)).collect::<Vec<bool>>())
        };
        let is_at_least = |a: &[bool], b: &[bool]| a.iter().zip(b).all(|(a, b)| *a || !*b);
        let mut kept: Vec<(Carrier, Option<Vec<bool>>)> = Vec::new();
        for carrier in carriers {
            let says = says(&carrier);
            if let Some(says) = &says {
                let mut known = kept.iter().filter_map(|(_, known)| known.as_ref());
                if known.any(|known| is_at_least(known, says)) {
                    continue;
                }
                kept.retain(|(_, known)| !known.as_ref().is_some_and(|k| is_at_least(says, k)));
            }
            kept.push((carrier, says));
        }
        kept.into_iter().map(|(carrier, _)| carrier).collect()
    }

    fn may_exceed(
        &self,
        encoder: &mut Encoder<'_>,
        carried: &Carried,
        ceiling: Ceiling,
        cells: Option<&Tainted>,
    ) -> Result<bool, Outside> {
        if is_tainted(carried, cells) {
            return Ok(true);
        }
        for part in &carried.raw {
            let is_never = matches!(part.present.node(), Node::Constant(false));
            if !is_never && self.exceeds(encoder, part, ceiling)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn exceeds(
        &self,
        encoder: &Encoder<'_>,
        part: &super::encode::label::Part,
        ceiling: Ceiling,
    ) -> Result<bool, Outside> {
        let level = encoder.part_level(part, ceiling.lattice)?;
        let lattice = self.policy().lattices.get(ceiling.lattice);
        Ok(lattice.is_none_or(|lattice| !lattice.flows(level, ceiling.level)))
    }

    /// Looks for a breach by these carriers.
    fn with(
        &self,
        goal: &Goal<'_>,
        carriers: &[Slotted],
        tainted: &BTreeMap<Ceiling, Tainted>,
    ) -> Result<Outcome<Box<Breach>>, Outside> {
        let mut encoder = Encoder::new(self.program);
        let mut label = encoder.floor_parts();
        let mut raw = label.clone();
        let mut all = Vec::new();
        let mut carried = Vec::new();
        let mut ordered: Vec<&Slotted> = carriers.iter().collect();
        ordered.sort_by_key(|(_, carrier)| carrier.late);
        for (index, (ceiling, carrier)) in ordered.iter().enumerate() {
            let Some(tool) = self.program.tool(carrier.source.tool) else { continue };
            let (run, context) = match carrier.late {
                false => (FLOOR, encoder.floor_parts()),
                true => (FLOOR + 1 + index, label.clone()),
            };
            let one = carrier.encode(&mut encoder, self.program, tool, (goal.via, &context))?;
            if run != FLOOR {
                encoder.join(run, context)?;
            }
            if let Some(ceiling) = ceiling
                && !is_tainted(&one, tainted.get(ceiling))
            {
                let mut exceeds = Vec::new();
                for part in &one.raw {
                    if self.exceeds(&encoder, part, *ceiling)? {
                        exceeds.push(part.present.clone());
                    }
                }
                all.push(Formula::or(exceeds));
            }
            all.push(runs(&mut encoder, tool, &one, run)?);
            label.extend(one.label.clone());
            raw.extend(one.raw.clone());
            carried.push(one);
        }
        let (call, sink) = goal.sink(&mut encoder, self.program, LOW)?;
        all.push(sink);
        for (open, term) in goal.open {
            all.push(encoder.set_below(*open, term, HIGH)?);
        }
        let floor = encoder.floor_parts();
        encoder.join(LOW, label)?;
        encoder.join(HIGH, raw)?;
        encoder.join(FLOOR, floor)?;
        let solution = match find(&mut encoder, self.policy(), Formula::and(all)) {
            Found::Nothing { resource } => {
                return Ok(Outcome::Proved { method: Method::Search, resource });
            }
            Found::Unknown { reason } => return Ok(Outcome::Unknown { reason }),
            Found::Something(solution) => solution,
        };
        solution.show(self.program, &encoder, |values, _, _| {
            let carriers = ordered.iter().map(|(_, carrier)| carrier).zip(&carried);
            let played = session::Player { program: self.program, goal, tainted }
                .play(values, carriers, &call);
            let (breach, agrees) =
                played.ok_or_else(|| Outside("values that cannot be shown".to_owned()))?;
            Ok(Outcome::replayed(Box::new(breach), agrees, &encoder))
        })
    }
}

/// When a carrier's call runs at the label of a run, and brings what it carries.
fn runs(
    encoder: &mut Encoder<'_>,
    tool: &Tool,
    carried: &Carried,
    run: usize,
) -> Result<Formula, Outside> {
    if tool.rules.iter().all(|rule| rule.effect != Effect::Deny) {
        return Ok(carried.when.clone());
    }
    let decisions = Decisions::of(encoder, tool, &carried.call, run)?;
    Ok(Formula::and([carried.when.clone(), !decisions.is(Effect::Deny)]))
}

fn exceptions(policy: &Policy, via: &[Exception]) -> Exceptions {
    let mut found = Exceptions::default();
    for exception in via {
        match exception {
            Exception::Downgrade(id) => {
                found.downgrades.insert(id.index());
            }
            Exception::Approval(None) => {
                let all = u32::try_from(policy.tools.len()).unwrap_or(u32::MAX);
                found.approvals.extend((0..all).map(ToolId));
            }
            Exception::Approval(Some(tool)) => {
                found.approvals.insert(*tool);
            }
        }
    }
    found
}

/// The carriers for one ceiling.
type Slot = (Option<Ceiling>, Vec<Carrier>);

/// In how many ways one carrier can be chosen for each slot.
fn ways(slots: &[Slot]) -> usize {
    slots.iter().fold(1, |ways, (_, carriers)| ways.saturating_mul(carriers.len()))
}

/// One carrier for each slot, in all ways.
fn combinations(slots: &[Slot]) -> Result<Vec<Vec<Slotted>>, Outside> {
    let mut all = vec![Vec::new()];
    for (ceiling, carriers) in slots {
        if all.len().saturating_mul(carriers.len()) > COMBINATIONS {
            return Err(Outside("a level that only many results together reach".to_owned()));
        }
        let with = |chosen: Vec<(Option<Ceiling>, Carrier)>| {
            carriers.iter().map(move |carrier| {
                let mut longer = chosen.clone();
                longer.push((*ceiling, carrier.clone()));
                longer
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    Ok(all)
}

/// A carrier, and the ceiling that it is to exceed, if one.
type Slotted = (Option<Ceiling>, Carrier);

/// What would break a claim.
struct Goal<'g> {
    claim: &'g Claim,
    sink: Sink,
    via: &'g Exceptions,
    open: &'g [(usize, SetTerm)],
    ceilings: &'g [Ceiling],
}

impl Goal<'_> {
    /// When the sink lets something through at the label of a run, and no exception holds.
    fn sink(
        &self,
        encoder: &mut Encoder<'_>,
        program: &Program,
        run: usize,
    ) -> Result<(Place, Formula), Outside> {
        let (place, passes) = match self.sink {
            Sink::Reply => {
                let place = Place::default();
                let reply = program.policy().messages.reply;
                let passes = encoder.flows_to(run, reply, Side::Bound, &place)?;
                (place, passes)
            }
            Sink::Call(id, effect) => {
                let no_tool = || Outside("a tool that there is not".to_owned());
                let tool = program.tool(id).ok_or_else(no_tool)?;
                let place = encoder.call(tool);
                let passes = Decisions::of(encoder, tool, &place, run)?.is(effect);
                (place, passes)
            }
        };
        let unless = |encoder: &mut Encoder<'_>, unless: ConditionId| {
            encoder.condition(unless, usize::MAX, &place).map(|truth| truth.yes)
        };
        let excepted = match self.claim.unless {
            Some(condition) => unless(encoder, condition)?,
            None => Formula::constant(false),
        };
        Ok((place, Formula::and([passes, !excepted])))
    }
}
