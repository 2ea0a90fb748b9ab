//! `rtbasc diff`: what a change of a policy lets through that was not let through before, and the
//! other way round.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use rtbas_artifact::ir::Effect;
use rtbas_artifact::program::Program;
use rtbas_compiler::verify::diff::{self, Opened, OpenedCall, OpenedFlow};
use serde_json::{Value, json};

use crate::exit::{Exit, Outcome};
use crate::output::{self, Format, effect_name, shown};
use crate::policy;
use crate::report;

/// Most points where data starts that people are shown.
const MAX_NAMED: usize = 8;

/// Say what a change lets through: calls, flows, and what is taken on trust
#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The policy as it was, or an artifact
    old: PathBuf,
    /// The policy as it is, or an artifact
    new: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// A key that is trusted, for artifacts
    #[arg(long = "key", value_name = "KEYFILE")]
    keys: Vec<PathBuf>,
}

/// What is taken on trust, or claimed: lines that one policy has and the other does not.
struct Lines {
    only_old: Vec<String>,
    only_new: Vec<String>,
}

impl Lines {
    fn of(old: Vec<String>, new: Vec<String>) -> Self {
        let (before, after): (BTreeSet<_>, BTreeSet<_>) =
            (old.iter().cloned().collect(), new.iter().cloned().collect());
        Self {
            only_old: old.into_iter().filter(|line| !after.contains(line)).collect(),
            only_new: new.into_iter().filter(|line| !before.contains(line)).collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.only_old.is_empty() && self.only_new.is_empty()
    }

    fn print(&self, title: &str) -> Vec<String> {
        if self.is_empty() {
            return Vec::new();
        }
        let old = self.only_old.iter().map(|line| format!("  - {line}"));
        let new = self.only_new.iter().map(|line| format!("  + {line}"));
        [title.to_owned()].into_iter().chain(old).chain(new).collect()
    }

    fn document(&self) -> Value {
        json!({ "only_old": self.only_old, "only_new": self.only_new })
    }
}

/// Prints the difference. The exit code says whether anything was opened.
pub(crate) fn run(args: &Diff) -> Outcome {
    let old = policy::program(&args.old, &args.keys)?;
    let new = policy::program(&args.new, &args.keys)?;
    let diff::Diff { opened: more, closed: less } = diff::diff(&old, &new);
    let told = Lines::of(report::told(&old), report::told(&new));
    let claimed = Lines::of(claims(&old), claims(&new));
    match args.format {
        Format::Human => {
            let mut lines = side("opened: what was not let through before", &more, false);
            lines.extend(side("closed: what is let through no longer", &less, true));
            lines.extend(told.print("told, and taken as it is said"));
            lines.extend(claimed.print("claimed of all sessions, and proved"));
            if lines.is_empty() {
                lines
                    .push("no difference in calls, flows, what is told and what is claimed".into());
            }
            output::print_lines(&lines)?;
        }
        Format::Json => output::print_json(&json!({
            "opened": document(&more),
            "closed": document(&less),
            "told": told.document(),
            "claims": claimed.document(),
        }))?,
    }
    Ok(if more.is_empty() { Exit::Fine } else { Exit::Opened })
}

fn claims(program: &Program) -> Vec<String> {
    let claims = program.policy().claims.iter();
    claims.map(|claim| shown(&program.show_claim(claim).to_string())).collect()
}

/// What one side lets through and the other does not.
fn side(title: &str, opened: &Opened, is_closed: bool) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(opened.calls_like.iter().map(|like| format!("  {like}")));
    for call in &opened.calls {
        let [mut was, mut is] = call.effects.map(effect_name);
        if is_closed {
            (was, is) = (is, was);
        }
        let what = match &call.tool {
            Some(tool) => format!("`{tool}`"),
            None => "the reply".to_owned(),
        };
        lines.push(format!("  {what}: was {was}, is {is}"));
        if call.tool.is_some() {
            lines.push(format!("      `{}`", call.call));
        }
        lines.push(format!("      in a context {}", call.context));
        lines.extend(call.facts.iter().map(|fact| format!("      with fact {fact}")));
    }
    for flow in &opened.flows {
        let named: Vec<&str> = flow.from.iter().take(MAX_NAMED).map(String::as_str).collect();
        let more = match flow.from.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let outside = if flow.outside { ", as outsiders write it," } else { "" };
        lines.push(format!("  {}{outside}{more} -> {}", named.join(", "), flow.to));
        lines.extend(flow.session.iter().map(|step| format!("      {step}")));
        lines
            .extend(flow.unknown.iter().map(|why| format!("      not excluded, because of {why}")));
    }
    lines.extend(opened.unknown.iter().map(|why| format!("  not compared: {why}")));
    if !lines.is_empty() {
        lines.insert(0, title.to_owned());
    }
    lines.iter().map(|line| shown(line)).collect()
}

fn document(opened: &Opened) -> Value {
    let effect = |effect: Effect| effect_name(effect);
    let call = |call: &OpenedCall| {
        json!({
            "tool": call.tool,
            "was": effect(call.effects[0]),
            "is": effect(call.effects[1]),
            "call": call.call,
            "facts": call.facts,
            "context": call.context,
        })
    };
    let flow = |flow: &OpenedFlow| {
        json!({
            "from": flow.from,
            "outside": flow.outside,
            "to": flow.to,
            "session": flow.session,
            "unknown": flow.unknown,
        })
    };
    json!({
        "signatures": opened.calls_like,
        "calls": opened.calls.iter().map(call).collect::<Value>(),
        "flows": opened.flows.iter().map(flow).collect::<Value>(),
        "unknown": opened.unknown,
    })
}
