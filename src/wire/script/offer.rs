//! Scheduling elements.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{FromRedisValue, ParsingError, RedisResult, Value};

use super::lua::Script;
use super::reply::Fields;
use super::{When, millis};
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

static OFFER: LazyLock<Script> = script!("offer_one", "offer");

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
pub(crate) struct Attempted<T> {
    /// `None` if it ran too late and wrote nothing.
    pub(crate) done: Option<T>,
    /// How long until the new head of the timeout set is due, if the head is an element of this
    /// offer.
    pub(crate) head_due_us: Option<i64>,
    pub(crate) server_us: i64,
}

/// What the result of an attempt says about the connection on which it ran.
pub(crate) trait Effect {
    /// True if this attempt wrote, false if an earlier one had. `None` if the offer is not over, so
    /// nothing has to be durable yet.
    fn wrote(&self) -> Option<bool>;
}

impl Effect for () {
    fn wrote(&self) -> Option<bool> {
        Some(true)
    }
}

impl<T> Attempted<T> {
    /// Reads the fields that follow what the script did.
    pub(super) fn read(done: Option<T>, fields: &mut Fields) -> Result<Self, ParsingError> {
        Ok(Self {
            done,
            head_due_us: fields.read_us()?,
            server_us: fields.read()?,
        })
    }
}

impl FromRedisValue for Attempted<()> {
    fn from_redis_value(reply: Value) -> Result<Self, ParsingError> {
        let mut fields = Fields::new(reply)?;
        let written: i64 = fields.read()?;
        Self::read((written >= 0).then_some(()), &mut fields)
    }
}

/// Stores the elements with these members, except those that were stored before.
pub(crate) async fn offer(
    connection: Connection,
    keys: &QueueKeys,
    elements: impl IntoIterator<Item = (&[u8], When)>,
    attempt: &Attempt,
) -> RedisResult<Attempted<()>> {
    let mut call = OFFER.of(keys);
    call.arg("clock_us", &attempt.clock)
        .arg("channel", keys.channel())
        .arg("fresh_until_us", attempt.fresh_until_us)
        .arg("write_until_us", attempt.write_until_us)
        .arg("remember_ms", millis(attempt.remember));
    for (member, when) in elements {
        call.more(member).more(when);
    }
    call.invoke(connection).await
}
