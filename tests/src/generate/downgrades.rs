//! Downgrades of regions: what is lowered, to what, and when.

use rtbas_artifact::ir::{
    Alternative, ConditionId, Downgrade, DowngradeWord, LabelId, LabelPart, LabelRule, NodeId,
    Operand, SetTerm, ToolId, TypeId,
};
use rtbas_artifact::term::set_flows;

use crate::generate::conditions::{Place, Source};
use crate::generate::dice::Dice;
use crate::generate::tables::{Tables, constant_set, part};
use crate::monitor::Label;

/// A downgrade whose tool is not there yet.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The region.
    pub node: NodeId,
    from: LabelId,
    to: LabelId,
    /// What guards it.
    pub when: Option<ConditionId>,
    checked: Option<ConditionId>,
}

/// A place where a downgrade may be asked for.
#[derive(Debug)]
pub struct Asked<'a, 't> {
    /// What chooses.
    pub dice: &'a mut Dice<'t>,
    /// Where conditions and labels go.
    pub tables: &'a mut Tables,
    /// What can be read of facts and arguments.
    pub call: &'a [Source],
    /// That, and what stands around the region.
    pub around: &'a [Source],
}

impl Asked<'_, '_> {
    /// A downgrade of a region whose label always flows to `highest`.
    pub fn draft(&mut self, (node, ty): (NodeId, TypeId), highest: &Label) -> Draft {
        let Self { dice, tables, call, around } = self;
        let from = match dice.below(8) {
            0..=2 => tables.constant(&tables.space.top()),
            3..=5 => tables.constant(highest),
            _ => Place::new(dice, tables, call).bound(),
        };
        let to = to(dice, tables, call);
        let when = dice.chance(50).then(|| Place::new(dice, tables, around).condition(1));
        let bottom = tables.space.bottom();
        let mut own = Source::all(tables, &Operand::Field(Vec::new()), ty, &bottom);
        if dice.chance(30) {
            own.extend(call.iter().cloned());
        }
        let checked = dice.chance(52).then(|| Place::new(dice, tables, &own).condition(1));
        let to = lowered(tables, to, from);
        Draft { node, from, to, when, checked }
    }

    /// A downgrade all the way down that what stands around the region decides about, whatever the
    /// label of that: by a guard, or by a label of the region's own that is lowered only where it is
    /// the lower one.
    pub fn swayed(&mut self, (node, _): (NodeId, TypeId)) -> (Option<LabelRule>, Draft) {
        let (bottom, top) = (self.tables.space.bottom(), self.tables.space.top());
        let is_high = |source: &&Source| source.ceiling != bottom;
        let high: Vec<Source> = self.around.iter().filter(is_high).cloned().collect();
        let mut place = Place::new(self.dice, self.tables, &high);
        let (guard, read) = (place.condition(0), place.read);
        let to = self.tables.constant(&bottom);
        let top = self.tables.constant(&top);
        if self.dice.chance(50) {
            return (None, Draft { node, from: top, to, when: Some(guard), checked: None });
        }
        let low = self.tables.constant(&read);
        let alternatives = vec![Alternative { when: guard, label: low }];
        let label = LabelRule { alternatives, otherwise: top };
        (Some(label), Draft { node, from: low, to, when: None, checked: None })
    }
}

impl Draft {
    /// Sees to it that whatever decides about the downgrade flows to what is lowered (O3).
    pub fn raise(&mut self, tables: &mut Tables, read: &Label) {
        let Some(mut term) = tables.labels.get(self.to.index()).cloned() else { return };
        let space = tables.space.clone();
        let lowest = tables.bound(self.to, &space.bottom());
        for (place, (order, (level, &read))) in term
            .parts
            .iter_mut()
            .zip(space.orders().iter().zip(lowest.levels.iter().zip(&read.levels)))
        {
            if !order.flows(read, *level) {
                *place = part(order.join(read, *level).unwrap_or(order.top()));
            }
        }
        for (place, (open, (set, read))) in
            term.sets.iter_mut().zip(space.open().iter().zip(lowest.sets.iter().zip(&read.sets)))
        {
            if !open.flows(read, set) {
                *place = constant_set(&open.join(read, set));
            }
        }
        self.to = tables.label(term.parts, term.sets);
        self.from = raised(tables, self.to, self.from);
    }

