//! What a source puts into a session: the label that it gets, and the raw one, which no downgrade
//! lowered.

use std::collections::BTreeSet;

use rtbas_artifact::eval::Side;
use rtbas_artifact::ir::{CellId, Downgrade, LabelId, LabelRule, Node, Operand, StoreId, Tool};
use rtbas_artifact::label::Label;
use rtbas_artifact::program::Program;

use super::Exceptions;
use crate::verify::encode::label::{Joined, Part, Term};
use crate::verify::encode::place::{Place, Record};
use crate::verify::encode::{Encoder, Outside};
use crate::verify::source::{At, Source, rules};
use crate::verify::term::Formula;

/// A source, and whether the downgrade that speaks of it lowers its label.
#[derive(Clone, Debug)]
pub(super) struct Carrier {
    pub(super) source: Source,
    pub(super) lowered: bool,
    /// Whether its call comes after those of the others: more taint can keep a downgrade from
    /// applying.
    pub(super) late: bool,
    /// The label of what outsiders write, where it is theirs.
    pub(super) outside: Option<LabelId>,
    /// The label that it always has, if it has one.
    pub(super) constant: Option<Label>,
}

/// A carrier in a formula.
#[derive(Debug)]
pub(super) struct Carried {
    /// The call that returns it.
    pub(super) call: Place,
    /// For each region from the root: the record that begins there.
    pub(super) records: Vec<Option<(StoreId, Record)>>,
    /// What the downgrade checks.
    pub(super) value: Option<Operand>,
    /// The parts of its label.
    pub(super) label: Vec<Part>,
    /// The parts of its raw label.
    pub(super) raw: Vec<Part>,
    /// When it is so.
    pub(super) when: Formula,
    /// The cells that it shows.
    pub(super) cells: BTreeSet<CellId>,
}

/// The downgrade that speaks of a source.
pub(super) fn downgrade<'p>(
    program: &'p Program,
    source: &Source,
) -> Option<(usize, &'p Downgrade)> {
    let At::Region(chain) = &source.at else { return None };
    let node = chain.last()?.node;
    let mut all = program.policy().downgrades.iter().enumerate();
    all.find(|(_, downgrade)| (downgrade.tool, downgrade.node) == (source.tool, node))
}

impl Carrier {
    /// Whether a downgrade that a claim admits speaks of the source and does not lower it.
    pub(super) fn escapes(&self, program: &Program, via: &Exceptions) -> bool {
        let speaks = downgrade(program, &self.source);
        !self.lowered && speaks.is_some_and(|(id, _)| via.downgrades.contains(&id))
    }

    /// Says in a formula what is carried by a call in a context.
    pub(super) fn encode(
        &self,
        encoder: &mut Encoder<'_>,
        program: &Program,
        tool: &Tool,
        (via, context): (&Exceptions, &[Part]),
    ) -> Result<Carried, Outside> {
        let call = encoder.call(tool);
        let mut writer = Writer {
            encoder,
            program,
            tool,
            context,
            carried: Carried {
                call: call.clone(),
                records: Vec::new(),
                value: None,
                label: Vec::new(),
                raw: Vec::new(),
                when: Formula::constant(true),
                cells: BTreeSet::new(),
            },
        };
        match &self.source.at {
            At::Undivided => writer.both(vec![top()]),
            At::Failure => {
                let parts = writer.choices(&tool.errors, &call)?;
                writer.both(parts);
            }
            At::Region(_) => writer.region(self, via)?,
        }
        if let Some(label) = self.outside {
            let always = Formula::constant(true);
            // A downgrade lowers what they wrote like anything else.
            let part = Part::one(always, label, &Place::default());
            if !self.lowered {
                writer.carried.label.push(part.clone());
            }
            writer.carried.raw.push(part);
        }
        Ok(writer.carried)
    }
}

fn top() -> Part {
    Part { present: Formula::constant(true), label: Joined::Top }
}

struct Writer<'w, 'p> {
    encoder: &'w mut Encoder<'p>,
    program: &'w Program,
    tool: &'w Tool,
    /// The label of the context in which the call is made.
    context: &'w [Part],
    carried: Carried,
}

impl Writer<'_, '_> {
    fn both(&mut self, parts: Vec<Part>) {
        self.carried.raw.extend(parts.clone());
        self.carried.label.extend(parts);
    }

    fn choices(&mut self, rule: &LabelRule, place: &Place) -> Result<Vec<Part>, Outside> {
        let choices = self.encoder.choices(rule, place)?;
        Ok(choices.into_iter().map(|(label, chosen)| Part::one(chosen, label, place)).collect())
    }

