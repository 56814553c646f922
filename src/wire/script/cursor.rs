//! Where the next step of a script that reads a set begins.

use redis::{FromRedisValue, ParsingError, RedisWrite, ToRedisArgs, Value, from_redis_value};

/// The cursor of `lua/lib/walk.lua`. Only the scripts know what it says.
#[derive(Clone, Debug)]
pub(crate) struct Cursor([Vec<u8>; 3]);

impl Cursor {
    /// Begins with the first entry that has this score.
    pub(super) fn at(score: &str) -> Self {
        Self([score.into(), b"0".to_vec(), b"0".to_vec()])
    }

    /// The cursor in a reply. Nothing at the end of the set.
    pub(super) fn read(value: Value) -> Result<Option<Self>, ParsingError> {
        let parts: Vec<Vec<u8>> = from_redis_value(value)?;
        Ok(parts.try_into().ok().map(Self))
    }
}

impl ToRedisArgs for Cursor {
    fn write_redis_args<W: ?Sized + RedisWrite>(&self, out: &mut W) {
        (&self.0).write_redis_args(out);
    }

    fn num_of_args(&self) -> usize {
        self.0.len()
    }
}

/// What one step of a script brought, and where the next one goes on.
#[derive(Debug)]
pub(crate) struct Walked<T> {
    pub(crate) found: T,
    /// None at the end.
    pub(crate) next: Option<Cursor>,
}

impl<T: FromRedisValue> FromRedisValue for Walked<T> {
    fn from_redis_value(reply: Value) -> Result<Self, ParsingError> {
        let (next, found): (Value, T) = from_redis_value(reply)?;
        Ok(Self {
            found,
            next: Cursor::read(next)?,
        })
    }
}

impl<T> Walked<T> {
    pub(super) fn map<U>(self, map: impl FnOnce(T) -> U) -> Walked<U> {
        Walked {
            found: map(self.found),
            next: self.next,
        }
    }
}
