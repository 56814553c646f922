use std::sync::Arc;

use bytes::Bytes;

use super::{JavaValue, Name};

/// A value that a payload holds as a Java object stream.
///
/// [`Kryo5Codec`](crate::Kryo5Codec) reads the likes of `Collections.unmodifiableList` so:
/// Kryo leaves them to Java's own serialization. Look at the [`value`](Self::value); the bytes are
/// kept as well, so what was read is written back as it was.
#[derive(Clone, Debug)]
pub struct Serialized {
    class: Name,
    value: JavaValue,
    bytes: Bytes,
    /// Objects of one payload and class share a stream, and later ones refer to earlier ones: the
    /// stream they are of, and how many objects came before.
    stream: Arc<()>,
    place: usize,
}

impl Serialized {
    pub(crate) fn new(
        class: Name,
        value: JavaValue,
        bytes: Bytes,
        stream: Arc<()>,
        place: usize,
    ) -> Self {
        Self {
            class,
            value,
            bytes,
            stream,
            place,
        }
    }

    /// The name of the class: `java.util.Collections$UnmodifiableRandomAccessList`.
    #[must_use]
    pub fn class(&self) -> &Name {
        &self.class
    }

    /// What the stream holds.
    #[must_use]
    pub fn value(&self) -> &JavaValue {
        &self.value
    }

    /// What the stream holds, without the stream.
    #[must_use]
    pub fn into_value(self) -> JavaValue {
        self.value
    }

    pub(crate) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub(crate) fn stream(&self) -> &Arc<()> {
        &self.stream
    }

    /// How many objects of its stream come before it.
    pub(crate) fn place(&self) -> usize {
        self.place
    }
}

/// Equal if the values are: two lists that cannot be modified are equal however they were written.
impl PartialEq for Serialized {
    fn eq(&self, other: &Self) -> bool {
        self.class == other.class && self.value == other.value
    }
}

impl JavaValue {
    /// The value itself, also if a payload held it as a Java object stream.
    #[must_use]
    pub fn into_plain(self) -> Self {
        match self {
            Self::Serialized(it) => it.into_value(),
            other => other,
        }
    }
}
