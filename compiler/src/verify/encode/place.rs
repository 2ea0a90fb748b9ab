//! Places: with whose arguments a condition or a label is read.
//!
//! A formula may speak of a call and of messages that belong to none. A place says which variable an
//! operand means there; facts are the session's, the same everywhere.

use rtbas_artifact::ir::{ArgumentId, Operand, Tool, TypeId};

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
}

impl Place {
    /// The operand in terms of the encoder's variables; `None` if it reads what is not there.
    pub(super) fn locate(&self, operand: &Operand) -> Option<Operand> {
        Some(match operand {
            Operand::Literal(_) | Operand::Fact(..) => operand.clone(),
            Operand::Argument(argument, path) => {
                Operand::Argument(ArgumentId(self.call?.checked_add(argument.0)?), path.clone())
            }
            Operand::Field(_) => return None,
            Operand::Derived(function, source) => {
                Operand::Derived(*function, Box::new(self.locate(source)?))
            }
        })
    }

    /// The variables that are the arguments of the call.
    pub(in crate::verify) fn first_argument(&self) -> u32 {
        self.call.unwrap_or_default()
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
        Place { call: Some(first) }
    }

    fn next_variable(&self) -> u32 {
        u32::try_from(self.variables.len()).unwrap_or(u32::MAX)
    }
}
