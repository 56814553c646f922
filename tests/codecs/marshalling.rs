//! x
use redisson_delayed_queue::codec::{Codec, MarshallingCodec};
use redisson_delayed_queue::java::JavaValue;

use crate::canonical::{canonical, same};
use crate::vectors;

fn codec() -> MarshallingCodec {
    MarshallingCodec::with_schema(vectors::schema()).unwrap()
}

#[test]
fn scratch() {
    let (mut ok, mut all) = (0, 0);
    for vector in vectors::of_codec("MarshallingCodec") {
        all += 1;
        let value: JavaValue = match codec().decode(vector.payload.clone()) {
            Ok(value) => value,
            Err(error) => {
                println!(
                    "UNREAD {} {error:?} {}",
                    vector.id,
                    vector.payload.escape_ascii()
                );
                continue;
            }
        };
        if !same(&canonical(&value), &vector.value) {
            println!("OTHER {} {} {}", vector.id, canonical(&value), vector.value);
        } else {
            ok += 1;
        }
        if *value.class_name() != *vector.java_type {
            println!("CLASS {} {}", vector.id, value.class_name());
        }
    }
    println!("{ok} of {all}");
}
