//! Trees as MessagePack.

mod parser;
mod printer;

pub(super) use self::parser::parse;
pub(super) use self::printer::print;

#[cfg(test)]
mod tests;
