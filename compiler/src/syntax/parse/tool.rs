//! Matched rules → syntax tree: tools.

use rtbas_artifact::ir::{Effect, Format, WriteKind};
use rtbas_grammar::{Pair, Rule};

use super::{Builder, all, has, one};
use crate::diag::{Code, Diagnostic};
use crate::syntax::ast::{
    CellName, Cells, Endorses, Form, Name, NodePath, Pattern, RuleWhen, Step, ToolBlock, ToolLine,
    Type, TypeKind, Writes,
};

impl Builder<'_> {
    pub(super) fn tool_block(&mut self, pair: &Pair<'_>) -> Option<ToolBlock> {
        let patterns: Vec<Pattern> = match one(pair, Rule::name) {
            Some(name) => vec![Pattern { name: self.name(&name), open: false }],
            None => all(pair, Rule::pattern).map(|pattern| self.pattern(&pattern)).collect(),
        };
        let keyword = pair.clone().into_inner().next()?;
        let span = self.span(&keyword).to(patterns.last()?.name.span);
        let mut lines = Vec::new();
        for line in pair.clone().into_inner() {
            lines.extend(match line.as_rule() {
                Rule::node_line => {
                    let path = self.node_path(&one(&line, Rule::node_path)?)?;
                    Some(ToolLine::Node(path, self.one_label_rule(&line)?))
                }
                Rule::result_line => Some(self.result(&line)?),
                Rule::reads => Some(self.reads(&line)?),
                Rule::errors_line => {
                    Some(ToolLine::Errors(self.one_label_rule(&line)?, self.span(&line)))
                }
                Rule::writes => Some(self.writes(&line)?),
                Rule::decision => Some(self.rule(&line)?),
                Rule::approval => {
                    let cells = self.cells(&one(&line, Rule::cells)?)?;
                    let because = self.because(&line)??;
                    let unasked = !has(&line, Rule::kw_approval);
                    Some(ToolLine::Endorses(Endorses { cells, because, unasked }))
                }
                _ => None,
            });
        }
        Some(ToolBlock { patterns, lines, span, whole: self.span(pair) })
    }

    fn pattern(&self, pair: &Pair<'_>) -> Pattern {
        if let Some(name) = self.one_name(pair) {
            return Pattern { name, open: false };
        }
        let text = pair.as_str().trim_end().trim_end_matches('*').to_owned();
        Pattern { name: Name { text, span: self.span(pair) }, open: true }
    }

    fn result(&mut self, pair: &Pair<'_>) -> Option<ToolLine> {
        if let Some(form) = one(pair, Rule::form) {
            return Some(ToolLine::Form(self.form(&form)?, self.span(pair)));
        }
        let format = match one(pair, Rule::format) {
            Some(format) if has(&format, Rule::kw_yaml) => Format::Yaml,
            Some(format) if has(&format, Rule::kw_json) => Format::Json,
            Some(format) if has(&format, Rule::kw_python) => Format::Python,
            Some(format) if has(&format, Rule::kw_mcp) => Format::Mcp,
            _ => Format::Text,
        };
        let ty = match one(pair, Rule::ty) {
            Some(ty) => Some(self.ty(&ty)?),
            None => None,
        };
        Some(ToolLine::Result(format, ty, self.span(pair)))
    }

    /// Strings that stand side by side are one piece.
    fn form(&mut self, pair: &Pair<'_>) -> Option<Form> {
        let (mut pieces, mut fields) = (vec![String::new()], Vec::new());
        for part in pair.clone().into_inner() {
            if part.as_rule() == Rule::capture {
                fields.push(self.field(&part)?);
                pieces.push(String::new());
            } else if let Some(piece) = pieces.last_mut() {
                piece.push_str(&self.string(&part));
            }
        }
        let record = Type { kind: TypeKind::Record(fields), span: self.span(pair) };
        Some(Form { pieces, record })
    }

    fn reads(&mut self, pair: &Pair<'_>) -> Option<ToolLine> {
        let path = match one(pair, Rule::node_path) {
            Some(path) => Some(self.node_path(&path)?),
            None => None,
        };
        Some(ToolLine::Reads(self.one_name(pair)?, path))
    }

    pub(super) fn node_path(&mut self, pair: &Pair<'_>) -> Option<NodePath> {
        let mut steps = Vec::new();
        for step in pair.clone().into_inner() {
            match step.as_rule() {
                Rule::items_step => steps.push(Step::Items),
                Rule::keys_step => steps.push(Step::Keys),
                Rule::name => steps.push(Step::Field(self.name(&step).text)),
                _ => {}
            }
        }
        Some(NodePath { steps, span: self.span(pair) })
    }

    fn writes(&mut self, pair: &Pair<'_>) -> Option<ToolLine> {
        let verb = pair.clone().into_inner().next()?;
        let how = match verb.as_rule() {
            Rule::kw_adds => WriteKind::Adds,
            Rule::kw_changes => WriteKind::Changes,
            _ => WriteKind::Any,
        };
        let cells = self.cells(&one(pair, Rule::cells)?)?;
        let from = one(pair, Rule::arguments).map(|arguments| self.names(&arguments));
        let value = match one(pair, Rule::held) {
            Some(held) => Some(self.operand(&held)?),
            None => None,
        };
        let names = cells.cells.as_deref().unwrap_or_default();
        let has_shape = names.iter().any(|name| matches!(name, CellName::Shape(_)));
        if value.is_some() && (names.is_empty() || has_shape) {
            let message = "only a field holds a value that can be written here";
            let help = format!("name the field: `{}.FIELD = …`", cells.store.text);
            let mistake = Diagnostic::new(Code::E0105, cells.span, message).help(help);
            self.diagnostics.push(mistake);
        } else if how == WriteKind::Changes && has_shape {
            let message = "`changes` says that the records which there are stay, and so the shape";
            let help = "write `writes` where records are added or removed, too";
            let mistake = Diagnostic::new(Code::E0105, cells.span, message).help(help);
            self.diagnostics.push(mistake);
        }
        let span = self.span(&verb).to(cells.span);
        Some(ToolLine::Writes(Writes { how, cells, from, value, span }))
    }

    fn cells(&mut self, pair: &Pair<'_>) -> Option<Cells> {
        let mut cells = Vec::new();
        for cell in all(pair, Rule::cell) {
            cells.push(self.cell(&cell));
        }
        let cells = Some(cells).filter(|cells| !cells.is_empty());
        Some(Cells { store: self.one_name(pair)?, cells, span: self.span(pair) })
    }

    pub(super) fn cell(&self, pair: &Pair<'_>) -> CellName {
        self.one_name(pair).map_or_else(|| CellName::Shape(self.span(pair)), CellName::Field)
    }

    fn rule(&mut self, pair: &Pair<'_>) -> Option<ToolLine> {
        let effect = self.effect(pair)?;
        let when = match one(pair, Rule::when) {
            Some(when) => RuleWhen::When(Box::new(self.one_condition(&when)?)),
            None if has(pair, Rule::kw_always) => RuleWhen::Always,
            None => RuleWhen::Otherwise,
        };
        Some(ToolLine::Rule(effect, when, self.span(pair)))
    }

    pub(super) fn effect(&self, pair: &Pair<'_>) -> Option<Effect> {
        let effect = one(pair, Rule::effect)?.into_inner().next()?;
        Some(match effect.as_rule() {
            Rule::kw_allow => Effect::Allow,
            Rule::kw_confirm => Effect::Confirm,
            _ => Effect::Deny,
        })
    }
}