    fn region(&mut self, carrier: &Carrier, via: &Exceptions) -> Result<(), Outside> {
        let At::Region(chain) = &carrier.source.at else { return Ok(()) };
        let call = self.carried.call.clone();
        let mut around: Option<(StoreId, Record)> = None;
        let mut value = None;
        for (index, step) in chain.iter().enumerate() {
            let Some(node) = self.tool.nodes.get(step.node.index()) else { continue };
            value = match (&step.field, &value) {
                (Some(name), None) => around.as_ref().and_then(|(_, r)| r.get(name).cloned()),
                (Some(name), Some(value)) => under(value, name),
                (None, _) => None,
            };
            let begins = node.record_of.map(|store| (store, self.record(store, node)));
            if begins.is_some() {
                around.clone_from(&begins);
                value = None;
            }
            self.carried.records.push(begins);
            let place = match &around {
                Some((_, record)) => call.with(record),
                None => call.clone(),
            };
            let store = around.as_ref().map(|(store, _)| *store);
            let mut parts = self.node(node, store, &call, &place)?;
            let is_last = index + 1 == chain.len();
            if is_last && !self.tool.form.is_empty() && chain.len() > 1 {
                parts.extend(self.before(chain.first().map(|s| s.node), step.node, &call)?);
            }
            match downgrade(self.program, &carrier.source).filter(|_| is_last) {
                Some((id, downgrade)) => {
                    let own = match value.clone() {
                        Some(value) => value,
                        None => {
                            let ty = node.leaf().ok_or_else(|| {
                                Outside("a downgrade of one of several kinds".to_owned())
                            })?;
                            self.encoder.value(ty)
                        }
                    };
                    self.carried.value = Some(own.clone());
                    let places = (&place, &call.checking(own));
                    let applies = self.applies(downgrade, &parts, places)?;
                    let is_named = via.downgrades.contains(&id);
                    if carrier.lowered {
                        let lowered = self.lowered(&parts, (downgrade.to, place.clone()))?;
                        self.carried.when = applies;
                        self.carried.raw.extend(if is_named { lowered.clone() } else { parts });
                        self.carried.label.extend(lowered);
                    } else {
                        if is_named {
                            self.carried.when = !applies;
                        }
                        self.both(parts);
                    }
                }
                None => self.both(parts),
            }
        }
        Ok(())
    }

    /// A record of a store, of which the result shows what the region has fields for.
    fn record(&mut self, store: StoreId, node: &Node) -> Record {
        let mut record = self.encoder.record(store);
        let is_shown = |name: &String| node.records().flatten().any(|field| field.name == *name);
        record.retain(|name, _| is_shown(name));
        record
    }

    fn node(
        &mut self,
        node: &Node,
        store: Option<StoreId>,
        call: &Place,
        record: &Place,
    ) -> Result<Vec<Part>, Outside> {
        let mut parts = Vec::new();
        for rule in rules(self.program, node, store) {
            self.carried.cells.extend(rule.cell);
            let place = if rule.reads_record { record } else { call };
            parts.extend(self.choices(rule.label, place)?);
        }
        if node.shows.is_empty() && node.label.is_none() {
            parts.push(top());
        }
        Ok(parts)
    }

    /// In a text of a form, words of one field can end up in those behind it.
    fn before(
        &mut self,
        root: Option<rtbas_artifact::ir::NodeId>,
        node: rtbas_artifact::ir::NodeId,
        call: &Place,
    ) -> Result<Vec<Part>, Outside> {
        let root = root.and_then(|root| self.tool.nodes.get(root.index()));
        let fields = root.into_iter().flat_map(|root| root.records().flatten());
        let earlier = fields.map(|field| field.node).take_while(|earlier| *earlier != node);
        let mut parts = Vec::new();
        for earlier in earlier.collect::<Vec<_>>() {
            if let Some(earlier) = self.tool.nodes.get(earlier.index()) {
                parts.extend(self.node(earlier, None, call, call)?);
            }
        }
        Ok(parts)
    }

    /// When a downgrade lowers a label: it flows to where that begins, and the guards hold.
    fn applies(
        &mut self,
        downgrade: &Downgrade,
        parts: &[Part],
        (place, own): (&Place, &Place),
    ) -> Result<Formula, Outside> {
        let mut all = Vec::new();
        for part in parts.iter().chain(self.context) {
            let flows = match &part.label {
                Joined::Top => return Ok(Formula::constant(false)),
                Joined::Terms(terms, _) => {
                    let mut flows = Vec::new();
                    for (label, at) in terms {
                        let (low, high) = ((*label, at), (downgrade.from, place));
                        flows.push(self.encoder.label_flows(low, high, Side::Bound)?);
                    }
                    Formula::and(flows)
                }
            };
            all.push(part.present.clone().implies(flows));
        }
        for (guard, place) in [(downgrade.when, place), (downgrade.checked, own)] {
            if let Some(guard) = guard {
                all.push(self.encoder.condition(guard, usize::MAX, place)?.yes);
            }
        }
        Ok(Formula::and(all))
    }

    /// The parts of a label that is lowered: each way in which its rules may choose, met with where
    /// the downgrade ends.
    fn lowered(&mut self, parts: &[Part], to: Term) -> Result<Vec<Part>, Outside> {
        /// More ways than that are not looked at.
        const WAYS: usize = 256;
        let floor = self.encoder.floor_parts();
        let floor = floor.iter().flat_map(Part::terms).cloned().collect();
        let mut ways: Vec<(Formula, Vec<Term>)> = vec![(Formula::constant(true), floor)];
        for part in parts {
            let Joined::Terms(terms, _) = &part.label else { continue };
            let mut longer = Vec::new();
            for (chosen, joined) in ways {
                let with = joined.iter().chain(terms).cloned().collect();
                longer.push((Formula::and([chosen.clone(), part.present.clone()]), with));
                longer.push((Formula::and([chosen, !part.present.clone()]), joined));
            }
            ways = longer;
            if ways.len() > WAYS {
                return Err(Outside("a downgrade of a label with many alternatives".to_owned()));
            }
        }
        let met =
            |(present, joined)| Part { present, label: Joined::Terms(joined, Some(to.clone())) };
        Ok(ways.into_iter().map(met).collect())
    }
}

/// A field in what an operand reads.
fn under(operand: &Operand, name: &str) -> Option<Operand> {
    let longer = |path: &[String]| path.iter().cloned().chain([name.to_owned()]).collect();
    match operand {
        Operand::Fact(fact, path) => Some(Operand::Fact(*fact, longer(path))),
        Operand::Argument(argument, path) => Some(Operand::Argument(*argument, longer(path))),
        Operand::Literal(_) | Operand::Field(_) | Operand::Derived(..) => None,
    }
}
