//! The timeline of one session: its messages with their labels, and its calls with what was decided
//! and why.

use maud::{Markup, html};
use rtbas::{Cause, Message, Need, Raised, Reason, Reply, Role, RulePlace, View};
use rtbas_artifact::ir::Effect;

use super::labels::Labels;
use super::regions;
use crate::output::effect_name;
use crate::page::text::{code, short, visible};
use crate::replay::play::Judged;
use crate::replay::scene::Scene;

/// The session, from its first message to its last.
pub(crate) fn timeline(scene: &Scene, view: &View) -> Markup {
    let program = scene.session.artifact().program();
    let mut labels = Labels::new(program, &scene.floor);
    let of: Vec<Vec<usize>> = view
        .messages()
        .map(|message| message.regions().iter().map(|r| labels.index(&r.label)).collect())
        .collect();
    let reply_bound = program.show_label(None, program.policy().messages.reply).to_string();
    let teller = Teller { scene, labels, reply_bound };
    // The calls of the output that was read last.
    let mut calls: &[Judged] = &[];
    let entries = view.messages().zip(&of).enumerate().map(|(number, (message, of))| {
        if message.role() == Role::Assistant {
            calls = teller.calls(number);
        }
        teller.entry(number, message, of, calls)
    });
    let entries: Vec<Markup> = entries.collect();
    html! {
        (teller.labels.legend())
        ol.timeline { @for entry in entries { (entry) } }
    }
}

/// Tells a session.
struct Teller<'a> {
    scene: &'a Scene,
    labels: Labels<'a>,
    /// The bound of answers to the user, in the policy's words.
    reply_bound: String,
}

impl Teller<'_> {
    fn entry(&self, number: usize, message: &Message, of: &[usize], calls: &[Judged]) -> Markup {
        let answered = message.answers().and_then(|at| calls.iter().find(|c| c.index == Some(at)));
        let role = match message.role() {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "model",
            Role::Tool => "tool",
        };
        let root = of.first().copied().unwrap_or_default();
        html! {
            li id={ "m" (number) } class=(role) {
                h3 { "Message " (number) ": " (title(message, answered)) }
                p.at { @if message.role() == Role::Assistant { "written at " } (self.labels.full(root)) }
                @if answered.is_some_and(|call| call.injected && call.effect == Effect::Allow) {
                    p.injected { "The recorder says that an attacker’s text is in this result." }
                }
                @if message.role() != Role::Assistant || !message.text().is_empty() {
                    (regions::text(&self.labels, of, message, number))
                }
                @if message.role() == Role::Assistant {
                    @for call in calls { (self.call(message, call)) }
                    @if let Some(reply) = self.scene.played.replies.get(&number) { (self.reply(*reply)) }
                }
            }
        }
    }

    /// The calls that a message makes.
    fn calls(&self, message: usize) -> &[Judged] {
        let calls = &self.scene.played.calls;
        let from = calls.partition_point(|call| call.message < message);
        let to = calls.partition_point(|call| call.message <= message);
        calls.get(from..to).unwrap_or_default()
    }

    fn call(&self, message: &Message, call: &Judged) -> Markup {
        let proposed = call.index.and_then(|index| message.calls().get(index));
        let open = call.effect != Effect::Allow;
        html! {
            div class={ "call " (effect_name(call.effect)) } {
                h4 { "Call " (code(&call.id)) " of " (code(&call.tool)) " " (verdict(call.effect)) }
                @if let Some(proposed) = proposed.filter(|call| !call.arguments.is_empty()) {
                    dl.arguments {
                        @for (name, value) in &proposed.arguments {
                            div { dt { (code(name)) } dd { (code(&value.to_string())) } }
                        }
                    }
                }
                details open[open] {
                    summary { "Why" }
                    @match &call.reason {
                        Ok(reason) => (self.reason(reason)),
                        Err(problem) => p { (short(problem)) },
                    }
                }
            }
        }
    }

    fn reason(&self, reason: &Reason) -> Markup {
        html! {
            @match &reason.cause {
                Cause::Rule(place) => p { "By the rule " (rule(place)) "." },
                Cause::Call(problem) => p { "No rule decides it: " (short(problem)) "." },
            }
            p { "Decided at " (self.labels.worded(&reason.label)) }
            @if !reason.raised_by.is_empty() {
                p { "Raised by" }
                (self.raised(&reason.raised_by, reason.more_raised))
            }
            @if let Some(remedy) = &reason.remedy {
                p { "To run unasked by the rule " (rule(&remedy.rule)) "," }
                ul {
                    @for need in &remedy.needs {
                        @match need {
                            Need::Condition(condition) => li { (code(condition)) " must hold" },
                            Need::Hidden { bound, regions, more } => li {
                                "the model must not have seen what exceeds " (self.labels.worded(bound))
                                @if (regions, more) == (&reason.raised_by, &reason.more_raised) {
                                    ", which is all of that"
                                } @else {
                                    ":" (self.raised(regions, *more))
                                }
                            },
                        }
                    }
                }
            }
        }
    }

    fn raised(&self, regions: &[Raised], more: usize) -> Markup {
        html! {
            ul {
                @for Raised { message, path, label } in regions {
                    li { a href={ "#m" (message) } { "message " (message) } ", " (code(path)) ": " (self.labels.brief(label)) }
                }
                @if more > 0 { li { "and " (more) " more" } }
            }
        }
    }

    fn reply(&self, reply: Reply) -> Markup {
        let (effect, flows) = match reply {
            Reply::Allow => (Effect::Allow, "flows"),
            Reply::Confirm => (Effect::Confirm, "does not flow"),
        };
        html! {
            div class={ "call " (effect_name(effect)) } {
                h4 { "Answer to the user " (verdict(effect)) }
                p { "What it was written from " (flows) " to " code { (short(&self.reply_bound)) } ", the bound of answers." }
            }
        }
    }
}

fn title(message: &Message, answered: Option<&Judged>) -> Markup {
    match (message.role(), answered) {
        (Role::System, _) => html! { "the system" },
        (Role::User, _) => html! { "the user" },
        (Role::Assistant, _) => html! { "the model" },
        (Role::Tool, None) => html! { "a tool" },
        (Role::Tool, Some(call)) => {
            let what = if call.effect == Effect::Allow {
                "result of "
            } else {
                "in place of a result of "
            };
            html! { (what) (code(&call.tool)) ", call " (code(&call.id)) }
        }
    }
}

fn rule(place: &RulePlace) -> Markup {
    html! { (code(&place.text)) " at " span.place { (visible(&place.file)) ":" (place.line) } }
}

fn verdict(effect: Effect) -> Markup {
    let (sign, words) = match effect {
        Effect::Allow => ("✓", "allowed: it runs unasked"),
        Effect::Confirm => ("?", "waits for the user"),
        Effect::Deny => ("✕", "denied"),
    };
    html! { span class={ "verdict " (effect_name(effect)) } { span aria-hidden="true" { (sign) " " } (words) } }
}
