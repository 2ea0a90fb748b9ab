//! `rtbasc replay`: runs recorded sessions through the engine, and reports what it would have done.
//! No model and no tool is asked.

mod lines;
mod log;
mod labels;
mod play;
mod scene;
mod tally;
mod explain;
mod report;
mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rtbas::Engine;
use rtbas_artifact::eval::FactError;
use rtbas_artifact::value::Value;
use serde_json::json;

use self::labels::Labels;
use self::lines::{Fault, Lines};
use self::log::Recording;
use self::play::Marks;
use self::scene::{Choice, Scene};
use self::tally::Tally;
use crate::exit::{Exit, Failure, Outcome};
use crate::input::{self, reason};
use crate::output::{self, Format, shown};
use crate::policy;

/// Largest file of facts, in bytes.
const MAX_FACTS: usize = 16 * 1024 * 1024;

/// Run recorded sessions through policies, without any model
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// Policies (`.pol`, or artifacts `.rtbas`), and sessions (`.jsonl`, packed or not, or a
    /// folder of such); a session is played with the policy that its `suite` names
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// A key that is trusted to sign artifacts
    #[arg(long = "key", value_name = "KEYFILE")]
    keys: Vec<PathBuf>,
    /// The facts that policies declare: a JSON object of their values by name
    #[arg(long, value_name = "FILE")]
    facts: Option<PathBuf>,
    /// What attacks and tasks need, to report which are stopped and kept (`labels.tsv`)
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The marks that the recorder put around each result
    #[arg(long, num_args = 2, value_names = ["OPEN", "CLOSE"])]
    unwrap: Option<Vec<String>>,
    /// Say why the calls of this session, or this one of them, are decided as they are
    #[arg(long, value_name = "ID[:CALL]")]
    explain: Option<String>,
    /// Also write the report as a page of HTML, with the timeline of one session
    #[arg(long, value_name = "FILE", conflicts_with = "explain")]
    html: Option<PathBuf>,
    /// The session whose timeline that page shows; else one with a call that is not allowed
    #[arg(long, value_name = "ID", requires = "html")]
    session: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Replays the sessions and prints the report.
pub(crate) fn run(args: &Replay) -> Outcome {
    let (policies, logs) = sort(&args.paths)?;
    let player = Player {
        engines: policy::engines(&policies, &args.keys)?,
        facts: args.facts.as_deref().map_or_else(|| Ok(BTreeMap::new()), facts)?,
        marks: match args.unwrap.as_deref() {
            Some([open, close]) => Some(Marks { open: open.clone(), close: close.clone() }),
            _ => None,
        },
    };
    player.check_facts()?;
    match args.explain.as_deref() {
        Some(wanted) => player.explain(&logs, wanted, args.format),
        None => {
            let labels = args.labels.as_deref().map(Labels::read).transpose()?;
            player.report(&logs, labels.as_ref(), args)
        }
    }
}

/// What sessions are played with.
struct Player {
    engines: BTreeMap<String, Engine>,
    facts: BTreeMap<String, Value>,
    marks: Option<Marks>,
}

impl Player {
    /// Plays every session.
    fn report(&self, logs: &[PathBuf], labels: Option<&Labels>, args: &Replay) -> Outcome {
        let mut choice = args.html.as_ref().map(|_| Choice::new(args.session.as_deref()));
        let mut tally = Tally::new(labels.is_some());
        let mut ids = BTreeSet::new();
        let progress = progress(logs);
        for log in logs {
            let mut lines = Lines::open(log, &progress)?;
            while let Some(recording) = log::next(&mut lines)? {
                let Some(engine) = self.engines.get(&recording.suite) else {
                    *tally.skipped.entry(recording.suite).or_default() += 1;
                    continue;
                };
                if !ids.insert(recording.id.clone()) {
                    tally.repeated += 1;
                    continue;
                }
                let scene = self.play(engine, recording).map_err(|problem| lines.fault(problem))?;
                let known = labels.and_then(|labels| labels.get(&scene.played.id));
                tally.add(&scene.played, known).map_err(|problem| lines.fault(problem))?;
                if let Some(choice) = &mut choice {
                    choice.offer(scene);
                }
            }
        }
        progress.finish_and_clear();
        if tally.sessions == 0 {
            return Err(Failure::usage(nothing_played(&tally)));
        }
        let mut written = String::new();
        if let Some((path, choice)) = args.html.as_ref().zip(choice) {
            let scene = choice.chosen().ok_or_else(|| no_session(args.session.as_deref()))?;
            self.write_page(path, &tally, &scene)?;
            let (path, session) = (path.display(), shown(&scene.played.id));
            written = format!("\npage       {path}, with the timeline of {session}\n");
        }
        match args.format {
            Format::Human => output::print(&(report::human(&tally) + &written))?,
            Format::Json => output::print_json(&json!(tally))?,
        }
        Ok(Exit::Fine)
    }

    fn write_page(&self, path: &Path, tally: &Tally, scene: &Scene) -> Result<(), Failure> {
        let named = |problem: String| Failure::usage(format!("`{}` {problem}", path.display()));
        let page = page::html(&self.engines, tally, scene)
            .map_err(|e| named(format!("is not written: {e}")))?;
        output::replace(path, page.as_bytes()).map_err(named)
    }

