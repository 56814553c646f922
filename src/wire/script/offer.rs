//! Scheduling elements.

use std::time::Duration;

use redis::RedisResult;

use super::reply::at_least_zero;
use super::{Answer, When};
use crate::link::clock::ms_up;
use crate::link::connection::Connection;
use crate::offered::Outcome;
use crate::wire::keys::QueueKeys;

/// The terms of one attempt at an offer.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// The clock that dates the elements, as the scripts take it.
    pub(crate) clock: String,
    /// Until this moment the attempt need not check whether its ids are settled, unix us; 0 if an
    /// earlier attempt may have run, or may yet run.
    pub(crate) fresh_until_us: i64,
    /// After this moment the attempt writes nothing, unix us.
    pub(crate) write_until_us: i64,
    /// How long Redis remembers the ids; zero for not at all.
    pub(crate) remember: Duration,
}

impl Attempt {
    /// True if no earlier attempt may have run, or may yet run.
    pub(crate) fn is_first(&self) -> bool {
        self.fresh_until_us > 0
    }
}

#[derive(Debug)]
pub(crate) struct Attempted {
    /// `None` if it ran too late and wrote nothing.
    pub(crate) done: Option<Answer>,
    /// How long until the new head of the timeout set is due, if the head is an element of this
    /// offer.
    pub(crate) head_due_us: Option<i64>,
    pub(crate) server_us: i64,
}

/// Stores the elements with these members, except those that were stored before.
pub(crate) async fn offer(
    connection: Connection,
    keys: &QueueKeys,
    elements: impl IntoIterator<Item = (&[u8], When)>,
    attempt: &Attempt,
) -> RedisResult<Attempted> {
    let mut call = script!("offer_one", "offer").of(keys);
    call.arg("clock_us", &attempt.clock)
        .arg("channel", keys.channel())
        .arg("fresh_until_us", attempt.fresh_until_us)
        .arg("write_until_us", attempt.write_until_us)
        .arg("remember_ms", ms_up(attempt.remember));
    for (member, when) in elements {
        call.more(member).more(when);
    }
    let (written, head_due_us, server_us): (i64, i64, i64) = call.invoke(connection).await?;
    Ok(Attempted {
        done: (written >= 0).then(|| Answer::Done(Outcome::Added, Vec::new())),
        head_due_us: at_least_zero(head_due_us),
        server_us,
    })
}
