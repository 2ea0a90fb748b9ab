//! The house rules that a machine can check, as tests over the source tree. What fails lists every
//! place that breaks a rule, and what to do about it.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a tree that cannot be read is a failed test"
)]

mod tidy {
    mod tree;
    mod code;
    mod order;
    mod names;
    mod manifests;
    mod text;
}
