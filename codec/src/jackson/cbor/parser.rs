use minicbor::Decoder;
use minicbor::data::Type;
use minicbor::decode::Error;
use num_bigint::{BigInt, Sign};

use super::printer::{DECIMAL, NEGATIVE, POSITIVE};
use crate::jackson::number::LONGEST;
use crate::jackson::tree::{DEEPEST, Label, Tree};
use crate::java::{BigDecimal, Malformed};

/// Reads CBOR of any kind, but for numbers of 16 bits.
pub(in crate::jackson) fn parse(bytes: &[u8]) -> Result<Tree, Malformed> {
    let mut parser = Parser {
        decoder: Decoder::new(bytes),
    };
    let tree = parser.value(0)?;
    if parser.decoder.position() < bytes.len() {
        return Err(parser.malformed("more than one value"));
    }
    Ok(tree)
}

struct Parser<'a> {
    decoder: Decoder<'a>,
}

/// Makes the error of a value that begins at `start`.
fn no_value(start: usize) -> impl Fn(Error) -> Malformed + Copy {
    move |error| Malformed {
        reason: "no value of cbor",
        offset: error.position().unwrap_or(start),
    }
}

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Result<Tree, Malformed> {
        let start = self.decoder.position();
        if depth > DEEPEST {
            return Err(self.malformed("too many levels"));
        }
        let at = no_value(start);
        let decoder = &mut self.decoder;
        match decoder.datatype().map_err(at)? {
            Type::Array | Type::ArrayIndef => {
                let count = decoder.array().map_err(at)?;
                self.array(count, depth)
            }
            Type::Map | Type::MapIndef => {
                let count = decoder.map().map_err(at)?;
                self.object(count, depth)
            }
            Type::Tag => match decoder.tag().map_err(at)? {
                POSITIVE => Ok(Tree::BigInteger(self.magnitude(start)?)),
                NEGATIVE => Ok(Tree::BigInteger(-self.magnitude(start)?)),
                DECIMAL => Ok(Tree::Decimal(self.decimal(depth)?)),
                // Any other says what a value means, not what it is.
                _ => self.value(depth + 1),
            },
            other => self.scalar(other),
        }
    }

    /// A value with no others in it. It stands apart so that nesting takes little of the stack.
    fn scalar(&mut self, of: Type) -> Result<Tree, Malformed> {
        let start = self.decoder.position();
        let at = no_value(start);
        let decoder = &mut self.decoder;
        Ok(match of {
            Type::Bool => Tree::Boolean(decoder.bool().map_err(at)?),
            Type::Null => {
                decoder.null().map_err(at)?;
                Tree::Null
            }
            Type::Undefined => {
                decoder.undefined().map_err(at)?;
                Tree::Null
            }
            Type::F32 => Tree::Float(decoder.f32().map_err(at)?),
            Type::F64 => Tree::Double(decoder.f64().map_err(at)?),
            Type::Bytes | Type::BytesIndef => Tree::Bytes(self.bytes(start)?.into()),
            Type::String | Type::StringIndef => Tree::String(self.string(start)?),
            _ => {
                let number = i128::from(decoder.int().map_err(at)?);
                match i64::try_from(number) {
                    Ok(number) => Tree::Integer(number),
                    Err(_) => Tree::BigInteger(number.into()),
                }
            }
        })
    }

    fn array(&mut self, count: Option<u64>, depth: usize) -> Result<Tree, Malformed> {
        let mut items = Vec::new();
        while self.is_next(count, items.len())? {
            items.push(self.value(depth + 1)?);
        }
        Ok(Tree::Array(items))
    }

    fn object(&mut self, count: Option<u64>, depth: usize) -> Result<Tree, Malformed> {
        let mut properties = Vec::new();
        while self.is_next(count, properties.len())? {
            let start = self.decoder.position();
            let name = match self.value(depth + 1)? {
                Tree::String(name) => Label::Text(name),
                Tree::Integer(number) => Label::Number(number),
                _ => {
                    return Err(Malformed {
                        reason: "no name of a property",
                        offset: start,
                    });
                }
            };
            properties.push((name, self.value(depth + 1)?));
        }
        Ok(Tree::Object(properties))
    }

    /// True if there is another item; reads past the mark that ends those that were not counted.
    fn is_next(&mut self, count: Option<u64>, read: usize) -> Result<bool, Malformed> {
        if let Some(count) = count {
            return Ok((read as u64) < count);
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
        let unscaled = |tree| match tree {
            Tree::Integer(it) => Some(BigInt::from(it)),
            Tree::BigInteger(it) => Some(it),
            _ => None,
        };
        let number = match self.value(depth + 1)? {
            Tree::Array(items) => match <[Tree; 2]>::try_from(items) {
                Ok([Tree::Integer(exponent), digits]) => {
                    let scale = exponent.checked_neg().and_then(|it| it.try_into().ok());
                    unscaled(digits).zip(scale)
                }
                _ => None,
            },
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
