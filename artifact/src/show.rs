//! Conditions, labels and what they read in the policy's words, for reasons and reports.

use std::collections::BTreeSet;
use std::fmt;

use crate::ir::{
    ArgumentId, CellPart, Claim, Comparison, Condition, ConditionId, Exception, LabelId, LabelPart,
    Names, Operand, SetTerm, Target, Tool,
};
use crate::label::{closed_parts, open_part};
use crate::program::Program;
use crate::sets::SetLattice;

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
    Claim(&'a Claim),
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

    /// A claim in the policy's words, such as `never {untrusted} -> pay unless payee == house`.
    #[must_use]
    pub fn show_claim<'a>(&'a self, claim: &'a Claim) -> Shown<'a> {
        let tool = match claim.target {
            Target::Tool(tool) | Target::Argument(tool, _) => self.tool(tool),
            Target::Reply | Target::Store(_) | Target::Cell(_) => None,
        };
        Shown { program: self, tool, what: What::Claim(claim) }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.what {
            What::Condition(condition) => self.condition(f, condition, false),
            What::Label(label) => self.label(f, label),
            What::Operand(operand) => self.operand(f, operand),
            What::Claim(claim) => self.claim(f, claim),
        }
    }
}

impl Shown<'_> {
    fn claim(&self, f: &mut fmt::Formatter<'_>, claim: &Claim) -> fmt::Result {
        let policy = self.program.policy();
        let mut unless = claim.unless;
        let is_any = self.program.constant(claim.level) == Some(self.program.space().bottom());
        let inner = unless.and_then(|unless| match policy.conditions.get(unless.index()) {
            Some(Condition::Not(inner)) => Some(*inner),
            _ => None,
        });
        let is_call = matches!(claim.target, Target::Tool(_));
        match inner.filter(|_| is_any && is_call && claim.via.is_empty()) {
            Some(inner) => {
                f.write_str("always confirm ")?;
                self.target(f, &claim.target)?;
                f.write_str(" when ")?;
                self.condition(f, inner, false)?;
                unless = None;
            }
            None => {
                f.write_str("never ")?;
                self.level(f, claim.level)?;
                f.write_str(" -> ")?;
                self.target(f, &claim.target)?;
            }
        }
        if let Some(unless) = unless {
            f.write_str(" unless ")?;
            self.condition(f, unless, false)?;
        }
        for (i, exception) in claim.via.iter().enumerate() {
            f.write_str(if i == 0 { " via " } else { ", " })?;
            let tool = |tool| self.program.tool(tool).map_or("?", |tool| tool.name.as_str());
            match exception {
                Exception::Downgrade(id) => {
                    let downgrade = policy.downgrades.get(id.index());
                    f.write_str(downgrade.map_or("?", |downgrade| &downgrade.name))?;
                }
                Exception::Approval(of) => {
                    write!(f, "approval of {}", of.map_or("*", tool))?;
                }
            }
        }
        Ok(())
    }

    /// The level of a claim: what lies above the bottom. A powerset is said with all its elements,
    /// since in a dual one those that are left out are what lies above.
    fn level(&self, f: &mut fmt::Formatter<'_>, label: LabelId) -> fmt::Result {
        let policy = self.program.policy();
        let Some(term) = policy.labels.get(label.index()) else { return f.write_str("{?}") };
        let levels = policy.lattices.iter().zip(&term.parts).map(|(lattice, part)| match part {
            LabelPart::Level(level) => (lattice, Some(*level)),
            LabelPart::Named(_) => (lattice, None),
        });
        let above = levels.clone().filter(|(lattice, level)| *level != lattice.bottom());
        let above: BTreeSet<&str> = above.map(|(lattice, _)| lattice.name.as_str()).collect();
        let said = levels.filter(|(lattice, _)| above.contains(lattice.name.as_str()));
        let mut parts = closed_parts(said);
        for (lattice, set) in policy.open.iter().zip(&term.sets) {
            let is_bottom = match set {
                SetTerm::All => !lattice.joins_by_union(),
                SetTerm::Of(names) => lattice.joins_by_union() && names.is_empty(),
            };
            if !is_bottom {
                parts.push(self.set(lattice, set));
            }
        }
        match parts.as_slice() {
            [] => self.label(f, label),
            [only] => f.write_str(only),
            several => write!(f, "{{{}}}", several.join(", ")),
        }
    }

    fn target(&self, f: &mut fmt::Formatter<'_>, target: &Target) -> fmt::Result {
        let policy = self.program.policy();
        let tool = self.tool.map_or("?", |tool| tool.name.as_str());
        let store = |id: crate::ir::StoreId| {
            policy.stores.get(id.index()).map_or("?", |store| store.name.as_str())
        };
        match target {
            // Bare, it is the answer.
            Target::Tool(_) if tool == "reply" => f.write_str("`reply`"),
            Target::Tool(_) => f.write_str(tool),
            Target::Argument(_, ArgumentId(index)) => {
                let argument = self.tool.and_then(|tool| tool.arguments.get(*index as usize));
                write!(f, "{tool}.{}", argument.map_or("?", |argument| argument.name.as_str()))
            }
            Target::Reply => f.write_str("reply"),
            Target::Store(id) => f.write_str(store(*id)),
            Target::Cell(id) => {
                let Some(cell) = policy.cells.get(id.index()) else { return f.write_str("?") };
                f.write_str(store(cell.store))?;
                match &cell.part {
                    CellPart::Field(name) => write!(f, ".{name}"),
                    CellPart::Shape => f.write_str(".shape"),
                    CellPart::Content => Ok(()),
                }
            }
        }
    }

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
            parts.push(self.set(lattice, set));
        }
        write!(f, "{{{}}}", parts.join(", "))
    }

    fn set(&self, lattice: &SetLattice, set: &SetTerm) -> String {
        let name = |names: &Names| {
            let optional = if names.optional { "?" } else { "" };
            format!("{}{optional}", self.word(&names.value))
        };
        let names = match set {
            SetTerm::All => None,
            SetTerm::Of(names) => Some(names.iter().map(name).collect()),
        };
        open_part(&self.program.policy().open, lattice, names)
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
