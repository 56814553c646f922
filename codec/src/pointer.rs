//! `Box<C>` and `Arc<C>` are codecs if `C` is, so that a program can choose a codec at run time.

use std::sync::Arc;

use bytes::Bytes;

use super::{Codec, Error};

impl<T, C: Codec<T> + ?Sized> Codec<T> for Box<C> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        (**self).encode(value)
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        (**self).decode(payload)
    }

    fn name(&self) -> String {
        (**self).name()
    }
}

impl<T, C: Codec<T> + ?Sized> Codec<T> for Arc<C> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        (**self).encode(value)
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        (**self).decode(payload)
    }

    fn name(&self) -> String {
        (**self).name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LongCodec, StringCodec};

    /// A function that takes any codec takes a boxed one as well.
    #[test]
    fn codecs_behind_pointers_are_codecs() {
        fn written<T>(codec: impl Codec<T>, value: &T) -> Bytes {
            codec.encode(value).unwrap()
        }

        let boxed: Box<dyn Codec<i64>> = Box::new(LongCodec);
        assert_eq!(written(boxed, &7), "7");
        let shared: Arc<dyn Codec<String>> = Arc::new(StringCodec);
        assert_eq!(shared.decode("x".into()).unwrap(), "x");
        assert_eq!(written(shared, &"x".to_owned()), "x");
    }
}
