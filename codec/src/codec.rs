use std::any::type_name;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;

use crate::Error;

/// Writes values of type `T` as payloads and reads them back.
///
/// Threads and tasks share a codec. It never sees Redis keys.
///
/// # Examples
///
/// A codec for flags that Java writes with a codec of its own:
///
/// ```
/// use bytes::Bytes;
/// use redisson_codec::{Codec, Error};
///
/// #[derive(Debug)]
/// struct FlagCodec;
///
/// impl Codec<bool> for FlagCodec {
///     fn encode(&self, value: &bool) -> Result<Bytes, Error> {
///         Ok(value.to_string().into())
///     }
///
///     fn decode(&self, payload: Bytes) -> Result<bool, Error> {
///         match payload.as_ref() {
///             b"true" => Ok(true),
///             b"false" => Ok(false),
///             _ => Err(Error::new("payload is not a flag")),
///         }
///     }
/// }
///
/// assert_eq!(FlagCodec.encode(&true)?, "true");
/// assert!(FlagCodec.decode("yes".into()).is_err());
/// # Ok::<(), Error>(())
/// ```
pub trait Codec<T>: Send + Sync + 'static {
    /// Writes `value` as a payload.
    ///
    /// Equal values should give equal bytes: Redis and Redisson find a value by its bytes.
    ///
    /// # Errors
    ///
    /// - [`Error`] if the codec cannot write `value`.
    fn encode(&self, value: &T) -> Result<Bytes, Error>;

    /// Reads the value back from `payload`.
    ///
    /// # Errors
    ///
    /// - [`Error`] if this codec cannot have written `payload`.
    ///
    /// # Panics
    ///
    /// A codec should return an [`Error`] instead. Call [`decode_caught`] if you do not trust a
    /// codec to do so.
    fn decode(&self, payload: Bytes) -> Result<T, Error>;

    /// The name of the codec, for errors and logs: `Kryo5Codec<Order>`.
    fn name(&self) -> String {
        without_path(type_name::<Self>())
    }
}

/// Reads the value back from `payload`, and turns a panic of `codec` into an error. An error names the
/// codec.
///
/// # Errors
///
/// - [`Error`] as from [`Codec::decode`].
/// - [`Error`] with the reason "the codec panicked". Its cause is the panic's message. A program
///   that is built with `panic = "abort"` ends instead.
///
/// # Examples
///
/// ```
/// use bytes::Bytes;
/// use redisson_codec::{Codec, Error, decode_caught};
///
/// struct FirstByte;
///
/// impl Codec<u8> for FirstByte {
///     fn encode(&self, value: &u8) -> Result<Bytes, Error> {
///         Ok(vec![*value].into())
///     }
///
///     fn decode(&self, payload: Bytes) -> Result<u8, Error> {
///         Ok(payload[0])
///     }
/// }
///
/// let error = decode_caught(&FirstByte, Bytes::new()).unwrap_err();
/// assert_eq!(error.reason(), "the codec panicked");
/// ```
pub fn decode_caught<T: 'static>(codec: &dyn Codec<T>, payload: Bytes) -> Result<T, Error> {
    // Threads share the codec, so others go on with it after a panic anyway.
    catch_unwind(AssertUnwindSafe(|| codec.decode(payload)))
        .unwrap_or_else(|panic| Err(Error::panic(&*panic)))
        .map_err(|error| error.of_codec(codec.name()))
}

/// `a::b::Lz4Codec<a::c::StringCodec>` as `Lz4Codec<StringCodec>`.
pub(crate) fn without_path(name: &str) -> String {
    let parts = name.split_inclusive(|character: char| {
        !(character.is_alphanumeric() || "_:{}".contains(character))
    });
    parts
        .map(|part| part.rsplit("::").next().unwrap_or(part))
        .collect()
}
