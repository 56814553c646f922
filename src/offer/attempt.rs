//! The attempts at an offer, and when another one is safe.

use std::time::{Duration, Instant};

use redis::RedisResult;
use tokio::time::sleep;

use super::{Due, Element};
use crate::client::session::Shared;
use crate::error::{Error, Step};
use crate::link::backoff::Backoff;
use crate::link::clock::{after_us, midpoint};
use crate::link::connection::{Connection, Failure, extra_time};
use crate::options::Options;
use crate::payload::check_command;
use crate::ticket::Ticket;
use crate::wire::keys::QueueKeys;
use crate::wire::script::{Attempt, Attempted};

/// An offer under way, of one element or of several in one script.
#[derive(Debug)]
pub(crate) struct Offer<'a> {
    client: &'a Shared,
    keys: &'a QueueKeys,
    /// The elements are due after this time at the earliest,
    shortest: Duration,
    /// and after this time at the latest.
    longest: Duration,
    /// How many bytes an attempt sends. It has the more time.
    bytes: usize,
    pub(super) started: Instant,
    /// The script notes under the id what it did.
    is_noted: bool,
    /// An attempt was sent and no reply to it came.
    may_be_written: bool,
}

/// Why an offer ended without a result.
#[derive(Debug)]
pub(crate) enum Failed {
    /// Nothing was written, nor will be.
    Certain(Error),
    /// An attempt may have been applied; what was reported last, if not merely lateness.
    Unknown(Option<Failure>),
}

impl<'a> Offer<'a> {
    /// An attempt that runs within this time of being sent is the first to run: a second is sent
    /// later only.
    const FRESH: Duration = Duration::from_millis(100);

    /// An offer of so many bytes: of elements that are due at these moments, of which there is one
    /// at least.
    pub(crate) fn new(
        client: &'a Shared,
        keys: &'a QueueKeys,
        due: impl Iterator<Item = Due> + Clone,
        bytes: usize,
    ) -> Self {
        let delays = due.map(|due| due.delay());
        Self {
            client,
            keys,
            bytes,
            shortest: delays.clone().min().unwrap_or_default(),
            longest: delays.max().unwrap_or_default(),
            started: Instant::now(),
            is_noted: false,
            may_be_written: false,
        }
    }

    /// An offer of one element by a script that notes what it did, and does it once.
    pub(crate) fn noted(client: &'a Shared, keys: &'a QueueKeys, element: &Element) -> Self {
        Self {
            is_noted: true,
            ..Self::new(client, keys, std::iter::once(element.due), element.size())
        }
    }

    /// Has attempts send so many bytes from now on.
    pub(crate) fn set_bytes(&mut self, bytes: usize) {
        self.bytes = bytes;
    }

    /// Makes attempts until the outcome is known, or another attempt would not be safe.
    ///
    /// To be called again if the script did nothing for a reason of its own.
    pub(crate) async fn run<T, F>(
        &mut self,
        script: impl Fn(Connection, Attempt) -> F,
    ) -> Result<T, Failed>
    where
        F: Future<Output = RedisResult<Attempted<T>>>,
    {
        check_command(self.bytes).map_err(|error| self.end(error))?;
        if !self.may_be_written {
            self.started = Instant::now();
        }
        self.go_on(None, script).await
    }

    /// Goes on behind a first attempt that came to this, if one was made.
    pub(super) async fn go_on<T, F>(
        &mut self,
        mut first: Option<Result<Option<T>, Failure>>,
        script: impl Fn(Connection, Attempt) -> F,
    ) -> Result<T, Failed>
    where
        F: Future<Output = RedisResult<Attempted<T>>>,
    {
        let mut backoff = Backoff::new(self.options().longest_pause());
        loop {
            let attempted = match first.take() {
                Some(attempted) => attempted,
                None => {
                    if let Err(closed) = self.client.ensure_open() {
                        return Err(self.end(closed));
                    }
                    self.attempt(&script).await
                }
            };
            let failure = match attempted {
                Ok(Some(done)) => return Ok(done),
                Ok(None) if self.may_be_written => return Err(Failed::Unknown(None)),
                // Redis's clock was set forward since its last report; this reply brought a new
                // one.
                Ok(None) if self.time_left() => continue,
                Ok(None) => return Err(Failed::Certain(too_late(self.client, self.keys))),
                Err(failure) => failure,
            };
            let lost = matches!(failure, Failure::Lost(_));
            let again = if lost {
                self.is_repeatable()
            } else {
                failure.is_passing()
            };
            let mut wait = backoff.next();
            if lost || self.may_be_written {
                self.may_be_written = true;
                // Until the attempt is not fresh any more: what runs from then on looks for what
                // the next attempt, or a cancel with the ticket, has left behind.
                wait = wait.max(2 * Self::FRESH);
            }
            let again = again && self.started.elapsed() + wait < self.retry_window();
            if again || lost {
                sleep(wait).await;
            }
            if !again {
                return Err(self.failed(failure));
            }
        }
    }

