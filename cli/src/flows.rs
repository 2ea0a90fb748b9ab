//! `rtbasc flows`: from where data can come to where, in any session.

mod picture;
mod page;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rtbas_compiler::diag::nearest;
use rtbas_compiler::verify::flow::{self, Point, Search, Step, Way};
use serde_json::{Value, json};

use crate::exit::{Exit, Failure, Outcome};
use crate::output::{self, shown};
use crate::policy;

/// Most flows that people are shown one by one.
const MAX_SHOWN: usize = 20;
/// Most points in one line.
const MAX_NAMED: usize = 6;

/// Say from where data can come to where, in any session
///
/// A name is a store (`mail`), a field of one (`mail.subject`), what a tool returns
/// (`read_mail.result[*].body`, or all of it: `read_mail`), a tool that is called (`send_mail`),
/// `reply` or `outsiders`.
#[derive(Debug, Args)]
pub(crate) struct Flows {
    /// The policy, or an artifact
    policy: PathBuf,
    /// Where data starts; without it, anywhere
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Where data arrives; without it, anywhere
    #[arg(long, value_name = "NAME")]
    to: Option<String>,
    /// Only flows within one session: nothing lies in a store between
    #[arg(long)]
    direct: bool,
    /// Also flows by calls that the user approves
    #[arg(long)]
    approved: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// A key that is trusted, for an artifact
    #[arg(long = "key", value_name = "KEYFILE")]
    keys: Vec<PathBuf>,
}

/// In which form flows are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people
    #[default]
    Human,
    /// One JSON document for programs
    Json,
    /// A graph in the language of Graphviz
    Dot,
    /// A picture
    Svg,
    /// A page with picture and sessions, in one file
    Html,
}

/// What was asked, and what was found.
struct Answer<'f> {
    flows: &'f flow::Flows<'f>,
    title: String,
    /// The flows, if both ends were given or one of them.
    ways: Vec<Way>,
    more: bool,
    /// Every step that is shown.
    steps: Vec<(Point, Point, Step)>,
    /// Whether something in particular was asked for.
    is_search: bool,
    /// Whether both ends were given.
    is_between: bool,
    approved: bool,
}

/// Prints the flows, or that there is none.
pub(crate) fn run(args: &Flows) -> Outcome {
    let program = policy::program(&args.policy, &args.keys)?;
    let flows = flow::Flows::new(&program);
    let answer = answer(args, &flows)?;
    match args.format {
        Format::Human => output::print_lines(&answer.lines())?,
        Format::Json => output::print_json(&answer.document())?,
        Format::Dot => output::print(&picture::dot(&answer))?,
        Format::Svg => output::print(&picture::svg(&answer))?,
        Format::Html => output::print(&page::html(&answer))?,
    }
    Ok(Exit::Fine)
}

fn answer<'f>(args: &Flows, flows: &'f flow::Flows<'f>) -> Result<Answer<'f>, Failure> {
    let from = end(flows, args.from.as_deref(), "from", |name| flows.starts(name))?;
    let to = end(flows, args.to.as_deref(), "to", |name| flows.ends(name))?;
    let policy = &flows.program().policy().name;
    let search = Search { approved: args.approved, direct: args.direct };
    let is_approved = |point: &Point| matches!(point, Point::Approved(_));
    let all = || {
        let steps = flows.steps().into_iter();
        steps.filter(|(a, b, _)| args.approved || !is_approved(a) && !is_approved(b)).collect()
    };
    let title = match (&args.from, &args.to) {
        (Some(from), Some(to)) => format!("flows from `{}` to `{}`", shown(from), shown(to)),
        (Some(from), None) => format!("flows from `{}`", shown(from)),
        (None, Some(to)) => format!("flows to `{}`", shown(to)),
        (None, None) => format!("all flows of policy `{policy}`, step by step"),
    };
    let is_search = from.is_some() || to.is_some();
    let mut answer = Answer {
        flows,
        title,
        ways: Vec::new(),
        more: false,
        steps: Vec::new(),
        is_search,
        is_between: from.is_some() && to.is_some(),
        approved: args.approved,
    };
    match (from, to) {
        (None, None) => answer.steps = all(),
        (Some(from), Some(to)) => answer.add(flows.find(&from, &to, search)),
        // One end is open: the shortest flows to or from each point.
        (Some(from), None) => {
            for point in flows.all_ends() {
                answer.add(flows.find(&from, &[point], search));
            }
        }
        (None, Some(to)) => {
            for point in flows.all_starts() {
                answer.add(flows.find(&[point], &to, search));
            }
        }
    }
    Ok(answer)
}

