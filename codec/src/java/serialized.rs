use std::sync::Arc;

use bytes::Bytes;

use super::{JavaValue, Name};

/// A value that a payload holds as a Java object stream.
///
/// [`Kryo5Codec`](crate::Kryo5Codec) reads `Collections.unmodifiableList` and the like as one,
/// because Kryo leaves them to Java's own serialization. See its [`value`](Self::value). It keeps
/// the bytes too, so a codec writes it back as it was.
#[derive(Clone, Debug)]
pub struct Serialized {
    class: Name,
    value: JavaValue,
    bytes: Bytes,
    /// Objects of one class in a payload share a stream, and later objects refer to earlier ones.
    /// So it knows its stream, and how many objects of the stream come before.
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

    /// The value in the stream.
    #[must_use]
    pub fn value(&self) -> &JavaValue {
        &self.value
    }

    /// The value in the stream, without the bytes.
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

/// Equal if class and value are equal, even if the bytes differ.
impl PartialEq for Serialized {
    fn eq(&self, other: &Self) -> bool {
        self.class == other.class && self.value == other.value
    }
}

impl JavaValue {
    /// The value itself: for [`Serialized`], the value in the stream.
    #[must_use]
    pub fn into_plain(self) -> Self {
        match self {
            Self::Serialized(it) => it.into_value(),
            other => other,
        }
    }
}
