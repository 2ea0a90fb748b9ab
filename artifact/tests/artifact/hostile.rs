//! Whatever bytes come, opening them ends, with little memory, in a refusal or in a policy that
//! encodes to those very bytes.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rtbas_artifact::certificate::Certificate;
use rtbas_artifact::ir::{Condition, Operand};
use rtbas_artifact::open::{OpenError, Requirements, open};
use rtbas_artifact::origin::Origins;
use rtbas_artifact::seal::seal;
use rtbas_artifact::value::{MAX_DEPTH, Value};

use crate::fixture::{
    certificate, ed25519_signer, hmac_signer, open_file, origins, payload, policy, seal_again,
    sealed, signed_payload, trusting,
};

#[test]
fn a_file_cut_short_anywhere_is_refused() {
    let file = sealed(&[hmac_signer(), ed25519_signer()]);
    for end in 0..file.len() {
        assert!(matches!(open_file(&file[..end]), Err(OpenError::Frame(_))), "{end}");
    }
}

#[test]
fn a_file_with_any_bit_flipped_is_refused() {
    for signer in [hmac_signer(), ed25519_signer()] {
        let file = sealed(&[signer]);
        for bit in 0..file.len() * 8 {
            let mut file = file.clone();
            file[bit / 8] ^= 1 << (bit % 8);
            assert!(open_file(&file).is_err(), "bit {bit}");
        }
    }
}

/// A payload signed by a trusted key, whoever wrote it: opens only if it is canonical and valid.
fn refused_or_canonical(payload: &[u8]) -> bool {
    let file = signed_payload(payload);
    open(
        &file,
        &trusting(&[hmac_signer()]),
        &Requirements { minimum_version: 0, properties: vec![] },
    )
    .is_ok_and(|artifact| {
        assert_eq!(seal_again(&artifact, &[hmac_signer()]), file);
        true
    })
}

#[test]
fn a_signed_payload_with_any_bit_flipped_is_refused_or_canonical() {
    let payload = payload();
    let opened = (0..payload.len() * 8).filter(|bit| {
        let mut payload = payload.clone();
        payload[bit / 8] ^= 1 << (bit % 8);
        refused_or_canonical(&payload)
    });
    // Letters of names and reasons can change; tables mostly cannot.
    let opened = opened.count();
    assert!(opened > 0 && opened < payload.len() * 8 / 2, "{opened}");
}

/// LEB128, as postcard writes lengths.
fn varint(mut n: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while n >= 0x80 {
        bytes.push(n.to_le_bytes()[0] | 0x80);
        n >>= 7;
    }
    bytes.push(n.to_le_bytes()[0]);
    bytes
}

#[test]
fn lengths_that_the_file_does_not_have_are_not_believed() {
    let payload = payload();
    for at in 0..payload.len() {
        for claim in [1 << 31, 1 << 60, u64::MAX] {
            let huge = [&payload[..at], &varint(claim), &payload[at..]].concat();
            assert!(!refused_or_canonical(&huge));
            // The last field is a number, which may be as large as that.
            let is_last = at + 1 == payload.len();
            let opened = refused_or_canonical(&huge[..at + varint(claim).len()]);
            assert!(!opened || is_last, "{at}");
        }
    }
}

/// The fixture with a value of that depth in one of its conditions.
fn with_depth(depth: usize) -> rtbas_artifact::ir::Policy {
    let deep = (0..depth).fold(Value::Null, |value, _| Value::List(vec![value]));
    let mut policy = policy();
    policy.conditions.push(Condition::Present(Operand::Literal(deep)));
    policy
}