    /// Plays one session.
    fn explain(&self, logs: &[PathBuf], wanted: &str, format: Format) -> Outcome {
        for log in logs {
            let mut lines = Lines::open(log, &ProgressBar::hidden())?;
            while let Some(recording) = log::next(&mut lines)? {
                let Some(call) = explain::names(wanted, &recording.id) else { continue };
                let engine = self.engines.get(&recording.suite).ok_or_else(|| {
                    let (id, suite) = (shown(&recording.id), shown(&recording.suite));
                    Failure::usage(format!("`{id}` needs a policy named `{suite}`; give it too"))
                })?;
                let Scene { played, .. } =
                    self.play(engine, recording).map_err(|problem| lines.fault(problem))?;
                let calls = explain::choose(call, &played.calls).map_err(Failure::usage)?;
                match format {
                    Format::Human => output::print(&explain::human(&calls))?,
                    Format::Json => output::print_json(&explain::document(&played.id, &calls))?,
                }
                return Ok(Exit::Fine);
            }
        }
        Err(no_session(Some(wanted)))
    }

    fn play(&self, engine: &Engine, recording: Recording) -> Result<Scene, String> {
        let mut session = play::session(engine, &self.facts).map_err(|e| e.to_string())?;
        let floor = session.view().map_err(|e| e.to_string())?.label().clone();
        let played = play::play(&mut session, recording, self.marks.as_ref());
        Ok(Scene { played: played.map_err(|e| e.to_string())?, session, floor })
    }

    /// Checks that the policies declare the facts that are given, and no others.
    fn check_facts(&self) -> Result<(), Failure> {
        let mut unknown: BTreeSet<&str> = self.facts.keys().map(String::as_str).collect();
        for (name, engine) in &self.engines {
            play::session(engine, &self.facts).map_err(|e| {
                let help = match e {
                    FactError::Missing(_) => "; give it in the file of `--facts`",
                    FactError::Unknown(_) | FactError::Mistyped(..) => "",
                };
                Failure::usage(format!("policy `{name}`: {e}{help}"))
            })?;
            for fact in &engine.artifact().program().policy().facts {
                unknown.remove(fact.name.as_str());
            }
        }
        match unknown.first() {
            Some(fact) => {
                let fact = shown(fact);
                Err(Failure::usage(format!("no policy declares the fact `{fact}`; leave it out")))
            }
            None => Ok(()),
        }
    }
}

/// Tells policies from logs.
fn sort(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Failure> {
    let (mut policies, mut logs) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            logs.extend(logs_in(path)?);
        } else if is_log(path) {
            logs.push(path.clone());
        } else if policy::is_policy(path) {
            policies.push(path.clone());
        } else if let Err(error) = fs::metadata(path) {
            return Err(Fault::file(path, reason(&error)).into());
        } else {
            return Err(Failure::usage(format!(
                "`{}` is neither a policy (`.pol`, `.rtbas`) nor sessions (`.jsonl`, `.jsonl.gz`, \
                 `.jsonl.zst`, or a folder of them); rename it",
                path.display()
            )));
        }
    }
    match (policies.as_slice(), logs.as_slice()) {
        ([], _) => Err(Failure::usage("no policy is given; name a `.pol` or `.rtbas` file")),
        (_, []) => Err(Failure::usage("no sessions are given; name a `.jsonl` file or a folder")),
        _ => Ok((policies, logs)),
    }
}

fn is_log(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    [".jsonl", ".jsonl.gz", ".jsonl.zst"].iter().any(|end| name.ends_with(end))
}

/// The logs in a folder, in order of their names.
fn logs_in(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let fault = |error: std::io::Error| Fault::file(folder, reason(&error));
    let mut logs = Vec::new();
    for entry in fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if is_log(&path) {
            logs.push(path);
        }
    }
    if logs.is_empty() {
        return Err(Fault::file(folder, "holds no `.jsonl`, `.jsonl.gz` or `.jsonl.zst` file"));
    }
    logs.sort();
    Ok(logs)
}

/// Reads the facts of all policies.
fn facts(path: &Path) -> Result<BTreeMap<String, Value>, Failure> {
    let named = |problem: String| Failure::usage(format!("`{}` {problem}", path.display()));
    let text = input::bytes(path, MAX_FACTS).map_err(named)?;
    let json: BTreeMap<String, serde_json::Value> = serde_json::from_slice(&text)
        .map_err(|e| named(format!("is no JSON object of facts by name: {e}")))?;
    let fact = |(name, value): (String, serde_json::Value)| match Value::from_json(&value) {
        Ok(value) => Ok((name, value)),
        Err(e) => Err(named(format!("has a fact `{}` that is no value: {e}", shown(&name)))),
    };
    json.into_iter().map(fact).collect()
}

/// A bar over the bytes of the logs. It shows itself on terminals only.
fn progress(logs: &[PathBuf]) -> ProgressBar {
    let bytes = logs.iter().filter_map(|log| fs::metadata(log).ok()).map(|log| log.len()).sum();
    let bar = ProgressBar::new(bytes);
    match ProgressStyle::with_template("{wide_bar} {bytes} of {total_bytes}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn no_session(wanted: Option<&str>) -> Failure {
    Failure::usage(format!("no session is named `{}`", shown(wanted.unwrap_or_default())))
}

fn nothing_played(tally: &Tally) -> String {
    let missing: Vec<String> = tally
        .skipped
        .iter()
        .map(|(suite, n)| format!("no policy named `{}` (sessions: {n})", shown(suite)))
        .collect();
    match missing.as_slice() {
        [] => "nothing was replayed: the logs hold no session".to_owned(),
        missing => format!("nothing was replayed: {}", missing.join(", ")),
    }
}
