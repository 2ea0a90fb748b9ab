//! O2: stores launder nothing. Whatever a call that runs may write flows to the label of the cell
//! that it writes.
//!
//! Also the writes of O3: a write to a field that labels read does not lower a label of what is
//! there already. What a policy endorses is excused, for approved calls or for all.
//!
//! A rule that names no argument's label binds them all, so the label of the call stands for
//! whatever is written.

use rtbas_artifact::certificate::Method;
use rtbas_artifact::eval::{Scope, Side};
use rtbas_artifact::ir::{
    CellId, CellPart, Condition, ConditionId, Effect, LabelId, LabelRule, Operand, Policy, StoreId,
    Tool, ToolId, Write, WriteKind,
};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;
use rtbas_artifact::value::Value;

use super::decision::Decisions;
use super::encode::place::{Place, Record};
use super::encode::{Encoder, Outside};
use super::outcome::{All, Outcome};
use super::query::{Found, HIGH, LOW, find};
use super::robust::{choices, fields_read};
use super::term::Formula;
use super::witness::Call;

/// A call that runs, and a cell whose label does not hold afterwards.
#[derive(Debug)]
pub(super) struct Spill {
    pub(super) effect: Effect,
    pub(super) cell: CellId,
    pub(super) call: Call,
    pub(super) context: Label,
    /// What the record says by which the cell's label goes.
    pub(super) record: Value,
    pub(super) how: How,
}

#[derive(Debug)]
pub(super) enum How {
    /// What the call writes is above this label, the cell's.
    Written(Label),
    /// By writing that field the call lowers the cell's label from the first to the second, of a
    /// record that is then this.
    Relabelled(CellId, [Label; 2], Value),
}

/// Checks what one tool writes.
pub(super) fn check(program: &Program, id: ToolId, tool: &Tool) -> Vec<Outcome<Box<Spill>>> {
    let mut all = All::default();
    let checker = Checker { program, id, tool };
    // Cells of one label are written or not alike.
    let mut seen: Vec<(Effect, StoreId, &LabelRule)> = Vec::new();
    for write in &tool.writes {
        for effect in [Effect::Allow, Effect::Confirm] {
            if tool.rules.iter().all(|rule| rule.effect != effect)
                || is_endorsed(tool, write.cell, effect)
            {
                continue;
            }
            let Some(cell) = program.policy().cells.get(write.cell.index()) else { continue };
            let alike = (effect, cell.store, &cell.label);
            if !seen.contains(&alike) {
                seen.push(alike);
                all.add(checker.written(write, &cell.label, cell.store, effect));
            }
            if write.how != WriteKind::Adds
                && let CellPart::Field(name) = &cell.part
            {
                checker.relabellings(write, name, cell.store, effect, &mut all);
            }
        }
    }
    all.outcomes(Method::Form)
}

/// Whether the policy answers for what calls that run so write to a cell.
fn is_endorsed(tool: &Tool, cell: CellId, effect: Effect) -> bool {
    let speaks = |unasked| unasked || effect == Effect::Confirm;
    tool.endorsements.iter().any(|e| e.cells.contains(&cell) && speaks(e.unasked))
}

struct Checker<'p> {
    program: &'p Program,
    id: ToolId,
    tool: &'p Tool,
}

