//! JSON, read and written.

mod parser;
mod printer;

pub(super) use self::parser::parse;
pub(super) use self::printer::{Printer, Spelling};

#[cfg(test)]
mod tests;
