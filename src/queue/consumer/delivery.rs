//! An element that a consumer has and must acknowledge.

use std::fmt;
use std::ops::Deref;

use super::Receipt;

/// An element that is leased to this process until it is acknowledged; made by
/// [`Consumer::recv`](super::Consumer::recv).
///
/// [`Receipt`] has the methods to acknowledge it and their errors, and says what a drop does.
#[must_use = "a delivery that is dropped is delivered again"]
pub struct Delivery<T> {
    value: T,
    receipt: Receipt,
}

impl<T> Delivery<T> {
    pub(super) fn new(value: T, receipt: Receipt) -> Self {
        Self { value, receipt }
    }

    /// The value that was offered.
    #[must_use]
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The value, and the [`Receipt`] with which to acknowledge it.
    pub fn into_parts(self) -> (T, Receipt) {
        (self.value, self.receipt)
    }
}

impl<T> Deref for Delivery<T> {
    type Target = Receipt;

    fn deref(&self) -> &Receipt {
        &self.receipt
    }
}

impl<T> AsRef<Receipt> for Delivery<T> {
    fn as_ref(&self) -> &Receipt {
        &self.receipt
    }
}

/// Leaves out the value, which may be private.
impl<T> fmt::Debug for Delivery<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery")
            .field("receipt", &self.receipt)
            .finish_non_exhaustive()
    }
}
