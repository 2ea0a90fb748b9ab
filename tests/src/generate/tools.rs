//! Tools: arguments, effects and decision rules.

use std::collections::{BTreeMap, BTreeSet};

use rtbas_artifact::ir::{
    Argument, ArgumentId, Cell, CellId, CellPart, Effect, Endorsement, Format, Node, NodeKind,
    Operand, Rule, Tool, Type, Write, WriteKind,
};

use crate::generate::Style;
use crate::generate::conditions::{Place, Source};
use crate::generate::dice::Dice;
use crate::generate::downgrades::Draft;
use crate::generate::nodes::Shape;
use crate::generate::stores::Shelf;
use crate::generate::tables::Tables;
use crate::generate::values::{self, Use};

/// What tools refer to.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// What is asked of the policy.
    pub style: Style,
    /// The facts.
    pub facts: &'a [Source],
    /// The stores.
    pub shelves: &'a [Shelf],
    /// Their cells.
    pub cells: &'a [Cell],
}

/// A tool, and downgrades of its regions.
pub fn tool(
    dice: &mut Dice<'_>,
    tables: &mut Tables,
    ground: Ground<'_>,
    name: &str,
) -> (Tool, Vec<Draft>) {
    let arguments: Vec<Argument> = ["x", "y", "z"]
        .into_iter()
        .take(dice.below(4))
        .map(|name| argument(dice, tables, name))
        .collect();
    let mut sources = ground.facts.to_vec();
    let bottom = tables.space.bottom();
    for (argument, id) in arguments.iter().zip(0..) {
        let operand = Operand::Argument(ArgumentId(id), Vec::new());
        sources.extend(Source::all(tables, &operand, argument.ty, &bottom));
    }
    let format = match dice.below(10) {
        0..=2 => Format::Yaml,
        3..=5 => Format::Json,
        6 | 7 => Format::Python,
        _ => Format::Text,
    };
    let shape = Shape {
        dice: &mut *dice,
        tables: &mut *tables,
        shelves: ground.shelves,
        cells: ground.cells,
        sources: &sources,
        style: ground.style,
        nodes: Vec::new(),
        tag: None,
        drafts: Vec::new(),
    };
    let (nodes, drafts) = shape.result(format);
    let form = form(dice, format, &nodes);
    let errors = Place::new(dice, tables, &sources).rule();
    let writes = writes(dice, &tables.types, ground.cells, &sources);
    let endorsements = endorsements(dice, &writes);
    let rules = rules(dice, tables, &sources, ground.style);
    let tool = Tool {
        name: name.to_owned(),
        description: format!("does what {name} does"),
        schema: "{}".to_owned(),
        arguments,
        format,
        form,
        nodes,
        errors,
        writes,
        endorsements,
        rules,
    };
    (tool, drafts)
}

/// What stands around the values of a text; some of it stands in values, too.
fn form(dice: &mut Dice<'_>, format: Format, nodes: &[Node]) -> Vec<String> {
    let fields = match nodes.last().map(|root| root.kinds.as_slice()) {
        Some([NodeKind::Record(fields)]) if format == Format::Text => fields,
        _ => return Vec::new(),
    };
    let mut piece = |pieces: &[&str]| dice.pick(pieces).copied().unwrap_or(" ").to_owned();
    let mut form = vec![piece(&["", "a", "x: "])];
    form.extend(fields.iter().skip(1).map(|_| piece(&["e", "1", ", ", "\n", "ll", "me"])));
    form.push(piece(&["", "\n", "e"]));
    form
}

fn argument(dice: &mut Dice<'_>, tables: &mut Tables, name: &str) -> Argument {
    let ty = values::ty(dice, tables, Use::Argument, 2);
    let required = dice.chance(45);
    let default = (!required && dice.chance(50)).then(|| values::value(dice, &tables.types, ty));
    Argument { name: name.to_owned(), ty, required, default }
}

fn writes(dice: &mut Dice<'_>, types: &[Type], cells: &[Cell], sources: &[Source]) -> Vec<Write> {
    let mut ways = BTreeMap::new();
    let mut writes = Vec::new();
    let arguments: BTreeSet<ArgumentId> =
        sources.iter().filter_map(|source| source.operand.argument()).collect();
    for (id, cell) in (0..).map(CellId).zip(cells) {
        if !dice.chance(15) {
            continue;
        }
        // No label and no decision reads what is drawn here, so it costs them no numbers.
        let mut more = dice.clone();
        let from: Vec<ArgumentId> = arguments.iter().copied().filter(|_| dice.chance(40)).collect();
        let kinds = [WriteKind::Any, WriteKind::Any, WriteKind::Adds, WriteKind::Changes];
        let way = more.pick(&kinds).copied().unwrap_or(WriteKind::Any);
        let how = *ways.entry(cell.store).or_insert(way);
        if how == WriteKind::Changes && cell.part == CellPart::Shape {
            continue;
        }
        let value = match (&cell.part, cell.ty) {
            (CellPart::Field(_), Some(ty)) if more.chance(30) => match more.chance(50) {
                true => Some(Operand::Literal(values::value(&mut more, types, ty))),
                false => more.pick(sources).map(|source| source.operand.clone()),
            },
            _ => None,
        };
        let from = match &value {
            Some(value) => value.argument().into_iter().collect(),
            None => from,
        };
        writes.push(Write { cell: id, from, value, how });
    }
    writes
}

fn endorsements(dice: &mut Dice<'_>, writes: &[Write]) -> Vec<Endorsement> {
    let cells: Vec<CellId> = writes.iter().map(|write| write.cell).collect();
    let endorsed = !cells.is_empty() && dice.chance(50);
    let because = format!("the user reads {} cells", cells.len());
    let unasked = dice.clone().chance(40);
    endorsed.then_some(Endorsement { cells, because, unasked }).into_iter().collect()
}

fn rules(dice: &mut Dice<'_>, tables: &mut Tables, sources: &[Source], style: Style) -> Vec<Rule> {
    let last = [Effect::Confirm, Effect::Deny, Effect::Deny, Effect::Allow];
    let last = last.get(dice.below(4)).copied().unwrap_or(Effect::Deny);
    // From the last to the first, since what a rule may read depends on what stands behind it.
    let mut rules = vec![Rule { effect: last, when: None }];
    let mut strongest = last;
    for _ in 0..dice.below(4) {
        let effects = [Effect::Allow, Effect::Allow, Effect::Allow, Effect::Confirm, Effect::Deny];
        let effect = effects.get(dice.below(5)).copied().unwrap_or(Effect::Deny);
        // Where a rule compares the context with a bound, none behind it has a stronger effect (O5).
        let may_bound = style == Style::Free || effect >= strongest;
        let mut place = Place::new(dice, tables, sources);
        let when = match may_bound && place.dice.chance(80) {
            true => place.bounded(),
            false => place.condition(2),
        };
        rules.push(Rule { effect, when: Some(when) });
        strongest = strongest.max(effect);
    }
    rules.reverse();
    rules
}
