//! The attempts at an offer, and when another one is safe.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::Duration;

use redis::RedisResult;
use tokio::time::{Instant, sleep};

use super::{Element, Shortfall, Stored};
use crate::delivery::session::Session;
use crate::error::{Cause, Error, Step};
use crate::link::calls::Lane;
use crate::link::connection::{
    Connection, Failure, Met, extra_time, is_loss, timed_out, unless_former_master,
};
use crate::link::durability::{Acknowledged, Durable};
use crate::link::pauses::Pauses;
use crate::options::Options;
use crate::payload::check_command;
use crate::ticket::Ticket;
use crate::wire::keys::QueueKeys;
use crate::wire::script::{self, Answer, Attempt, Attempted, When};

/// The attempts at one offer: of one element, or of several in one script.
#[derive(Debug)]
pub(crate) struct Attempts<'a> {
    session: &'a Session,
    keys: &'a QueueKeys,
    shortest: Duration,
    longest: Duration,
    /// How many bytes an attempt sends. More bytes get more time.
    bytes: usize,
    pub(super) started: Instant,
    /// The script notes its work under the id.
    is_noted: bool,
    durable: Option<Durable>,
    /// The server of the last attempt that was sent and got no reply. Its element may be there.
    lost_at: Option<Arc<str>>,
    /// What Redis's clock showed at least when the last attempt was sent, unix us.
    sent_us: AtomicI64,
    /// When an element of a lost attempt can have become due at the earliest, by Redis's clock, unix us.
    lost_due_us: i64,
}

/// How the first attempt failed. The line made it for this offer and others.
#[derive(Clone, Debug)]
pub(super) struct FailedFirst {
    pub(super) failure: Failure,
    /// As in [`Attempts`].
    pub(super) sent_us: i64,
}

/// How an attempt ended that got a reply.
pub(super) enum Tried {
    Done(Stored<Answer>),
    /// It ran too late at this server, and did nothing.
    TooLate(Arc<str>),
}

/// Why an offer ended without a result.
#[derive(Debug)]
pub(crate) enum Failed {
    /// Nothing was or will be written.
    Certain(Error),
    /// An attempt may have been applied.
    Unknown {
        /// Where, without credentials.
        server: Arc<str>,
        /// The last failure; `None` if the last attempt was too late.
        failure: Option<Failure>,
    },
}

impl<'a> Attempts<'a> {
    /// An attempt that runs within this time after it was sent is the only one so far: a second
    /// attempt is sent later.
    const FRESH: Duration = Duration::from_millis(100);

    /// The attempts at an offer that sends `bytes` bytes: one or more elements that are due at
    /// these moments.
    pub(crate) fn new(
        session: &'a Session,
        keys: &'a QueueKeys,
        due: impl Iterator<Item = When> + Clone,
        bytes: usize,
    ) -> Self {
        let delays = due.map(|when| session.delay_until(keys, when));
        Self {
            session,
            keys,
            bytes,
            shortest: delays.clone().min().unwrap_or_default(),
            longest: delays.max().unwrap_or_default(),
            started: Instant::now(),
            is_noted: false,
            durable: None,
            lost_at: None,
            sent_us: AtomicI64::new(i64::MIN),
            lost_due_us: i64::MAX,
        }
    }

    /// The attempts at an offer of one element by a script that notes its work, and does it once.
    pub(crate) fn noted(session: &'a Session, keys: &'a QueueKeys, element: &Element) -> Self {
        Self {
            is_noted: true,
            ..Self::new(session, keys, std::iter::once(element.when), element.size())
        }
    }

    /// Has each attempt wait until the element is this durable.
    pub(crate) fn durably(mut self, durable: Option<Durable>) -> Self {
        self.durable = durable;
        self
    }

    /// Sets how many bytes the next attempts send.
    pub(crate) fn set_bytes(&mut self, bytes: usize) {
        self.bytes = bytes;
    }

    /// Makes attempts until the outcome is known, or another attempt would not be safe.
    ///
    /// Call it again if the script did nothing for its own reason.
    pub(crate) async fn run<F>(
        &mut self,
        script: impl Fn(Connection, Attempt) -> F,
    ) -> Result<Stored<Answer>, Failed>
    where
        F: Future<Output = RedisResult<Attempted>>,
    {
        check_command(self.bytes).map_err(|error| self.end(error))?;
        if self.lost_at.is_none() {
            self.started = Instant::now();
        }
        self.go_on(None, script).await
    }

