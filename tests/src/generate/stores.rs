//! Stores: cells whose labels may depend on earlier fields of the same record.

use rtbas_artifact::ir::{
    Cell, CellId, CellPart, Field, LabelId, Operand, Outsiders, Store, StoreId, Type, TypeId,
};

use crate::generate::conditions::{Place, Source};
use crate::generate::dice::Dice;
use crate::generate::tables::Tables;
use crate::generate::values::{self, Use};

/// What a tool may show of a store.
#[derive(Clone, Debug)]
pub struct Shelf {
    /// The store.
    pub id: StoreId,
    /// The fields of its records; none if it has no records.
    pub fields: Vec<Column>,
    /// Its shape, or its content if it has no records.
    pub whole: CellId,
}

/// A field of a store's records.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub ty: TypeId,
    /// Its cell.
    pub cell: CellId,
}

/// Adds a store.
pub fn store(
    dice: &mut Dice<'_>,
    tables: &mut Tables,
    facts: &[Source],
    stores: &mut Vec<Store>,
    cells: &mut Vec<Cell>,
) -> Shelf {
    let id = StoreId(u32::try_from(stores.len()).unwrap_or(u32::MAX));
    let store_name = format!("store{}", id.0);
    let outsiders = dice
        .chance(30)
        .then(|| Outsiders { read: level(dice, tables), write: level(dice, tables) });
    let because = |dice: &mut Dice<'_>| dice.chance(20).then(|| "the bank says so".to_owned());
    let mut add = |part, label, because, ty: Option<TypeId>| {
        let required = ty.is_some();
        cells.push(Cell { store: id, part, label, because, ty, required });
        CellId(u32::try_from(cells.len() - 1).unwrap_or(u32::MAX))
    };
    if dice.chance(15) {
        let label = Place::new(dice, tables, facts).rule();
        let whole = add(CellPart::Content, label, because(dice), None);
        stores.push(Store { name: store_name, record: record(tables, &[]), outsiders });
        return Shelf { id, fields: Vec::new(), whole };
    }
    let shape = match dice.chance(75) {
        true => tables.always(&tables.space.bottom()),
        false => Place::new(dice, tables, facts).rule(),
    };
    let whole = add(CellPart::Shape, shape, because(dice), None);
    let mut sources = facts.to_vec();
    let mut fields = Vec::new();
    for index in 0..dice.between(2, 4) {
        let name = format!("f{index}");
        let ty = match index == 0 && dice.chance(50) {
            true => tables.ty(Type::Text),
            false => values::ty(dice, tables, Use::Other, 1),
        };
        // The first fields are most often plain and low, so that others can depend on them.
        let label = match index < 2 && dice.chance(60) {
            true => tables.always(&tables.space.bottom()),
            false => {
                // Often of fields alone.
                let fields = sources.get(facts.len()..).filter(|fields| !fields.is_empty());
                let fields = fields.filter(|_| dice.chance(50));
                Place::new(dice, tables, fields.unwrap_or(&sources)).rule()
            }
        };
        let ceiling = tables.ceiling(&label);
        let cell = add(CellPart::Field(name.clone()), label, because(dice), Some(ty));
        let operand = Operand::Field(vec![name.clone()]);
        sources.extend(Source::all(tables, &operand, ty, &ceiling));
        fields.push(Column { name, ty, cell });
    }
    stores.push(Store { name: store_name, record: record(tables, &fields), outsiders });
    Shelf { id, fields, whole }
}

fn record(tables: &mut Tables, columns: &[Column]) -> TypeId {
    let field =
        |column: &Column| Field { name: column.name.clone(), ty: column.ty, required: true };
    tables.ty(Type::Record { fields: columns.iter().map(field).collect(), open: false })
}

fn level(dice: &mut Dice<'_>, tables: &mut Tables) -> Option<LabelId> {
    let labels = tables.space.labels();
    dice.pick(&labels).filter(|_| dice.clone().chance(70)).map(|label| tables.constant(label))
}