impl<'p> Checker<'p> {
    fn policy(&self) -> &'p Policy {
        self.program.policy()
    }

    /// The cells of a store whose labels read a field.
    fn readers(&self, store: StoreId, field: &str) -> Vec<(CellId, &'p LabelRule)> {
        let cells = (0..).map(CellId).zip(&self.policy().cells);
        let of_store = cells.filter(|(_, cell)| cell.store == store);
        let rules = of_store.map(|(id, cell)| (id, &cell.label));
        let reads = |rule: &LabelRule| {
            let read = fields_read(self.program, rule);
            read.iter().any(|path| path.first().is_some_and(|name| name == field))
        };
        rules.filter(|(_, rule)| reads(rule)).collect()
    }

    /// Whether a write to a field keeps the labels that read it. One witness is enough to show that
    /// it does not.
    fn relabellings(
        &self,
        write: &Write,
        field: &str,
        store: StoreId,
        effect: Effect,
        all: &mut All<Box<Spill>>,
    ) {
        let mut seen: Vec<&LabelRule> = Vec::new();
        for (cell, rule) in self.readers(store, field) {
            // Cells that are labelled alike are relabelled alike.
            if seen.contains(&rule) {
                continue;
            }
            seen.push(rule);
            let outcome = self.relabelled(write, field, (cell, rule), store, effect);
            let is_kept = matches!(outcome, Outcome::Proved { .. });
            all.add(outcome);
            if !is_kept {
                return;
            }
        }
    }

    /// Whether all that a call writes flows to a cell's label.
    fn written(
        &self,
        write: &Write,
        rule: &LabelRule,
        store: StoreId,
        effect: Effect,
    ) -> Outcome<Box<Spill>> {
        if self.is_bounded(rule, effect) {
            return Outcome::Proved { method: Method::Form, resource: 0 };
        }
        let spills = |encoder: &mut Encoder<'_>, call: &Place| {
            let record = self.after(encoder, store, call);
            let place = call.with(&record);
            let mut spills = Vec::new();
            for (label, chosen) in encoder.choices(rule, &place)? {
                let flows = encoder.flows_to(HIGH, label, Side::Data, &place)?;
                spills.push(Formula::and([chosen, !flows]));
            }
            Ok((Formula::or(spills), vec![record]))
        };
        self.ask(effect, spills, |call, context, mut records| {
            let record = records.pop()?;
            let label = self.label(&call, rule, store, &record)?;
            let is_above = !context.flows_to(&label);
            let how = How::Written(label);
            Some((Spill { effect, cell: write.cell, call, context, record, how }, is_above))
        })
    }

    /// Whether a write to a field keeps the label of another at or above what it was.
    fn relabelled(
        &self,
        write: &Write,
        field: &str,
        (cell, rule): (CellId, &LabelRule),
        store: StoreId,
        effect: Effect,
    ) -> Outcome<Box<Spill>> {
        let falls = |encoder: &mut Encoder<'_>, call: &Place| {
            let before = encoder.record(store);
            let mut after = before.clone();
            let written = self.after(encoder, store, call);
            after.extend(written.get_key_value(field).map(|(k, v)| (k.clone(), v.clone())));
            let (old, new) = (call.with(&before), call.with(&after));
            let mut falls = Vec::new();
            for (high, was) in encoder.choices(rule, &old)? {
                for (low, is) in encoder.choices(rule, &new)? {
                    let keeps = encoder.label_flows((high, &old), (low, &new), Side::Data)?;
                    falls.push(Formula::and([was.clone(), is, !keeps]));
                }
            }
            Ok((Formula::or(falls), vec![before, after]))
        };
        self.ask(effect, falls, |call, context, mut records| {
            let (after, before) = (records.pop()?, records.pop()?);
            let label = |record| self.label(&call, rule, store, record);
            let (was, is) = (label(&before)?, label(&after)?);
            let falls = !was.flows_to(&is);
            let how = How::Relabelled(write.cell, [was, is], after);
            Some((Spill { effect, cell, call, context, record: before, how }, falls))
        })
    }

    /// Looks for a call that is decided so and does what `spills` says; `show` says what it is, and
    /// whether the evaluator sees it, too.
    fn ask(
        &self,
        effect: Effect,
        spills: impl FnOnce(&mut Encoder<'_>, &Place) -> Result<(Formula, Vec<Record>), Outside>,
        show: impl FnOnce(Call, Label, Vec<Value>) -> Option<(Spill, bool)>,
    ) -> Outcome<Box<Spill>> {
        let search = || {
            let mut encoder = Encoder::new(self.program);
            let place = encoder.call(self.tool);
            let decided = Decisions::of(&mut encoder, self.tool, &place, HIGH)?.is(effect);
            encoder.floor(LOW)?;
            let (spills, records) = spills(&mut encoder, &place)?;
            let goal = Formula::and([decided, spills]);
            let solution = match find(&mut encoder, self.policy(), goal) {
                Found::Nothing { resource } => {
                    return Ok(Outcome::Proved { method: Method::Search, resource });
                }
                Found::Unknown { reason } => return Ok(Outcome::Unknown { reason }),
                Found::Something(solution) => solution,
            };
            solution.show(self.program, &encoder, |values, _, context| {
                let call = values.call(self.tool, &place);
                let is_decided = self.decide(&call, &context) == Some(effect);
                let records = records.iter().map(|record| values.record(record)).collect();
                let shown = show(call, context, records);
                let (spill, agrees) =
                    shown.ok_or_else(|| Outside("a record that cannot be shown".to_owned()))?;
                Ok(Outcome::replayed(Box::new(spill), agrees && is_decided, &encoder))
            })
        };
        search().unwrap_or_else(|Outside(reason)| Outcome::Unknown { reason })
    }

    /// A record of a store after the call: what it is said to hold, and else anything.
    fn after(&self, encoder: &mut Encoder<'_>, store: StoreId, call: &Place) -> Record {
        let mut record = encoder.record(store);
        for write in &self.tool.writes {
            let cell = self.policy().cells.get(write.cell.index());
            let Some(CellPart::Field(name)) =
                cell.filter(|cell| cell.store == store).map(|cell| &cell.part)
            else {
                continue;
            };
            let value = write.value.as_ref().and_then(|value| call.locate(value));
            if let Some(value) = value {
                record.insert(name.clone(), value);
            }
        }
        record
    }

    /// Whether each rule of an effect has a bound that flows to all that may come of a label.
    fn is_bounded(&self, label: &LabelRule, effect: Effect) -> bool {
        let policy = self.policy();
        let is_low = |bound: LabelId| {
            let term = |label: LabelId| {
                let term = policy.labels.get(label.index())?;
                // Facts are the same wherever they are read.
                let is_fixed =
                    |operand: &Operand| matches!(operand, Operand::Literal(_) | Operand::Fact(..));
                term.operands().all(is_fixed).then_some(term)
            };
            choices(label).all(|high| match (term(bound), term(high)) {
                (Some(low), Some(high)) => policy.surely_flows(low, high),
                _ => false,
            })
        };
        let bounded = |when: Option<ConditionId>| {
            when.is_some_and(|when| bounds(policy, when).into_iter().any(is_low))
        };
        effect == Effect::Allow
            && self.tool.rules.iter().all(|rule| rule.effect != effect || bounded(rule.when))
    }

    fn decide(&self, call: &Call, context: &Label) -> Option<Effect> {
        let facts = self.program.facts(call.facts.clone()).ok()?;
        let bound = self.program.bind(&self.tool.name, &call.arguments).ok()?;
        (bound.tool() == self.id).then(|| self.program.decide(&facts, &bound, context).effect)
    }

    /// The label of a cell of a record.
    fn label(
        &self,
        call: &Call,
        rule: &LabelRule,
        store: StoreId,
        record: &Value,
    ) -> Option<Label> {
        let facts = self.program.facts(call.facts.clone()).ok()?;
        let record = Some((store, record as &dyn rtbas_artifact::eval::Fields));
        let scope = Scope { facts: &facts, call: None, context: None, record };
        Some(self.program.rule_label(rule, &scope))
    }
}

/// The bounds that a condition asks for whatever else it asks.
fn bounds(policy: &Policy, when: ConditionId) -> Vec<LabelId> {
    match policy.conditions.get(when.index()) {
        Some(Condition::Context(bound)) => vec![*bound],
        Some(Condition::All(parts)) => {
            parts.iter().flat_map(|part| bounds(policy, *part)).collect()
        }
        _ => Vec::new(),
    }
}
