//! From MessagePack to a tape.

use std::borrow::Cow;

use rmp::Marker;
use rmp::decode;

use crate::jackson::tape::{DEEPEST, Tape, Token};
use crate::java::Malformed;

/// Reads MessagePack of any kind, but for extensions.
pub(in crate::jackson) fn parse(bytes: &[u8]) -> Result<Tape<'_>, Malformed> {
    let mut parser = Parser {
        rest: bytes,
        length: bytes.len(),
        tape: Tape::new(bytes.len()),
    };
    parser.value(0)?;
    if !parser.rest.is_empty() {
        return Err(parser.malformed("more than one value"));
    }
    Ok(parser.tape)
}

struct Parser<'a> {
    rest: &'a [u8],
    length: usize,
    tape: Tape<'a>,
}

impl<'a> Parser<'a> {
    fn value(&mut self, depth: usize) -> Result<(), Malformed> {
        let Some(first) = self.rest.first() else {
            return Err(self.malformed(ENDS));
        };
        match Marker::from_u8(*first) {
            Marker::FixArray(_)
            | Marker::Array16
            | Marker::Array32
            | Marker::FixMap(_)
            | Marker::Map16
            | Marker::Map32
                if depth == DEEPEST =>
            {
                Err(self.malformed("too many levels"))
            }
            Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => self.array(depth + 1),
            Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => self.object(depth + 1),
            marker => self.scalar(marker),
        }
    }

    /// A value with no others in it. It stands apart so that nesting takes little of the stack.
    fn scalar(&mut self, marker: Marker) -> Result<(), Malformed> {
        let at = self.malformed(ENDS);
        let rest = &mut self.rest;
        let token = match marker {
            Marker::Null => {
                decode::read_nil(rest).map_err(|_| at)?;
                Token::Null
            }
            Marker::True | Marker::False => {
                Token::Boolean(decode::read_bool(rest).map_err(|_| at)?)
            }
            Marker::F32 => Token::Float(decode::read_f32(rest).map_err(|_| at)?),
            Marker::F64 => Token::Double(decode::read_f64(rest).map_err(|_| at)?),
            Marker::U64 => {
                let number: u64 = decode::read_int(rest).map_err(|_| at)?;
                match i64::try_from(number) {
                    Ok(number) => Token::Integer(number),
                    Err(_) => Token::BigInteger(Box::new(number.into())),
                }
            }
            Marker::FixPos(_) | Marker::FixNeg(_) => Token::Integer(self.number(at)?),
            Marker::U8 | Marker::U16 | Marker::U32 => Token::Integer(self.number(at)?),
            Marker::I8 | Marker::I16 | Marker::I32 | Marker::I64 => {
                Token::Integer(self.number(at)?)
            }
            Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => {
                let length = decode::read_str_len(rest).map_err(|_| at)?;
                let start = self.malformed("no UTF-8");
                match str::from_utf8(self.take(length)?) {
                    Ok(text) => Token::String(Cow::Borrowed(text)),
                    Err(error) => {
                        return Err(Malformed {
                            offset: start.offset + error.valid_up_to(),
                            ..start
                        });
                    }
                }
            }
            Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => {
                let length = decode::read_bin_len(rest).map_err(|_| at)?;
                Token::Bytes(self.take(length)?.into())
            }
            _ => return Err(self.malformed("an extension")),
        };
        self.tape.push(token);
        Ok(())
    }

    fn number(&mut self, at: Malformed) -> Result<i64, Malformed> {
        decode::read_int(&mut self.rest).map_err(|_| at)
    }

    fn array(&mut self, depth: usize) -> Result<(), Malformed> {
        let at = self.malformed(ENDS);
        let count = decode::read_array_len(&mut self.rest).map_err(|_| at)?;
        let place = self.tape.open();
        for _ in 0..count {
            self.value(depth)?;
        }
        self.tape.end_array(place, count as usize);
        Ok(())
    }

    fn object(&mut self, depth: usize) -> Result<(), Malformed> {
        let at = self.malformed(ENDS);
        let count = decode::read_map_len(&mut self.rest).map_err(|_| at)?;
        let place = self.tape.open();
        for _ in 0..count {
            let at = self.malformed("no name of a property");
            let name = self.tape.len();
            self.value(depth)?;
            if !self.tape.is_name(name) {
                return Err(at);
            }
            self.value(depth)?;
        }
        self.tape.end_object(place, count as usize);
        Ok(())
    }

    fn take(&mut self, length: u32) -> Result<&'a [u8], Malformed> {
        let split = usize::try_from(length)
            .ok()
            .and_then(|it| self.rest.split_at_checked(it));
        let Some((taken, rest)) = split else {
            return Err(self.malformed(ENDS));
        };
        self.rest = rest;
        Ok(taken)
    }

    fn malformed(&self, reason: &'static str) -> Malformed {
        Malformed {
            reason,
            offset: self.length - self.rest.len(),
        }
    }
}

const ENDS: &str = "the end instead of a value";
