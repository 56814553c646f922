//! Replies of scripts: arrays on the wire, structs in this crate. Short ones are read as tuples.

use std::vec;

use redis::{FromRedisValue, ParsingError, Value};

/// The fields of a reply that have not been read yet. A struct reads its fields in the order in
/// which the script returns them.
pub(super) struct Fields(vec::IntoIter<Value>);

impl Fields {
    pub(super) fn new(reply: Value) -> Result<Self, ParsingError> {
        let fields = Vec::from_redis_value(reply)?;
        Ok(Self(fields.into_iter()))
    }

    /// Reads the next field.
    pub(super) fn read<T: FromRedisValue>(&mut self) -> Result<T, ParsingError> {
        let field = self.0.next().ok_or("a reply of a script is too short")?;
        T::from_redis_value(field)
    }

    /// Reads a time in us that is -1 for none.
    pub(super) fn read_us(&mut self) -> Result<Option<i64>, ParsingError> {
        self.read().map(at_least_zero)
    }
}

/// A time in us that is -1 for none.
pub(super) fn at_least_zero(us: i64) -> Option<i64> {
    (us >= 0).then_some(us)
}