    /// Continues after the result of a first attempt, if one was made.
    pub(super) async fn go_on<F>(
        &mut self,
        mut first: Option<Result<Tried, Failure>>,
        script: impl Fn(Connection, Attempt) -> F,
    ) -> Result<Stored<Answer>, Failed>
    where
        F: Future<Output = RedisResult<Attempted>>,
    {
        let mut pauses = Pauses::new(self.options().longest_pause());
        loop {
            let attempted = match first.take() {
                Some(attempted) => attempted,
                None => {
                    if let Err(closed) = self.session.ensure_open() {
                        return Err(self.end(closed));
                    }
                    self.attempt(&script).await
                }
            };
            match attempted {
                Ok(Tried::Done(stored)) => return Ok(stored),
                // Redis's clock was set forward since its last report; this reply brought a new
                // one.
                Ok(Tried::TooLate(_)) if self.lost_at.is_none() && self.time_left() => {}
                Ok(Tried::TooLate(server)) => return Err(self.end(self.too_late(&server))),
                Err(failure) => self.rest(failure, pauses.next()).await?,
            }
        }
    }

    /// Rests for a `pause` or longer after an attempt that failed, if another one may follow.
    async fn rest(&mut self, failure: Failure, pause: Duration) -> Result<(), Failed> {
        let lost = if let Failure::Lost(met) = &failure {
            self.lost_at = Some(Arc::clone(&met.server));
            let due_us = add(self.sent_us(), self.shortest);
            self.lost_due_us = self.lost_due_us.min(due_us);
            true
        } else {
            false
        };
        let again = if lost {
            self.is_repeatable()
        } else {
            failure.may_pass()
        };
        // Wait until the lost attempt is no longer fresh. From then on it looks for the traces of
        // the next attempt or of a cancel.
        let pause = match self.lost_at {
            Some(_) => pause.max(2 * Self::FRESH),
            None => pause,
        };
        let again = again && self.started.elapsed() + pause < self.retry_window();
        if again || lost {
            sleep(pause).await;
        }
        if again {
            Ok(())
        } else {
            Err(self.failed(failure))
        }
    }

    /// How the offer ends because of `error`.
    pub(crate) fn end(&self, error: Error) -> Failed {
        match &self.lost_at {
            Some(server) => Failed::Unknown {
                server: Arc::clone(server),
                failure: None,
            },
            None => Failed::Certain(error),
        }
    }

    /// The error if Redis took longer than the whole window and wrote nothing.
    fn too_late(&self, server: &str) -> Error {
        Error::TooLate {
            server: server.to_owned(),
            queue: Some(self.keys.name().to_owned()),
        }
    }

    pub(super) async fn attempt<F>(
        &self,
        script: impl Fn(Connection, Attempt) -> F,
    ) -> Result<Tried, Failure>
    where
        F: Future<Output = RedisResult<Attempted>>,
    {
        let sent = Instant::now();
        let work = |connection: Connection| async {
            // Dated here, because a new connection first reports Redis's clock.
            let attempted = script(connection.clone(), self.terms()).await?;
            let (server_us, head_due_us) = (attempted.server_us, attempted.head_due_us);
            self.session.learn(self.keys, sent, server_us, head_due_us);
            let Some(done) = attempted.done else {
                return Ok(Tried::TooLate(Arc::clone(connection.server())));
            };
            let shortfall = match self.durable {
                None => None,
                Some(durable) => self.confirm(connection, done.wrote(), durable).await?,
            };
            Ok(Tried::Done(Stored { done, shortfall }))
        };
        let lane = match self.durable {
            None => Lane::Usual,
            Some(_) => Lane::Durable,
        };
        let calls = &self.session.calls;
        // In a box, since most offers wait for the attempt of another: their futures have no room for
        // it.
        Box::pin(calls.send(lane, self.keys.slot(), self.bytes, work)).await
    }

