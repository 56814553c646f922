//! Codecs of Rust types: what Rust writes of its own values is what Java wrote of the same ones.

use std::fmt::Debug;

#[cfg(feature = "serialization")]
use redisson_codec::SerializationCodec;
use redisson_codec::java::JavaObject;
use redisson_codec::{Codec, JsonJacksonCodec, Kryo5Codec};

use crate::orders::values::{Visitor, visit_all};
use crate::vectors;

/// Compares with the payloads that Java wrote with the codec `name`.
struct Compared<C> {
    name: &'static str,
    codec: C,
    /// The values of which no payload was noted, because Java refuses them or by chance.
    absent: Vec<String>,
    misread: Vec<String>,
    miswritten: Vec<String>,
}

impl<C> Compared<C> {
    fn new(name: &'static str, codec: C) -> Self {
        Self {
            name,
            codec,
            absent: Vec::new(),
            misread: Vec::new(),
            miswritten: Vec::new(),
        }
    }

    fn compare<T: Debug + PartialEq>(&mut self, id: &str, value: &T, codec: &impl Codec<T>) {
        let vectors = vectors::of_codec(self.name).filter(|it| it.id == id);
        // The newest, for versions differ.
        let Some(vector) = vectors.max_by_key(|it| it.is_of("4.7.0")) else {
            self.absent.push(id.to_owned());
            return;
        };
        match codec.decode(vector.payload.clone()) {
            Ok(read) if read == *value => {}
            other => {
                println!("{id}: {other:?}");
                self.misread.push(id.to_owned());
            }
        }
        match codec.encode(value) {
            Ok(written) if written == vector.payload => {}
            other => {
                println!("{id}: {other:?}");
                self.miswritten.push(id.to_owned());
            }
        }
    }
}

/// Makes the codec of a type.
trait Make {
    fn make<T: JavaObject + 'static>(&self) -> impl Codec<T>;
}

impl<C: Make> Visitor for Compared<C> {
    fn visit<T: JavaObject + Debug + PartialEq + 'static>(&mut self, id: &str, value: T) {
        let codec = self.codec.make::<T>();
        self.compare(id, &value, &codec);
    }
}

fn compared<C: Make>(name: &'static str, codec: C) -> Compared<C> {
    let mut compared = Compared::new(name, codec);
    visit_all(&mut compared);
    compared
}

#[test]
fn kryo5_payloads_match_redisson() {
    struct Kryo5;

    impl Make for Kryo5 {
        fn make<T: JavaObject + 'static>(&self) -> impl Codec<T> {
            Kryo5Codec::new()
        }
    }

    let compared = compared("Kryo5Codec", Kryo5);
    assert_eq!(compared.absent, [""; 0]);
    assert_eq!(compared.misread, [""; 0]);
    assert_eq!(compared.miswritten, [""; 0]);
}

struct Jackson {
    java_time: bool,
}

impl Make for Jackson {
    fn make<T: JavaObject + 'static>(&self) -> impl Codec<T> {
        let codec = JsonJacksonCodec::new().java_time(self.java_time);
        codec.tagged_uuids(true).bare_roots(true)
    }
}

#[test]
fn json_jackson_payloads_match_redisson() {
    let compared = compared("JsonJacksonCodec", Jackson { java_time: false });
    assert_eq!(
        compared.absent,
        [
            // Java refuses to write an Instant without the module.
            "pojo.order",
            "pojo.order.nulls",
            "pojo.order.list",
            "pojo.inherit",
            "pojo.inherit",
            "pojo.stringbox",
            "pojo.orderplaced",
        ]
    );
    assert_eq!(
        compared.misread,
        [
            // A hidden field is not written.
            "pojo.shadow",
            // They hold an Optional, of which Java writes only that there is a value.
            "pojo.holder",
            "pojo.deep",
        ]
    );
    assert_eq!(compared.miswritten, ["pojo.holder", "pojo.deep"]);
}

#[test]
fn json_jackson_payloads_with_java_time_match_redisson() {
    let codec = Jackson { java_time: true };
    let compared = compared("JsonJacksonCodec(JavaTimeModule)", codec);
    assert_eq!(
        compared.absent,
        [
            "pojo.order.nulls",
            "record",
            "pojo.holder",
            "pojo.finalholder",
            "pojo.deep",
        ]
    );
    assert_eq!(
        compared.misread,
        [
            // A value of null in a map is not written.
            "pojo.order",
            "pojo.order.list",
            // Nor is a hidden field.
            "pojo.shadow",
        ]
    );
    assert_eq!(compared.miswritten, [""; 0]);
}

#[cfg(feature = "serialization")]
#[test]
fn serialization_payloads_match_redisson() {
    struct Serialization;

    impl Make for Serialization {
        fn make<T: JavaObject + 'static>(&self) -> impl Codec<T> {
            SerializationCodec::new()
        }
    }

    let compared = compared("SerializationCodec", Serialization);
    assert_eq!(
        compared.absent,
        [
            "pojo.order",
            "pojo.holder",
            "pojo.node.shared",
            // Java refuses to write it.
            "pojo.notserializable",
            "pojo.deep",
        ]
    );
    assert_eq!(compared.misread, [""; 0]);
    assert_eq!(compared.miswritten, [""; 0]);
}
