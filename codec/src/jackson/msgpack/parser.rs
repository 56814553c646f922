use rmp::Marker;
use rmp::decode;

use crate::jackson::tree::{DEEPEST, Label, Tree};
use crate::java::Malformed;

/// Reads MessagePack of any kind, but for extensions.
pub(in crate::jackson) fn parse(bytes: &[u8]) -> Result<Tree, Malformed> {
    let mut parser = Parser {
        rest: bytes,
        length: bytes.len(),
    };
    let tree = parser.value(0)?;
    if !parser.rest.is_empty() {
        return Err(parser.malformed("more than one value"));
    }
    Ok(tree)
}

struct Parser<'a> {
    rest: &'a [u8],
    length: usize,
}

impl<'a> Parser<'a> {
    fn value(&mut self, depth: usize) -> Result<Tree, Malformed> {
        if depth > DEEPEST {
            return Err(self.malformed("too many levels"));
        }
        let Some(first) = self.rest.first() else {
            return Err(self.malformed(ENDS));
        };
        match Marker::from_u8(*first) {
            Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => self.array(depth),
            Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => self.object(depth),
            marker => self.scalar(marker),
        }
    }

    /// A value with no others in it. It stands apart so that nesting takes little of the stack.
    fn scalar(&mut self, marker: Marker) -> Result<Tree, Malformed> {
        let at = self.malformed(ENDS);
        let rest = &mut self.rest;
        Ok(match marker {
            Marker::Null => {
                decode::read_nil(rest).map_err(|_| at)?;
                Tree::Null
            }
            Marker::True | Marker::False => Tree::Boolean(decode::read_bool(rest).map_err(|_| at)?),
            Marker::F32 => Tree::Float(decode::read_f32(rest).map_err(|_| at)?),
            Marker::F64 => Tree::Double(decode::read_f64(rest).map_err(|_| at)?),
            Marker::U64 => {
                let number: u64 = decode::read_int(rest).map_err(|_| at)?;
                match i64::try_from(number) {
                    Ok(number) => Tree::Integer(number),
                    Err(_) => Tree::BigInteger(number.into()),
                }
            }
            Marker::FixPos(_) | Marker::FixNeg(_) => Tree::Integer(self.number(at)?),
            Marker::U8 | Marker::U16 | Marker::U32 => Tree::Integer(self.number(at)?),
            Marker::I8 | Marker::I16 | Marker::I32 | Marker::I64 => Tree::Integer(self.number(at)?),
            Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => {
                let length = decode::read_str_len(rest).map_err(|_| at)?;
                let start = self.malformed("no UTF-8");
                match str::from_utf8(self.take(length)?) {
                    Ok(text) => Tree::String(text.to_owned()),
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
                Tree::Bytes(self.take(length)?.to_vec().into())
            }
            _ => return Err(self.malformed("an extension")),
        })
    }

    fn number(&mut self, at: Malformed) -> Result<i64, Malformed> {
        decode::read_int(&mut self.rest).map_err(|_| at)
    }

    /// No room is set aside beforehand: the count may be a lie.
    fn array(&mut self, depth: usize) -> Result<Tree, Malformed> {
        let at = self.malformed(ENDS);
        let count = decode::read_array_len(&mut self.rest).map_err(|_| at)?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(self.value(depth + 1)?);
        }
        Ok(Tree::Array(items))
    }

    fn object(&mut self, depth: usize) -> Result<Tree, Malformed> {
        let at = self.malformed(ENDS);
        let count = decode::read_map_len(&mut self.rest).map_err(|_| at)?;
        let mut properties = Vec::new();
        for _ in 0..count {
            let at = self.malformed("no name of a property");
            let name = match self.value(depth + 1)? {
                Tree::String(name) => Label::Text(name),
                Tree::Integer(number) => Label::Number(number),
                _ => return Err(at),
            };
            properties.push((name, self.value(depth + 1)?));
        }
        Ok(Tree::Object(properties))
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
