//! From CBOR to a tape.

use std::borrow::Cow;

use minicbor::Decoder;
use minicbor::data::Type;
use minicbor::decode::Error;
use num_bigint::{BigInt, Sign};

use super::printer::{DECIMAL, NEGATIVE, POSITIVE};
use crate::jackson::number::LONGEST;
use crate::jackson::tape::{DEEPEST, Tape, Token};
use crate::java::{BigDecimal, Malformed};

/// Reads CBOR of any kind, but for numbers of 16 bits.
pub(in crate::jackson) fn parse(bytes: &[u8]) -> Result<Tape<'_>, Malformed> {
    let mut parser = Parser {
        bytes,
        decoder: Decoder::new(bytes),
        tape: Tape::new(bytes.len()),
    };
    parser.value(0)?;
    if parser.decoder.position() < bytes.len() {
        return Err(parser.malformed("more than one value"));
    }
    Ok(parser.tape)
}

struct Parser<'a> {
    bytes: &'a [u8],
    decoder: Decoder<'a>,
    tape: Tape<'a>,
}

/// Makes the error of a value that begins at `start`.
fn no_value(start: usize) -> impl Fn(Error) -> Malformed + Copy {
    move |error| Malformed {
        reason: "no value of cbor",
        offset: error.position().unwrap_or(start),
    }
}

impl<'a> Parser<'a> {
    fn value(&mut self, depth: usize) -> Result<(), Malformed> {
        let start = self.decoder.position();
        if let Some(text) = self.short_text(start) {
            self.decoder.set_position(start + 1 + text.len());
            self.tape.push(Token::String(Cow::Borrowed(text)));
            return Ok(());
        }
        let at = no_value(start);
        let decoder = &mut self.decoder;
        match decoder.datatype().map_err(at)? {
            Type::Array | Type::ArrayIndef | Type::Map | Type::MapIndef if depth == DEEPEST => {
                Err(self.malformed("too many levels"))
            }
            Type::Array | Type::ArrayIndef => {
                let count = decoder.array().map_err(at)?;
                self.array(count, depth + 1)
            }
            Type::Map | Type::MapIndef => {
                let count = decoder.map().map_err(at)?;
                self.object(count, depth + 1)
            }
            Type::Tag => {
                let number = match decoder.tag().map_err(at)? {
                    POSITIVE => Token::BigInteger(Box::new(self.magnitude(start)?)),
                    NEGATIVE => Token::BigInteger(Box::new(-self.magnitude(start)?)),
                    _ if depth == DEEPEST => return Err(self.malformed("too many levels")),
                    DECIMAL => Token::Decimal(Box::new(self.decimal(depth + 1)?)),
                    // Any other says what a value means, not what it is.
                    _ => return self.value(depth + 1),
                };
                self.tape.push(number);
                Ok(())
            }
            other => self.scalar(other),
        }
    }

