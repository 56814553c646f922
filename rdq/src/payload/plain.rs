//! The codecs of one number or bytes, as codecs of Java values.

use bytes::Bytes;
use redisson_delayed_queue::codec::{Codec, DoubleCodec, Error, IntegerCodec, LongCodec};
use redisson_delayed_queue::java::JavaValue;

pub(super) enum Plain {
    Bytes,
    Double(DoubleCodec),
    Integer(IntegerCodec),
    Long(LongCodec),
}

impl Codec<JavaValue> for Plain {
    fn encode(&self, value: &JavaValue) -> Result<Bytes, Error> {
        match (self, value) {
            (Self::Bytes, JavaValue::Bytes(bytes)) => Ok(bytes.clone()),
            // Bare numbers in JSON are integers, whatever the codec.
            (Self::Double(codec), JavaValue::Integer(number)) => codec.encode(&f64::from(*number)),
            (Self::Double(codec), JavaValue::Double(number)) => codec.encode(number),
            (Self::Integer(codec), JavaValue::Integer(number)) => codec.encode(number),
            (Self::Long(codec), JavaValue::Integer(number)) => codec.encode(&i64::from(*number)),
            (Self::Long(codec), JavaValue::Long(number)) => codec.encode(number),
            _ => Err(Error::new("the codec writes no such value")),
        }
    }

    fn decode(&self, payload: Bytes) -> Result<JavaValue, Error> {
        match self {
            Self::Bytes => Ok(JavaValue::Bytes(payload)),
            Self::Double(codec) => codec.decode(payload).map(JavaValue::Double),
            Self::Integer(codec) => codec.decode(payload).map(JavaValue::Integer),
            Self::Long(codec) => codec.decode(payload).map(JavaValue::Long),
        }
    }
}
