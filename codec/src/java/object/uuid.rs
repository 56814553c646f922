use uuid::Uuid;

use crate::java::{JavaObject, JavaType, JavaValue, Mismatch, View};

/// `java.util.UUID`
impl JavaObject for Uuid {
    fn java_type() -> JavaType {
        JavaType::new("java.util.UUID")
    }

    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        to(&View::Uuid(self.as_u128()));
    }

    fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
        match value {
            JavaValue::Uuid(bits) => Ok(Self::from_u128(bits)),
            other => Err(Mismatch::new("java.util.UUID", &other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value is the number that the text spells, most significant digit first.
    #[test]
    fn digits_keep_their_order() {
        let id =
            Uuid::from_bytes(*b"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff");
        assert_eq!(id.to_string(), "00112233-4455-6677-8899-aabbccddeeff");
        let value = id.to_java();
        assert_eq!(
            value,
            JavaValue::Uuid(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff)
        );
        assert_eq!(Uuid::from_java(value).unwrap(), id);
    }
}
