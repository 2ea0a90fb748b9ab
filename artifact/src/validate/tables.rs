//! Tables whose entries nest: each entry refers to earlier entries only, and none is too deep or
//! too large when it is written out in full.

use smallvec::SmallVec;

use super::{Invalid, MAX_NESTING, MAX_PATTERNS, MAX_WEIGHT, each, text, unique, value};
use crate::ir::{Condition, Policy, Type};

/// The entries that an entry refers to.
pub(super) type Below = SmallVec<[usize; 4]>;

/// Checks the nesting of a table.
///
/// # Errors
/// An entry that refers to itself or a later one, is nested deeper than [`MAX_NESTING`], or
/// consists of more than [`MAX_WEIGHT`] entries.
pub(super) fn nesting<T>(
    table: &str,
    entries: &[T],
    below: impl Fn(&T) -> Below,
) -> Result<(), Invalid> {
    // For each entry: its depth and its weight, shared parts counted each time.
    let mut sizes: Vec<(usize, usize)> = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let at = |problem: String| Err(Invalid::new(&format!("{table}[{i}]"), problem));
        let (mut depth, mut weight) = (1, 1_usize);
        for part in below(entry) {
            let Some((part_depth, part_weight)) = sizes.get(part) else {
                return at(format!("it refers to entry {part}, which is not an earlier one"));
            };
            depth = depth.max(part_depth + 1);
            weight = weight.saturating_add(*part_weight);
        }
        if depth > MAX_NESTING {
            return at(format!("nested more than {MAX_NESTING} deep"));
        }
        if weight > MAX_WEIGHT {
            return at(format!("consists of more than {MAX_WEIGHT} parts"));
        }
        sizes.push((depth, weight));
    }
    Ok(())
}

pub(super) fn types(types: &[Type]) -> Result<(), Invalid> {
    each("types", types, |ty| match ty {
        Type::Enumeration(values) => each("values", values, |one| value("value", one, 0)),
        Type::Record { fields, .. } => {
            each("fields", fields, |field| text("name", &field.name))?;
            unique("fields", fields.iter().map(|field| &field.name))
        }
        Type::Union(choices) if choices.is_empty() => {
            Err(Invalid::new("choices", "a union of no types holds no value"))
        }
        _ => Ok(()),
    })?;
    nesting("types", types, |ty| match ty {
        Type::List(element) | Type::Set(element) | Type::Map(element) => {
            [element.index()].into_iter().collect()
        }
        Type::Record { fields, .. } => fields.iter().map(|field| field.ty.index()).collect(),
        Type::Union(choices) => choices.iter().map(|choice| choice.index()).collect(),
        _ => Below::new(),
    })
}

pub(super) fn conditions(conditions: &[Condition]) -> Result<(), Invalid> {
    each("conditions", conditions, |_| Ok(()))?;
    nesting("conditions", conditions, |condition| match condition {
        Condition::Not(inner) => [inner.index()].into_iter().collect(),
        Condition::All(parts) | Condition::Any(parts) => parts.iter().map(|p| p.index()).collect(),
        _ => Below::new(),
    })
}

/// Checks that all patterns together are not too large. One alone never is: there would be no
/// pattern.
pub(super) fn patterns(policy: &Policy) -> Result<(), Invalid> {
    let asked = policy.conditions.iter().filter_map(|condition| match condition {
        Condition::Matches(_, pattern) => Some(pattern),
        _ => None,
    });
    let types = policy.types.iter().filter_map(|ty| match ty {
        Type::Pattern(pattern) => Some(pattern),
        _ => None,
    });
    let weights = asked.chain(types).map(|pattern| pattern.tree().weight());
    match weights.fold(0, usize::saturating_add) {
        weight if weight > MAX_PATTERNS => {
            let problem =
                format!("patterns of {weight} parts; at most {MAX_PATTERNS} are possible");
            Err(Invalid::new("patterns", problem))
        }
        _ => Ok(()),
    }
}
