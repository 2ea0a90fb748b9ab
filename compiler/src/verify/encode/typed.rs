//! Declared types of what operands read, and what may be missing.

use rtbas_artifact::ir::{Field, Operand, Type, TypeId};
use rtbas_artifact::value::Value;

use super::Encoder;

impl Encoder<'_> {
    /// The declared type of what an operand reads, and whether it is always there.
    pub(in crate::verify) fn declared_type(&self, operand: &Operand) -> Option<(TypeId, bool)> {
        let types = &self.policy().types;
        let (mut ty, mut always, path) = match operand {
            Operand::Fact(fact, path) => {
                let fact = self.policy().facts.get(fact.index())?;
                (fact.ty, true, path)
            }
            Operand::Argument(variable, path) => {
                let variable = self.variables.get(variable.index())?;
                (variable.ty, variable.always, path)
            }
            Operand::Literal(_) | Operand::Field(_) | Operand::Derived(..) => return None,
        };
        for step in path {
            let field = field(types, ty, step)?;
            always &= field.required && !admits_null(types, ty);
            ty = field.ty;
        }
        Some((ty, always))
    }

    /// Whether a record must have what an operand reads of it.
    pub(super) fn is_required(&self, record: &Operand, operand: &Operand) -> bool {
        let name = match operand {
            Operand::Fact(_, path) | Operand::Argument(_, path) | Operand::Field(path) => {
                path.last()
            }
            Operand::Literal(_) | Operand::Derived(..) => None,
        };
        let record = self.declared_type(record);
        let types = &self.policy().types;
        let field = record.zip(name).and_then(|((ty, _), name)| field(types, ty, name));
        field.is_some_and(|field| field.required)
    }
}

/// A field of a record type, or of one or null.
fn field<'t>(types: &'t [Type], ty: TypeId, name: &str) -> Option<&'t Field> {
    match types.get(without_null(types, ty).0.index()) {
        Some(Type::Record { fields, .. }) => fields.iter().find(|field| field.name == name),
        _ => None,
    }
}

/// Whether null is the only value of the type.
pub(super) fn is_only_null(types: &[Type], ty: TypeId) -> bool {
    match types.get(ty.index()) {
        Some(Type::Null) => true,
        Some(Type::Enumeration(values)) => values.iter().all(|value| *value == Value::Null),
        Some(Type::Union(choices)) => choices.iter().all(|&choice| is_only_null(types, choice)),
        _ => false,
    }
}

/// Whether null is a value of the type. Conditions take it for absent.
pub(super) fn admits_null(types: &[Type], ty: TypeId) -> bool {
    rtbas_artifact::ty::check(types, ty, &Value::Null).is_ok()
}

/// What an operand that reads a field reads the field of.
pub(super) fn enclosing(operand: &Operand) -> Option<Operand> {
    let outer = |path: &[String]| path.split_last().map(|(_, outer)| outer.to_vec());
    match operand {
        Operand::Fact(fact, path) => Some(Operand::Fact(*fact, outer(path)?)),
        Operand::Argument(argument, path) => Some(Operand::Argument(*argument, outer(path)?)),
        Operand::Literal(_) | Operand::Field(_) | Operand::Derived(..) => None,
    }
}

/// The other side of a union with null, and whether it was one.
pub(in crate::verify) fn without_null(types: &[Type], ty: TypeId) -> (TypeId, bool) {
    let is_null = |id: &TypeId| types.get(id.index()) == Some(&Type::Null);
    match types.get(ty.index()) {
        Some(Type::Union(choices)) if choices.iter().any(is_null) => {
            let mut others = choices.iter().filter(|id| !is_null(id));
            match (others.next(), others.next()) {
                (Some(only), None) => (*only, true),
                _ => (ty, true),
            }
        }
        _ => (ty, false),
    }
}
