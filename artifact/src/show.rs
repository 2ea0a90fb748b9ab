//! Conditions in the policy's words, for reasons and reports.

use std::fmt;

use crate::ir::{Comparison, Condition, ConditionId, LabelId, LabelPart, Operand, Tool};
use crate::program::Program;

/// A condition of a tool's rule, to be printed. Conditions on arguments need the tool for their
/// names; without it they print as positions.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    program: &'a Program,
    tool: Option<&'a Tool>,
    condition: ConditionId,
}

impl Program {
    /// A condition in the policy's words, such as `recipient in payees`.
    #[must_use]
    pub fn show_condition<'a>(
        &'a self,
        tool: Option<&'a Tool>,
        condition: ConditionId,
    ) -> Shown<'a> {
        Shown { program: self, tool, condition }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition(f, self.condition, false)
    }
}

impl Shown<'_> {
    fn condition(&self, f: &mut fmt::Formatter<'_>, id: ConditionId, nested: bool) -> fmt::Result {
        match self.program.policy().conditions.get(id.index()) {
            None => f.write_str("?"),
            Some(Condition::Context(bound)) => {
                f.write_str("context <= ")?;
                self.label(f, *bound)
            }
            Some(Condition::Compare(comparison, left, right)) => {
                self.operand(f, left)?;
                write!(f, " {comparison} ")?;
                self.operand(f, right)
            }
            Some(Condition::In(element, set)) => {
                self.operand(f, element)?;
                f.write_str(" in ")?;
                self.operand(f, set)
            }
            Some(Condition::Matches(operand, pattern)) => {
                self.operand(f, operand)?;
                write!(f, " matches {pattern}")
            }
            Some(Condition::Present(operand)) => {
                f.write_str("present(")?;
                self.operand(f, operand)?;
                f.write_str(")")
            }
            Some(Condition::Not(inner)) => {
                f.write_str("not ")?;
                self.condition(f, *inner, true)
            }
            Some(Condition::All(parts)) => self.joined(f, parts, " and ", "true", nested),
            Some(Condition::Any(parts)) => self.joined(f, parts, " or ", "false", nested),
        }
    }

    fn joined(
        &self,
        f: &mut fmt::Formatter<'_>,
        parts: &[ConditionId],
        word: &str,
        empty: &str,
        nested: bool,
    ) -> fmt::Result {
        if parts.is_empty() {
            return f.write_str(empty);
        }
        let (open, close) = if nested { ("(", ")") } else { ("", "") };
        f.write_str(open)?;
        for (i, part) in parts.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { word })?;
            self.condition(f, *part, true)?;
        }
        f.write_str(close)
    }

    fn label(&self, f: &mut fmt::Formatter<'_>, id: LabelId) -> fmt::Result {
        let policy = self.program.policy();
        let parts = policy.labels.get(id.index()).map_or(&[][..], |term| &term.parts);
        f.write_str("{")?;
        for (i, (part, lattice)) in parts.iter().zip(&policy.lattices).enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            match part {
                LabelPart::Level(level) => f.write_str(lattice.level_name(*level))?,
                LabelPart::Named(operand) => {
                    write!(f, "{} named by ", lattice.name)?;
                    self.operand(f, operand)?;
                }
            }
        }
        f.write_str("}")
    }

    fn operand(&self, f: &mut fmt::Formatter<'_>, operand: &Operand) -> fmt::Result {
        let (root, path) = match operand {
            Operand::Literal(value) => return write!(f, "{value}"),
            Operand::Fact(id, path) => {
                (self.program.policy().facts.get(id.index()).map(|fact| &fact.name), path)
            }
            Operand::Argument(id, path) => {
                let argument = self.tool.and_then(|tool| tool.arguments.get(id.index()));
                (argument.map(|argument| &argument.name), path)
            }
            Operand::Field(path) => return f.write_str(&path.join(".")),
        };
        match (root, operand) {
            (Some(name), _) => f.write_str(name)?,
            (None, Operand::Argument(id, _)) => write!(f, "argument {}", id.0)?,
            (None, _) => f.write_str("?")?,
        }
        path.iter().try_for_each(|step| write!(f, ".{step}"))
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        })
    }
}
