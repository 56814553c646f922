//! How a value becomes the payload of an element, and how a payload becomes a value again.
//!
//! A codec here writes and reads the bytes of the Redisson codec of the same name, so a Java peer
//! with that codec takes what Rust offers and the other way round:
//!
//! | Codec | Values | Payload |
//! |---|---|---|
//! | [`StringCodec`] | `String` | the text in UTF-8 |
//! | [`LongCodec`] | `i64` | decimal digits |
//! | [`ByteArrayCodec`] | `Bytes`, `Vec<u8>` | the bytes themselves |
//! | [`TypedJsonJacksonCodec`] | any serde type | JSON without type information |
//! | [`JsonJacksonCodec`], [`JsonJackson3Codec`] | any `JavaObject` | JSON with the names of classes |
//!
//! Reading well is not all. `remove` and `contains` compare payloads, in Java as here, so a codec
//! must give equal values equal bytes.

mod bytes;
mod error;
mod jackson;
mod json;
mod long;
mod string;

pub use self::bytes::ByteArrayCodec;
pub use self::error::Error;
pub use self::jackson::{JsonJackson3Codec, JsonJacksonCodec};
pub use self::json::TypedJsonJacksonCodec;
pub use self::long::LongCodec;
pub use self::string::StringCodec;

use ::bytes::Bytes;

/// Writes values of type `T` as payloads and reads them back.
///
/// A codec is shared by all clones of a queue and by all its tasks. It sees payloads only: ids,
/// lengths and due times are none of its business.
///
/// # Examples
///
/// A codec for Redisson's `DoubleCodec`, as far as Rust and Java print a number alike:
///
/// ```
/// use bytes::Bytes;
/// use redisson_delayed_queue::codec::{Codec, Error};
///
/// #[derive(Debug)]
/// struct DoubleCodec;
///
/// impl Codec<f64> for DoubleCodec {
///     fn encode(&self, value: &f64) -> Result<Bytes, Error> {
///         Ok(format!("{value:?}").into())
///     }
///
///     fn decode(&self, payload: Bytes) -> Result<f64, Error> {
///         let text = str::from_utf8(&payload)
///             .map_err(|error| Error::with_source("payload is not UTF-8", error))?;
///         text.parse()
///             .map_err(|error| Error::with_source("payload is not a double", error))
///     }
/// }
///
/// assert_eq!(DoubleCodec.encode(&1.5)?, "1.5");
/// assert_eq!(DoubleCodec.decode("100.0".into())?, 100.0);
/// # Ok::<(), Error>(())
/// ```
pub trait Codec<T>: Send + Sync + 'static {
    /// Writes `value` as a payload.
    ///
    /// Equal values should give equal bytes, or `remove` and `contains` miss them.
    ///
    /// # Errors
    ///
    /// - [`Error`] if `value` has no payload. Nothing was sent to Redis.
    fn encode(&self, value: &T) -> Result<Bytes, Error>;

    /// Reads the value back from `payload`.
    ///
    /// # Errors
    ///
    /// - [`Error`] if `payload` is not one that this codec writes. The queue that asked adds the
    ///   payload to its own error, so the element is not lost.
    fn decode(&self, payload: Bytes) -> Result<T, Error>;
}
