//! A small policy with something in every table, keys, and an artifact writer that is written from
//! `docs/artifact.md`, so that format and document are compared.

#![expect(clippy::unwrap_used, reason = "a fixture that cannot be made is a failed test")]

use std::collections::{BTreeMap, BTreeSet};

use hmac::{Hmac, KeyInit, Mac};
use rtbas_artifact::bits::BitMatrix;
use rtbas_artifact::certificate::{Certificate, Method, Obligation, Property};
use rtbas_artifact::ir::*;
use rtbas_artifact::lattice::{Lattice, LevelId};
use rtbas_artifact::open::{Artifact, OpenError, Requirements, open};
use rtbas_artifact::origin::{Origin, Origins};
use rtbas_artifact::program::Program;
use rtbas_artifact::sign::{Signer, TrustedKeys};
use rtbas_artifact::value::Value;
use sha2::{Digest, Sha256};

pub(crate) const HMAC_KEY: [u8; 32] = [7; 32];

pub(crate) fn hmac_signer() -> Signer {
    Signer::hmac(&HMAC_KEY).unwrap()
}

pub(crate) fn ed25519_signer() -> Signer {
    Signer::ed25519(&[9; 32])
}

pub(crate) fn trusting(signers: &[Signer]) -> TrustedKeys {
    signers.iter().map(Signer::trusted_key).collect()
}

/// Opens with both keys trusted and everything required.
pub(crate) fn open_file(file: &[u8]) -> Result<Artifact, OpenError> {
    open(file, &trusting(&[hmac_signer(), ed25519_signer()]), &Requirements::default())
}

/// Seals again what was opened.
pub(crate) fn seal_again(artifact: &Artifact, signers: &[Signer]) -> Vec<u8> {
    let policy = artifact.program().policy();
    rtbas_artifact::seal::seal(policy, artifact.origins(), artifact.certificate(), signers).unwrap()
}

pub(crate) fn sealed(signers: &[Signer]) -> Vec<u8> {
    let policy = policy();
    rtbas_artifact::seal::seal(&policy, &origins(&policy), &certificate(&policy), signers).unwrap()
}

/// The payload of the fixture, encoded here.
pub(crate) fn payload() -> Vec<u8> {
    let policy = policy();
    postcard::to_allocvec(&(&policy, origins(&policy), certificate(&policy))).unwrap()
}

/// Header and payload, by the document.
pub(crate) fn unsigned(edition: u16, version: u64, payload: &[u8]) -> Vec<u8> {
    let mut file = b"\x8aRTBAS\r\n".to_vec();
    file.extend(2_u16.to_le_bytes());
    file.extend(edition.to_le_bytes());
    file.extend(version.to_le_bytes());
    file.extend(u32::try_from(payload.len()).unwrap().to_le_bytes());
    file.extend(Sha256::digest(payload));
    file.extend(payload);
    file
}

/// Adds one HMAC signature with the fixture's key, by the document.
pub(crate) fn signed(mut file: Vec<u8>) -> Vec<u8> {
    let keyed = Hmac::<Sha256>::new_from_slice(&HMAC_KEY).unwrap();
    let id = keyed.clone().chain_update(b"rtbas hmac key id v1\0").finalize().into_bytes();
    let code = keyed.chain_update(b"rtbas artifact v1\0").chain_update(&file).finalize();
    file.extend([1, 1]);
    file.extend(id.iter().take(8));
    file.extend(32_u16.to_le_bytes());
    file.extend(code.into_bytes());
    file
}

/// A properly signed file with the fixture's header and this payload.
pub(crate) fn signed_payload(payload: &[u8]) -> Vec<u8> {
    signed(unsigned(1, 3, payload))
}

/// A chain: each level flows to those after it.
pub(crate) fn chain(name: &str, levels: &[&str]) -> Lattice {
    let n = levels.len();
    let mut up = BitMatrix::zeros(n, u32::try_from(n).unwrap());
    for a in 0..n {
        for b in a..n {
            up.set(a, b, true);
        }
    }
    Lattice::new(name.to_owned(), levels.iter().map(ToString::to_string).collect(), up)
}

