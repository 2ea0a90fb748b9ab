//! Whole runs of `rtbasc`, start to exit: checking policies, formatting one, and replaying
//! recordings.
//!
//! Measures `target/release/rtbasc`, which `make bench` builds first.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs `rtbasc` and fails unless it succeeds.
fn rtbasc(arguments: &[&str]) {
    let mut command = Command::new(root().join("target/release/rtbasc"));
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().expect("target/release/rtbasc starts");
    assert!(status.success(), "rtbasc {arguments:?}: {status}");
}

/// A policy whose lattice has `levels` levels: the subsets of a set, or a chain.
fn order(levels: usize, is_chain: bool) -> String {
    let mut edges = String::new();
    for a in 0..levels {
        match is_chain {
            true if a + 1 < levels => writeln!(edges, "  l{a} -> l{}", a + 1),
            true => Ok(()),
            false => (0..levels.ilog2())
                .filter(|bit| a >> bit & 1 == 0)
                .try_for_each(|bit| writeln!(edges, "  l{a} -> l{}", a | 1 << bit)),
        }
        .expect("a string takes what is written");
    }
    format!(
        "policy order edition 2026\nlattice order {{\n{edges}}}\nlabel {{ order }}\n\
         use tools from \"none.json\"\n\
         message system : l0\nmessage user : l0\nmessage reply : l0\n"
    )
}

fn check(c: &mut Criterion) {
    let mut group = c.benchmark_group("check");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    let banking = root().join("examples/agentdojo/banking.pol");
    let banking = banking.to_str().expect("the path is text");
    group.bench_function("banking", |b| b.iter(|| rtbasc(&["check", banking])));
    let folder = std::env::temp_dir().join(format!("rtbas-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room for policies");
    std::fs::write(folder.join("none.json"), r#"{"tools": []}"#).expect("there is room");
    for levels in [64, 128, 512] {
        for (name, is_chain) in [("chain", true), ("subsets", false)] {
            let path = folder.join(format!("{name}-{levels}.pol"));
            std::fs::write(&path, order(levels, is_chain)).expect("there is room");
            let path = path.to_str().expect("the path is text").to_owned();
            group.bench_function(format!("{name} of {levels}"), |b| {
                b.iter(|| rtbasc(&["check", &path]));
            });
        }
    }
    let path = many_tools(&folder);
    group.bench_function("10000 tools", |b| b.iter(|| rtbasc(&["check", &path])));
    group.finish();
    std::fs::remove_dir_all(&folder).expect("what was made can be removed");
}

/// Writes a policy of ten thousand tools, each with rules of its own, in ten files: where it is.
fn many_tools(folder: &Path) -> String {
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("there is room for a policy");
    };
    let mut root = String::from(
        "policy many edition 2026\n\
         lattice integrity { trusted -> untrusted }\n\
         lattice secrecy = readers\n\
         label { integrity, secrecy }\n\
         fact payees : set string\n\
         message system : {trusted, anyone}\n\
         message user   : {trusted, anyone}\n\
         message reply  : {untrusted, nobody}\n",
    );
    for part in 0..10 {
        let (mut tools, mut policy) = (Vec::new(), String::from("policy part edition 2026\n"));
        for tool in part * 1000..(part + 1) * 1000 {
            tools.push(format!(
                r#"{{"name": "tool_{tool}", "description": "Does thing {tool}.", "inputSchema": {{
                    "type": "object", "required": ["to", "amount"], "properties": {{
                    "to": {{"type": "string"}}, "amount": {{"type": "integer"}},
                    "cc": {{"type": "array", "items": {{"type": "string"}}}}}}}}}}"#
            ));
            policy += &format!(
                "tool tool_{tool} {{\n\
                 result text\n\
                 result : untrusted\n\
                 allow when context <= {{trusted, readers {{to}}}} and amount <= {tool}\n\
                 allow when to in payees and context <= {{trusted, readers {{to}}}}\n\
                 confirm otherwise\n\
                 }}\n"
            );
        }
        write(&format!("{part}.json"), &format!(r#"{{"tools": [{}]}}"#, tools.join(",")));
        write(&format!("{part}.pol"), &policy);
        root += &format!("use tools from \"{part}.json\"\nimport \"{part}.pol\"\n");
    }
    write("many.pol", &root);
    folder.join("many.pol").to_str().expect("the path is text").to_owned()
}

/// Formats a policy of a megabyte, the most that is read: the tools and tests of the banking policy
/// again and again.
fn fmt(c: &mut Criterion) {
    let banking = root().join("examples/agentdojo/banking.pol");
    let banking = std::fs::read_to_string(banking).expect("the policy is there");
    let (head, tools) = banking.split_once("\ntool ").expect("the policy has tools");
    let tools = format!("\ntool {tools}");
    let times = (1024 * 1024 - head.len()) / tools.len();
    let text = head.to_owned() + &tools.repeat(times);
    let path = std::env::temp_dir().join(format!("rtbas-bench-{}.pol", std::process::id()));
    std::fs::write(&path, &text).expect("there is room for a policy");
    let mut group = c.benchmark_group("fmt");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    group.throughput(Throughput::Bytes(text.len() as u64));
    let arguments = ["fmt", "--check", path.to_str().expect("the path is text")];
    group.bench_function("a megabyte", |b| b.iter(|| rtbasc(&arguments)));
    group.finish();
    std::fs::remove_file(&path).expect("what was made can be removed");
}

/// Replays the recordings in the folder that `RTBAS_TRACES` names, if it names one.
fn replay(c: &mut Criterion) {
    let Ok(traces) = std::env::var("RTBAS_TRACES") else {
        println!("replay: RTBAS_TRACES names no folder of recordings; skipped");
        return;
    };
    let banking = root().join("examples/agentdojo/banking.pol");
    let banking = banking.to_str().expect("the path is text");
    let mut group = c.benchmark_group("replay");
    group.sample_size(10).measurement_time(Duration::from_secs(20));
    let arguments = ["replay", banking, &traces, "--unwrap", "<<", ">>"];
    group.bench_function("banking", |b| b.iter(|| rtbasc(&arguments)));
    group.finish();
}

criterion_group!(process, check, fmt, replay);
criterion_main!(process);
