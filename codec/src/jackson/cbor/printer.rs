use minicbor::data::Tag;
use num_bigint::{BigInt, Sign};

use crate::jackson::sink::{Sink, Written, no_half};
use crate::jackson::tape::{CLASS, Token};
use crate::java::BigDecimal;
use crate::json::text;

/// Writes values as Jackson does: what it counts beforehand has its length written first, all else
/// ends with a mark.
pub(in crate::jackson) struct Printer<'a>(pub(in crate::jackson) &'a mut Vec<u8>);

impl Printer<'_> {
    /// The first byte of an item, which has its kind, and the number that belongs to it.
    fn head(&mut self, kind: u8, number: u64) {
        let kind = kind << 5;
        match number {
            0..24 => self.0.push(kind | number as u8),
            24..0x100 => self.0.extend([kind | 24, number as u8]),
            0x100..0x1_0000 => {
                self.0.push(kind | 25);
                self.0.extend_from_slice(&(number as u16).to_be_bytes());
            }
            0x1_0000..0x1_0000_0000 => {
                self.0.push(kind | 26);
                self.0.extend_from_slice(&(number as u32).to_be_bytes());
            }
            _ => {
                self.0.push(kind | 27);
                self.0.extend_from_slice(&number.to_be_bytes());
            }
        }
    }

    fn integer(&mut self, number: i64) {
        match u64::try_from(number) {
            Ok(number) => self.head(0, number),
            Err(_) => self.head(1, !number.cast_unsigned()),
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.head(2, bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    #[inline]
    fn text(&mut self, text: &str) -> Written {
        match text.len() < 24 {
            true => {
                self.0.push(0x60 | text.len() as u8);
                self.0.extend_from_slice(text.as_bytes());
                Ok(())
            }
            false => self.longer(text),
        }
    }

    /// A long string goes in parts, as it went through Jackson's buffer.
    #[inline(never)]
    fn longer(&mut self, text: &str) -> Written {
        text::check(text, text::LONGEST)?;
        let mut rest = text;
        if rest.len() <= LONGEST || units(rest) <= LONGEST {
            self.part(rest);
            return Ok(());
        }
        self.0.push(BEGIN_TEXT);
        while !rest.is_empty() {
            let mut left = LONGEST;
            let end = rest.find(|it: char| {
                let fits = it.len_utf16() <= left;
                left = left.saturating_sub(it.len_utf16());
                !fits
            });
            let (part, more) = rest.split_at(end.unwrap_or(rest.len()));
            self.part(part);
            rest = more;
        }
        self.0.push(END);
        Ok(())
    }

    fn part(&mut self, text: &str) {
        self.head(3, text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Its sign is in the tag, and the bytes are those of the absolute number as `toByteArray` has
    /// them. The standard has another number for negative ones; Jackson reads back what it writes.
    fn big_integer(&mut self, number: &BigInt) {
        let tag = match number.sign() {
            Sign::Minus => NEGATIVE,
            _ => POSITIVE,
        };
        let magnitude = BigInt::from(number.magnitude().clone());
        self.head(6, tag.as_u64());
        self.bytes(&magnitude.to_signed_bytes_be());
    }

    fn decimal(&mut self, number: &BigDecimal) {
        self.head(6, DECIMAL.as_u64());
        self.head(4, 2);
        self.integer(-i64::from(number.scale));
        match i64::try_from(&number.unscaled) {
            Ok(unscaled) if i32::try_from(unscaled).is_ok() => self.integer(unscaled),
            Ok(unscaled) => self.long(unscaled),
            Err(_) => self.big_integer(&number.unscaled),
        }
    }

    /// In eight bytes, although four may hold it.
    fn long(&mut self, number: i64) {
        let (first, number) = match number < 0 {
            true => (0x3b, !number),
            false => (0x1b, number),
        };
        self.0.push(first);
        self.0.extend_from_slice(&number.to_be_bytes());
    }
}

impl Sink for Printer<'_> {
    fn leaf(&mut self, leaf: &Token<'_>) -> Written {
        match leaf {
            Token::Boolean(it) => self.0.push(if *it { 0xf5 } else { 0xf4 }),
            Token::Integer(it) => self.integer(*it),
            Token::BigInteger(it) => self.big_integer(it),
            Token::Float(it) => {
                self.0.push(0xfa);
                self.0.extend_from_slice(&it.to_be_bytes());
            }
            Token::Double(it) => {
                self.0.push(0xfb);
                self.0.extend_from_slice(&it.to_be_bytes());
            }
            Token::Decimal(it) => self.decimal(it),
            Token::String(it) => return self.text(it),
            Token::Number(it) => return self.text(it),
            Token::Utf16(it) => return no_half(it),
            Token::Bytes(it) => self.bytes(it),
            _ => self.0.push(0xf6),
        }
        Ok(())
    }

    fn string(&mut self, text: &str) -> Written {
        self.text(text)
    }

    /// Only a tagged list or array is not counted.
    fn begin_array(&mut self, count: usize, tag: Option<&str>) -> Written {
        match tag {
            Some(class) => {
                self.begin_tag(class)?;
                self.0.push(BEGIN_ARRAY);
            }
            None => self.head(4, count as u64),
        }
        Ok(())
    }

    fn end_array(&mut self, is_tagged: bool) -> Written {
        if is_tagged {
            self.0.extend([END, END]);
        }
        Ok(())
    }

    fn begin_object(&mut self, _: usize, tag: Option<&str>) -> Written {
        self.0.push(BEGIN_MAP);
        if let Some(class) = tag {
            self.text(CLASS)?;
            self.text(class)?;
        }
        Ok(())
    }

    fn number_name(&mut self, number: i64) -> Written {
        self.integer(number);
        Ok(())
    }

    fn end_object(&mut self) -> Written {
        self.end_tag()
    }

    fn begin_tag(&mut self, class: &str) -> Written {
        self.0.push(BEGIN_ARRAY);
        self.string(class)
    }

    fn end_tag(&mut self) -> Written {
        self.0.push(END);
        Ok(())
    }
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

pub(super) const POSITIVE: Tag = Tag::new(2);
pub(super) const NEGATIVE: Tag = Tag::new(3);
pub(super) const DECIMAL: Tag = Tag::new(4);

/// How many UTF-16 units of a string fit Jackson's buffer.
const LONGEST: usize = 3996;

const BEGIN_TEXT: u8 = 0x7f;
const BEGIN_ARRAY: u8 = 0x9f;
const BEGIN_MAP: u8 = 0xbf;
const END: u8 = 0xff;
