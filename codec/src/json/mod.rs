use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use self::misfit::Misfit;
use crate::{Codec, Error};

mod compound;
mod misfit;
mod order;
mod tag;
pub(crate) mod text;
mod writer;

/// Plain JSON of one known type, without class names. If you can choose the codec, choose this one.
///
/// Write the Java class as a serde type with the same property names. Java leaves out properties
/// that are `null`: make them an `Option`, or give them `#[serde(default)]`.
///
/// # Compatibility
///
/// `org.redisson.codec.TypedJsonJacksonCodec` of that class, 3.17.7 to 4.7.0, and `JacksonCodec`,
/// which writes the same (checked: `interop/vectors/redisson.jsonl` and `payloads.jsonl`). Two
/// codecs of Redisson 4.1 and later read these payloads and write payloads that this codec reads,
/// but `remove` misses some of their values:
///
/// - `Jackson3Codec` does not escape characters beyond U+FFFF, writes other dates, and writes the
///   components of a record in the order of their declaration.
/// - `TypedJsonJackson3Codec` also writes nulls, of fields and in maps, and puts the parameters of
///   a constructor first. To read its nulls, make each field and the values of each map an
///   `Option`. This codec leaves out a key whose value is null, so that codec never sees the key.
///
/// Redisson 4.2.0 to 4.4.x write and want another form of a `UUID`: see
/// [`tagged_uuids`](Self::tagged_uuids) (checked: 4.3.1).
///
/// The text is exactly Jackson's, so `remove` and `contains` find values of both languages: no
/// spaces, properties in alphabetical order of UTF-16, no null properties and no null values of
/// maps (nulls in lists stay), `\u001F` in upper case, characters beyond U+FFFF as two escapes,
/// `1.0E10` like `Double.toString`. These values can still differ:
///
/// - Floating-point numbers have the digits of JDK 19 and later. Older JDKs write other digits for
///   one random `double` in a thousand and one random `float` in twenty, though not for prices.
/// - Maps keep their own order, as in Java. A Rust `HashMap` has a new order each time: use a
///   `BTreeMap`, or a map that keeps the order of insertion.
/// - With `#[serde(flatten)]`, serde presents a struct as a map, and its properties stay in the
///   order of their declaration.
/// - A Java `BigDecimal` keeps zeros at its end (`1.50`). A Rust `f64` does not.
/// - `byte[]` is Base64 text in Java. Keep that text in a `String`.
/// - Enums with data are written as serde writes them. Java has nothing like it.
///
/// This codec refuses to write what Java would take and then not read: a text of more than 20,000,000
/// UTF-16 units, and a key of a map of more than 50,000 bytes. Redisson 3.21.1 to 3.21.3 read only
/// 5,000,000 units.
///
/// It is stricter than Java. Values nest at most 127 levels deep, in Java 1,000: serde's functions for
/// a type with many fields need the stack. When reading, nothing may follow the value, no property may
/// come twice, half a surrogate pair is refused, and a number is no string, nor a string a number.
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
    tagged_uuids: bool,
    // A function pointer is Send and Sync whatever T is: the codec holds no T.
    value: PhantomData<fn() -> T>,
}

impl<T> TypedJsonJacksonCodec<T> {
    /// Makes the codec of `T`.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            tagged_uuids: false,
            value: PhantomData,
        }
    }

    /// Sets whether a `uuid::Uuid` is written with its class, `["java.util.UUID","…"]`.
    ///
    /// Default: `false`. Redisson 4.2.0 to 4.4.x needs `true`: these versions lose a value that has
    /// the text alone where they expect a `UUID`, except in the keys of maps. All other versions
    /// lose a value that has the class. This codec reads both forms. A `String` is always written
    /// as a text: make the field a `uuid::Uuid`, and not a part of `#[serde(flatten)]`.
    #[must_use]
    pub const fn tagged_uuids(mut self, tagged: bool) -> Self {
        self.tagged_uuids = tagged;
        self
    }
}

/// Refuses to write values that would come back as something else: NaN and infinite numbers, which
/// JSON does not have, and `null` as a whole, which means "no value" in Java.
impl<T: Serialize + DeserializeOwned + 'static> Codec<T> for TypedJsonJacksonCodec<T> {
    fn encode(&self, value: &T) -> Result<Bytes, Error> {
        let json = writer::payload(value, self.tagged_uuids)
            .map_err(|error| Error::with_source("value cannot be written as JSON", error))?;
        if json == writer::NULL {
            return Err(Error::null());
        }

        Ok(json)
    }

    fn decode(&self, payload: Bytes) -> Result<T, Error> {
        serde_json::from_slice(&payload)
            .or_else(|error| match tag::without_classes(&payload) {
                Some(plain) => serde_json::from_slice(&plain),
                None => Err(error),
            })
            .map_err(|error| {
                let misfit = Misfit::new(&error, &payload);
                Error::with_source("payload is not JSON of the expected type", misfit)
            })
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
