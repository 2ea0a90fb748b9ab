//! The contract between the compiler and the engine: what a compiled policy **is** ([`ir`]), what it
//! **means** ([`eval`], the only evaluator there is), and how it **travels** ([`wire`], [`sign`],
//! [`open`]).
//!
//! The module list below is in reading order, and it is the order of permitted imports: a module
//! may use those above it and none below.

pub mod decimal;
pub mod date;
pub mod pattern;
pub mod value;
pub mod function;
pub mod bits;
pub mod lattice;
pub mod sets;
pub mod label;
pub mod ir;
pub mod term;
pub mod ty;
pub mod validate;
pub mod program;
pub mod eval;
pub mod show;
pub mod origin;
pub mod certificate;
pub mod wire;
pub mod sign;
pub mod seal;
pub mod open;