/// The points that a name stands for.
fn end(
    flows: &flow::Flows<'_>,
    name: Option<&str>,
    side: &str,
    points: impl FnOnce(&str) -> Vec<Point>,
) -> Result<Option<Vec<Point>>, Failure> {
    let Some(name) = name else { return Ok(None) };
    let points = points(name);
    if !points.is_empty() {
        return Ok(Some(points));
    }
    let names = flows.names();
    let problem = match names.contains(name) {
        true => format!("`{}` is nothing that data can flow {side}", shown(name)),
        false => match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => {
                format!("the policy has no `{}`; did you mean `{}`?", shown(name), shown(near))
            }
            None => format!(
                "the policy has no `{}`; `rtbasc flows` without `--from` and `--to` lists its names",
                shown(name)
            ),
        },
    };
    Err(Failure::usage(problem))
}

impl Answer<'_> {
    fn add(&mut self, found: flow::Found) {
        for way in &found.ways {
            let pairs = way.points.iter().zip(way.points.iter().skip(1)).zip(&way.steps);
            for ((from, to), step) in pairs {
                let step = (from.clone(), to.clone(), step.clone());
                if !self.steps.contains(&step) {
                    self.steps.push(step);
                }
            }
        }
        self.ways.extend(found.ways);
        self.more |= found.more;
    }

    /// A point as people see it.
    fn name(&self, point: &Point) -> String {
        let name = shown(&self.flows.name(point));
        match point {
            Point::Approved(_) => format!("{name}, once approved"),
            _ => name,
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.title.clone()];
        if !self.is_search {
            let mut into: BTreeMap<&Point, Vec<String>> = BTreeMap::new();
            for (from, to, step) in &self.steps {
                into.entry(to).or_default().push(format!("{}{}", self.name(from), because(step)));
            }
            lines.extend(into.iter().map(|(to, from)| {
                let named: Vec<&str> = from.iter().take(MAX_NAMED).map(String::as_str).collect();
                let more = from.len().saturating_sub(MAX_NAMED);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("  {}{more} -> {}", named.join(", "), self.name(to))
            }));
            return lines;
        }
        if self.ways.is_empty() {
            let by = if self.approved { "" } else { ", unless by calls that the user approves" };
            lines.push(format!("  none, in any session{by}: proved with z3 from what was told"));
            return lines;
        }
        for way in self.ways.iter().take(MAX_SHOWN) {
            let names: Vec<String> = way.points.iter().map(|point| self.name(point)).collect();
            lines.push(format!("  {}", names.join(" -> ")));
            if self.is_between {
                lines.extend(self.sessions(way).into_iter().map(|line| format!("      {line}")));
            }
        }
        let more = self.ways.len().saturating_sub(MAX_SHOWN);
        if more > 0 {
            let least = if self.more { "at least " } else { "" };
            lines.push(format!("  and {least}{more} more; `--format json` has them"));
        }
        lines
    }

    /// What happens at each step of a way that is shown by a session.
    fn sessions(&self, way: &Way) -> Vec<String> {
        let pairs = way.points.iter().zip(way.points.iter().skip(1)).zip(&way.steps);
        let mut lines = Vec::new();
        for ((from, to), step) in pairs {
            match step {
                Step::Told => {}
                Step::Shown => lines.extend(self.flows.session(from, to)),
                Step::Unknown(reason) => lines.push(format!(
                    "{} -> {}: not excluded, because of {reason}",
                    self.name(from),
                    self.name(to)
                )),
            }
        }
        lines.iter().map(|line| shown(line)).collect()
    }

    fn document(&self) -> Value {
        let names: BTreeMap<&Point, Value> = self
            .steps
            .iter()
            .flat_map(|(from, to, _)| [from, to])
            .map(|point| (point, json!({ "name": self.flows.name(point), "kind": kind(point) })))
            .collect();
        let of = |point: &Point| names.get(point).cloned().unwrap_or_default();
        let steps = self.steps.iter().map(|(from, to, step)| {
            let (why, reason) = match step {
                Step::Told => ("told", None),
                Step::Shown => ("shown", None),
                Step::Unknown(reason) => ("unknown", Some(reason)),
            };
            json!({ "from": of(from), "to": of(to), "why": why, "reason": reason })
        });
        let ways = self.ways.iter().map(|way| {
            json!({
                "points": way.points.iter().map(of).collect::<Value>(),
                "sessions": self.sessions(way),
            })
        });
        json!({
            "flows": self.is_search.then(|| ways.collect::<Value>()),
            "more": self.more,
            "steps": steps.collect::<Value>(),
        })
    }
}

/// What a point is, in one word.
fn kind(point: &Point) -> &'static str {
    match point {
        Point::OutsidersWrite | Point::OutsidersRead => "outsiders",
        Point::Cell { .. } => "store",
        Point::Region { .. } => "result",
        Point::Call(_) => "call",
        Point::Approved(_) => "approved call",
        Point::Reply => "reply",
        Point::Class(_) => "class",
    }
}

fn because(step: &Step) -> String {
    match step {
        Step::Told | Step::Shown => String::new(),
        Step::Unknown(reason) => format!(" (not excluded, because of {reason})"),
    }
}
