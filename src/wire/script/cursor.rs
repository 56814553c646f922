//! Where the next step of a script that reads a set begins.

use redis::{FromRedisValue, ParsingError, Value, from_redis_value};

use super::call::Call;

/// The cursor of `lua/lib/walk.lua`. Only the scripts know what it says.
#[derive(Clone, Debug)]
pub(crate) struct Cursor([Vec<u8>; 3]);

impl Cursor {
    /// The cursor in a reply. Nothing at the end of the set.
    pub(super) fn read(value: Value) -> Result<Option<Self>, ParsingError> {
        let parts: Vec<Vec<u8>> = from_redis_value(value)?;
        Ok(parts.try_into().ok().map(Self))
    }
}

impl Call<'_> {
    /// Adds the three arguments that say where a step begins: at `cursor`, or at the first entry with
    /// the score `first`.
    pub(super) fn cursor(&mut self, cursor: Option<&Cursor>, first: &str) -> &mut Self {
        let [score, behind, with_score] = match cursor {
            Some(Cursor([score, behind, with_score])) => [&score[..], behind, with_score],
            None => [first.as_bytes(), b"0", b"0"],
        };
        self.arg("from", score)
            .arg("behind", behind)
            .arg("with_score", with_score)
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
