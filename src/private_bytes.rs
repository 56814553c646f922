//! Bytes that no log shows.

use std::fmt;
use std::ops::Deref;

use bytes::Bytes;

/// Bytes of a customer's element, in an error or an event. Its `Debug` says how many there are and
/// shows none, so a program may log the error or the event.
///
/// It dereferences to the [`Bytes`], and [`into_inner`](Self::into_inner) returns them.
///
/// # Examples
///
/// ```
/// use bytes::Bytes;
/// use redisson_delayed_queue::PrivateBytes;
///
/// let payload = PrivateBytes::from(Bytes::from("card 4111"));
/// assert_eq!(format!("{payload:?}"), "9 bytes");
/// assert_eq!(payload.into_inner(), "card 4111");
/// ```
#[derive(Clone, Default, Eq, Hash, PartialEq)]
pub struct PrivateBytes(Bytes);

impl PrivateBytes {
    /// The bytes.
    #[must_use]
    pub fn into_inner(self) -> Bytes {
        self.0
    }
}

impl Deref for PrivateBytes {
    type Target = Bytes;

    fn deref(&self) -> &Bytes {
        &self.0
    }
}

impl From<Bytes> for PrivateBytes {
    fn from(bytes: Bytes) -> Self {
        Self(bytes)
    }
}

impl From<PrivateBytes> for Bytes {
    fn from(private: PrivateBytes) -> Self {
        private.0
    }
}

/// As the bytes themselves compare.
macro_rules! compare {
    ($($other:ty),*) => {$(
        impl PartialEq<$other> for PrivateBytes {
            fn eq(&self, other: &$other) -> bool {
                self.0 == *other
            }
        }
    )*};
}

compare!(Bytes, Vec<u8>, [u8], &[u8], str, &str);

impl fmt::Debug for PrivateBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}
