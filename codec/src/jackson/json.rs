//! Trees as JSON.

mod parser;
mod printer;

pub(super) use self::parser::parse;
pub(super) use self::printer::{Spelling, print};

#[cfg(test)]
mod tests;
