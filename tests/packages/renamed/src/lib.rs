//! A package that depends on the queue by another name.

#[cfg(test)]
mod tests {
    use delays::codec::{Codec, Kryo5Codec};
    use delays::java::JavaObject;

    #[derive(Debug, JavaObject, PartialEq)]
    #[java(class = "A")]
    struct Order {
        count: Option<i32>,
    }

    /// The code that the derive writes must name a crate that this package depends on.
    #[test]
    fn the_derive_finds_its_crate() {
        let codec = Kryo5Codec::<Order>::new();
        let order = Order { count: Some(5) };
        let payload = codec.encode(&order).unwrap();
        assert_eq!(payload, b"\x01\x00\x82A\x01\x0a".as_slice());
        assert_eq!(codec.decode(payload).unwrap(), order);
    }
}
