//! Files that are refused, kept with what is said of each: `tests/suite/artifact/v2/bad`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

use rtbas_artifact::certificate::Certificate;
use rtbas_artifact::ir::*;
use rtbas_artifact::open::OpenError;
use rtbas_artifact::origin::Origins;
use rtbas_artifact::pattern::Pattern;
use rtbas_artifact::sign::Signer;
use rtbas_artifact::value::Value;
use rtbas_artifact::wire::{FrameError, MAX_BYTES};

use crate::fixture::{
    certificate, chain, ed25519_signer, hmac_signer, open_file, origins, payload, policy, sealed,
    signed, signed_payload, unsigned,
};

/// Where the fixture's payload begins.
const HEADER: usize = 56;

/// A file whose frame somebody without a key has changed.
fn framed(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut file = sealed(&[hmac_signer(), ed25519_signer()]);
    change(&mut file);
    file
}

/// A signed file whose payload holds this policy, valid or not.
fn holding(change: impl FnOnce(&mut Policy)) -> Vec<u8> {
    let mut policy = policy();
    change(&mut policy);
    let content = (&policy, origins(&policy), certificate(&policy));
    signed(unsigned(policy.edition, policy.version, &postcard::to_allocvec(&content).unwrap()))
}

/// A signed file whose payload is the fixture's, with the bytes of a part of it changed.
fn with_bytes(from: &[u8], to: &[u8]) -> Vec<u8> {
    let payload = payload();
    let at = payload.windows(from.len()).position(|bytes| bytes == from).unwrap();
    signed_payload(&[&payload[..at], to, &payload[at + from.len()..]].concat())
}

