//! `java.time.Ser`, which stands for the values of `java.time`.

use super::{Instance, Item, Texts};
use crate::java::time::numbers::{Reads, read, read_offset};
use crate::java::{Cursor, JavaValue, Malformed, zone};

pub(super) fn value(instance: &Instance, texts: Texts) -> Result<JavaValue, Malformed> {
    let part = instance.part("java.time.Ser");
    let bytes = match part.map(|part| &part.data[..]) {
        Some([Item::Block(bytes)]) => &bytes[..],
        _ => &[],
    };
    let mut from = Ser {
        bytes: Cursor::new(bytes),
        texts,
    };
    let kind = from.byte()?;
    let unknown = "a value of java.time is of an unknown kind";
    read(kind, &mut from)?.ok_or_else(|| from.bytes.malformed(unknown))
}

struct Ser<'a> {
    bytes: Cursor<'a>,
    texts: Texts,
}

impl Reads for Ser<'_> {
    type Error = Malformed;

    fn byte(&mut self) -> Result<u8, Malformed> {
        self.bytes.u8()
    }

    fn int(&mut self) -> Result<i32, Malformed> {
        self.bytes.i32()
    }

    fn long(&mut self) -> Result<i64, Malformed> {
        self.bytes.i64()
    }

    fn region(&mut self) -> Result<String, Malformed> {
        match self.texts {
            Texts::Bytes => self.bytes.name(),
            #[cfg(feature = "marshalling")]
            Texts::Units => self.bytes.long_name(),
        }
    }

    fn zone(&mut self) -> Result<String, Malformed> {
        // The zone tells it again, but for the hour that comes twice in autumn.
        read_offset(self)?;
        match self.byte()? {
            7 => self.region(),
            8 => Ok(zone::id(read_offset(self)?)),
            _ => Err(self.bytes.malformed("a time zone is of an unknown kind")),
        }
    }
}
