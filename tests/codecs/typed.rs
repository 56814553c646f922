//! Codecs of Rust types: what Rust writes of its own values is what Java wrote of the same ones.

use std::fmt::Debug;

use redisson_delayed_queue::codec::{Codec, Kryo5Codec};
use redisson_delayed_queue::java::JavaObject;

use crate::orders::values::{Visitor, visit_all};
use crate::vectors;

/// Checks one value with the payload of the same `id`, both ways.
#[track_caller]
fn is_the_payload_of_java<T: Debug + PartialEq>(
    codec: &impl Codec<T>,
    name: &str,
    id: &str,
    value: &T,
) {
    let vector = vectors::of_codec(name).find(|it| it.id == id && it.is_of("4.7.0"));
    let payload = &vector.unwrap().payload;
    assert_eq!(codec.encode(value).unwrap(), payload, "{id}");
    assert_eq!(codec.decode(payload.clone()).unwrap(), *value, "{id}");
}

#[test]
fn kryo5_payloads_match_redisson() {
    struct Compared;

    impl Visitor for Compared {
        fn visit<T: JavaObject + Debug + PartialEq + 'static>(&mut self, id: &str, value: T) {
            is_the_payload_of_java(&Kryo5Codec::<T>::new(), "Kryo5Codec", id, &value);
        }
    }

    visit_all(&mut Compared);
}
