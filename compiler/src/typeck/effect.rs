//! What a call writes into a field can be a value of the field.

use rtbas_artifact::ir::{Type, TypeId};
use rtbas_artifact::ty::{check, describe, with_sets};

use super::condition::{Kind, Rules};
use crate::diag::{Code, Diagnostic};
use crate::resolve::hir::{Tool, Write};

impl<'p> Rules<'p, '_> {
    /// Checks what is said that fields hold after a call.
    pub(super) fn effects(&mut self, tool: &'p Tool) {
        let mut writes: Vec<&Write> = tool.writes.iter().collect();
        writes.sort_by_key(|write| write.value.as_ref().map(|value| value.span.start));
        for write in writes {
            self.holds(write);
        }
    }

    fn holds(&mut self, write: &'p Write) {
        let Some(value) = &write.value else { return };
        let Some(kind) = self.kind(value) else { return };
        let field = self.policy.cells.get(write.cell.index()).and_then(|cell| cell.ty);
        let Some(field) = field else { return };
        let types = self.policy.types.entries();
        let can_be = match &kind {
            Kind::Literal(value) => {
                check(types, field, &with_sets(types, field, (*value).clone())).is_ok()
            }
            Kind::Typed(choices) => choices.iter().any(|ty| meets(types, *ty, field)),
            Kind::Given(_) => true,
        };
        if !can_be {
            let (is, wanted) = (self.say(&kind), describe(types, field));
            let message = format!("the field holds {wanted}, and this is {is}");
            self.diagnostics.push(Diagnostic::new(Code::E0306, value.span, message));
        }
    }
}

/// Whether some value may be of both types. What lists and records hold is not looked at: two lists
/// may both be empty.
fn meets(types: &[Type], a: TypeId, b: TypeId) -> bool {
    let of = |ty: TypeId| types.get(ty.index()).unwrap_or(&Type::Any);
    match (of(a), of(b)) {
        (Type::Any, _) | (_, Type::Any) => true,
        (Type::Union(choices), _) => choices.iter().any(|choice| meets(types, *choice, b)),
        (_, Type::Union(choices)) => choices.iter().any(|choice| meets(types, a, *choice)),
        (Type::Enumeration(values), _) => values.iter().any(|v| check(types, b, v).is_ok()),
        (_, Type::Enumeration(values)) => values.iter().any(|v| check(types, a, v).is_ok()),
        (a, b) => sort(a) == sort(b),
    }
}

/// Values of types of two sorts are never equal.
fn sort(ty: &Type) -> u8 {
    match ty {
        Type::Null => 0,
        Type::Bool => 1,
        Type::Integer | Type::Number => 2,
        Type::Text | Type::Pattern(_) | Type::Date | Type::Time => 3,
        Type::List(_) => 4,
        Type::Set(_) => 5,
        Type::Record { .. } | Type::Map(_) => 6,
        // These have been taken apart.
        Type::Any | Type::Union(_) | Type::Enumeration(_) => 7,
    }
}
