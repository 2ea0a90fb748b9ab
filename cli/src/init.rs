//! `rtbasc init`: a policy to start from, for the tools of a list or of a running server.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use rtbas_compiler::diag::Diagnostic;
use rtbas_compiler::resolve::tool_form::repeated;
use rtbas_compiler::skeleton::{MARK, skeleton};
use rtbas_compiler::source::{MAX_FILE, Sources};
use serde_json::{Value, json};

use crate::compile::print;
use crate::exit::{Exit, Failure, Outcome};
use crate::input;
use crate::output::{self, Readers};

mod server;

/// Write a policy to start from, in which every call asks
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The answer to MCP's `tools/list`, or a list of functions; or `-`
    #[arg(value_name = "LIST", required_unless_present = "server")]
    list: Option<PathBuf>,
    /// The policy to write; without it, LIST with the ending `.pol`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    /// Ask the MCP server that the command after `--` starts
    #[arg(long, conflicts_with = "list", requires_all = ["command", "output"])]
    server: bool,
    /// How long the server may take in all
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    timeout: Duration,
    /// The server's command
    #[arg(last = true, value_name = "COMMAND", requires = "server")]
    command: Vec<OsString>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "this is no number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}

/// What is to be written, and from what.
struct Plan {
    policy: PathBuf,
    tools: Value,
    /// What the policy calls the list.
    list: String,
    /// Whether the list is to be written beside the policy.
    is_new: bool,
}

impl Plan {
    /// The list that is to be written, if one is.
    fn new_list(&self) -> Option<PathBuf> {
        self.is_new.then(|| self.policy.with_file_name(&self.list))
    }
}

/// Writes the policy, and the list where there was none.
pub(crate) fn run(args: &Init) -> Outcome {
    let plan = plan(args)?;
    let new = [Some(plan.policy.clone()), plan.new_list()];
    let exists = |path: &PathBuf| fs::symlink_metadata(path).is_ok();
    if let Some(path) = new.into_iter().flatten().find(exists).filter(|_| !args.force) {
        let path = path.display();
        return Err(Failure::usage(format!("`{path}` exists already; `--force` replaces it")));
    }
    let name = plan.policy.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let Some(text) = skeleton(name, &plan.list, &plan.tools) else {
        let help = "give the answer to MCP's `tools/list`, or a list of functions";
        return Err(Failure::usage(format!("this is no list of tools; {help}")));
    };
    let list = format!("{:#}\n", plan.tools);
    if [&text, &list].iter().any(|text| text.len() > MAX_FILE) {
        let problem = "too many tools for one policy; split the list";
        return Err(Failure::refused(problem));
    }
    // Nothing is written that does not compile, whatever the list holds.
    let text = canonical(&plan, &text, &list)?;
    if let Some(path) = plan.new_list() {
        write(&path, &list, args.force)?;
    }
    write(&plan.policy, &text, args.force).inspect_err(|_| {
        if let Some(path) = plan.new_list().filter(|_| !args.force) {
            // Without the policy it is of no use, and it is ours to remove.
            let _ = fs::remove_file(path);
        }
    })?;
    let (policy, marks) = (plan.policy.display(), text.matches(&format!("{MARK}:")).count());
    output::print(&format!(
        "`{policy}` lets no call run unasked; {marks} lines marked {MARK} are yours to loosen\n\
         next: rtbasc check {policy}\n"
    ))?;
    Ok(Exit::Fine)
}

fn plan(args: &Init) -> Result<Plan, Failure> {
    let from_file = args.list.as_ref().filter(|list| list.as_os_str() != "-");
    let policy = match (&args.output, from_file) {
        (Some(output), _) => output.clone(),
        (None, Some(list)) => {
            let bare = list.with_extension("");
            let is_tools = bare.extension().is_some_and(|end| end == "tools");
            if is_tools { bare.with_extension("pol") } else { list.with_extension("pol") }
        }
        (None, None) => return Err(Failure::usage("name the policy to write by `-o FILE`")),
    };
    let tools = match &args.list {
        Some(list) => read(list)?,
        None => json!({ "tools": server::tools(&args.command, args.timeout)? }),
    };
    let no_text = |path: &Path| {
        Failure::usage(format!("`{}` is a name that is not UTF-8; rename it", path.display()))
    };
    let (list, is_new) = match from_file {
        Some(list) => (beside(&policy, list)?, false),
        None => (policy.with_extension("tools.json").file_name().map(PathBuf::from), true),
    };
    let list = list.as_deref().and_then(Path::to_str).ok_or_else(|| no_text(&policy))?.to_owned();
    Ok(Plan { policy, tools, list, is_new })
}

fn read(list: &Path) -> Result<Value, Failure> {
    let failure = |problem: String| Failure::usage(format!("`{}` {problem}", list.display()));
    let text = input::text(list, MAX_FILE).map_err(failure)?;
    let value = serde_json::from_str(&text).map_err(|e| failure(format!("is no JSON: {e}")))?;
    match repeated(&text) {
        Some((name, _)) => Err(failure(format!("has an object that gives {name:?} twice"))),
        None => Ok(value),
    }
}

/// The way from a policy's folder to a list.
fn beside(policy: &Path, list: &Path) -> Result<Option<PathBuf>, Failure> {
    let folder = match policy.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let absolute = |path: &Path| {
        fs::canonicalize(path)
            .map_err(|e| Failure::usage(format!("`{}` {}", path.display(), input::reason(&e))))
    };
    Ok(pathdiff::diff_paths(absolute(list)?, absolute(folder)?))
}

/// The policy in its canonical form. Says why it does not compile if it does not.
fn canonical(plan: &Plan, text: &str, list: &str) -> Result<String, Failure> {
    let root = plan.policy.to_string_lossy().into_owned();
    let new = plan.new_list();
    let load = |policy: &str, path: &str| match path {
        _ if path == root => Ok(policy.to_owned()),
        _ if new.as_deref() == Some(Path::new(path)) => Ok(list.to_owned()),
        _ => input::text(Path::new(path), MAX_FILE).map_err(|problem| format!("it {problem}")),
    };
    let refused = |sources: &Sources<'_>, said: &[Diagnostic]| {
        print(sources, said);
        Failure::refused(format!("`{}` is refused, and nothing is written", plan.list))
    };
    let mut draft = |path: &str| load(text, path);
    let mut sources = Sources::new(&mut draft);
    let (formatted, said) = rtbas_compiler::format(&mut sources, &root);
    let formatted = formatted.ok_or_else(|| refused(&sources, &said))?;
    let mut last = |path: &str| load(&formatted, path);
    let mut sources = Sources::new(&mut last);
    match rtbas_compiler::compile(&mut sources, &root) {
        (Some(_), _) => {}
        (None, said) => return Err(refused(&sources, &said)),
    }
    Ok(formatted)
}

fn write(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let written = match force {
        true => output::replace(path, text.as_bytes()),
        false => output::create(path, text.as_bytes(), Readers::Default),
    };
    written.map_err(|problem| Failure::usage(format!("`{}` {problem}", path.display())))
}
