//! Payloads that are one text, one number or just bytes, with no class of Java in them.
//!
//! - `string`, `byte_array`: texts and bytes.
//! - `whole`, `double`: numbers. `number` spells and reads them as Java does; the JSON codecs use it
//!   as well.

mod byte_array;
mod double;
pub(crate) mod number;
mod string;
mod whole;

pub use self::byte_array::ByteArrayCodec;
pub use self::double::DoubleCodec;
pub use self::string::StringCodec;
pub use self::whole::{IntegerCodec, LongCodec};
