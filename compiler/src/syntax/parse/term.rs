//! Matched rules → syntax tree: types, labels, conditions and values.

use std::collections::BTreeMap;

use rtbas_artifact::ir::Comparison;
use rtbas_artifact::pattern::{Pattern, Problem};
use rtbas_artifact::value::Value;
use rtbas_grammar::{Pair, Rule};

use super::{Builder, all, has, one};
use crate::diag::{Code, Diagnostic};
use crate::source::Span;
use crate::syntax::ast::{
    Condition, Field, Label, LabelRule, Level, NamedCondition, Names, Operand, OperandKind, Type,
    TypeKind,
};

impl Builder<'_> {
    pub(super) fn ty(&mut self, pair: &Pair<'_>) -> Option<Type> {
        let mut choices: Vec<Type> = Vec::new();
        for core in pair.clone().into_inner().filter(|p| p.as_rule() != Rule::nullable) {
            choices.push(Type { kind: self.type_kind(&core)?, span: self.span(&core) });
        }
        let span = choices.first()?.span.to(choices.last()?.span);
        let ty = match choices.len() {
            1 => choices.pop()?,
            _ => Type { kind: TypeKind::Union(choices), span },
        };
        if !has(pair, Rule::nullable) {
            return Some(Type { span: self.span(pair), ..ty });
        }
        Some(Type { kind: TypeKind::Nullable(Box::new(ty)), span: self.span(pair) })
    }

    fn type_kind(&mut self, pair: &Pair<'_>) -> Option<TypeKind> {
        Some(match pair.as_rule() {
            Rule::list_ty => TypeKind::List(Box::new(self.ty(&one(pair, Rule::ty)?)?)),
            Rule::set_ty => {
                if let Some(element) = pair.as_str().strip_prefix("set[") {
                    let element = element.split(']').next().unwrap_or_default();
                    let right = format!("set {element}");
                    let message = "a set is written without brackets";
                    let mistake = Diagnostic::new(Code::E0105, self.span(pair), message);
                    let mistake = mistake.note("a set of lists is `set [T]`, with a blank");
                    let mistake = mistake.help(format!("write `{right}`"));
                    self.diagnostics.push(mistake.fix(self.span(pair), right));
                }
                TypeKind::Set(self.element(&one(pair, Rule::ty_element)?)?)
            }
            Rule::map_ty => TypeKind::Map(self.element(&one(pair, Rule::map_element)?)?),
            Rule::record_ty => TypeKind::Record(
                all(pair, Rule::field).map(|field| self.field(&field)).collect::<Option<_>>()?,
            ),
            Rule::enumeration => TypeKind::Enumeration(
                all(pair, Rule::string).map(|string| self.string(&string)).collect(),
            ),
            Rule::regex => TypeKind::Pattern(self.regex(pair)?),
            _ => TypeKind::Name(self.one_name(pair)?.text),
        })
    }

    fn element(&mut self, pair: &Pair<'_>) -> Option<Box<Type>> {
        let kind = self.type_kind(&pair.clone().into_inner().next()?)?;
        Some(Box::new(Type { kind, span: self.span(pair) }))
    }

    pub(super) fn field(&mut self, pair: &Pair<'_>) -> Option<Field> {
        let ty = self.ty(&one(pair, Rule::ty)?)?;
        Some(Field { name: self.one_name(pair)?, ty, required: !has(pair, Rule::nullable) })
    }

    pub(super) fn label(&mut self, pair: &Pair<'_>) -> Option<Label> {
        let mut levels = Vec::new();
        let written = pair.clone().into_inner();
        for level in written.filter(|p| matches!(p.as_rule(), Rule::level | Rule::bare_level)) {
            let mut lattice = self.names(&level);
            let (name, span) = (lattice.pop()?, self.span(&level));
            let names = match one(&level, Rule::names_of) {
                Some(set) => Some(
                    all(&set, Rule::names)
                        .map(|names| self.names_of(&names))
                        .collect::<Option<_>>()?,
                ),
                None => None,
            };
            levels.push(Level { lattice, name, names, span });
        }
        Some(Label { levels, span: self.span(pair) })
    }

    fn names_of(&mut self, pair: &Pair<'_>) -> Option<Names> {
        let operand = self.operand(&one(pair, Rule::operand)?)?;
        Some(Names { operand, optional: has(pair, Rule::nullable) })
    }

    pub(super) fn label_rule(&mut self, pair: &Pair<'_>) -> Option<LabelRule> {
        let mut labels = Vec::new();
        for label in all(pair, Rule::label) {
            labels.push(self.label(&label)?);
        }
        let otherwise = labels.pop()?;
        let mut alternatives = Vec::new();
        for (label, guard) in labels.into_iter().zip(all(pair, Rule::guard)) {
            alternatives.push((label, self.one_condition(&guard)?));
        }
        Some(LabelRule { alternatives, otherwise })
    }

    pub(super) fn one_condition(&mut self, pair: &Pair<'_>) -> Option<Condition> {
        self.condition(&one(pair, Rule::condition)?)
    }

    pub(super) fn named_condition(&mut self, pair: &Pair<'_>) -> Option<NamedCondition> {
        let mut names = self.names(pair).into_iter();
        let (name, parameters) = (names.next()?, names.collect());
        Some(NamedCondition { name, parameters, condition: self.one_condition(pair)? })
    }

    fn condition(&mut self, pair: &Pair<'_>) -> Option<Condition> {
        let parts = all(pair, Rule::conjunction).map(|part| self.conjunction(&part));
        Some(joined(parts.collect::<Option<_>>()?, Condition::Any))
    }

    fn conjunction(&mut self, pair: &Pair<'_>) -> Option<Condition> {
        let parts = all(pair, Rule::negation).map(|part| self.negation(&part));
        Some(joined(parts.collect::<Option<_>>()?, Condition::All))
    }

    fn negation(&mut self, pair: &Pair<'_>) -> Option<Condition> {
        let atom = pair.clone().into_inner().next_back()?;
        let condition = match atom.as_rule() {
            Rule::group => self.one_condition(&atom)?,
            Rule::context => Condition::Context(self.one_label(&atom)?, self.span(&atom)),
            Rule::present => Condition::Present(self.named(&atom)?),
            Rule::stated => Condition::Stated(self.named(&atom)?),
            _ => self.comparison(&atom)?,
        };
        let negated = has(pair, Rule::kw_not);
        Some(if negated { Condition::Not(Box::new(condition)) } else { condition })
    }

    fn comparison(&mut self, pair: &Pair<'_>) -> Option<Condition> {
        let mut operands = all(pair, Rule::operand);
        let left = self.operand(&operands.next()?)?;
        if let Some(regex) = one(pair, Rule::regex) {
            return Some(Condition::Matches(left, self.regex(&regex)?));
        }
        let right = self.operand(&operands.next()?)?;
        let Some(comparator) = one(pair, Rule::comparator) else {
            return Some(match has(pair, Rule::kw_in) {
                true => Condition::In(left, right),
                false => Condition::SubsetOf(left, right),
            });
        };
        let comparison = match comparator.as_str() {
            "==" => Comparison::Equal,
            "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            _ => Comparison::GreaterOrEqual,
        };
        Some(Condition::Compare(comparison, left, right))
    }

    pub(super) fn operand(&mut self, pair: &Pair<'_>) -> Option<Operand> {
        let inner = pair.clone().into_inner().next()?;
        if matches!(inner.as_rule(), Rule::path | Rule::application) {
            return self.named(pair);
        }
        Some(Operand { kind: OperandKind::Literal(self.literal(&inner)?), span: self.span(pair) })
    }

    /// The path or the application that a match has.
    fn named(&mut self, pair: &Pair<'_>) -> Option<Operand> {
        let (kind, written) = match one(pair, Rule::application) {
            Some(written) => {
                let operands = all(&written, Rule::operand).map(|operand| self.operand(&operand));
                let operands = operands.collect::<Option<_>>()?;
                (OperandKind::Application(self.one_name(&written)?, operands), written)
            }
            None => {
                let path = one(pair, Rule::path)?;
                let mut names = self.names(&path).into_iter();
                (OperandKind::Path(names.next()?, names.collect()), path)
            }
        };
        Some(Operand { kind, span: self.span(&written) })
    }

    pub(super) fn value(&mut self, pair: &Pair<'_>) -> Option<Value> {
        self.literal(&pair.clone().into_inner().next()?)
    }

    fn literal(&mut self, pair: &Pair<'_>) -> Option<Value> {
        Some(match pair.as_rule() {
            Rule::kw_true => Value::Bool(true),
            Rule::kw_false => Value::Bool(false),
            Rule::string => Value::Text(self.string(pair)),
            Rule::number => self.number(pair),
            Rule::value_list => Value::List(
                all(pair, Rule::value).map(|value| self.value(&value)).collect::<Option<_>>()?,
            ),
            Rule::value_record => self.record(pair)?,
            _ => Value::Null,
        })
    }

    fn record(&mut self, pair: &Pair<'_>) -> Option<Value> {
        let mut fields = BTreeMap::new();
        for entry in all(pair, Rule::entry) {
            let key = one(&entry, Rule::key)?;
            let written = key.clone().into_inner().next()?;
            let name = match written.as_rule() {
                Rule::string => self.string(&written),
                _ => self.name(&written).text,
            };
            let value = self.value(&one(&entry, Rule::value)?)?;
            if fields.insert(name.clone(), value).is_some() {
                let message = format!("the record has a field `{name}` already");
                self.diagnostics.push(Diagnostic::new(Code::E0109, self.span(&key), message));
            }
        }
        Some(Value::Record(fields))
    }

    fn number(&mut self, pair: &Pair<'_>) -> Value {
        match pair.as_str().parse() {
            Ok(number) => Value::Number(number),
            Err(error) => {
                let message = format!("`{}` cannot be held exactly: {error}", pair.as_str());
                self.diagnostics.push(Diagnostic::new(Code::E0108, self.span(pair), message));
                Value::Null
            }
        }
    }

    /// The pattern between two slashes.
    fn regex(&mut self, pair: &Pair<'_>) -> Option<Pattern> {
        let written = pair.as_str();
        let text = written.get(1..written.len().saturating_sub(1))?;
        let error = match Pattern::new(text) {
            Ok(pattern) => return Some(pattern),
            Err(error) => error,
        };
        let (code, message, help) = match error.problem {
            Problem::Unsupported(what, help) => (Code::E0110, what.to_owned(), Some(help)),
            Problem::Malformed(what) => (Code::E0110, what, None),
            Problem::TooLarge(what) => (Code::E0111, what, None),
        };
        // Between the slashes, and not empty where something is missing.
        let end = error.at.end.max(error.at.start + 1);
        let first = pair.as_span().start() + 1;
        let span = Span::new(self.file, first + error.at.start..first + end);
        let diagnostic = Diagnostic::new(code, span, message);
        self.diagnostics.push(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
        // What is wrong has been said, and there may be more of it.
        Pattern::new("x").ok()
    }

    /// The text of a string. Its notation is JSON's (RFC 8259, section 7).
    pub(super) fn string(&mut self, pair: &Pair<'_>) -> String {
        serde_json::from_str(pair.as_str()).unwrap_or_else(|_| {
            let message = "this string has an escape that means nothing";
            let help = "the escapes are `\\\"`, `\\\\`, `\\/`, `\\n`, `\\t`, `\\r`, `\\b`, `\\f` \
                        and `\\u` with four hexadecimal digits";
            let diagnostic = Diagnostic::new(Code::E0107, self.span(pair), message);
            self.diagnostics.push(diagnostic.help(help));
            String::new()
        })
    }
}

/// Several conditions as one; one stays itself.
fn joined(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => join(parts.into_iter().chain(last).collect()),
    }
}
