//! The enforcement engine: loads a compiled policy, labels the history of a session, and decides
//! every call.
//!
//! A host adds messages to a [`Session`], gives the model a [`View`], and proposes the calls that
//! the model wrote from it. A call that is allowed comes back as a [`Permit`]; running it and
//! handing in its result uses the permit up. No call gets a permit but with the view that it was
//! written from.
//!
//! The engine does no IO, keeps no global state, starts no threads and needs no async runtime.
//!
//! The module list below is in reading order, and it is the order of permitted imports.

pub mod region;
mod history;
mod view;
mod decision;
mod receive;
mod session;
mod explain;
mod engine;

pub use decision::{Decision, Permit, Reply, Request};
pub use engine::{Engine, ToolDescription};
pub use explain::{Cause, Need, Raised, Reason, Remedy, RulePlace};
pub use history::{Call, LabelledRegion, Message, Role};
pub use receive::Receipt;
pub use region::Unfit;
pub use session::{NOTICE, Session, SessionError};
pub use view::View;

pub use rtbas_artifact as artifact;
