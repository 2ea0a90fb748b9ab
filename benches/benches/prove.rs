//! Whole runs of `rtbasc` over policies with flows: many tools that read and write stores, under a
//! label of 32 elements, with a claim about all sessions.
//!
//! Measures `target/release/rtbasc`, which `make bench` builds first.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};

const STORES: usize = 50;
/// Tools in one file, which is read up to a megabyte.
const PART: usize = 1000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs `rtbasc` and fails unless it ends so.
fn rtbasc(arguments: &[&str], exit: i32) {
    let mut command = Command::new(root().join("target/release/rtbasc"));
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().expect("target/release/rtbasc starts");
    assert_eq!(status.code(), Some(exit), "rtbasc {arguments:?}");
}

/// The label of a store or of a bound: one of the 32.
fn label(of: usize) -> String {
    let integrity = ["trusted", "partner", "staff", "untrusted"];
    let secrecy = ["public", "team", "company", "secret"];
    let kind = ["data", "code"];
    format!("{{{}, {}, {}}}", integrity[of % 4], secrecy[of % 4], kind[of % 2])
}

/// Writes a policy in which half of the tools read a store and half write one: where it is.
/// Every tenth of those that write has a limit that is higher by `more`.
fn policy(folder: &Path, name: &str, tools: usize, more: usize, claim: &str) -> String {
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("there is room for a policy");
    };
    let mut root = String::from(
        "policy flows edition 2026\n\
         lattice integrity { trusted -> partner -> untrusted  trusted -> staff -> untrusted }\n\
         lattice secrecy { public -> team -> company -> secret }\n\
         lattice kind { data -> code }\n\
         label { integrity, secrecy, kind }\n\
         fact me : string\n\
         fact team : set string\n\
         type Record = { id: string, who: string, text: string }\n\
         message system : {trusted, public, data}\n\
         message user   : {trusted, public, data}\n\
         message reply  : {untrusted, secret, code}\n",
    );
    for store in 0..STORES.min(tools / 2) {
        let label = label(store);
        root += &format!(
            "store s{store} of Record {{ id : {label}  shape : {label}  * : {{untrusted, secret, code}} }}\n"
        );
    }
    for first in (0..tools).step_by(PART) {
        let (mut list, mut part) = (Vec::new(), String::from("policy part edition 2026\n"));
        for tool in first..tools.min(first + PART) {
            list.push(format!(
                r#"{{"name": "t{tool}", "description": "Does thing {tool}.", "inputSchema": {{
                    "type": "object", "required": ["to", "text", "n"], "properties": {{
                    "to": {{"type": "string"}}, "text": {{"type": "string"}},
                    "n": {{"type": "integer"}}}}}}}}"#
            ));
            let store = (tool / 2 + tool % 2) % STORES.min(tools / 2);
            let limit = 10 + tool % 7 + if tool % 20 == 1 { more } else { 0 };
            let bound = label(store);
            match tool % 2 {
                0 => writeln!(
                    part,
                    "tool t{tool} {{ result yaml [Record]  reads s{store} as result[*]  allow always }}"
                ),
                _ => writeln!(
                    part,
                    "tool t{tool} {{ result text  result : {{trusted, public, data}}\n\
                     writes s{store} from to, text, n\n\
                     allow when context <= {bound} and (to == me or to in team) and n <= {limit}\n\
                     confirm otherwise  approval endorses s{store} because \"the user sees it\" }}"
                ),
            }
            .expect("a string takes what is written");
        }
        write(&format!("{name}-{first}.json"), &format!(r#"{{"tools": [{}]}}"#, list.join(",")));
        write(&format!("{name}-{first}.pol"), &part);
        root += &format!("use tools from \"{name}-{first}.json\"\nimport \"{name}-{first}.pol\"\n");
    }
    root += claim;
    root.push('\n');
    write(&format!("{name}.pol"), &root);
    folder.join(format!("{name}.pol")).to_str().expect("the path is text").to_owned()
}

fn prove(c: &mut Criterion) {
    let folder = std::env::temp_dir().join(format!("rtbas-prove-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room for policies");
    let mut group = c.benchmark_group("prove");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    for suite in ["banking", "slack", "travel", "workspace"] {
        let path = root().join(format!("examples/agentdojo/{suite}.pol"));
        let path = path.to_str().expect("the path is text").to_owned();
        group.bench_function(suite, |b| b.iter(|| rtbasc(&["check", &path], 0)));
    }
    let holds = "never untrusted -> t1 via approval of *";
    for tools in [50, 500, 2000, 10_000] {
        let path = policy(&folder, &format!("holds-{tools}"), tools, 0, holds);
        group.bench_function(format!("{tools} tools"), |b| b.iter(|| rtbasc(&["check", &path], 0)));
    }
    let bare = policy(&folder, "bare", 500, 0, "");
    group.bench_function("500 tools, no claim", |b| b.iter(|| rtbasc(&["check", &bare], 0)));
    // What approved calls write is read back, in as many sessions as it takes.
    let broken = policy(&folder, "broken", 500, 0, "never untrusted -> t1");
    group.bench_function("500 tools, a claim that fails", |b| {
        b.iter(|| rtbasc(&["check", &broken], 1));
    });
    let old = folder.join("holds-500.pol").to_str().expect("the path is text").to_owned();
    let new = policy(&folder, "more", 500, 1, holds);
    group.bench_function("diff of 500 tools", |b| b.iter(|| rtbasc(&["diff", &old, &new], 5)));
    group.finish();
    std::fs::remove_dir_all(&folder).expect("what was made can be removed");
}

criterion_group!(benches, prove);
criterion_main!(benches);
