//! The labels of messages that no tool wrote, and the bound of the reply.

use super::condition::{self, Scope};
use super::context::Context;
use super::hir::Label;
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{Message, MessageKind};

/// The labels of messages: of the system's, of the user's, and the bound of the reply.
pub(super) fn resolve(
    cx: &mut Context<'_>,
    messages: &[Message],
    header: Span,
) -> Option<[Label; 3]> {
    let mut label = |kind| {
        let mut of_kind = messages.iter().filter(|message| message.kind == kind);
        let first = of_kind.next()?;
        for second in of_kind {
            let message = "these messages have a label already";
            let diagnostic = Diagnostic::new(Code::E0216, second.span, message);
            cx.push(diagnostic.label(first.span, "given here"));
        }
        Some(condition::label(cx, Scope::default(), &first.label))
    };
    let [system, user, reply] =
        [MessageKind::System, MessageKind::User, MessageKind::Reply].map(&mut label);
    let missing: Vec<String> = [("system", &system, true), ("user", &user, true)]
        .into_iter()
        .chain([("reply", &reply, false)])
        .filter(|(_, label, _)| label.is_none())
        .map(|(kind, _, up)| format!("message {kind} : {}", cx.levels.strictest(up)))
        .collect();
    if !missing.is_empty() {
        let message = "the policy does not label every kind of message";
        let help = "these are the strictest labels; choose what holds for yours:";
        let help = format!("{help}\n{}", missing.join("\n"));
        let diagnostic = Diagnostic::new(Code::E0207, header, message).help(help);
        cx.push(diagnostic.fix(cx.end, format!("{}\n", missing.join("\n"))));
    }
    Some([system?, user?, reply?])
}
