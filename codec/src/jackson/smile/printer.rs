use num_bigint::BigInt;

use crate::jackson::sink::{Sink, Written, no_half};
use crate::jackson::tape::{CLASS, Token};
use crate::java::Mismatch;
use crate::json::text;
use crate::repeats::Repeats;

/// Writes values as Jackson does: shares repeated names of properties, but no other strings.
pub(in crate::jackson) struct Printer<'a> {
    out: &'a mut Vec<u8>,
    names: Repeats,
    next: u32,
    /// How many arrays and objects have begun and not ended.
    open: u8,
}

impl<'a> Printer<'a> {
    pub(in crate::jackson) fn new(out: &'a mut Vec<u8>) -> Self {
        out.extend_from_slice(b":)\n\x01");
        Self {
            out,
            names: Repeats::new(),
            next: 0,
            open: 0,
        }
    }

    fn open(&mut self, mark: u8) -> Written {
        if self.open == DEEPEST {
            let expected = format!("at most {DEEPEST} levels in Smile");
            return Err(Mismatch::unknown(expected, "more"));
        }
        self.open += 1;
        self.out.push(mark);
        Ok(())
    }

    fn close(&mut self, mark: u8) {
        self.open -= 1;
        self.out.push(mark);
    }

    /// The last byte holds six bits, and each byte before it seven, the highest first.
    fn vint(&mut self, number: u64) {
        let mut bytes = [0; 10];
        let mut at = 9;
        bytes[at] = number as u8 & 0x3f | 0x80;
        let mut rest = number >> 6;
        while rest != 0 {
            at -= 1;
            bytes[at] = rest as u8 & 0x7f;
            rest >>= 7;
        }
        self.out.extend_from_slice(&bytes[at..]);
    }

    fn integer(&mut self, number: i64) {
        let zigzag = zigzag(number);
        match u8::try_from(zigzag) {
            Ok(small @ ..32) => self.out.push(0xc0 | small),
            _ => {
                let is_int = i32::try_from(number).is_ok();
                self.out.push(if is_int { 0x24 } else { 0x25 });
                self.vint(zigzag);
            }
        }
    }

    /// `count` groups of seven bits, the highest first.
    fn groups(&mut self, bits: u64, count: u32) {
        let groups = (0..count).rev().map(|it| (bits >> (7 * it)) as u8 & 0x7f);
        self.out.extend(groups);
    }

    /// Bytes, of which each is written with seven bits.
    fn binary(&mut self, bytes: &[u8]) {
        self.vint(bytes.len() as u64);
        let chunks = bytes.chunks_exact(7);
        let rest = chunks.remainder();
        for chunk in chunks {
            let bits = chunk
                .iter()
                .fold(0, |bits, byte| bits << 8 | u64::from(*byte));
            self.groups(bits, 8);
        }
        let bits = rest
            .iter()
            .fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        let Ok(count @ 1..) = u32::try_from(rest.len()) else {
            return;
        };
        // The last group holds only the bits that are left.
        let left = count;
        self.groups(bits >> left, count);
        self.out.push(bits as u8 & ((1 << left) - 1));
    }

    fn big_integer(&mut self, number: &BigInt) {
        self.binary(&number.to_signed_bytes_be());
    }

    /// Bytes between a mark and an end.
    fn long(&mut self, mark: u8, text: &str) {
        self.out.push(mark);
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(0xfc);
    }

    fn short(&mut self, mark: u8, text: &str) {
        self.out.push(mark);
        self.out.extend_from_slice(text.as_bytes());
    }
}

impl Sink for Printer<'_> {
    fn leaf(&mut self, leaf: &Token<'_>) -> Written {
        match leaf {
            Token::Boolean(it) => self.out.push(if *it { 0x23 } else { 0x22 }),
            Token::Integer(it) => self.integer(*it),
            Token::BigInteger(it) => {
                self.out.push(0x26);
                self.big_integer(it);
            }
            Token::Float(it) => {
                self.out.push(0x28);
                self.groups(it.to_bits().into(), 5);
            }
            Token::Double(it) => {
                self.out.push(0x29);
                self.groups(it.to_bits(), 10);
            }
            Token::Decimal(it) => {
                self.out.push(0x2a);
                self.vint(zigzag(it.scale.into()));
                self.big_integer(&it.unscaled);
            }
            Token::String(it) => return self.string(it),
            Token::Number(it) => return self.string(it),
            Token::Utf16(it) => return no_half(it),
            Token::Bytes(it) => {
                self.out.push(0xe8);
                self.binary(it);
            }
            _ => self.out.push(0x21),
        }
        Ok(())
    }

    fn string(&mut self, text: &str) -> Written {
        let length = u8::try_from(text.len()).unwrap_or(u8::MAX);
        match (text.is_ascii(), length) {
            (_, 0) => self.out.push(0x20),
            (true, 1..=32) => self.short(0x40 + length - 1, text),
            (true, 33..=64) => self.short(0x60 + length - 33, text),
            (true, _) => {
                text::check(text, text::LONGEST)?;
                self.long(0xe0, text);
            }
            (false, ..=33) => self.short(0x80 + length - 2, text),
            (false, 34..=64) => self.short(0xa0 + length - 34, text),
            (false, _) => {
                text::check(text, text::LONGEST)?;
                self.long(0xe4, text);
            }
        }
        Ok(())
    }

    fn begin_array(&mut self, _: usize, tag: Option<&str>) -> Written {
        if let Some(class) = tag {
            self.begin_tag(class)?;
        }
        self.open(0xf8)
    }

    fn end_array(&mut self, is_tagged: bool) -> Written {
        self.close(0xf9);
        match is_tagged {
            true => self.end_tag(),
            false => Ok(()),
        }
    }

    fn begin_object(&mut self, _: usize, tag: Option<&str>) -> Written {
        self.open(0xfa)?;
        match tag {
            Some(class) => {
                self.name(CLASS)?;
                self.string(class)
            }
            None => Ok(()),
        }
    }

    fn name(&mut self, name: &str) -> Written {
        if name.is_empty() {
            self.out.push(0x20);
            return Ok(());
        }
        if let Some(number) = self.names.number(self.out, name.as_bytes()) {
            match u8::try_from(number) {
                Ok(number @ ..64) => self.out.push(0x40 + number),
                _ => self.out.extend([0x30 | (number >> 8) as u8, number as u8]),
            }
            return Ok(());
        }
        if self.next == MOST {
            self.names.clear();
            self.next = 0;
        }
        let length = u8::try_from(name.len()).unwrap_or(u8::MAX);
        match length {
            ..=64 if name.is_ascii() => self.short(0x80 + length - 1, name),
            ..57 => self.short(0xc0 + length - 2, name),
            _ => self.long(0x34, name),
        }
        // Such a byte would look like a mark.
        if self.next & 0xff < 0xfe {
            let text = self.out.len() - usize::from(self.out.ends_with(&[0xfc]));
            self.names
                .add(&self.out[..text], name.as_bytes(), self.next);
        }
        self.next += 1;
        Ok(())
    }

    fn end_object(&mut self) -> Written {
        self.close(0xfb);
        Ok(())
    }

    fn begin_tag(&mut self, class: &str) -> Written {
        self.open(0xf8)?;
        self.string(class)
    }

    fn end_tag(&mut self) -> Written {
        self.close(0xf9);
        Ok(())
    }
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63).cast_unsigned()
}

/// How many levels `serde_smile` reads.
const DEEPEST: u8 = 127;

/// How many names are shared before it begins anew.
const MOST: u32 = 1024;
