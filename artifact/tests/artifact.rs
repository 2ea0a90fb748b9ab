//! The artifact through its public doors: what is sealed opens again, and nothing else does.

#[path = "artifact/document.rs"]
mod document;
#[path = "artifact/fixture.rs"]
mod fixture;
#[path = "artifact/hostile.rs"]
mod hostile;
#[path = "artifact/keys.rs"]
mod keys;
#[path = "artifact/narrow.rs"]
mod narrow;
#[path = "artifact/open.rs"]
mod open;
#[path = "artifact/pattern.rs"]
mod pattern;
#[path = "artifact/refused.rs"]
mod refused;
#[path = "artifact/sets.rs"]
mod sets;
#[path = "artifact/validate.rs"]
mod validate;
