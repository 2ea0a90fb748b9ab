//! Conditions, labels and what they read in the policy's words, for reasons and reports.

use std::fmt;

use crate::ir::{
    Comparison, Condition, ConditionId, LabelId, LabelPart, Names, Operand, SetTerm, Tool,
};
use crate::label::{closed_parts, open_part};
use crate::program::Program;

/// A condition of a tool's rule, a label, or what one reads, to be printed. What reads arguments
/// needs the tool for their names; without it they print as positions.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    program: &'a Program,
    tool: Option<&'a Tool>,
    what: What<'a>,
}

#[derive(Clone, Copy, Debug)]
enum What<'a> {
    Condition(ConditionId),
    Label(LabelId),
    Operand(&'a Operand),
}

impl Program {
    /// A condition in the policy's words, such as `recipient in payees`.
    #[must_use]
    pub fn show_condition<'a>(
        &'a self,
        tool: Option<&'a Tool>,
        condition: ConditionId,
    ) -> Shown<'a> {
        Shown { program: self, tool, what: What::Condition(condition) }
    }

    /// A label term in the policy's words, such as `{trusted, readers {recipients}}`.
    #[must_use]
    pub fn show_label<'a>(&'a self, tool: Option<&'a Tool>, label: LabelId) -> Shown<'a> {
        Shown { program: self, tool, what: What::Label(label) }
    }

    /// What a condition, a label or a write reads, such as `payment.amount`.
    #[must_use]
    pub fn show_operand<'a>(&'a self, tool: Option<&'a Tool>, operand: &'a Operand) -> Shown<'a> {
        Shown { program: self, tool, what: What::Operand(operand) }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            What::Condition(condition) => self.condition(f, condition, false),
            What::Label(label) => self.label(f, label),
            What::Operand(operand) => self.operand(f, operand),
        }
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
            Some(Condition::SubsetOf(inner, outer)) => {
                self.operand(f, inner)?;
                f.write_str(" subset_of ")?;
                self.operand(f, outer)
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
        let Some(term) = policy.labels.get(id.index()) else {
            return f.write_str("{?}");
        };
        let pairs = policy.lattices.iter().zip(&term.parts);
        let mut parts = closed_parts(pairs.clone().map(|(lattice, part)| match part {
            LabelPart::Level(level) => (lattice, Some(*level)),
            LabelPart::Named(_) => (lattice, None),
        }));
        for (lattice, part) in pairs {
            if let LabelPart::Named(operand) = part {
                parts.push(format!("{} named by {}", lattice.name, self.word(operand)));
            }
        }
        for (lattice, set) in policy.open.iter().zip(&term.sets) {
            let name = |names: &Names| {
                let optional = if names.optional { "?" } else { "" };
                format!("{}{optional}", self.word(&names.value))
            };
            let names = match set {
                SetTerm::All => None,
                SetTerm::Of(names) => Some(names.iter().map(name).collect()),
            };
            parts.push(open_part(&policy.open, lattice, names));
        }
        write!(f, "{{{}}}", parts.join(", "))
    }

    fn word(&self, operand: &Operand) -> String {
        Shown { what: What::Operand(operand), ..*self }.to_string()
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
            Operand::Field(path) if path.is_empty() => return f.write_str("value"),
            Operand::Field(path) => return f.write_str(&path.join(".")),
            Operand::Derived(function, source) => {
                write!(f, "{}(", function.name())?;
                self.operand(f, source)?;
                return f.write_str(")");
            }
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
