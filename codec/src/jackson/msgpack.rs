//! MessagePack, read and written.

mod parser;
mod printer;

pub(super) use self::parser::parse;
pub(super) use self::printer::Printer;

#[cfg(test)]
mod tests;
