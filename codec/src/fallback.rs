//! Several codecs as one.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::{Codec, Error, Likely, decode_caught, sniff};

/// Writes with one codec and reads with several: for services that change their codec.
///
/// It asks one codec after the other, and takes the first value that one of them reads. A codec
/// that panics counts as one that refuses. All codecs read the same type of values.
///
/// **Ask lenient codecs last.** `StringCodec` reads almost any payload, and `ByteArrayCodec` every
/// one, so codecs behind them are never asked: the JSON of an order comes out as an order id. In
/// the same way, `LongCodec` reads a text that happens to be a number. If the bytes tell the codecs
/// apart, use [`then_if`](Self::then_if), which does not depend on the order.
///
/// # Compatibility
///
/// Redisson has no such codec. (Its `CompositeCodec` has one codec for the keys of a map and
/// another for the values.) A Java peer needs the Java counterpart of the codec that writes.
///
/// `remove` and `contains` look only for the bytes of the codec that writes.
///
/// # Examples
///
/// Order ids were digits once, and are text now:
///
/// ```
/// use redisson_codec::{ByteArrayCodec, Codec, FallbackCodec, Likely};
/// use redisson_codec::{StringCodec, TypedJsonJacksonCodec};
///
/// let codec = FallbackCodec::new(StringCodec)
///     .then_if(Likely::TypedJsonJacksonCodec, TypedJsonJacksonCodec::<String>::new());
///
/// assert_eq!(codec.encode(&"A-1".to_owned())?, "A-1");
/// assert_eq!(codec.decode("A-1".into())?, "A-1");
/// assert_eq!(codec.decode("\"A-1\"".into())?, "A-1");
/// # Ok::<(), redisson_codec::Error>(())
/// ```
#[derive(Clone)]
pub struct FallbackCodec<T> {
    writer: Arc<dyn Codec<T>>,
    readers: Vec<Reader<T>>,
}

/// A codec, and the guess for which it is asked first.
type Reader<T> = (Option<Likely>, Arc<dyn Codec<T>>);

impl<T> FallbackCodec<T> {
    /// Writes with `codec`, and reads with it first.
    #[must_use]
    pub fn new<C: Codec<T>>(codec: C) -> Self {
        let writer: Arc<dyn Codec<T>> = Arc::new(codec);
        Self {
            writer: Arc::clone(&writer),
            readers: vec![(None, writer)],
        }
    }

    /// Asks `codec` after all others so far.
    #[must_use]
    pub fn then<C: Codec<T>>(mut self, codec: C) -> Self {
        self.readers.push((None, Arc::new(codec)));
        self
    }

    /// Asks `codec` before all others so far, even the one that writes.
    #[must_use]
    pub fn first<C: Codec<T>>(mut self, codec: C) -> Self {
        self.readers.insert(0, (None, Arc::new(codec)));
        self
    }

    /// Asks `codec` first if [`sniff`] takes the payload for `likely`.
    ///
    /// Otherwise asks it in its turn, after all others so far, because [`sniff`] can be wrong. If
    /// several codecs match, the better guess comes first.
    #[must_use]
    pub fn then_if<C: Codec<T>>(mut self, likely: Likely, codec: C) -> Self {
        self.readers.push((Some(likely), Arc::new(codec)));
        self
    }
}

impl<T: 'static> Codec<T> for FallbackCodec<T> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        self.writer.encode(value)
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        let mut refusals = Refusals(Vec::new());
        for codec in self.in_order(&payload) {
            match decode_caught(&**codec, payload.clone()) {
                Ok(value) => return Ok(value),
                Err(error) => refusals.0.push(error),
            }
        }
        Err(Error::with_source(
            "all codecs refuse the payload",
            refusals,
        ))
    }
}

