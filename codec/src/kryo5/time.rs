//! The numbers of the values of `java.time`.

use super::Result;
use super::input::Input;
use super::output::Output;
use crate::java::Mismatch;
use crate::java::time::numbers::{Reads, Writes};

impl Reads for Input {
    type Error = Mismatch;

    fn byte(&mut self) -> Result<u8> {
        self.byte()
    }

    fn int(&mut self) -> Result<i32> {
        self.int()
    }

    fn wide_int(&mut self) -> Result<i32> {
        self.array().map(i32::from_le_bytes)
    }

    fn long(&mut self) -> Result<i64> {
        self.long()
    }

    fn wide_long(&mut self) -> Result<i64> {
        self.array().map(i64::from_le_bytes)
    }

    fn region(&mut self) -> Result<String> {
        self.name()
    }
}

impl Writes for Output<'_> {
    type Error = Mismatch;

    fn byte(&mut self, number: u8) {
        self.byte(number);
    }

    fn int(&mut self, number: i32) {
        self.int(number);
    }

    fn wide_int(&mut self, number: i32) {
        self.bytes(&number.to_le_bytes());
    }

    fn long(&mut self, number: i64) {
        self.long(number);
    }

    fn wide_long(&mut self, number: i64) {
        self.bytes(&number.to_le_bytes());
    }

    fn region(&mut self, id: &str) -> Result<()> {
        self.text(id)
    }
}
