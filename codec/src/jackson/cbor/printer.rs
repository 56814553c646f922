use std::convert::Infallible;

use minicbor::Encoder;
use minicbor::data::Tag;
use minicbor::encode::Error;
use num_bigint::{BigInt, Sign};

use crate::jackson::tree::{Label, Tree};
use crate::java::{BigDecimal, JavaValue, Mismatch};

/// Writes a tree as Jackson does: what it counts beforehand has its length written first, all else
/// ends with a mark.
pub(in crate::jackson) fn print(tree: &Tree) -> Result<Vec<u8>, Mismatch> {
    let mut out = Encoder::new(Vec::new());
    Printer { out: &mut out }.tree(tree)?;
    Ok(out.into_writer())
}

struct Printer<'a> {
    out: &'a mut Encoder<Vec<u8>>,
}

impl Printer<'_> {
    fn tree(&mut self, tree: &Tree) -> Result<(), Mismatch> {
        match tree {
            Tree::Null => done(self.out.null()),
            Tree::Boolean(it) => done(self.out.bool(*it)),
            Tree::Integer(it) => done(self.out.i64(*it)),
            Tree::BigInteger(it) => self.big_integer(it),
            Tree::Float(it) => done(self.out.f32(*it)),
            Tree::Double(it) => done(self.out.f64(*it)),
            Tree::Decimal(it) => self.decimal(it),
            Tree::String(it) => self.string(it),
            Tree::Number(it) => self.string(it),
            Tree::Utf16(it) => Err(Mismatch::new(
                "no half of a surrogate pair",
                &JavaValue::Utf16(it.clone()),
            )),
            Tree::Bytes(it) => done(self.out.bytes(it)),
            // Only a tagged list or array is not counted.
            Tree::Array(items) => {
                done(self.out.array(items.len() as u64))?;
                items.iter().try_for_each(|item| self.tree(item))
            }
            Tree::Object(properties) => self.object(None, properties),
            Tree::Tagged(class, inner) => match &**inner {
                Tree::Object(properties) => self.object(Some(class), properties),
                inner => {
                    done(self.out.begin_array())?;
                    self.string(class)?;
                    match inner {
                        Tree::Array(items) => {
                            done(self.out.begin_array())?;
                            items.iter().try_for_each(|item| self.tree(item))?;
                            done(self.out.end())?;
                        }
                        inner => self.tree(inner)?,
                    }
                    done(self.out.end())
                }
            },
        }
    }

    fn object(
        &mut self,
        class: Option<&str>,
        properties: &[(Label, Tree)],
    ) -> Result<(), Mismatch> {
        done(self.out.begin_map())?;
        if let Some(class) = class {
            self.string(Tree::CLASS)?;
            self.string(class)?;
        }
        for (name, value) in properties {
            match name {
                Label::Text(name) => self.string(name)?,
                Label::Number(number) => done(self.out.i64(*number))?,
            }
            self.tree(value)?;
        }
        done(self.out.end())
    }

    /// A long string goes in parts, as it went through Jackson's buffer.
    fn string(&mut self, text: &str) -> Result<(), Mismatch> {
        let mut rest = text;
        if units(rest) <= LONGEST {
            return done(self.out.str(rest));
        }
        done(self.out.begin_str())?;
        while !rest.is_empty() {
            let mut left = LONGEST;
            let end = rest.find(|it: char| {
                let fits = it.len_utf16() <= left;
                left = left.saturating_sub(it.len_utf16());
                !fits
            });
            let (part, more) = rest.split_at(end.unwrap_or(rest.len()));
            done(self.out.str(part))?;
            rest = more;
        }
        done(self.out.end())
    }

    /// Its sign is in the tag, and the bytes are those of the absolute number as `toByteArray` has
    /// them. The standard has another number for negative ones; Jackson reads back what it writes.
    fn big_integer(&mut self, number: &BigInt) -> Result<(), Mismatch> {
        let tag = match number.sign() {
            Sign::Minus => NEGATIVE,
            _ => POSITIVE,
        };
        let magnitude = BigInt::from(number.magnitude().clone());
        done(self.out.tag(tag))?;
        done(self.out.bytes(&magnitude.to_signed_bytes_be()))
    }

    fn decimal(&mut self, number: &BigDecimal) -> Result<(), Mismatch> {
        done(self.out.tag(DECIMAL))?;
        done(self.out.array(2))?;
        done(self.out.i64(-i64::from(number.scale)))?;
        match i64::try_from(&number.unscaled) {
            Ok(unscaled) => done(self.out.i64(unscaled)),
            Err(_) => self.big_integer(&number.unscaled),
        }
    }
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// A vector takes all that is written to it, so there is no error to tell of.
fn done(written: Result<&mut Encoder<Vec<u8>>, Error<Infallible>>) -> Result<(), Mismatch> {
    match written {
        Ok(_) => Ok(()),
        Err(error) => Err(Mismatch::unknown("room in memory", error.to_string())),
    }
}

pub(super) const POSITIVE: Tag = Tag::new(2);
pub(super) const NEGATIVE: Tag = Tag::new(3);
pub(super) const DECIMAL: Tag = Tag::new(4);

/// How many UTF-16 units of a string fit Jackson's buffer.
const LONGEST: usize = 3996;
