//! The two codecs that leave a value to Java's own serialization: any class that implements
//! `java.io.Serializable`.
//!
//! Both take the same objects apart in the same way and send the same parts, in other bytes. What
//! they share is `codec` here, and in `java`: `parts` takes values apart, `graph` puts objects
//! together, `descriptor` knows the classes.
//!
//! - `serialization`: the stream of `java.io.ObjectOutputStream`. Its reader is `java::stream`,
//!   because payloads of Kryo hold such streams too.
//! - `marshalling`: version 4 of the River protocol of JBoss Marshalling.

mod codec;
#[cfg(feature = "marshalling")]
mod marshalling;
#[cfg(feature = "serialization")]
mod serialization;

#[cfg(feature = "marshalling")]
pub use self::marshalling::MarshallingCodec;
#[cfg(feature = "serialization")]
pub use self::serialization::SerializationCodec;

#[cfg(test)]
mod tests;
