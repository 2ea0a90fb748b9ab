//! Runs a session's script on a monitor, and keeps all that it says.

use crate::generate::sessions::{Output, Script, Step};
use crate::monitor::{Call, Monitor, Outcome, Ruling, View};

/// What a monitor says, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// What the model sees.
    View(View),
    /// Decisions on the calls of an output.
    Rulings(Vec<Ruling>),
    /// Whether the result of a call has its declared shape, where it has a result.
    Settled(usize, Option<bool>),
    /// Whether an answer may be shown unasked.
    Reply(bool),
}

/// Runs a script.
pub fn run(script: &Script, monitor: &mut dyn Monitor) -> Vec<Event> {
    for text in &script.system {
        monitor.system(text);
    }
    let mut events = vec![Event::View(monitor.view())];
    for step in &script.steps {
        match step {
            Step::User(text) => monitor.user(text),
            Step::Reply(text) => events.push(Event::Reply(monitor.reply(text))),
            Step::Output(output) => self::output(output, monitor, &mut events),
        }
        events.push(Event::View(monitor.view()));
    }
    events
}

fn output(output: &Output, monitor: &mut dyn Monitor, events: &mut Vec<Event>) {
    let calls: Vec<Call> = output.calls.iter().map(|planned| planned.call.clone()).collect();
    events.push(Event::Rulings(monitor.propose("calls", &calls)));
    for &index in &output.order {
        if let Some(planned) = output.calls.get(index) {
            let fits = monitor.settle(index, planned.approve, &planned.outcome);
            events.push(Event::Settled(index, fits));
        }
    }
    if output.calls.iter().any(|planned| planned.outcome == Outcome::Dropped) {
        monitor.withdraw_all();
    }
}
