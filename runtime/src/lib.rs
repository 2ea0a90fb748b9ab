//! The enforcement engine: loads a compiled policy, labels the history of a session, and decides
//! every call.
//!
//! A host adds messages to a [`Session`], gives the model a [`View`], and proposes the calls that
//! the model wrote from it. A call that is allowed comes back as a [`Permit`]; running it and
//! handing in its result uses the permit up. No call gets a permit but with the view that it was
//! written from.
//!
//! ```no_run
//! use std::collections::BTreeMap;
//! use std::fs;
//!
//! use rtbas::artifact::eval::Arguments;
//! use rtbas::artifact::open::Requirements;
//! use rtbas::artifact::sign::{TrustedKey, TrustedKeys};
//! use rtbas::{Call, Decision, Engine};
//!
//! # fn run(_: &str, _: &Arguments) -> String { String::new() }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let key = TrustedKey::from_text(&fs::read_to_string("policy.key.pub")?)?;
//! let keys = TrustedKeys::from(key);
//! let engine = Engine::open(&fs::read("banking.rtbas")?, &keys, &Requirements::default())?;
//!
//! let mut session = engine.session(BTreeMap::new())?;
//! session.user("How much is left?")?;
//! let view = session.view()?;
//! // The model writes its output from `view.messages()` and nothing else.
//! let call = Call { tool: "get_balance".to_owned(), arguments: BTreeMap::new() };
//! for decision in session.propose(&view, "", vec![call])? {
//!     match decision {
//!         Decision::Allow(permit) => {
//!             let text = run(permit.tool(), permit.arguments());
//!             session.result(permit, text)?;
//!         }
//!         Decision::Confirm(request) => session.reject(request)?,
//!         Decision::Deny => println!("{}", session.explain(0).ok_or("no such call")?),
//!     }
//! }
//! # Ok(())
//! # }
//! ```
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
