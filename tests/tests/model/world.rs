//! Two worlds that differ only above a label, and what one can see of a history from below it.

use rtbas_artifact::ir::{Format, NodeId, NodeKind, Policy, Tool};
use rtbas_artifact::value::Value;
use rtbas_tests::generate::dice::Dice;
use rtbas_tests::generate::results;
use rtbas_tests::model::Model;
use rtbas_tests::model::regions::Part;
use rtbas_tests::monitor::{Call, Label, Message, Outcome, Region, Role};
use rtbas_tests::written::{Document, Language, Written};

/// What in a world is secret from b: everything whose label does not flow to b. Whether a value
/// passes the check of a downgrade is told together with the value, so that is no secret.
pub(super) struct Secrets<'a, 't> {
    pub(super) policy: &'a Policy,
    /// The model, which says what the labels are.
    pub(super) model: &'a Model<'a>,
    /// The call of the last output that there are secrets in.
    pub(super) call: usize,
    pub(super) tool: &'a Tool,
    /// The label from which one looks (b).
    pub(super) bound: &'a Label,
    /// What makes the secrets of this world.
    pub(super) dice: Dice<'t>,
}

impl Secrets<'_, '_> {
    /// What comes of the call in this world, given what can come of it for all that b may know. Only
    /// where neither a result nor a failure tells b anything is it this world's to say which of them
    /// it is, and whether a result has its shape.
    pub(super) fn in_outcome(&mut self, plain: &Outcome) -> Outcome {
        let Self { model, call, tool, .. } = *self;
        let is_hidden = |label: &Label| !model.space().flows(label, self.bound);
        let failure_is_hidden = model.failure(call).is_some_and(|label| is_hidden(&label));
        match plain {
            Outcome::Failed(_) if failure_is_hidden => {
                Outcome::Failed(format!("failed with {}", self.dice.text()))
            }
            Outcome::Returned(document) => {
                let parts = model.parts(call, document);
                let root = parts.as_ref().and_then(|(_, regions)| regions.first());
                let root_is_hidden =
                    is_hidden(&root.map_or(model.space().top(), |root| root.label.clone()));
                match (parts, document) {
                    _ if root_is_hidden && failure_is_hidden && self.dice.chance(20) => {
                        Outcome::Failed(format!("failed with {}", self.dice.text()))
                    }
                    (Some((part, _)), _) if root_is_hidden => {
                        let other = results::document(&mut self.dice, self.policy, tool);
                        let passes = model.parts(call, &other).is_none_or(|(other, _)| {
                            self.passes_alike(part.node, &part.value, &other.value)
                        });
                        Outcome::Returned(if passes { other } else { document.clone() })
                    }
                    (None, _) if root_is_hidden && tool.format != Format::Text => {
                        let broken = format!("# {}\n", self.dice.text());
                        Outcome::Returned(Document::Broken(broken))
                    }
                    (Some((part, regions)), Document::Tree(language, written)) => {
                        let mut regions = regions.iter();
                        let written = self.in_part(*language, &part, written, &mut regions);
                        Outcome::Returned(Document::Tree(*language, written))
                    }
                    (Some((part, regions)), Document::Text(_)) if !tool.form.is_empty() => {
                        let other = self.in_form(&part, &regions);
                        other.map_or(plain.clone(), |text| Outcome::Returned(Document::Text(text)))
                    }
                    _ => plain.clone(),
                }
            }
            _ => plain.clone(),
        }
    }

    /// A text of a form, with other values where they are secret: from the first that is, but for
    /// those that downgrades release. What words of one value can do to those behind it, the secrets
    /// of this world do not do to what is released.
    fn in_form(&mut self, part: &Part, regions: &[Region]) -> Option<String> {
        let Self { model, call, tool, .. } = *self;
        let is_seen = |region: &Region| model.space().flows(&region.label, self.bound);
        let seen: Vec<bool> = regions.iter().skip(1).map(is_seen).collect();
        let other = results::fitting(&mut self.dice, self.policy, tool);
        let (other, _) = model.parts(call, &other)?;
        let (first, pieces) = tool.form.split_first()?;
        let pairs = part.below.iter().zip(&other.below).zip(&seen);
        let parts = pairs.map(|((plain, other), seen)| if *seen { plain } else { other });
        let text = |part: (&Part, &String)| format!("{}{}", part.0.text, part.1);
        let text = format!("{first}{}", parts.zip(pieces).map(text).collect::<String>());
        let (now, _) = model.parts(call, &Document::Text(text.clone()))?;
        let pairs = part.below.iter().zip(&now.below).zip(&seen);
        let mut kept = pairs.map(|((plain, now), seen)| match seen {
            true => plain.text == now.text,
            false => self.passes_alike(plain.node, &plain.value, &now.value),
        });
        kept.all(|kept| kept).then_some(text)
    }

