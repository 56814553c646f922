//! Numbers as text.

use redisson_codec::{Codec, DoubleCodec, IntegerCodec};

use crate::vectors::of_codec;

/// The limits of 32 bits and what lies between.
#[test]
fn integer_codec_matches_redisson() {
    let mut values = 0;
    for row in of_codec("IntegerCodec") {
        let number = IntegerCodec.decode(row.payload.clone()).unwrap();
        assert_eq!(IntegerCodec.encode(&number).unwrap(), row.payload);
        assert_eq!(format!("int.{number}"), row.id);
        values += 1;
    }
    assert_eq!(values, 6);
}

/// Two numbers were captured; that Java's spelling is met is shown with those of JSON too.
#[test]
fn double_codec_matches_redisson() {
    let mut values = 0;
    for row in of_codec("DoubleCodec") {
        let number = DoubleCodec.decode(row.payload.clone()).unwrap();
        assert_eq!(DoubleCodec.encode(&number).unwrap(), row.payload);
        assert_eq!(format!("double.{number}"), row.id);
        values += 1;
    }
    assert_eq!(values, 2);
}
