//! Claims about all sessions.

use serde::{Deserialize, Serialize};

use super::{ArgumentId, CellId, ConditionId, DowngradeId, LabelId, StoreId, ToolId};

/// `never K -> target unless C via V`: in no session does a call that runs unasked carry data at or above
/// K to the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// K. Constant; a lattice that it does not name stands at its bottom.
    pub level: LabelId,
    /// The target.
    pub target: Target,
    /// C: over facts, and arguments of the target's tool if it has one.
    pub unless: Option<ConditionId>,
    /// V: what may lower labels on the way.
    pub via: Vec<Exception>,
}

/// What a claim lets pass.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Exception {
    /// What a downgrade releases.
    Downgrade(DowngradeId),
    /// What the user's approval of a tool's calls endorses, or of all calls.
    Approval(Option<ToolId>),
}

/// Where a claim says that data does not go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// Any argument of the tool, or the choice to call it.
    Tool(ToolId),
    /// One argument.
    Argument(ToolId, ArgumentId),
    /// The answer to the user, where it is shown unasked.
    Reply,
    /// What calls that run unasked write to a store.
    Store(StoreId),
    /// What they write to a cell.
    Cell(CellId),
}
