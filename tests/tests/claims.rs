//! Claims in the policy's words: what is shown of one is what was written, and compiles to the same
//! claim again.

#![expect(clippy::unwrap_used, reason = "a test may stop where its policy is not as expected")]

use rtbas_artifact::ir::{Claim, Policy, Target};
use rtbas_artifact::program::Program;
use rtbas_compiler::diag::{Diagnostics, render};
use rtbas_compiler::lower::lower;
use rtbas_compiler::source::Sources;
use rtbas_compiler::{resolve, syntax, typeck};

const POLICY: &str = r#"policy claims edition 2026
lattice integrity { trusted -> internal -> untrusted }
lattice audience  = readers
lattice topics    = powerset { hr, finance }
lattice walls     = dual powerset { inner, outer }
label { integrity, audience, topics, walls }
use tools from "tools.json"
fact house : string
store ledger {
  payee : {untrusted, nobody, topics {hr, finance}, walls {}}
  *     : {untrusted, nobody, topics {hr, finance}, walls {}}
  shape : {untrusted, nobody, topics {hr, finance}, walls {}}
}
store plain : {untrusted, nobody, topics {hr, finance}, walls {}}
message system : {trusted, anyone, topics {}, walls {inner, outer}}
message user   : {trusted, anyone, topics {}, walls {inner, outer}}
message reply  : {untrusted, nobody, topics {hr, finance}, walls {}}
tool pay {
  result text
  result : {trusted, anyone, topics {}, walls {inner, outer}}
  reads plain
  writes ledger
  allow   when context <= {untrusted, nobody, topics {hr, finance}, walls {}} and amount <= 10
  confirm otherwise
}
tool reply {
  result int
  reads plain
  confirm always
}
endorse count {
  reply.result : untrusted -> trusted
  by "ada" because "a number carries no instruction"
}
"#;

const TOOLS: &str = r#"{"tools": [
  {"name": "pay", "description": "", "inputSchema": {"type": "object", "properties": {
    "payee": {"type": "string"}, "shape": {"type": "string"}, "amount": {"type": "number"}
  }, "required": ["payee", "amount"]}},
  {"name": "reply", "description": "", "inputSchema": {"type": "object", "properties": {
    "text": {"type": "string"}
  }, "required": ["text"]}}
]}"#;

/// What is lowered, since a claim need not hold to be shown.
fn program(claims: &[&str]) -> Program {
    let text = format!("{POLICY}{}\n", claims.join("\n"));
    let mut load = |name: &str| match name {
        "claims.pol" => Ok(text.clone()),
        _ => Ok::<_, String>(TOOLS.to_owned()),
    };
    let mut sources = Sources::new(&mut load);
    let mut diagnostics = Diagnostics::default();
    let ast = syntax::parse(&mut sources, "claims.pol", &mut diagnostics);
    let hir = ast.and_then(|ast| resolve::resolve(&mut sources, &ast, &mut diagnostics));
    let typed = hir.and_then(|hir| typeck::check(hir, &mut diagnostics));
    let lowered = typed.map(|typed| lower(typed, &sources));
    diagnostics.finish();
    let said = render::human(&sources, &diagnostics.into_vec(), false);
    assert!(lowered.is_some(), "{claims:?}\n{said}");
    Program::new(lowered.unwrap().policy).unwrap()
}

fn shown(program: &Program) -> Vec<String> {
    program.policy().claims.iter().map(|claim| program.show_claim(claim).to_string()).collect()
}

/// What is written, and what is shown of it.
const CLAIMS: &[(&str, &[&str])] = &[
    ("never {untrusted} -> pay", &["never untrusted -> pay"]),
    (
        "never {untrusted, hr} -> pay.payee unless payee == house and amount <= 10 via count",
        &["never {untrusted, topics {hr}} -> pay.payee unless payee == house and amount <= 10 \
           via count"],
    ),
    (
        "never topics {} -> pay",
        &["never {trusted, topics {}, walls {inner, outer}, anyone} -> pay"],
    ),
    ("never walls {inner} -> pay", &["never walls {inner} -> pay"]),
    ("never nobody -> reply", &["never nobody -> reply"]),
    (
        "never readers {\"ann\"} -> ledger, plain",
        &["never readers {\"ann\"} -> ledger", "never readers {\"ann\"} -> plain"],
    ),
    (
        "never internal -> ledger.payee, ledger.shape, pay.payee, pay.shape",
        &[
            "never internal -> ledger.payee",
            "never internal -> ledger.shape",
            "never internal -> pay.payee",
            "never internal -> pay.shape",
        ],
    ),
    (
        "never internal -> reply unless house in [\"here\", \"there\"] via count, approval of reply",
        &["never internal -> reply unless house in [\"here\",\"there\"] \
           via count, approval of reply"],
    ),
    (
        "never {trusted} -> reply unless not house == \"here\" via approval of *",
        &["never {trusted, topics {}, walls {inner, outer}, anyone} -> reply \
           unless not house == \"here\" via approval of *"],
    ),
    ("always confirm pay when amount > 10", &["always confirm pay when amount > 10"]),
    (
        "always confirm pay when not (amount <= 10 and present(shape))",
        &["always confirm pay when not (amount <= 10 and present(shape))"],
    ),
];

#[test]
fn a_claim_is_shown_as_it_is_written() {
    for (written, expected) in CLAIMS {
        assert_eq!(shown(&program(&[written])), *expected, "{written}");
    }
}

#[test]
fn what_is_shown_compiles_to_the_same_claims() {
    let written: Vec<&str> = CLAIMS.iter().map(|(written, _)| *written).collect();
    let program = self::program(&written);
    let again = shown(&program);
    let again = self::program(&again.iter().map(String::as_str).collect::<Vec<_>>());
    let tables =
        |policy: &Policy| (policy.claims.clone(), policy.labels.clone(), policy.conditions.clone());
    assert_eq!(tables(program.policy()), tables(again.policy()));
}

/// The name of the final answer is the tool's, too, where that stands in backticks or is taken
/// apart.
#[test]
fn a_tool_that_is_called_reply_can_be_claimed_of() {
    let program = program(&["never untrusted -> reply, `reply`, reply.text"]);
    let expected =
        ["never untrusted -> reply", "never untrusted -> `reply`", "never untrusted -> reply.text"];
    assert_eq!(shown(&program), expected);
    let is_tool = |claim: &Claim| matches!(claim.target, Target::Tool(_) | Target::Argument(..));
    assert_eq!(
        program.policy().claims.iter().map(is_tool).collect::<Vec<_>>(),
        [false, true, true]
    );
}