#[test]
fn values_are_as_deep_as_is_allowed_and_no_deeper() {
    let encode = |depth| {
        let policy = with_depth(depth);
        postcard::to_allocvec(&(&policy, origins(&policy), certificate(&policy))).unwrap()
    };
    assert!(refused_or_canonical(&encode(MAX_DEPTH)));
    assert!(!refused_or_canonical(&encode(MAX_DEPTH + 1)));
    // A million lists in each other, which no stack would hold, in place of one of 32: on the wire
    // a value is its number of parts, and the parts; a list of one element is `4, 1`.
    let one = [&varint(33)[..], &[4, 1].repeat(32), &[0]].concat();
    let many = [&varint(1_000_001)[..], &[4, 1].repeat(1_000_000), &[0]].concat();
    let payload = encode(32);
    let at = payload.windows(one.len()).position(|bytes| bytes == one).unwrap();
    let deep = [&payload[..at], &many, &payload[at + one.len()..]].concat();
    assert!(refused_or_canonical(&payload));
    assert!(!refused_or_canonical(&deep));
}

fn value() -> impl Strategy<Value = Value> {
    let number = (any::<i64>(), -40..40_i32).prop_map(|(coefficient, exponent)| {
        format!("{coefficient}e{exponent}").parse().map_or(Value::Null, Value::Number)
    });
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number,
        ".{0,8}".prop_map(Value::Text),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::List),
            prop::collection::btree_set(inner.clone(), 0..6).prop_map(Value::Set),
            prop::collection::btree_map(".{0,3}", inner, 0..6).prop_map(Value::Record),
        ]
    })
}

proptest! {
    #[test]
    fn every_value_survives_the_way(value in value()) {
        let mut policy = policy();
        policy.conditions.push(Condition::Present(Operand::Literal(value)));
        let file =
            seal(&policy, &origins(&policy), &certificate(&policy), &[hmac_signer()]).unwrap();
        let artifact = open_file(&file).unwrap();
        prop_assert_eq!(artifact.program().policy(), &policy);
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(open_file(&bytes).is_err());
        refused_or_canonical(&bytes);
    }

    #[test]
    fn a_signed_payload_with_bytes_replaced_is_refused_or_canonical(
        at in any::<prop::sample::Index>(),
        removed in 0..6_usize,
        inserted in prop::collection::vec(prop_oneof![0..8_u8, any::<u8>()], 0..6),
    ) {
        let mut payload = payload();
        let at = at.index(payload.len());
        let end = (at + removed).min(payload.len());
        payload.splice(at..end, inserted);
        refused_or_canonical(&payload);
    }
}

#[test]
fn bytes_after_the_payload_are_not_canonical() {
    let longer = [payload(), vec![0]].concat();
    assert!(!refused_or_canonical(&longer));
}

#[test]
fn a_set_out_of_order_and_a_field_twice_are_not_canonical() {
    let policy = |value| {
        let mut policy = policy();
        policy.conditions.push(Condition::Present(Operand::Literal(value)));
        postcard::to_allocvec(&(&policy, origins(&policy), certificate(&policy))).unwrap()
    };
    let texts = |a: &str, b: &str| [a, b].map(|t| Value::Text(t.to_owned()));
    let set = policy(Value::Set(texts("aaaa", "bbbb").into()));
    let record = policy(Value::Record(BTreeMap::from(
        texts("aaaa", "bbbb").map(|v| (v.to_string().replace('"', ""), v)),
    )));
    for payload in [set, record] {
        let at = |text: &[u8]| payload.windows(4).position(|bytes| bytes == text).unwrap();
        let (a, b) = (at(b"aaaa"), at(b"bbbb"));
        assert!(refused_or_canonical(&payload));
        let mut swapped = payload.clone();
        swapped[a..a + 4].copy_from_slice(b"bbbb");
        assert!(!refused_or_canonical(&swapped), "the same twice");
        swapped[b..b + 4].copy_from_slice(b"aaaa");
        assert!(!refused_or_canonical(&swapped), "out of order");
    }
}

#[test]
fn origins_of_another_policy_are_refused() {
    let policy = policy();
    let others = [
        Origins::default(),
        Origins { files: vec![], ..origins(&policy) },
        Origins { rules: origins(&policy).rules.into_iter().rev().collect(), ..origins(&policy) },
    ];
    for origins in others {
        let payload = postcard::to_allocvec(&(&policy, origins, Certificate::default())).unwrap();
        let error = open_file(&signed_payload(&payload)).unwrap_err();
        assert_eq!(error, OpenError::Origins);
    }
}
