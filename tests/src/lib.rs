//! A second opinion on what a policy means: a slow [`model`] written from the documents alone, random
//! policies and sessions to [`generate`], and one interface, [`monitor`], through which engine and
//! model are driven by the same script.
//!
//! The module list below is in reading order, and it is the order of permitted imports.

pub mod written;
pub mod monitor;
pub mod model;
pub mod generate;
pub mod drive;
pub mod census;
pub mod engine;
pub mod explore;
pub mod prover;
