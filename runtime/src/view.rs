//! Views: the only form in which a history reaches a model.
//!
//! A view carries the context label: the join of the labels of all that it shows. Calls count only
//! with the view that they were written from, so its session and its moment are part of it.

use std::sync::Arc;

use rtbas_artifact::label::Label;

use crate::history::Message;

/// Which session a token belongs to: the address of an allocation that only it and its tokens hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity(Arc<()>);

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A moment of a session. A token of an earlier moment is void.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moment {
    pub(crate) session: Identity,
    /// Counts the changes of the history.
    pub(crate) tick: u64,
}

/// What a model may see, and the label of having seen it.
#[derive(Debug)]
pub struct View {
    pub(crate) moment: Moment,
    pub(crate) label: Label,
    pub(crate) messages: Vec<Arc<Message>>,
}

impl View {
    /// The messages to give to the model, in order.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = &Message> {
        self.messages.iter().map(Arc::as_ref)
    }

    /// The context label: whatever is written from this view carries it (l).
    #[must_use]
    pub fn label(&self) -> &Label {
        &self.label
    }
}
