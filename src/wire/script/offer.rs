//! Scheduling elements.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{ErrorKind, RedisResult, Script, ServerErrorKind};

use super::{When, load_before, millis};
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

static OFFER: LazyLock<Script> = script!(first "offer_one", "offer");

/// What one attempt at an offer is bound to.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// The clock that dates what is offered, as the scripts take it.
    pub(crate) clock: String,
    /// Until when the attempt need not ask whether its ids are settled, unix us; 0 if an earlier
    /// attempt may have run, or may yet run.
    pub(crate) fresh_until_us: i64,
    /// After this moment the attempt must write nothing, unix us.
    pub(crate) expires_us: i64,
    /// How long the ids are to be remembered; zero for not at all.
    pub(crate) remember: Duration,
}

impl Attempt {
    /// Whether no earlier attempt may have run, or may yet run.
    pub(crate) fn is_first(&self) -> bool {
        self.fresh_until_us > 0
    }
}

/// What became of an attempt.
#[derive(Debug)]
pub(crate) struct Attempted<T> {
    /// Nothing if it ran too late and wrote nothing.
    pub(crate) done: Option<T>,
    /// How long until the element is due that was offered and leads the timeout set now, if any.
    pub(crate) head_due_us: Option<i64>,
    pub(crate) server_us: i64,
}

impl<T> Attempted<T> {
    /// As the scripts answer, whose `head_us` is -1 for none.
    pub(super) fn new(done: Option<T>, head_us: i64, server_us: i64) -> Self {
        Self {
            done,
            head_due_us: (head_us >= 0).then_some(head_us),
            server_us,
        }
    }
}

/// Stores the elements with these members. They stand in Redis then, or stood there already.
pub(crate) async fn offer(
    mut connection: Connection,
    keys: &QueueKeys,
    elements: impl IntoIterator<Item = (&[u8], When)>,
    attempt: &Attempt,
) -> RedisResult<Attempted<()>> {
    // Not as the other scripts, whose arguments are copied one by one: here they are many.
    let mut command = redis::cmd("EVALSHA");
    command
        .arg(OFFER.get_hash())
        .arg(3)
        .arg(keys.timeouts())
        .arg(keys.ordering())
        .arg(keys.settled())
        .arg(&attempt.clock)
        .arg(keys.channel())
        .arg(attempt.fresh_until_us)
        .arg(attempt.expires_us)
        .arg(millis(attempt.remember));
    let mut bytes = 0;
    for (member, when) in elements {
        bytes += member.len();
        command.arg(member).arg(when);
    }
    load_before(&OFFER, &mut connection, bytes).await?;
    let mut reply = command.query_async(&mut connection).await;
    if matches!(&reply, Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript))
    {
        OFFER.load_async(&mut connection).await?;
        reply = command.query_async(&mut connection).await;
    }
    let (written, head_us, server_us): (i64, i64, i64) = reply?;
    let done = (written >= 0).then_some(());
    Ok(Attempted::new(done, head_us, server_us))
}
