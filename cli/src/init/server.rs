//! The tools of a running MCP server, asked over its standard input and output.
//!
//! Specification: Model Context Protocol 2025-06-18, "Lifecycle", "Transports: stdio", "Tools",
//! "Pagination". Trusts nothing that the server says: its lines and their number are bounded, and
//! it ends when it has answered, or when its time is up.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use rtbas_compiler::source::MAX_FILE;
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::input::reason;
use crate::output::shown;

/// The protocol that is spoken.
const PROTOCOL: &str = "2025-06-18";

/// How long a server may take to end by itself.
const GRACE: Duration = Duration::from_millis(500);

/// Lines that wait to be looked at, at most.
const WAITING: usize = 8;

/// Longest piece of a server's words that is shown.
const QUOTED: usize = 200;

/// The tools that the server of this command lists, in the order of their names.
///
/// # Errors
/// It cannot be started, is no MCP server with tools, or takes too long.
pub(super) fn tools(command: &[OsString], timeout: Duration) -> Result<Vec<Value>, Failure> {
    let mut server = Server::start(command, timeout)?;
    let hello = server.ask(
        "initialize",
        json!({
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": { "name": "rtbasc", "version": env!("CARGO_PKG_VERSION") },
        }),
    )?;
    if hello.pointer("/capabilities/tools").is_none() {
        return Err(Failure::usage("the server offers no tools"));
    }
    server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    let mut tools = Vec::new();
    let (mut size, mut seen, mut cursor) = (0, BTreeSet::new(), None);
    loop {
        let page =
            server.ask("tools/list", cursor.map_or(json!({}), |at| json!({ "cursor": at })))?;
        let Some(listed) = page.get("tools").and_then(Value::as_array) else {
            return Err(Failure::usage("the server's answer to `tools/list` has no `tools`"));
        };
        size += page.to_string().len();
        if size > MAX_FILE {
            let problem = format!("the server lists more than {MAX_FILE} bytes of tools");
            return Err(Failure::usage(problem));
        }
        tools.extend(listed.iter().cloned());
        cursor = match page.get("nextCursor").and_then(Value::as_str) {
            None => break,
            Some(next) if !seen.insert(next.to_owned()) => {
                return Err(Failure::usage("the pages of the server's list go round in a circle"));
            }
            Some(next) => Some(next.to_owned()),
        };
    }
    let name =
        |tool: &Value| tool.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    tools.sort_by_key(name);
    Ok(tools)
}

/// A running server. It ends when this goes.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Result<String, String>>,
    deadline: Instant,
    timeout: Duration,
    asked: u64,
}

impl Server {
    fn start(command: &[OsString], timeout: Duration) -> Result<Self, Failure> {
        let failure = |problem: &str| Failure::usage(format!("the server {problem}"));
        let (program, arguments) =
            command.split_first().ok_or_else(|| failure("has no command"))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| failure(&format!("`{}` {}", program.display(), reason(&e))))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (sender, lines) = sync_channel(WAITING);
        if let Some(output) = output {
            thread::spawn(move || read(output, &sender));
        }
        let now = Instant::now();
        let deadline = now.checked_add(timeout).unwrap_or(now);
        Ok(Self { child, input, lines, deadline, timeout, asked: 0 })
    }

    fn send(&mut self, message: &Value) -> Result<(), Failure> {
        let Some(input) = &mut self.input else { return Ok(()) };
        // What has ended does not listen; its last words say why.
        let _ = input.write_all(format!("{message}\n").as_bytes()).and_then(|()| input.flush());
        Ok(())
    }

    /// Asks and waits for the answer.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let message = self.next(method)?;
            if message.get("method").is_some() {
                self.answer(&message)?;
            } else if message.get("id").and_then(Value::as_u64) == Some(id) {
                if let Some(error) = message.get("error") {
                    let said = error.get("message").and_then(Value::as_str).unwrap_or_default();
                    let said = quoted(said);
                    let problem = format!("the server refuses `{method}`: {said}");
                    return Err(Failure::usage(problem));
                }
                return message.get("result").cloned().ok_or_else(|| {
                    Failure::usage(format!("the server's answer to `{method}` has no result"))
                });
            }
        }
    }

    /// What the server says next, before its time is up.
    fn next(&mut self, method: &str) -> Result<Value, Failure> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let line = match self.lines.recv_timeout(left) {
            Ok(line) => line.map_err(Failure::usage)?,
            Err(RecvTimeoutError::Timeout) => {
                let seconds = self.timeout.as_secs_f64();
                return Err(Failure::usage(format!(
                    "the server did not answer `{method}` within {seconds} seconds; \
                     `--timeout` gives it more"
                )));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let problem = format!("the server ended before it answered `{method}`");
                return Err(Failure::usage(problem));
            }
        };
        serde_json::from_str(&line).map_err(|_| {
            let line = quoted(&line);
            Failure::usage(format!("the server wrote what is no message of the protocol: {line}"))
        })
    }

    /// Answers what the server asks of its client, which offers nothing.
    fn answer(&mut self, message: &Value) -> Result<(), Failure> {
        let Some(id) = message.get("id") else { return Ok(()) };
        self.send(&match message.get("method").and_then(Value::as_str) {
            Some("ping") => json!({ "jsonrpc": "2.0", "id": id, "result": {} }),
            _ => json!({
                "jsonrpc": "2.0",
                "id": id,
                "error": { "code": -32601, "message": "method not found" },
            }),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server ends when nobody speaks to it any more.
        self.input = None;
        let until = Instant::now() + GRACE;
        while Instant::now() < until {
            match self.child.try_wait() {
                Ok(None) => thread::sleep(Duration::from_millis(5)),
                _ => return,
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Hands on the server's lines, until it ends or writes one that is too long.
fn read(output: ChildStdout, lines: &SyncSender<Result<String, String>>) {
    let mut output = BufReader::new(output);
    let most = u64::try_from(MAX_FILE).unwrap_or(u64::MAX);
    loop {
        let mut line = Vec::new();
        let line = match output.by_ref().take(most.saturating_add(1)).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(read) if read > MAX_FILE => {
                Err(format!("the server wrote a line of more than {MAX_FILE} bytes"))
            }
            Ok(_) => Ok(String::from_utf8_lossy(&line).into_owned()),
            Err(e) => Err(format!("the server's output {}", reason(&e))),
        };
        let ends = line.is_err();
        if lines.send(line).is_err() || ends {
            return;
        }
    }
}

fn quoted(text: &str) -> String {
    let short: String = text.trim().chars().take(QUOTED).collect();
    format!("`{}`", shown(&short))
}