pub(crate) fn certificate(policy: &Policy) -> Certificate {
    let obligation = |property, subject: &String| Obligation {
        property,
        subject: subject.clone(),
        method: Method::Search,
        resource: 12,
    };
    let lattices = policy.lattices.iter().flat_map(|lattice| {
        [Property::Lattice, Property::FaithfulCode].map(|p| obligation(p, &lattice.name))
    });
    let robust = obligation(Property::RobustLabels, &policy.name);
    let of_tools = [Property::Antitone, Property::Stores, Property::LiveRules, Property::Usable];
    let of_tool = |tool: &Tool| {
        let due =
            of_tools.into_iter().filter(|p| *p != Property::Stores || !tool.writes.is_empty());
        due.map(|p| obligation(p, &tool.name)).collect::<Vec<_>>()
    };
    let tools = policy.tools.iter().flat_map(of_tool);
    // What is no policy cannot be put into words.
    let program = Program::new(policy.clone()).ok();
    let shown = program.iter().flat_map(|program| {
        policy.claims.iter().map(|claim| program.show_claim(claim).to_string())
    });
    let claims: Vec<_> = shown.map(|claim| obligation(Property::Claim, &claim)).collect();
    let obligations = lattices.chain([robust]).chain(tools).chain(claims).collect();
    Certificate { solver: "z3 0.0.0.0".to_owned(), obligations }
}

pub(crate) fn origins(policy: &Policy) -> Origins {
    let origin = |_: &Rule| Origin { file: 0, line: 4, column: 7, text: "allow always".to_owned() };
    Origins {
        files: vec!["small.pol".to_owned()],
        rules: policy.tools.iter().map(|tool| tool.rules.iter().map(origin).collect()).collect(),
    }
}

fn level(part: u16) -> LabelPart {
    LabelPart::Level(LevelId(part))
}

