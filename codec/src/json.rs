use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Codec, Error};

mod compound;
pub(super) mod text;
mod writer;

/// JSON of one known type, without type information: choose it if the choice is yours.
///
/// Write the Java class as a serde type with the same property names. A property that is `null` is
/// left out, so make it an `Option`, and give others that Java may leave out `#[serde(default)]`.
///
/// # Compatibility
///
/// `org.redisson.codec.TypedJsonJacksonCodec` of that class, 3.17.7 to 4.7.0, and `JacksonCodec`,
/// which writes the same (checked: `interop/vectors/redisson.jsonl` and `payloads.jsonl`). Values
/// pass both ways with two codecs of 4.1 and later, but `remove` does not find all of theirs:
/// `Jackson3Codec` escapes no character beyond U+FFFF, has other dates, and the components of a
/// record in the order of its declaration; `TypedJsonJackson3Codec` writes nulls too, of fields and
/// in maps, and puts the parameters of a constructor first. To read its nulls, a field and the
/// values of a map must be an `Option`. A null that a map holds here does not reach it: the key is
/// left out.
///
/// The text is Jackson's, so `remove` and `contains` find a value whoever wrote it: no spaces,
/// properties in alphabetical order of UTF-16, null properties and map values left out (nulls in
/// lists stay), `\u001F` in upper case, characters beyond U+FFFF as two escapes, `1.0E10` as
/// `Double.toString` has it. What can still differ:
///
/// - Floating-point numbers. These are the digits of JDK 19 and later; older ones write others for
///   one `double` in a thousand of random bits and one `float` in twenty, though not for prices.
/// - Maps keep their own order, as in Java. A Rust `HashMap` has a new order each time: use a
///   `BTreeMap` or a map that remembers insertion.
/// - `#[serde(flatten)]` makes serde present a struct as a map, so its properties stay as declared.
/// - `BigDecimal` keeps zeros in Java (`1.50`). A Rust `f64` does not.
/// - `byte[]` is Base64 text in Java. Keep that text in a `String`.
/// - Enums with data are written as serde writes them. Java has no such thing.
///
/// Stricter than Java when reading: nothing may follow the value, no property may come twice, half
/// a surrogate pair is no text, and numbers do not pass for strings or the reverse.
///
/// # Examples
///
/// ```
/// use redisson_codec::{Codec, TypedJsonJacksonCodec};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize)]
/// #[serde(rename_all = "camelCase")]
/// struct Order {
///     order_id: String,
///     coupon_id: Option<i64>,
///     amount: f64,
/// }
///
/// let codec = TypedJsonJacksonCodec::<Order>::new();
/// let order = Order { order_id: "A-1".to_owned(), coupon_id: None, amount: 20.0 };
/// assert_eq!(codec.encode(&order)?, r#"{"amount":20.0,"orderId":"A-1"}"#);
/// # Ok::<(), redisson_codec::Error>(())
/// ```
pub struct TypedJsonJacksonCodec<T> {
    // A function pointer is Send and Sync whatever T is: the codec holds no T.
    value: PhantomData<fn() -> T>,
}

impl<T> TypedJsonJacksonCodec<T> {
    /// Makes the codec of `T`.
    #[must_use]
    pub const fn new() -> Self {
        Self { value: PhantomData }
    }
}

/// Refuses what would come back as something else: NaN and infinite numbers, which no JSON reader
/// takes for numbers, and `null` as a whole, which Java would take for no value.
impl<T: Serialize + DeserializeOwned + 'static> Codec<T> for TypedJsonJacksonCodec<T> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let json = writer::to_vec(value)
            .map_err(|error| Error::with_source("value cannot be written as JSON", error))?;
        if json == writer::NULL {
            return Err(Error::null());
        }

        Ok(json.into())
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        serde_json::from_slice(&payload)
            .map_err(|error| Error::with_source("payload is not JSON of the expected type", error))
    }
}

impl<T> Clone for TypedJsonJacksonCodec<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TypedJsonJacksonCodec<T> {}

impl<T> Default for TypedJsonJacksonCodec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for TypedJsonJacksonCodec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TypedJsonJacksonCodec<{}>", type_name::<T>())
    }
}

#[cfg(test)]
mod tests;
