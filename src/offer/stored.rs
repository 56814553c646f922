//! The result of an offer, and how durable it is.

use std::sync::Arc;

use crate::error::Cause;
use crate::link::durability::{Acknowledged, Durability};

/// The result of an offer.
#[derive(Debug)]
pub(crate) struct Stored<T> {
    pub(crate) done: T,
    /// Set if it is not as durable as asked.
    pub(crate) shortfall: Option<Shortfall>,
}

/// How much less durable than asked an element is.
#[derive(Clone, Debug)]
pub(crate) struct Shortfall {
    /// The address of the server that has the element, without credentials.
    pub(crate) server: Arc<str>,
    pub(crate) wanted: Durability,
    pub(crate) got: Acknowledged,
    /// Why Redis refused to wait, if it did.
    pub(crate) refusal: Option<Cause>,
}

impl<T> Stored<T> {
    /// The result of an offer that did not wait, or is as durable as asked.
    pub(crate) fn as_asked(done: T) -> Self {
        Self {
            done,
            shortfall: None,
        }
    }

    pub(crate) fn map<U>(self, map: impl FnOnce(T) -> U) -> Stored<U> {
        Stored {
            done: map(self.done),
            shortfall: self.shortfall,
        }
    }
}
