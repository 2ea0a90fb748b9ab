//! Places where data can be, and what they are called.

use std::cmp::Ordering;

use rtbas_artifact::ir::{CellId, CellPart, Effect, ToolId};
use rtbas_artifact::program::Program;

use crate::verify::source::Source;

/// A place where data can be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// What outsiders write.
    OutsidersWrite,
    /// A cell of a store.
    Cell {
        /// The cell.
        cell: CellId,
        /// Whether only what outsiders wrote there is meant.
        outside: bool,
    },
    /// A region of what a tool returns.
    Region {
        /// The tool.
        tool: ToolId,
        /// The region's path; `errors` for the text of a failed call, and `content` for what stands
        /// beside the regions.
        path: String,
        /// Whether only what outsiders wrote is meant.
        outside: bool,
    },
    /// A call of a tool that runs unasked.
    Call(ToolId),
    /// A call of a tool that the user approves.
    Approved(ToolId),
    /// The reply, where it is shown unasked.
    Reply,
    /// What outsiders read. What they do with it is not known, so no way leads on from here.
    OutsidersRead,
    /// What regions of the same labels have in common. Not shown to people.
    Class(usize),
}

/// A point with its name: the same in every policy that has it. Calls, cells and results may have
/// one name, so what it is counts as well.
#[derive(Clone, Debug)]
pub(in crate::verify) struct Named {
    pub(in crate::verify) name: String,
    pub(in crate::verify) point: Point,
}

impl Named {
    fn key(&self) -> (&str, u8, bool) {
        let kind = match self.point {
            Point::OutsidersWrite => 0,
            Point::Cell { .. } => 1,
            Point::Region { .. } => 2,
            Point::Call(_) => 3,
            Point::Approved(_) => 4,
            Point::Reply => 5,
            Point::OutsidersRead => 6,
            Point::Class(_) => 7,
        };
        (&self.name, kind, self.point.is_outside())
    }
}

impl PartialEq for Named {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Named {}

impl PartialOrd for Named {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Named {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Point {
    /// Whether only what outsiders wrote is meant.
    pub(in crate::verify) fn is_outside(&self) -> bool {
        matches!(self, Self::Cell { outside: true, .. } | Self::Region { outside: true, .. })
    }

    /// A call that is decided so.
    pub(super) fn called(tool: ToolId, effect: Effect) -> Option<Self> {
        match effect {
            Effect::Allow => Some(Self::Call(tool)),
            Effect::Confirm => Some(Self::Approved(tool)),
            Effect::Deny => None,
        }
    }

    /// What a source brings.
    pub(super) fn region(program: &Program, source: &Source, outside: bool) -> Option<Self> {
        Some(Self::Region { tool: source.tool, path: source.path(program)?, outside })
    }

    pub(super) fn name(&self, program: &Program) -> String {
        let policy = program.policy();
        let tool_name = |id: ToolId| program.tool(id).map_or("?", |tool| tool.name.as_str());
        match self {
            Self::OutsidersWrite | Self::OutsidersRead => "outsiders".to_owned(),
            Self::Reply => "reply".to_owned(),
            Self::Call(id) | Self::Approved(id) => tool_name(*id).to_owned(),
            Self::Region { tool, path, .. } => format!("{}.{path}", tool_name(*tool)),
            Self::Class(class) => format!("class {class}"),
            Self::Cell { cell, .. } => {
                let cell = policy.cells.get(cell.index());
                let store = cell.and_then(|cell| policy.stores.get(cell.store.index()));
                let store = store.map_or("?", |store| store.name.as_str());
                match cell.map(|cell| &cell.part) {
                    Some(CellPart::Field(field)) => format!("{store}.{field}"),
                    Some(CellPart::Shape) => format!("{store}.shape"),
                    Some(CellPart::Content) | None => store.to_owned(),
                }
            }
        }
    }
}
