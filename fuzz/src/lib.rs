//! What several targets need: the files that a policy names, what must hold of messages and of what
//! is made of a policy, values as a policy declares them, and changes to what an artifact holds.

pub mod files;
pub mod message;
pub mod phases;
pub mod once;
pub mod sample;
pub mod change;
