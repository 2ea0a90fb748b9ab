//! Finding the regions of a result: a list of mails in each format, as programs print it.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rtbas::region::find;
use rtbas_artifact::open::{Requirements, open};
use rtbas_benches::{artifact, policy};
use serde_json::json;

/// Mails in a result.
const MAILS: usize = 100;

/// The lines of a mail, each a few sentences.
const LINES: [&str; 4] = [
    "Hi all,",
    "the draft of the plan is in the shared folder since this morning, and I would like to have your \
     remarks by Thursday, so that we can talk about them at the meeting.",
    "The numbers in table 3 are last year's; the new ones come with the next version (it's due soon).",
    "Thanks, Ann",
];

/// How PyYAML writes it: sorted names, text with line breaks in single quotes, folded at blanks.
fn yaml() -> String {
    let mut text = String::new();
    for id in 0..MAILS {
        let body = LINES.join("\n\n\n    ").replace('\'', "''").replace(", and ", ", and\n    ");
        let _ = write!(
            text,
            "- body: '{body}'\n  cc: []\n  id_: '{id}'\n  read: false\n  recipients:\n  - ann@desk.example\n  \
             - bob@desk.example\n  sender: cy@desk.example\n  size: {}\n  subject: The plan, version {id}\n",
            body.len()
        );
    }
    text
}

fn json() -> String {
    let mail = |id: usize| {
        json!({
            "body": LINES.join("\n"), "cc": [], "id_": id.to_string(), "read": false,
            "recipients": ["ann@desk.example", "bob@desk.example"], "sender": "cy@desk.example",
            "size": LINES.concat().len(), "subject": format!("The plan, version {id}"),
        })
    };
    serde_json::Value::Array((0..MAILS).map(mail).collect()).to_string()
}

/// How `repr` writes it.
fn python() -> String {
    json().replace("false", "False").replace("\":", "\": ").replace(",\"", ", \"")
}

fn region(c: &mut Criterion) {
    let (bytes, keys) = artifact(&policy("mails.pol"));
    let opened = open(&bytes, &keys, &Requirements::default()).expect("it was just made");
    let policy = opened.program().policy();
    let mut group = c.benchmark_group("region");
    for (tool, text) in [("read_yaml", yaml()), ("read_json", json()), ("read_python", python())] {
        let tool = policy.tools.iter().find(|t| t.name == tool).expect("the policy has it");
        let regions = find(&policy.types, tool, &text).expect("it has its shape").iter().len();
        assert_eq!(regions, 1 + MAILS * 11);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(&tool.name, |b| {
            b.iter(|| find(&policy.types, tool, black_box(&text)));
        });
    }
    group.finish();
}

criterion_group!(benches, region);
criterion_main!(benches);