fn number(text: &str) -> Value {
    Value::Number(text.parse().unwrap())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn always(label: u32) -> LabelRule {
    LabelRule { alternatives: Vec::new(), otherwise: LabelId(label) }
}

/// Labels 0 to 3 are constants, from bottom to top; label 4 names a value of the call, label 5 one
/// of a record. Conditions 0 to 8 are for calls, 9 is for records.
pub(crate) fn policy() -> Policy {
    let labels = [
        vec![level(0), level(0)],
        vec![level(0), level(1)],
        vec![level(1), level(0)],
        vec![level(1), level(1)],
        vec![level(1), LabelPart::Named(Operand::Argument(ArgumentId(1), Vec::new()))],
        vec![LabelPart::Named(Operand::Field(vec!["origin".to_owned()])), level(1)],
    ];
    let amount = Operand::Argument(ArgumentId(0), Vec::new());
    let me = Operand::Fact(FactId(0), vec!["iban".to_owned()]);
    let sender = Operand::Field(vec!["sender".to_owned()]);
    let nested = Value::Record(BTreeMap::from([
        ("list".to_owned(), Value::List(vec![Value::Null, Value::Bool(true)])),
        ("set".to_owned(), Value::Set(BTreeSet::from([number("-1.5"), text("ä")]))),
    ]));
    let conditions = vec![
        Condition::Context(LabelId(2)),
        Condition::Context(LabelId(4)),
        Condition::Compare(
            Comparison::LessOrEqual,
            amount.clone(),
            Operand::Literal(number("1e3")),
        ),
        Condition::In(amount.clone(), Operand::Fact(FactId(1), Vec::new())),
        Condition::Present(amount.clone()),
        Condition::Compare(Comparison::NotEqual, amount, Operand::Literal(nested)),
        Condition::Not(ConditionId(3)),
        Condition::All(vec![ConditionId(0), ConditionId(2), ConditionId(6)]),
        Condition::Any(vec![ConditionId(1), ConditionId(7), ConditionId(4), ConditionId(5)]),
        Condition::Compare(Comparison::Equal, sender, me),
    ];
    let field =
        |name: &str, ty, required| Field { name: name.to_owned(), ty: TypeId(ty), required };
    Policy {
        name: "small".to_owned(),
        edition: 1,
        version: 3,
        lattices: vec![
            chain("integrity", &["trusted", "untrusted"]),
            chain("secrecy", &["public", "private"]),
        ],
        open: Vec::new(),
        labels: labels.into_iter().map(|parts| LabelTerm { parts, sets: Vec::new() }).collect(),
        types: vec![
            Type::Text,
            Type::Number,
            Type::Enumeration(vec![text("public"), text("private")]),
            Type::Record { fields: vec![field("iban", 0, true)], open: true },
            Type::Set(TypeId(1)),
            Type::List(TypeId(0)),
            Type::Union(vec![TypeId(1), TypeId(5)]),
        ],
        conditions,
        facts: vec![
            Fact { name: "me".to_owned(), ty: TypeId(3) },
            Fact { name: "amounts".to_owned(), ty: TypeId(4) },
        ],
        messages: Messages { system: LabelId(0), user: LabelId(1), reply: LabelId(3) },
        stores: vec![Store {
            name: "ledger".to_owned(),
            record: TypeId(3),
            outsiders: Some(Outsiders { read: None, write: Some(LabelId(2)) }),
        }],
        cells: vec![
            Cell {
                store: StoreId(0),
                part: CellPart::Field("subject".to_owned()),
                label: LabelRule {
                    alternatives: vec![
                        Alternative { when: ConditionId(9), label: LabelId(1) },
                        Alternative { when: ConditionId(9), label: LabelId(5) },
                    ],
                    otherwise: LabelId(3),
                },
                because: None,
                ty: Some(TypeId(0)),
                required: true,
            },
            Cell {
                store: StoreId(0),
                part: CellPart::Shape,
                label: always(1),
                because: Some("the bank lists by date".to_owned()),
                ty: None,
                required: false,
            },
        ],
        tools: vec![list_tool(), pay_tool()],
        downgrades: Vec::new(),
        claims: vec![
            Claim {
                level: LabelId(2),
                target: Target::Tool(ToolId(1)),
                unless: Some(ConditionId(2)),
                via: vec![],
            },
            Claim {
                level: LabelId(3),
                target: Target::Argument(ToolId(1), ArgumentId(0)),
                unless: None,
                via: vec![],
            },
        ],
    }
}

fn list_tool() -> Tool {
    let node = |kind| Node {
        kinds: vec![kind],
        tag: None,
        shows: Vec::new(),
        label: None,
        record_of: None,
    };
    let mut record = node(NodeKind::Record(vec![
        NodeField { name: "subject".to_owned(), node: NodeId(0), required: true },
        NodeField { name: "note".to_owned(), node: NodeId(1), required: false },
    ]));
    record.record_of = Some(StoreId(0));
    let mut subject = node(NodeKind::Leaf(TypeId(0)));
    subject.shows = vec![CellId(0)];
    let mut note = node(NodeKind::Leaf(TypeId(6)));
    note.label = Some(LabelRule {
        alternatives: vec![Alternative { when: ConditionId(9), label: LabelId(0) }],
        otherwise: LabelId(3),
    });
    let mut root = node(NodeKind::List(NodeId(2)));
    root.shows = vec![CellId(1)];
    Tool {
        name: "list".to_owned(),
        description: "Lists what was paid.".to_owned(),
        schema: "{}".to_owned(),
        arguments: Vec::new(),
        format: Format::Yaml,
        form: Vec::new(),
        nodes: vec![subject, note, record, root],
        errors: always(0),
        writes: Vec::new(),
        endorsements: Vec::new(),
        rules: vec![Rule { effect: Effect::Allow, when: None }],
    }
}

fn pay_tool() -> Tool {
    let argument = |name: &str, ty, default: Option<Value>| Argument {
        name: name.to_owned(),
        ty: TypeId(ty),
        required: default.is_none(),
        default,
    };
    let root = NodeKind::Leaf(TypeId(0));
    Tool {
        name: "pay".to_owned(),
        description: "Pays.".to_owned(),
        schema: r#"{"type": "object", "properties": {"amount": {"type": "number"}}}"#.to_owned(),
        arguments: vec![argument("amount", 1, None), argument("secrecy", 2, Some(text("public")))],
        format: Format::Text,
        form: Vec::new(),
        nodes: vec![Node {
            kinds: vec![root],
            tag: None,
            shows: Vec::new(),
            label: Some(always(4)),
            record_of: None,
        }],
        errors: always(3),
        writes: vec![Write {
            cell: CellId(0),
            from: vec![ArgumentId(0)],
            value: None,
            how: WriteKind::Any,
        }],
        endorsements: vec![Endorsement {
            cells: vec![CellId(0)],
            because: "the user sees the amount".to_owned(),
            unasked: false,
        }],
        rules: vec![
            Rule { effect: Effect::Deny, when: Some(ConditionId(6)) },
            Rule { effect: Effect::Allow, when: Some(ConditionId(8)) },
            Rule { effect: Effect::Confirm, when: None },
        ],
    }
}
