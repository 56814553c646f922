use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;
use prost::Message;

use super::{Codec, Error};

/// Protocol Buffers: the payload is the bare message, of a type made with [`prost`].
///
/// Behind the feature `protobuf`.
///
/// # Compatibility
///
/// `org.redisson.codec.ProtobufCodec` of the class that `protoc` generates from the same `.proto`
/// file, 3.23.4, 3.52.0 and 4.7.0 (checked with messages of `com.google.protobuf`). That Java codec
/// writes objects of other classes as JSON or with protostuff. This codec does not read those.
///
/// **Messages nest at most 100 levels deep** inside the outermost one. Neither `prost` nor Java reads
/// more, and both write more: a Java consumer loses such a value. This codec cannot see how deep a
/// message nests without reading it again, so it does not refuse. Limit messages that hold themselves
/// before you offer them.
///
/// Both languages read each other's messages. `remove` and `contains` need the same bytes, which
/// differ for:
///
/// - Maps with an empty or zero key or value: Java writes it, `prost` leaves it out. A `HashMap`
///   has a new order each time: let `prost-build` make a `BTreeMap`, and sort in Java too.
/// - Fields with the value `-0.0`: `prost` takes it for the default.
/// - Fields that the Rust type does not know: Java keeps them, `prost` drops them.
///
/// # Examples
///
/// ```
/// use prost::Message;
/// use redisson_codec::{Codec, ProtobufCodec};
///
/// #[derive(PartialEq, Message)]
/// struct Order {
///     #[prost(string, tag = "1")]
///     order_id: String,
///     #[prost(int64, tag = "2")]
///     user_id: i64,
/// }
///
/// let codec = ProtobufCodec::<Order>::new();
/// let order = Order { order_id: "A-1".to_owned(), user_id: 42 };
/// assert_eq!(codec.encode(&order)?, b"\x0a\x03A-1\x10\x2a".as_slice());
/// # Ok::<(), redisson_codec::Error>(())
/// ```
pub struct ProtobufCodec<T> {
    // A function pointer is Send and Sync whatever T is: the codec holds no T.
    message: PhantomData<fn() -> T>,
}

impl<T> ProtobufCodec<T> {
    /// Makes the codec of `T`.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            message: PhantomData,
        }
    }
}

impl<T: Message + Default + 'static> Codec<T> for ProtobufCodec<T> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        Ok(value.encode_to_vec().into())
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        T::decode(payload)
            .map_err(|error| Error::with_source("payload is not the expected message", error))
    }
}

impl<T> Clone for ProtobufCodec<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ProtobufCodec<T> {}

impl<T> Default for ProtobufCodec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for ProtobufCodec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProtobufCodec<{}>", type_name::<T>())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Clone, PartialEq, Message)]
    struct Timestamp {
        #[prost(int64, tag = "1")]
        seconds: i64,
        #[prost(int32, tag = "2")]
        nanos: i32,
    }

    #[derive(Clone, PartialEq, Message)]
    struct Struct {
        #[prost(btree_map = "string, message", tag = "1")]
        fields: BTreeMap<String, Value>,
    }

    #[derive(Clone, PartialEq, Message)]
    struct Value {
        #[prost(oneof = "Kind", tags = "2, 3")]
        kind: Option<Kind>,
    }

    #[derive(Clone, PartialEq, prost::Oneof)]
    enum Kind {
        #[prost(double, tag = "2")]
        Number(f64),
        #[prost(string, tag = "3")]
        Text(String),
    }

    #[derive(Clone, PartialEq, Message)]
    struct FieldMask {
        #[prost(string, repeated, tag = "1")]
        paths: Vec<String>,
    }

    #[track_caller]
    fn is_written_as<T>(value: T, payload: &'static [u8])
    where
        T: Message + Default + fmt::Debug + PartialEq + 'static,
    {
        let codec = ProtobufCodec::<T>::new();
        let payload = Bytes::from_static(payload);
        assert_eq!(codec.encode(&value).unwrap(), payload);
        assert_eq!(codec.decode(payload).unwrap(), value);
    }

    /// Written by `ProtobufCodec` of Redisson 3.23.4, 3.52.0 and 4.7.0 for the messages of the same
    /// names in `com.google.protobuf`.
    #[test]
    fn payloads_match_redisson() {
        let now = Timestamp {
            seconds: 1_700_000_000,
            nanos: 123_456_789,
        };
        is_written_as(now, b"\x08\x80\xe2\xcf\xaa\x06\x10\x95\x9a\xef\x3a");
        let past = Timestamp {
            seconds: -1,
            nanos: 5,
        };
        is_written_as(
            past,
            b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x05",
        );
        is_written_as(Timestamp::default(), b"");

        let value = |kind| Value { kind: Some(kind) };
        let fields = BTreeMap::from([
            ("b".to_owned(), value(Kind::Text("é".to_owned()))),
            ("k".to_owned(), value(Kind::Number(1.5))),
        ]);
        is_written_as(
            Struct { fields },
            b"\x0a\x09\x0a\x01b\x12\x04\x1a\x02\xc3\xa9\
              \x0a\x0e\x0a\x01k\x12\x09\x11\0\0\0\0\0\0\xf8\x3f",
        );
        let mask = FieldMask {
            paths: vec!["a.b".to_owned(), String::new()],
        };
        is_written_as(mask, b"\x0a\x03a.b\x0a\0");
    }

    /// The value must not be lost for what the docs say of the bytes.
    #[test]
    fn what_only_java_writes_is_read() {
        let codec = ProtobufCodec::<Struct>::new();
        let read = codec.decode(Bytes::from_static(b"\x0a\x04\x0a\0\x12\0"));
        let fields = BTreeMap::from([(String::new(), Value::default())]);
        assert_eq!(read.unwrap(), Struct { fields });

        let codec = ProtobufCodec::<Timestamp>::new();
        let read = codec.decode(Bytes::from_static(b"\x10\x05\x1a\x01x"));
        assert_eq!(read.unwrap().nanos, 5);
    }

    /// As deep as Java reads it: `CodedInputStream` has the same limit.
    #[test]
    fn messages_nest_as_deep_as_the_docs_say() {
        #[derive(Clone, PartialEq, Message)]
        struct Node {
            #[prost(message, optional, boxed, tag = "1")]
            next: Option<Box<Node>>,
        }
        let codec = ProtobufCodec::<Node>::new();
        let nested = |levels| {
            (0..levels).fold(Node::default(), |inner, _| Node {
                next: Some(Box::new(inner)),
            })
        };
        let payload = codec.encode(&nested(100)).unwrap();
        assert_eq!(codec.decode(payload).unwrap(), nested(100));
        let payload = codec.encode(&nested(101)).unwrap();
        let error = codec.decode(payload).unwrap_err();
        assert_eq!(error.reason(), "payload is not the expected message");
    }

    #[test]
    fn other_payloads_are_refused() {
        let codec = ProtobufCodec::<Timestamp>::new();
        // Cut short, a text where a number belongs, and a length beyond the end.
        for payload in [
            b"\x08\x80".as_slice(),
            b"\x0a\x01x",
            b"\x1a\xff\xff\xff\xff\x0fx",
        ] {
            let error = codec.decode(Bytes::from_static(payload)).unwrap_err();
            assert_eq!(error.reason(), "payload is not the expected message");
            assert!(error.cause().is_some());
        }
    }
}