/// The same for a policy with this condition more, which its bytes tell where it is.
fn with_condition(condition: Condition, from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut policy = policy();
    policy.conditions.push(condition);
    let content = (&policy, origins(&policy), certificate(&policy));
    let payload = postcard::to_allocvec(&content).unwrap();
    let at = payload.windows(from.len()).position(|bytes| bytes == from).unwrap();
    signed_payload(&[&payload[..at], to, &payload[at + from.len()..]].concat())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn literal(value: Value) -> Condition {
    Condition::Present(Operand::Literal(value))
}

/// What breaks the frame, which anybody can do.
fn frames() -> Vec<(&'static str, Vec<u8>)> {
    let length = unsigned(1, 3, &payload()).len();
    vec![
        ("another_file", b"policy small edition 2026\n".to_vec()),
        ("as_text", framed(|file| assert_eq!(file.remove(6), b'\r'))),
        ("of_the_next_format", framed(|file| file[8] = 3)),
        ("cut_in_its_header", framed(|file| file.truncate(30))),
        ("cut_in_its_payload", framed(|file| file.truncate(300))),
        ("cut_in_its_signatures", framed(|file| file.truncate(length + 20))),
        ("a_length_beyond_its_end", framed(|file| file[20..24].fill(0xff))),
        ("bytes_at_its_end", framed(|file| file.push(b'\n'))),
        ("signatures_out_of_order", framed(|file| file[length + 1] = 3)),
        ("more_signatures_than_it_says", framed(|file| file[length] = 1)),
        ("unsigned", [unsigned(1, 3, &payload()), vec![0]].concat()),
        ("signed_by_a_stranger", sealed(&[Signer::hmac(&[8; 32]).unwrap()])),
        ("another_payload", framed(|file| file[HEADER + 1] ^= 0x20)),
    ]
}

/// What somebody with a key can write, and no compiler does.
fn payloads() -> Vec<(&'static str, Vec<u8>)> {
    let digest = |mut file: Vec<u8>| {
        file[24] ^= 1;
        signed(file)
    };
    let set = Value::Set([text("aaaa"), text("bbbb")].into());
    let host = Operand::Derived(
        rtbas_artifact::function::Function::Host,
        Box::new(Operand::Literal(text("inner"))),
    );
    let pattern = Condition::Matches(Operand::Literal(text("a")), Pattern::new("[a-z]").unwrap());
    let derived = postcard::to_allocvec(&host).unwrap();
    let nested = [&derived[..2], &derived].concat();
    let deep = [&[65][..], &[4, 1].repeat(64), &[0]].concat();
    let deeper = [&[0x91, 0x4e][..], &[4, 1].repeat(10_000), &[0]].concat();
    let list = (0..64).fold(Value::Null, |value, _| Value::List(vec![value]));
    vec![
        ("another_digest", digest(unsigned(1, 3, &payload()))),
        ("another_edition", signed(unsigned(2, 3, &payload()))),
        ("another_version", signed(unsigned(1, 4, &payload()))),
        ("empty_payload", signed_payload(&[])),
        ("bytes_behind_the_content", signed_payload(&[payload(), vec![0]].concat())),
        (
            "a_number_with_a_byte_too_many",
            with_bytes(b"\x05small\x01\x03", b"\x05small\x81\x00\x03"),
        ),
        (
            "a_length_of_a_text_of_16_eib",
            with_bytes(b"\x05small", b"\xff\xff\xff\xff\xff\xff\xff\xff\x7fsmall"),
        ),
        ("a_name_that_is_no_utf8", with_bytes(b"\x05small", b"\x05sm\xffll")),
        (
            "a_set_out_of_order",
            with_condition(literal(set.clone()), b"aaaa\x03\x04bbbb", b"bbbb\x03\x04aaaa"),
        ),
        (
            "a_set_with_one_element_twice",
            with_condition(literal(set), b"aaaa\x03\x04bbbb", b"aaaa\x03\x04aaaa"),
        ),
        ("a_function_of_a_function", with_condition(Condition::Present(host), &derived, &nested)),
        ("a_pattern_that_is_none", with_condition(pattern, b"[a-z]", b"[z-a]")),
        ("a_value_ten_thousand_deep", with_condition(literal(list), &deep, &deeper)),
    ]
}

/// Policies that cannot be evaluated.
fn policies() -> Vec<(&'static str, Vec<u8>)> {
    let many = |p: &mut Policy| {
        let double = |i| Condition::All(vec![ConditionId(i), ConditionId(i)]);
        p.conditions.extend((9..9 + 40).map(double));
    };
    let patterns = |p: &mut Policy| {
        let large = Pattern::new("(a{1000}){16}").unwrap();
        let matches = Condition::Matches(Operand::Literal(text("")), large);
        p.conditions.extend(vec![matches; 70]);
    };
    let downgrade = |from, to| {
        move |p: &mut Policy| {
            p.downgrades.push(Downgrade {
                name: "d".to_owned(),
                word: DowngradeWord::Endorse,
                tool: ToolId(0),
                node: NodeId(1),
                from: LabelId(from),
                to: LabelId(to),
                when: None,
                checked: None,
                by: "someone".to_owned(),
                because: "of it".to_owned(),
            });
        }
    };
    vec![
        ("no_lattice", holding(|p| p.lattices.clear())),
        ("an_order_that_is_no_lattice", holding(|p| p.lattices[1].up.set(0, 1, false))),
        ("a_code_that_lies", holding(|p| p.lattices[0].code.set(0, 0, true))),
        ("a_lattice_too_many", holding(|p| p.lattices = vec![chain("x", &["a"]); 257])),
        ("a_label_with_a_part_missing", holding(|p| p.labels[0].parts.truncate(1))),
        ("an_index_out_of_its_table", holding(|p| p.facts[1].ty = TypeId(u32::MAX))),
        ("a_type_of_itself", holding(|p| p.types[5] = Type::List(TypeId(5)))),
        (
            "types_in_a_circle",
            holding(|p| {
                p.types[4] = Type::Set(TypeId(5));
                p.types[5] = Type::List(TypeId(4));
            }),
        ),
        (
            "types_nested_too_deep",
            holding(|p| {
                p.types.extend((6..76).map(|i| Type::List(TypeId(i))));
            }),
        ),
        ("a_condition_of_itself", holding(|p| p.conditions[6] = Condition::Not(ConditionId(6)))),
        ("conditions_that_double", holding(many)),
        ("patterns_too_large_together", holding(patterns)),
        ("taint_that_allows", holding(|p| p.conditions[6] = Condition::Not(ConditionId(0)))),
        ("a_guard_that_raises", holding(|p| p.cells[0].label.otherwise = LabelId(2))),
        ("a_downgrade_that_raises", holding(downgrade(0, 3))),
        (
            "a_downgrade_of_a_record",
            holding(|p| {
                downgrade(3, 0)(p);
                p.downgrades[0].node = NodeId(2);
            }),
        ),
        (
            "two_downgrades_of_one_name",
            holding(|p| {
                downgrade(3, 0)(p);
                downgrade(3, 0)(p);
            }),
        ),
        (
            "two_downgrades_of_one_region",
            holding(|p| {
                downgrade(3, 0)(p);
                downgrade(3, 0)(p);
                p.downgrades[1].name = "e".to_owned();
            }),
        ),
        ("tools_out_of_order", holding(|p| p.tools.swap(0, 1))),
        ("two_tools_of_one_name", holding(|p| p.tools[1].name = "list".to_owned())),
        ("two_facts_of_one_name", holding(|p| p.facts[1].name = "me".to_owned())),
        ("a_name_that_steers_a_terminal", holding(|p| p.name = "\u{1b}[2J".to_owned())),
        ("a_schema_that_is_none", holding(|p| p.tools[0].schema = "[]".to_owned())),
        (
            "a_default_of_another_type",
            holding(|p| {
                p.tools[1].arguments[1].default = Some(Value::Bool(true));
            }),
        ),
        (
            "a_region_of_itself",
            holding(|p| {
                p.tools[0].nodes[3].kinds = vec![NodeKind::List(NodeId(3))];
            }),
        ),
        ("a_tool_without_a_last_word", holding(|p| p.tools[1].rules.truncate(2))),
        ("a_rule_after_the_last_word", holding(|p| p.tools[1].rules[0].when = None)),
        (
            "a_rule_that_reads_an_argument_of_another_tool",
            holding(|p| {
                let when = Some(ConditionId(4));
                p.tools[0].rules.insert(0, Rule { effect: Effect::Deny, when });
            }),
        ),
    ]
}

/// Policies that can be evaluated, and with them what does not fit them.
fn companions() -> Vec<(&'static str, Vec<u8>)> {
    let policy = policy();
    let with = |origins: Origins, certificate: Certificate| {
        signed_payload(&postcard::to_allocvec(&(&policy, origins, certificate)).unwrap())
    };
    let mut unproved = certificate(&policy);
    unproved.obligations.pop();
    vec![
        ("without_origins", with(Origins::default(), certificate(&policy))),
        ("without_a_proof", with(origins(&policy), unproved)),
    ]
}

/// `UPDATE=1` writes them, until the format is released.
#[test]
fn bad_files_are_refused_with_what_is_kept_beside_them() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/suite/artifact/v2/bad");
    let all = [frames(), payloads(), policies(), companions()].concat();
    for (name, file) in &all {
        let (path, said) = (format!("{folder}/{name}.rtbas"), format!("{folder}/{name}.txt"));
        let refusal = format!("{}\n", open_file(file).expect_err(name));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, file).unwrap();
            std::fs::write(&said, &refusal).unwrap();
        }
        assert!(std::fs::read(&path).unwrap() == *file, "{path} is another file");
        assert_eq!(std::fs::read_to_string(&said).unwrap(), refusal, "{name}");
    }
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 2 * all.len());
}

#[test]
fn a_file_that_is_too_long_is_not_looked_into() {
    let error = open_file(&vec![0; MAX_BYTES + 1]).unwrap_err();
    assert_eq!(error, OpenError::Frame(FrameError::TooLarge(MAX_BYTES + 1)));
}