    fn in_part<'r>(
        &mut self,
        language: Language,
        part: &Part,
        written: &Written,
        regions: &mut impl Iterator<Item = &'r Region>,
    ) -> Written {
        let region = regions.next().unwrap();
        let Self { model, tool, .. } = *self;
        if !model.space().flows(&region.label, self.bound) {
            regions.take(size(part) - 1).for_each(drop);
            let other = results::node(&mut self.dice, language, self.policy, tool, part.node);
            let value = model.read(tool, part.node, &other);
            let passes =
                value.is_none_or(|value| self.passes_alike(part.node, &part.value, &value));
            return if passes { other } else { written.clone() };
        }
        let mut below = part.below.iter();
        let kinds = tool.nodes.get(part.node.index()).map_or(&[][..], |node| &node.kinds);
        match written {
            Written::List(layout, items) => {
                let mut inside = |written: &Written| match below.next() {
                    Some(part) => self.in_part(language, part, written, regions),
                    None => written.clone(),
                };
                Written::List(*layout, items.iter().map(&mut inside).collect())
            }
            Written::Record(layout, fields) => {
                let is_map = kinds.iter().any(|kind| matches!(kind, NodeKind::Map { .. }));
                let mut written = Vec::new();
                for (i, (name, value)) in fields.iter().enumerate() {
                    let mut name = name.clone();
                    if is_map {
                        let key = below.next().unwrap();
                        let label = &regions.next().unwrap().label;
                        if !model.space().flows(label, self.bound) {
                            // Each name stands once in every world.
                            let other = format!("{}{i}", self.dice.text());
                            let value = Value::Text(other.clone());
                            if self.passes_alike(key.node, &key.value, &value) {
                                name = other;
                            }
                        }
                    }
                    let value = match below.next() {
                        Some(part) => self.in_part(language, part, value, regions),
                        None => value.clone(),
                    };
                    written.push((name, value));
                }
                Written::Record(*layout, written)
            }
            scalar => scalar.clone(),
        }
    }
}

impl Secrets<'_, '_> {
    /// Whether the checks of the downgrades of a region say the same of two values.
    fn passes_alike(&self, node: NodeId, value: &Value, other: &Value) -> bool {
        let checks = |value| self.model.checks(self.call, node, value);
        checks(value) == checks(other)
    }
}

fn size(part: &Part) -> usize {
    1 + part.below.iter().map(size).sum::<usize>()
}

/// A message as it is seen from below a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    role: Role,
    existence: Label,
    calls: Vec<Call>,
    answers: Option<usize>,
    /// Each region that can be seen, or whose place can: its path, and what is there.
    regions: Vec<(String, Option<Content>)>,
}

/// The label of a region, and its text if no region lies in it.
type Content = (Label, Option<String>);

/// View(H, b) of `docs/semantics.md`, section 4, with the labels of what it shows.
pub(super) fn cuts(model: &Model<'_>, messages: &[Message], bound: &Label) -> Vec<Cut> {
    let is_seen = |label: &Label| model.space().flows(label, bound);
    let cut = |message: &Message| {
        let region = |region: &Region| {
            let parent = region.parent.and_then(|parent| message.regions.get(parent));
            parent.is_none_or(|parent| is_seen(&parent.label)).then(|| {
                let content = is_seen(&region.label);
                let content = content.then(|| (region.label.clone(), region.text.clone()));
                (region.path.clone(), content)
            })
        };
        Cut {
            role: message.role,
            existence: message.existence.clone(),
            calls: message.calls.clone(),
            answers: message.answers,
            regions: message.regions.iter().filter_map(region).collect(),
        }
    };
    messages.iter().filter(|message| is_seen(&message.existence)).map(cut).collect()
}

/// Whether some message shows something and hides something.
pub(super) fn is_mixed(cuts: &[Cut]) -> bool {
    cuts.iter().any(|cut| {
        cut.regions.iter().any(|(_, content)| content.is_some())
            && cut.regions.iter().any(|(_, content)| content.is_none())
    })
}