    /// Waits until what an attempt did on this connection is durable.
    ///
    /// `WAIT` concerns the last write of its own connection, and answers at once if there is none. So
    /// an attempt that found the work done writes something first. (Before Redis 7.2, any command
    /// counts as a write.)
    async fn confirm(
        &self,
        connection: Connection,
        wrote: Option<bool>,
        durable: Durable,
    ) -> RedisResult<Option<Shortfall>> {
        let Some(wrote) = wrote else {
            return Ok(None);
        };
        let until = Instant::now() + durable.within;
        let confirming = async {
            if !wrote || self.lost_at.is_some() {
                script::mark(connection.clone(), self.keys).await?;
            }
            connection.acknowledged(durable.wanted, until).await
        };
        let (got, refusal) = match confirming.await.map_err(unless_former_master) {
            Ok(got) if got.meets(durable.wanted) => return Ok(None),
            Ok(got) => (got, None),
            Err(error) if is_loss(&error) => return Err(error),
            Err(error) => (Acknowledged::default(), Some(Cause::of(error))),
        };
        Ok(Some(Shortfall {
            server: Arc::clone(connection.server()),
            wanted: durable.wanted,
            got,
            refusal,
        }))
    }

    fn terms(&self) -> Attempt {
        // The lower bound: an attempt should rather count as late than as fresh.
        let node = self.session.node(self.keys);
        let now_us = node.clock().at_least_us(Instant::now());
        let now_us = now_us.unwrap_or(0);
        self.sent_us.store(now_us, Relaxed);
        let left = self.window().saturating_sub(self.started.elapsed());
        let mut write_until_us = add(now_us, left);
        if self.remember().is_zero() {
            // Redis's clock may have gone forward since a lost attempt, whose element may have become due
            // and left.
            write_until_us = write_until_us.min(self.lost_due_us);
        }
        Attempt {
            clock: self.options().clock.argument(),
            fresh_until_us: match self.lost_at {
                Some(_) => 0,
                None => add(now_us, Self::FRESH),
            },
            write_until_us,
            remember: self.remember(),
        }
    }

    /// What Redis's clock showed at least when the last attempt was sent, unix us.
    pub(super) fn sent_us(&self) -> i64 {
        self.sent_us.load(Relaxed)
    }

    /// Goes on after a first attempt that somebody else made.
    pub(super) fn note_first(&mut self, first: FailedFirst) -> Failure {
        *self.sent_us.get_mut() = first.sent_us;
        first.failure
    }

    /// True if no element can become due while an attempt may still run.
    fn outlives_attempts(&self) -> bool {
        self.shortest > self.window()
    }

    fn is_repeatable(&self) -> bool {
        self.is_noted || self.outlives_attempts() || self.options().remember_offers
    }

    /// How long Redis should remember the ids.
    fn remember(&self) -> Duration {
        // Redisson moves elements by a clock of its own. So an element may have left before it is due by
        // Redis's clock.
        if self.is_noted || self.options().remember_offers {
            Options::id_memory(self.bytes)
        } else {
            Duration::ZERO
        }
    }

    fn time_left(&self) -> bool {
        self.started.elapsed() < self.retry_window()
    }

    fn retry_window(&self) -> Duration {
        self.options().retry_window(self.bytes)
    }

    /// How long after the offer began an attempt may take effect.
    fn window(&self) -> Duration {
        self.options().offer_window() + extra_time(self.bytes)
    }

    fn failed(&self, failure: Failure) -> Failed {
        match &self.lost_at {
            Some(server) => Failed::Unknown {
                server: Arc::clone(server),
                failure: Some(failure),
            },
            None => Failed::Certain(failure.into_error(Step::Offer).of_due(self.longest)),
        }
    }

    fn options(&self) -> &Options {
        &self.session.options
    }
}

fn add(unix_us: i64, time: Duration) -> i64 {
    unix_us.saturating_add(i64::try_from(time.as_micros()).unwrap_or(i64::MAX))
}

impl Failed {
    /// The error of an offer of one element.
    pub(crate) fn into_error(self, ticket: Ticket, queue: &str) -> Error {
        let error = match self {
            Self::Certain(error) => error,
            Self::Unknown { server, failure } => Error::OutcomeUnknown {
                server: server.to_string(),
                queue: None,
                ticket,
                source: failure.map(|failure| Cause::of(failure.into_redis_error())),
            },
        };
        error.on_queue(queue)
    }

    /// The error of offers to a queue, without a ticket.
    pub(crate) fn into_cause(self, session: &Session, queue: &str) -> Error {
        let failure = match self {
            Self::Certain(error) => return error.on_queue(queue),
            Self::Unknown {
                failure: Some(failure),
                ..
            } => failure,
            // An attempt was lost before.
            Self::Unknown { server, .. } => match session.ensure_open() {
                Ok(()) => Failure::Lost(Met {
                    server,
                    error: timed_out(),
                }),
                Err(closed) => return closed,
            },
        };
        failure.into_error(Step::Offer).on_queue(queue)
    }
}