    /// A text of less than 24 bytes, as most values and names are.
    #[inline]
    fn short_text(&self, start: usize) -> Option<&'a str> {
        let [head @ 0x60..0x78, rest @ ..] = self.bytes.get(start..)? else {
            return None;
        };
        str::from_utf8(rest.get(..usize::from(head & 0x1f))?).ok()
    }

    /// A value with no others in it. It stands apart so that nesting takes little of the stack.
    fn scalar(&mut self, of: Type) -> Result<(), Malformed> {
        let start = self.decoder.position();
        let at = no_value(start);
        let decoder = &mut self.decoder;
        let token = match of {
            Type::Bool => Token::Boolean(decoder.bool().map_err(at)?),
            Type::Null => {
                decoder.null().map_err(at)?;
                Token::Null
            }
            Type::Undefined => {
                decoder.undefined().map_err(at)?;
                Token::Null
            }
            Type::F32 => Token::Float(decoder.f32().map_err(at)?),
            Type::F64 => Token::Double(decoder.f64().map_err(at)?),
            Type::Bytes | Type::BytesIndef => Token::Bytes(self.bytes(start)?.into()),
            Type::String => match decoder.str() {
                Ok(text) => Token::String(Cow::Borrowed(text)),
                Err(_) => {
                    return Err(Malformed {
                        reason: "no string",
                        offset: start,
                    });
                }
            },
            Type::StringIndef => Token::String(self.string(start)?.into()),
            _ => {
                let number = i128::from(decoder.int().map_err(at)?);
                match i64::try_from(number) {
                    Ok(number) => Token::Integer(number),
                    Err(_) => Token::BigInteger(Box::new(number.into())),
                }
            }
        };
        self.tape.push(token);
        Ok(())
    }

    fn array(&mut self, count: Option<u64>, depth: usize) -> Result<(), Malformed> {
        let (place, mut read) = (self.tape.open(), 0);
        while self.is_next(count, read)? {
            self.value(depth)?;
            read += 1;
        }
        self.tape.end_array(place, read);
        Ok(())
    }

    fn object(&mut self, count: Option<u64>, depth: usize) -> Result<(), Malformed> {
        let (place, mut read) = (self.tape.open(), 0);
        while self.is_next(count, read)? {
            let offset = self.decoder.position();
            let name = self.tape.len();
            self.value(depth)?;
            if !self.tape.is_name(name) {
                return Err(Malformed {
                    reason: "no name of a property",
                    offset,
                });
            }
            self.value(depth)?;
            read += 1;
        }
        self.tape.end_object(place, read);
        Ok(())
    }

    /// True if there is another item; reads past the mark that ends those that were not counted.
    fn is_next(&mut self, count: Option<u64>, read: usize) -> Result<bool, Malformed> {
        if let Some(count) = count {
            return Ok((read as u64) < count);
        }
        // Most properties begin with a short name.
        if let Some(0x60..0x78) = self.bytes.get(self.decoder.position()) {
            return Ok(true);
        }
        match self.decoder.datatype() {
            Ok(Type::Break) => {
                self.decoder.set_position(self.decoder.position() + 1);
                Ok(false)
            }
            Ok(_) => Ok(true),
            Err(_) => Err(self.malformed("the end instead of a value")),
        }
    }

    fn string(&mut self, start: usize) -> Result<String, Malformed> {
        let parts = self.decoder.str_iter().and_then(Iterator::collect);
        parts.map_err(|_| Malformed {
            reason: "no string",
            offset: start,
        })
    }

    fn bytes(&mut self, start: usize) -> Result<Vec<u8>, Malformed> {
        let parts: Result<Vec<&[u8]>, Error> =
            self.decoder.bytes_iter().and_then(Iterator::collect);
        match parts {
            Ok(parts) => Ok(parts.concat()),
            Err(_) => Err(Malformed {
                reason: "no bytes",
                offset: start,
            }),
        }
    }

    fn magnitude(&mut self, start: usize) -> Result<BigInt, Malformed> {
        let bytes = self.bytes(start)?;
        // A byte makes no more than three digits.
        if bytes.len() > LONGEST / 2 {
            return Err(Malformed {
                reason: "a number of more than 500 bytes",
                offset: start,
            });
        }
        Ok(BigInt::from_bytes_be(Sign::Plus, &bytes))
    }

    fn decimal(&mut self, depth: usize) -> Result<BigDecimal, Malformed> {
        let start = self.decoder.position();
        let place = self.tape.len();
        self.value(depth)?;
        let number = match &self.tape.split_off(place)[..] {
            [Token::Array(_), Token::Integer(exponent), digits] => {
                let scale = exponent.checked_neg().and_then(|it| it.try_into().ok());
                let unscaled = match digits {
                    Token::Integer(it) => Some(BigInt::from(*it)),
                    Token::BigInteger(it) => Some(BigInt::clone(it)),
                    _ => None,
                };
                unscaled.zip(scale)
            }
            _ => None,
        };
        match number {
            Some((unscaled, scale)) => Ok(BigDecimal::new(unscaled, scale)),
            None => Err(Malformed {
                reason: "no decimal number",
                offset: start,
            }),
        }
    }

    fn malformed(&self, reason: &'static str) -> Malformed {
        Malformed {
            reason,
            offset: self.decoder.position(),
        }
    }
}
