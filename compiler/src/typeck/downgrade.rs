//! Downgrades lower what is no longer divided, and what they let through is narrow.

use rtbas_artifact::ir::{self, Comparison, DowngradeWord, Type, TypeId};
use rtbas_artifact::lattice::LevelId;
use rtbas_artifact::term::set_flows;
use rtbas_artifact::ty::{Narrow, narrow};

use super::condition::Rules;
use super::result::region;
use crate::diag::{Code, Diagnostic};
use crate::resolve::hir::{Condition, Downgrade, Label, Operand, Step};

impl<'p> Rules<'p, '_> {
    /// Checks a downgrade, but for what its guards may read: that is for a proof.
    pub(super) fn downgrade(&mut self, downgrade: &'p Downgrade) {
        self.label(&downgrade.from);
        self.label(&downgrade.to);
        for guard in downgrade.when.iter().chain(&downgrade.checked) {
            self.condition(guard);
        }
        self.lowers(downgrade);
        let Some(tool) = self.policy.tools.get(downgrade.tool.index()) else { return };
        let (path, at) = (&downgrade.path, downgrade.path_span);
        let Some(types) = region(self.policy, tool, path, at, self.diagnostics) else { return };
        let &[ty] = types.as_slice() else {
            let message = "a downgrade speaks of one value, and this may be one of several";
            let diagnostic = Diagnostic::new(Code::E0312, at, message);
            let help = "give the field one type in all alternatives";
            return self.diagnostics.push(diagnostic.help(help));
        };
        if !self.policy.types.division(ty).is_leaf() {
            let message = "a downgrade speaks of one value, and this region is divided further";
            let help = "name a region in it, such as a field";
            let diagnostic = Diagnostic::new(Code::E0312, at, message);
            return self.diagnostics.push(diagnostic.help(help));
        }
        self.is_narrow(downgrade, ty);
    }

    /// What passes could hold no instruction, whoever wrote it.
    fn is_narrow(&mut self, downgrade: &Downgrade, ty: TypeId) {
        let types = self.policy.types.entries();
        let at = downgrade.path_span;
        let word = match downgrade.word {
            DowngradeWord::Endorse => "endorse",
            DowngradeWord::Declassify => "declassify",
        };
        let is_one_of_many = matches!(downgrade.path.last(), Some(Step::Items | Step::Keys));
        if is_one_of_many && !is_measure(types, ty) {
            let message =
                format!("this would {word} every element, and many small texts are a text");
            let help = "give the elements a type of numbers, truth values, dates or times";
            return self.diagnostics.push(Diagnostic::new(Code::E0312, at, message).help(help));
        }
        let is_checked = downgrade.checked.as_ref().is_some_and(is_narrow_check);
        if narrow(types, ty).is_none() && !(is_checked && is_scalar(types, ty)) {
            let message = format!("this would {word} whatever text stands there");
            let help =
                "say which values are harmless, and few:\nchecked value matches /[A-Z]{2}[0-9]{6}/";
            let diagnostic = Diagnostic::new(Code::E0312, at, message);
            self.diagnostics.push(diagnostic.note("a text can hold instructions").help(help));
        }
    }

    /// Both labels name levels of the same lattices, and the second flows to the first.
    fn lowers(&mut self, downgrade: &'p Downgrade) {
        let (from, to) = (&downgrade.from, &downgrade.to);
        let level = |label: &Label, index: usize| label.levels.get(index).copied().flatten();
        let mut mistakes: Vec<String> = Vec::new();
        let mut lowered = 0_usize;
        let names: usize = [from, to].iter().map(|label| named(label)).min().unwrap_or(0);
        if names == 0 {
            mistakes.push("it names no level to be lowered from, or to".to_owned());
        }
        for (index, lattice) in self.lattices.iter().enumerate() {
            match (level(from, index), level(to, index)) {
                (None, None) => {}
                (Some(from), Some(to)) if lattice.flows(to, from) => {
                    lowered += usize::from(from != to);
                }
                (Some(from), Some(to)) => {
                    let name = |level: LevelId| lattice.level_name(level);
                    mistakes.push(format!("`{}` does not flow to `{}`", name(to), name(from)));
                }
                _ => mistakes.push(format!("only one of its labels names `{}`", lattice.name)),
            }
        }
        for (index, lattice) in self.policy.open.iter().enumerate() {
            let set = |label: &'p Label| label.sets.get(index).and_then(Option::as_ref);
            match (set(from), set(to)) {
                (None, None) => {}
                (Some(from), Some(to)) => {
                    let (types, facts) = (self.policy.types.entries(), &self.policy.facts);
                    lowered += usize::from(from.term != to.term);
                    if !set_flows(types, facts, lattice, &to.term, &from.term) {
                        let message = format!(
                            "the second set of {} does not flow to the first",
                            lattice.kind
                        );
                        mistakes.push(message);
                    }
                }
                _ => mistakes.push(format!("only one of its labels names `{}`", lattice.name)),
            }
        }
        if mistakes.is_empty() && lowered == 0 {
            mistakes.push("both of its labels are the same".to_owned());
        }
        for mistake in mistakes {
            let message = format!("a downgrade lowers a label: {mistake}");
            let diagnostic = Diagnostic::new(Code::E0312, to.span, message);
            let help = "write the stricter level first: `untrusted -> trusted`";
            self.diagnostics.push(diagnostic.label(from.span, "from here").help(help));
        }
    }
}

/// How many levels a label names.
fn named(label: &Label) -> usize {
    label.levels.iter().flatten().count() + label.sets.iter().flatten().count()
}

/// Whether values of a type say little, however many there are.
fn is_measure(types: &[Type], ty: TypeId) -> bool {
    match types.get(ty.index()) {
        Some(Type::Null | Type::Bool | Type::Integer | Type::Number) => true,
        Some(Type::Date | Type::Time) => true,
        Some(Type::Union(choices)) => choices.iter().all(|choice| is_measure(types, *choice)),
        _ => false,
    }
}

/// Whether a value of a type is one value and not several.
fn is_scalar(types: &[Type], ty: TypeId) -> bool {
    match types.get(ty.index()) {
        Some(Type::Text | Type::Enumeration(_) | Type::Pattern(_)) => true,
        Some(Type::Union(choices)) => choices.iter().all(|choice| is_scalar(types, *choice)),
        _ => is_measure(types, ty),
    }
}

/// Whether a condition leaves few values: those of a constant, a fact or a finite pattern.
fn is_narrow_check(condition: &Condition) -> bool {
    let is_value =
        |operand: &Operand| matches!(&operand.read, ir::Operand::Field(path) if path.is_empty());
    let is_known =
        |operand: &Operand| matches!(operand.read, ir::Operand::Literal(_) | ir::Operand::Fact(..));
    match condition {
        Condition::Compare(Comparison::Equal, a, b) => {
            is_value(a) && is_known(b) || is_value(b) && is_known(a)
        }
        Condition::In(element, list) => is_value(element) && is_known(list),
        Condition::Matches(text, pattern) => is_value(text) && Narrow::of(pattern).is_some(),
        Condition::All(parts) => parts.iter().any(is_narrow_check),
        Condition::Any(parts) => parts.iter().all(is_narrow_check),
        _ => false,
    }
}
