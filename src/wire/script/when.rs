//! Due times.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redis::{RedisWrite, ToRedisArgs};

use crate::error::{Error, Result};
use crate::link::clock::{LATEST_MS, ms_up};

/// A due time as scripts take it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum When {
    /// This many ms after the script runs.
    After(u64),
    /// At this unix ms, or now if that has passed.
    At(u64),
}

impl When {
    /// `delay` from the moment at which the script runs. [`Error::DelayTooLong`] if the delay alone
    /// is past the largest score.
    pub(crate) fn after(delay: Duration) -> Result<Self> {
        whole_ms(delay)
            .map(Self::After)
            .ok_or(Error::DelayTooLong { delay })
    }

    /// At `moment` by the clock that dates the client's offers. [`Error::DelayTooLong`] if the
    /// moment is past the largest score.
    pub(crate) fn at(moment: SystemTime) -> Result<Self> {
        whole_ms(moment.duration_since(UNIX_EPOCH).unwrap_or_default())
            .map(Self::At)
            .ok_or_else(|| Error::DelayTooLong {
                delay: moment.duration_since(SystemTime::now()).unwrap_or_default(),
            })
    }
}

fn whole_ms(time: Duration) -> Option<u64> {
    // Rounded up to a whole millisecond, because no element may be early.
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
