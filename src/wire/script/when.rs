//! When an element is to become due, as scripts are told.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redis::{RedisWrite, ToRedisArgs};

use crate::error::{Error, Result};
use crate::link::clock::{LATEST_MS, ms_up};

/// When an element is to become due.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum When {
    /// So many ms from now.
    After(u64),
    /// At this unix ms, or now if that has passed.
    At(u64),
}

impl When {
    /// `delay` from the moment at which the script runs.
    ///
    /// # Errors
    ///
    /// [`Error::DelayTooLong`] if no clock could make the delay a score.
    pub(crate) fn after(delay: Duration) -> Result<Self> {
        score(delay)
            .map(Self::After)
            .ok_or(Error::DelayTooLong { delay })
    }

    /// At `moment` by the clock that dates the client's offers.
    ///
    /// # Errors
    ///
    /// [`Error::DelayTooLong`] if the moment is no score.
    pub(crate) fn at(moment: SystemTime) -> Result<Self> {
        score(moment.duration_since(UNIX_EPOCH).unwrap_or_default())
            .map(Self::At)
            .ok_or_else(|| Error::DelayTooLong {
                delay: moment.duration_since(SystemTime::now()).unwrap_or_default(),
            })
    }
}

fn score(time: Duration) -> Option<u64> {
    // Up to a whole millisecond, for an element is never early.
    Some(ms_up(time)).filter(|ms| *ms <= LATEST_MS)
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::After(ms) => write!(f, "{ms}"),
            Self::At(ms) => write!(f, "@{ms}"),
        }
    }
}

impl ToRedisArgs for When {
    fn write_redis_args<W: ?Sized + RedisWrite>(&self, out: &mut W) {
        out.write_arg_fmt(self);
    }
}