    /// What becomes of the offer if it ends because of something else.
    pub(crate) fn end(&self, error: Error) -> Failed {
        if self.may_be_written {
            Failed::Unknown(None)
        } else {
            Failed::Certain(error)
        }
    }

    /// Nothing if the attempt ran too late.
    pub(super) async fn attempt<T, F>(
        &self,
        script: impl Fn(Connection, Attempt) -> F,
    ) -> Result<Option<T>, Failure>
    where
        F: Future<Output = RedisResult<Attempted<T>>>,
    {
        let sent = Instant::now();
        let attempted = self
            .client
            // Dated only when there is a connection, for a new one brings the first report of
            // Redis's clock.
            .send(self.bytes, |connection| script(connection, self.terms()))
            .await?;
        let received = Instant::now();
        self.client
            .clock
            .observe(sent, received, attempted.server_us);
        if let Some(due_us) = attempted.head_due_us {
            let due = after_us(midpoint(sent, received), due_us);
            self.client.has_new_head(self.keys, due);
        }
        Ok(attempted.done)
    }

    fn terms(&self) -> Attempt {
        // The lower bound of it, for an attempt must rather be taken for late.
        let now_us = self.client.clock.at_least_us(Instant::now()).unwrap_or(0);
        let after = |time: Duration| {
            now_us.saturating_add(i64::try_from(time.as_micros()).unwrap_or(i64::MAX))
        };
        let window = self.window();
        Attempt {
            clock: self.options().clock.argument(),
            fresh_until_us: if self.may_be_written {
                0
            } else {
                after(Self::FRESH)
            },
            expires_us: after(window.saturating_sub(self.started.elapsed())),
            remember: self.remember(),
        }
    }

    /// Whether no element can leave the queue by becoming due while attempts may still run.
    fn outlives_attempts(&self) -> bool {
        self.shortest > self.window()
    }

    fn is_repeatable(&self) -> bool {
        self.is_noted || self.outlives_attempts() || self.options().remember_offers
    }

    /// How long Redis is to remember the ids.
    fn remember(&self) -> Duration {
        if self.is_noted || self.options().remember_offers && !self.outlives_attempts() {
            Options::settled(self.bytes)
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

    /// For how long after the offer was made an attempt at it may take effect.
    fn window(&self) -> Duration {
        self.options().offer_window() + extra_time(self.bytes)
    }

    fn failed(&self, failure: Failure) -> Failed {
        if self.may_be_written {
            return Failed::Unknown(Some(failure));
        }
        Failed::Certain(failure.into_error(Step::Offer).of_due(self.longest))
    }

    fn options(&self) -> &Options {
        &self.client.options
    }
}

impl Failed {
    /// The error of an offer of one element to a server and a queue.
    pub(crate) fn into_error(self, ticket: Ticket, server: &str, queue: &str) -> Error {
        let error = match self {
            Self::Certain(error) => error,
            Self::Unknown(failure) => Error::OutcomeUnknown {
                server: server.to_owned(),
                queue: None,
                ticket,
                source: failure.map(|failure| failure.into_redis_error().into()),
            },
        };
        error.on_queue(queue)
    }
}

/// Redis took longer than the whole window, and says that it wrote nothing.
pub(super) fn too_late(client: &Shared, keys: &QueueKeys) -> Error {
    Error::TooLate {
        server: client.commands.server().to_owned(),
        queue: Some(keys.target().to_owned()),
    }
}