impl<T> FallbackCodec<T> {
    /// The codecs that match the payload, then the others in the order in which they were added.
    fn in_order(&self, payload: &[u8]) -> impl Iterator<Item = &Arc<dyn Codec<T>>> {
        let mut readers: Vec<_> = self.readers.iter().collect();
        if readers.iter().any(|(likely, _)| likely.is_some()) {
            let guesses = sniff(payload);
            readers.sort_by_key(|(likely, _)| {
                let guess = guesses.iter().position(|guess| Some(*guess) == *likely);
                guess.unwrap_or(guesses.len())
            });
        }
        readers.into_iter().map(|(_, codec)| codec)
    }
}

impl<T: 'static> fmt::Debug for FallbackCodec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.readers.iter().map(|(_, codec)| codec.name());
        f.debug_list().entries(names).finish()
    }
}

/// The error of each codec, in the order in which they were asked.
#[derive(Debug)]
struct Refusals(Vec<Error>);

impl std::error::Error for Refusals {}

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            let separator = if at == 0 { "" } else { "; " };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::{DoubleCodec, StringCodec, TypedJsonJacksonCodec};

    fn json() -> TypedJsonJacksonCodec<String> {
        TypedJsonJacksonCodec::new()
    }

    /// What the first accepts is never shown to the second: the trap, and the way out of it.
    #[test]
    fn lenient_codec_hides_those_behind_it() {
        let trapped = FallbackCodec::new(StringCodec).then(json());
        assert_eq!(trapped.decode("\"A-1\"".into()).unwrap(), "\"A-1\"");

        for codec in [
            FallbackCodec::new(StringCodec).first(json()),
            FallbackCodec::new(StringCodec).then_if(Likely::TypedJsonJacksonCodec, json()),
        ] {
            assert_eq!(codec.encode(&"A-1".to_owned()).unwrap(), "A-1");
            assert_eq!(codec.decode("A-1".into()).unwrap(), "A-1");
            assert_eq!(codec.decode("\"A-1\"".into()).unwrap(), "A-1");
        }
    }

    /// A guess changes the order and excludes nobody: a lone number is text to none of these.
    #[test]
    fn codec_is_asked_in_its_turn_if_the_guess_is_another() {
        let codec = FallbackCodec::new(TypedJsonJacksonCodec::<f64>::new())
            .then_if(Likely::SerializationCodec, DoubleCodec);

        assert_eq!(codec.decode("1.5".into()).unwrap(), 1.5);
        assert_eq!(codec.decode("1.5d".into()).unwrap(), 1.5);
    }

    /// The payload of another codec is what a codec that panics did not expect.
    #[test]
    fn codec_that_panics_leaves_the_payload_to_the_next() {
        #[derive(Debug)]
        struct Fragile;

        impl Codec<String> for Fragile {
            fn encode(&self, value: &String) -> Result<Bytes, Error> {
                StringCodec.encode(value)
            }

            fn decode(&self, _: Bytes) -> Result<String, Error> {
                panic!("unexpected")
            }
        }

        let codec = FallbackCodec::new(Fragile).then(json());
        assert_eq!(codec.decode("\"A-1\"".into()).unwrap(), "A-1");
        assert_eq!(
            codec
                .decode("A-1".into())
                .unwrap_err()
                .cause()
                .unwrap()
                .to_string(),
            "Fragile: the codec panicked: unexpected; TypedJsonJacksonCodec<String>: payload is \
             not JSON of the expected type: expected value at line 1 column 1"
        );
    }

    /// Both codecs and both reasons, down to the cause: one of them is what went wrong.
    #[test]
    fn error_says_what_each_codec_said() {
        let boxed: Box<dyn Codec<f64>> = Box::new(DoubleCodec);
        let codec = FallbackCodec::new(DoubleCodec)
            .then(TypedJsonJacksonCodec::<f64>::new())
            .then(boxed);
        let error = codec.decode("1.x".into()).unwrap_err();

        assert_eq!(error.reason(), "all codecs refuse the payload");
        assert_eq!(
            error.cause().unwrap().to_string(),
            "DoubleCodec: payload is not a decimal floating-point number; \
             TypedJsonJacksonCodec<f64>: payload is not JSON of the expected type: invalid number \
             at line 1 column 3; DoubleCodec: payload is not a decimal floating-point \
             number"
        );
    }
}
