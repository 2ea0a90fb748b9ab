//! Regions of results: which texts have which, and that nothing else ever gets in between.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]
#![expect(clippy::indexing_slicing, clippy::string_slice, reason = "helpers of tests")]
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "helpers of tests")]

mod region {
    mod brackets;
    mod emit;
    mod form;
    mod law;
    mod mcp;
    mod properties;
    mod recorded;
    mod shape;
    mod tables;
}
