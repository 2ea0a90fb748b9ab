//! One decision: from the name of a tool and its parsed arguments to allow, confirm or deny, with
//! the label, the types of the arguments and one guard. Cedar and Rego decide by the same three
//! rules in the same run; the ratios are what counts.

use std::collections::BTreeMap;
use std::hint::black_box;

use cedar_policy::{
    Authorizer, Context, Decision, Entities, EntityUid, PolicySet, Request, RestrictedExpression,
};
use criterion::{Criterion, criterion_group, criterion_main};
use rtbas_artifact::ir::Effect;
use rtbas_artifact::open::{Requirements, open};
use rtbas_artifact::value::Value;
use rtbas_benches::{artifact, payees, policy};

const CEDAR: &str = include_str!("../policies/payments.cedar");
const REGO: &str = include_str!("../policies/payments.rego");

fn ours(c: &mut Criterion) {
    let (bytes, keys) = artifact(&policy("payments.pol"));
    let artifact = open(&bytes, &keys, &Requirements::default()).expect("it was just made");
    let program = artifact.program();
    let facts = program.facts(payees()).expect("the facts are those declared");
    let arguments = BTreeMap::from([
        ("recipient".to_owned(), Value::Text("GB29".to_owned())),
        ("amount".to_owned(), Value::Number(250.into())),
        ("subject".to_owned(), Value::Text("rent".to_owned())),
    ]);
    let context = program.constant(program.policy().messages.user).expect("it is a constant");
    let decide = || {
        let call = program.bind(black_box("send_money"), black_box(&arguments)).ok()?;
        let label = program.call_label(black_box(context), &[]);
        Some(program.decide(&facts, &call, &label).effect)
    };
    assert_eq!(decide(), Some(Effect::Allow));
    c.bench_function("decision/rtbas", |b| b.iter(|| black_box(decide())));
}

fn cedar(c: &mut Criterion) {
    let policies: PolicySet = CEDAR.parse().expect("the Cedar policy parses");
    let user = r#"[{"uid": {"type": "User", "id": "u"}, "parents": [],
                    "attrs": {"payees": ["CH93", "GB29", "SE35"]}}]"#;
    let entities = Entities::from_json_str(user, None).expect("the entities parse");
    let uid = |text: &str| text.parse::<EntityUid>().expect("the id parses");
    let (principal, action) = (uid(r#"User::"u""#), uid(r#"Action::"send_money""#));
    let resource = uid(r#"Tool::"send_money""#);
    let authorizer = Authorizer::new();
    let request = || {
        let text = |text: &str| RestrictedExpression::new_string(text.to_owned());
        let context = Context::from_pairs([
            ("recipient".to_owned(), text("GB29")),
            ("amount".to_owned(), RestrictedExpression::new_long(250)),
            ("subject".to_owned(), text("rent")),
            ("integrity".to_owned(), text("trusted")),
            ("secrecy".to_owned(), text("private")),
        ])
        .expect("the context is well formed");
        Request::new(principal.clone(), action.clone(), resource.clone(), context, None)
            .expect("the request is well formed")
    };
    let made = request();
    let decide = |request: &Request| {
        authorizer.is_authorized(black_box(request), &policies, &entities).decision()
    };
    assert_eq!(decide(&made), Decision::Allow);
    // The peer at its best: the request is made beforehand.
    c.bench_function("decision/cedar", |b| b.iter(|| black_box(decide(&made))));
    c.bench_function("decision/cedar with its request", |b| {
        b.iter(|| black_box(decide(&request())));
    });
}

fn rego(c: &mut Criterion) {
    let mut engine = regorus::Engine::new();
    engine.add_policy("payments.rego".to_owned(), REGO.to_owned()).expect("the Rego policy parses");
    let data = regorus::Value::from_json_str(r#"{"payees": ["CH93", "GB29", "SE35"]}"#);
    engine.add_data(data.expect("the data parses")).expect("the data fits");
    let input = regorus::Value::from_json_str(
        r#"{"tool": "send_money",
            "arguments": {"recipient": "GB29", "amount": 250, "subject": "rent"},
            "label": {"integrity": "trusted", "secrecy": "private"}}"#,
    )
    .expect("the input parses");
    let mut decide = || {
        engine.set_input(black_box(input.clone()));
        engine.eval_rule("data.payments.decision".to_owned()).expect("the rule evaluates")
    };
    assert_eq!(decide(), regorus::Value::from("allow"));
    c.bench_function("decision/regorus", |b| b.iter(|| black_box(decide())));
}

criterion_group!(decision, ours, cedar, rego);
criterion_main!(decision);