    /// The downgrade, once its tool has a place.
    #[must_use]
    pub fn of(self, tool: ToolId, index: usize) -> Downgrade {
        Downgrade {
            name: format!("exception{index}"),
            word: match index % 2 {
                0 => DowngradeWord::Endorse,
                _ => DowngradeWord::Declassify,
            },
            tool,
            node: self.node,
            from: self.from,
            to: self.to,
            when: self.when,
            checked: self.checked,
            by: "nobody".to_owned(),
            because: "it is only a test".to_owned(),
        }
    }
}

/// What a label is lowered to: in each lattice the bottom, the top, or something else.
fn to(dice: &mut Dice<'_>, tables: &mut Tables, call: &[Source]) -> LabelId {
    if dice.chance(15) {
        return Place::new(dice, tables, call).bound();
    }
    let (bottom, top) = (tables.space.bottom(), tables.space.top());
    let pick = |dice: &mut Dice<'_>| dice.below(5);
    let levels: Vec<usize> = tables
        .space
        .orders()
        .iter()
        .zip(bottom.levels.iter().zip(&top.levels))
        .map(|(order, (&bottom, &top))| match pick(dice) {
            0..=2 => bottom,
            3 => top,
            _ => dice.below(order.levels().len()),
        })
        .collect();
    let mut sets: Vec<SetTerm> = Vec::new();
    for (open, (bottom, top)) in bottom.sets.iter().zip(&top.sets).enumerate() {
        let named = match pick(dice) {
            0 | 1 => Some(constant_set(bottom)),
            2 => Some(constant_set(top)),
            _ => Place::new(dice, tables, call).naming_set(open),
        };
        sets.push(named.unwrap_or_else(|| constant_set(bottom)));
    }
    tables.label(levels.into_iter().map(part).collect(), sets)
}

/// The first label with the bottom for each part of it that might not flow to that of the second.
fn lowered(tables: &mut Tables, low: LabelId, high: LabelId) -> LabelId {
    let bottom = tables.constant(&tables.space.bottom());
    replaced(tables, (low, high), low, bottom)
}

/// The second label with the top for each part of it that that of the first might not flow to.
fn raised(tables: &mut Tables, low: LabelId, high: LabelId) -> LabelId {
    let top = tables.constant(&tables.space.top());
    replaced(tables, (low, high), high, top)
}

/// A label with parts of another where those of the first of a pair might not flow to the second's.
fn replaced(
    tables: &mut Tables,
    (low, high): (LabelId, LabelId),
    label: LabelId,
    with: LabelId,
) -> LabelId {
    let term = |id: LabelId| tables.labels.get(id.index()).cloned();
    let (Some(low), Some(high), Some(mut term), Some(with)) =
        (term(low), term(high), term(label), term(with))
    else {
        return label;
    };
    let levels = term.parts.iter_mut().zip(with.parts).zip(tables.space.orders());
    for (((part, with), order), (low, high)) in levels.zip(low.parts.iter().zip(&high.parts)) {
        let flows = match (low, high) {
            (LabelPart::Level(low), LabelPart::Level(high)) => {
                order.flows(low.index(), high.index())
            }
            (LabelPart::Named(low), LabelPart::Named(high)) => low == high,
            (LabelPart::Named(_), LabelPart::Level(high)) => high.index() == order.top(),
            (LabelPart::Level(low), LabelPart::Named(_)) => low.index() == order.bottom(),
        };
        if !flows {
            *part = with;
        }
    }
    let sets = term.sets.iter_mut().zip(with.sets).zip(&tables.open);
    for (((set, with), open), (low, high)) in sets.zip(low.sets.iter().zip(&high.sets)) {
        if !set_flows(&tables.types, &[], open, low, high) {
            *set = with;
        }
    }
    tables.label(term.parts, term.sets)
}
