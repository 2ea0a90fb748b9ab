//! Names that stand before parentheses: functions of values, and tests of texts.

use rtbas_artifact::function::Function;
use rtbas_artifact::ir::{self, Type, TypeId};
use rtbas_artifact::pattern::{MAX_TEXT, Pattern, escape};
use rtbas_artifact::value::Value;

use super::{Scope, operand};
use crate::diag::{Code, Diagnostic};
use crate::resolve::context::Context;
use crate::resolve::hir::{Condition, Operand};
use crate::resolve::scope::unknown;
use crate::resolve::types::Types;
use crate::source::Span;
use crate::syntax::ast::{self, Name, OperandKind};

/// A condition on the text `x` that is written `name(x, "…")`: its name, and how a pattern begins
/// and ends that says the same.
type Test = (&'static str, &'static str, &'static str);

const ANY: &str = r"[\s\S]*";
const TESTS: [Test; 3] = [("starts_with", "", ANY), ("ends_with", ANY, ""), ("contains", ANY, ANY)];

fn function_named(name: &str) -> Option<Function> {
    Function::ALL.into_iter().find(|function| function.name() == name)
}

/// Whether a name is none of those that need no declaration, or else a message.
pub(super) fn is_free(cx: &mut Context<'_>, name: &Name) {
    let is_test = TESTS.iter().any(|(test, ..)| *test == name.text);
    if is_test || function_named(&name.text).is_some() {
        let what = if is_test { "condition" } else { "function" };
        let message = format!("the {what} `{}` is built in", name.text);
        cx.push(Diagnostic::new(Code::E0202, name.span, message));
    }
}

/// What a function makes of a value; `None` after a message.
pub(super) fn function(
    cx: &mut Context<'_>,
    scope: Scope<'_>,
    (name, values, span): (&Name, &[ast::Operand], Span),
) -> Option<Operand> {
    let Some(function) = function_named(&name.text) else {
        let functions = Function::ALL.map(Function::name);
        let diagnostic = unknown("function", name, functions);
        let is_test = TESTS.iter().any(|(test, ..)| *test == name.text);
        cx.push(match is_test {
            true => diagnostic.help("it is a condition: it holds or not, and is not compared"),
            false => diagnostic,
        });
        return None;
    };
    match values {
        [ast::Operand { kind: OperandKind::Path(..), .. }] => {}
        [ast::Operand { kind: OperandKind::Application(..), span }] => {
            let message = "a function is not given what another one gives";
            cx.push(Diagnostic::new(Code::E0218, *span, message));
            return None;
        }
        _ => {
            let message = format!("`{}` is given one value, by its name", name.text);
            let help = format!("write `{}(…)` with a fact, an argument or a field", name.text);
            cx.push(Diagnostic::new(Code::E0218, span, message).help(help));
            return None;
        }
    }
    let source = operand(cx, scope, values.first()?)?;
    if let ir::Operand::Derived(..) = source.read {
        let message = "a function is not given what another one gives";
        let diagnostic = Diagnostic::new(Code::E0218, span, message);
        cx.push(diagnostic.label(source.span, "this is what one gives"));
        return None;
    }
    let read = ir::Operand::Derived(function, Box::new(source.read));
    Some(Operand { read, root: source.root, span })
}

/// Both sides of a comparison, read as dates if one of them is a date, or as times.
pub(super) fn dated(cx: &Context<'_>, left: Operand, right: Operand) -> (Operand, Operand) {
    let known = |operand: &Operand| function_of(&cx.types, operand);
    let Some(function) = known(&left).or_else(|| known(&right)) else { return (left, right) };
    let read = |operand: Operand| {
        let is_one = known(&operand) == Some(function);
        let is_text = matches!(operand.read, ir::Operand::Literal(Value::Text(_)));
        match operand.read {
            ir::Operand::Derived(..) => operand,
            read if is_one || is_text => {
                Operand { read: ir::Operand::Derived(function, Box::new(read)), ..operand }
            }
            read => Operand { read, ..operand },
        }
    };
    (read(left), read(right))
}

/// What reads a value that is a date or a time.
fn function_of(types: &Types, operand: &Operand) -> Option<Function> {
    let path = match &operand.read {
        ir::Operand::Derived(function @ (Function::Date | Function::Time), _) => {
            return Some(*function);
        }
        ir::Operand::Fact(_, path) | ir::Operand::Argument(_, path) | ir::Operand::Field(path) => {
            path
        }
        ir::Operand::Literal(_) | ir::Operand::Derived(..) => return None,
    };
    let not_null = |ty: TypeId| {
        let is_other = |ty: &TypeId| *types.get(*ty) != Type::Null;
        let mut others = types.alternatives(ty).into_iter().filter(is_other);
        others.next().filter(|_| others.next().is_none())
    };
    let mut ty = not_null(operand.root?)?;
    for step in path {
        ty = not_null(types.fields(ty).iter().find(|field| field.name == *step)?.ty)?;
    }
    match types.get(ty) {
        Type::Date => Some(Function::Date),
        Type::Time => Some(Function::Time),
        _ => None,
    }
}

/// A test of a text; `None` after a message.
pub(super) fn test(
    cx: &mut Context<'_>,
    scope: Scope<'_>,
    (name, values, span): (&Name, &[ast::Operand], Span),
) -> Option<Condition> {
    let Some((_, before, after)) = TESTS.iter().find(|(test, ..)| *test == name.text) else {
        let known = TESTS.iter().map(|(test, ..)| *test).chain(cx.condition_names());
        let diagnostic = unknown("condition", name, known);
        cx.push(match function_named(&name.text) {
            Some(_) => diagnostic.help("it is a function: compare what it gives"),
            None => diagnostic,
        });
        return None;
    };
    let mistake = |at, message: String| {
        let help = format!("write `{}(…, \"…\")`", name.text);
        Diagnostic::new(Code::E0218, at, message).help(help)
    };
    let [text, constant] = values else {
        let message = format!("`{}` is given two values: a text, and what to look for", name.text);
        cx.push(mistake(span, message));
        return None;
    };
    let OperandKind::Literal(Value::Text(wanted)) = &constant.kind else {
        cx.push(mistake(constant.span, format!("`{}` looks for constant text", name.text)));
        return None;
    };
    let text = operand(cx, scope, text)?;
    match Pattern::new(format!("{before}{}{after}", escape(wanted))) {
        Ok(pattern) => Some(Condition::Matches(text, pattern)),
        Err(_) => {
            let message =
                format!("this text is too long: as a pattern it has over {MAX_TEXT} bytes");
            cx.push(Diagnostic::new(Code::E0111, constant.span, message));
            None
        }
    }
}
