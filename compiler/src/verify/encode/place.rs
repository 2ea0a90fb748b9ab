//! Places: with whose arguments and which record's fields a condition or a label is read.
//!
//! A formula may speak of several of them at once. Each gets variables of its own, and a place says
//! which one an operand means there; facts are the session's, the same everywhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use rtbas_artifact::ir::{ArgumentId, Operand, StoreId, Tool, Type, TypeId};

use super::Encoder;

/// A value that the solver chooses.
#[derive(Clone, Copy, Debug)]
pub(in crate::verify) struct Variable {
    pub(super) ty: TypeId,
    /// Whether it is always there.
    pub(super) always: bool,
}

/// Which variables the operands of a condition or a label mean.
#[derive(Clone, Debug, Default)]
pub(in crate::verify) struct Place {
    /// The variable that is the first argument of the call, if there is a call.
    call: Option<u32>,
    /// What the fields of the record are, if there is a record.
    record: Option<Arc<Record>>,
    /// The value that checks itself, if one does: what is read as the field without a name.
    value: Option<Operand>,
}

impl Place {
    /// The operand in terms of the encoder's variables; `None` if it reads what is not there.
    pub(in crate::verify) fn locate(&self, operand: &Operand) -> Option<Operand> {
        Some(match operand {
            Operand::Literal(_) | Operand::Fact(..) => operand.clone(),
            Operand::Argument(argument, path) => {
                Operand::Argument(ArgumentId(self.call?.checked_add(argument.0)?), path.clone())
            }
            Operand::Field(path) => match path.split_first() {
                None => self.value.clone()?,
                Some((name, rest)) => under(self.record.as_ref()?.get(name)?, rest)?,
            },
            Operand::Derived(function, source) => {
                Operand::Derived(*function, Box::new(self.locate(source)?))
            }
        })
    }

    /// The same call, if there is one, and a record.
    pub(in crate::verify) fn with(&self, record: &Record) -> Self {
        Self { record: Some(Arc::new(record.clone())), ..self.clone() }
    }

    /// The same call, and a value that checks itself.
    pub(in crate::verify) fn checking(&self, value: Operand) -> Self {
        Self { record: None, value: Some(value), ..self.clone() }
    }

    /// Whether there is a record whose fields may be read.
    pub(super) fn has_record(&self) -> bool {
        self.record.is_some()
    }

    /// The variables that are the arguments of the call.
    pub(in crate::verify) fn first_argument(&self) -> u32 {
        self.call.unwrap_or_default()
    }
}

/// The fields of a record, each a variable or the value that is known to stand there.
pub(in crate::verify) type Record = BTreeMap<String, Operand>;

/// What an operand reads, or something in it.
fn under(operand: &Operand, rest: &[String]) -> Option<Operand> {
    let longer = |path: &[String]| path.iter().chain(rest).cloned().collect();
    match operand {
        Operand::Fact(fact, path) => Some(Operand::Fact(*fact, longer(path))),
        Operand::Argument(argument, path) => Some(Operand::Argument(*argument, longer(path))),
        other if rest.is_empty() => Some(other.clone()),
        Operand::Literal(_) | Operand::Field(_) | Operand::Derived(..) => None,
    }
}

impl Encoder<'_> {
    /// A call of a tool, with variables for its arguments.
    pub(in crate::verify) fn call(&mut self, tool: &Tool) -> Place {
        let first = self.next_variable();
        self.variables.extend(tool.arguments.iter().map(|argument| Variable {
            ty: argument.ty,
            always: argument.required || argument.default.is_some(),
        }));
        Place { call: Some(first), ..Place::default() }
    }

    /// A record of a store, with variables for its fields.
    pub(in crate::verify) fn record(&mut self, store: StoreId) -> Record {
        let policy = self.policy();
        let ty = policy.stores.get(store.index()).map(|store| store.record);
        let Some(Type::Record { fields, .. }) = ty.and_then(|ty| policy.types.get(ty.index()))
        else {
            return Record::new();
        };
        let mut record = Record::new();
        for field in fields {
            let variable = Operand::Argument(ArgumentId(self.next_variable()), Vec::new());
            self.variables.push(Variable { ty: field.ty, always: field.required });
            record.insert(field.name.clone(), variable);
        }
        record
    }

    /// A value of a type.
    pub(in crate::verify) fn value(&mut self, ty: TypeId) -> Operand {
        let variable = Operand::Argument(ArgumentId(self.next_variable()), Vec::new());
        self.variables.push(Variable { ty, always: true });
        variable
    }

    fn next_variable(&self) -> u32 {
        u32::try_from(self.variables.len()).unwrap_or(u32::MAX)
    }
}
