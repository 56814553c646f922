//! One offer: its attempts, and when another one is safe.
//!
//! An attempt whose reply was lost may have run, or may yet run. Sending it again is harmless while
//! the element is pending, for the member carries its own id and is added only if absent. What
//! could go wrong is that the element leaves the queue between two attempts, and three rules see to
//! that:
//!
//! - An element that may become due in between is not offered again, unless Redis remembers its id.
//! - A removal leaves the id behind for a while, and every attempt that does not run at once after
//!   it was sent looks for it. Only a first attempt can run at once, so the usual case pays
//!   nothing.
//! - After the window no attempt takes effect: each says until when it may run, by Redis's clock.

use std::time::{Duration, Instant};

use redis::{ErrorKind, RedisError};
use tokio::time::sleep;

use crate::backoff::Backoff;
use crate::clock::{after_us, midpoint};
use crate::connection::Failure;
use crate::error::{Error, Result, Step};
use crate::keys::QueueKeys;
use crate::options::Options;
use crate::script::{self, Offered, Outcome};
use crate::shared::Shared;
use crate::ticket::Ticket;
use crate::transfer::Request;

/// An offer under way.
#[derive(Debug)]
pub(crate) struct Offer<'a> {
    client: &'a Shared,
    keys: &'a QueueKeys,
    ticket: Ticket,
    delay: Duration,
    delay_ms: u64,
    started: Instant,
    /// An attempt was sent and no reply to it came.
    may_be_written: bool,
}

impl<'a> Offer<'a> {
    /// An attempt that runs within this time of being sent is the first to run: a second is sent
    /// later only.
    const FRESH: Duration = Duration::from_millis(100);

    /// # Errors
    ///
    /// [`Error::DelayTooLong`] if no clock could make the delay a score.
    pub(crate) fn new(
        client: &'a Shared,
        keys: &'a QueueKeys,
        ticket: Ticket,
        delay: Duration,
    ) -> Result<Self> {
        // Up to a whole millisecond, for an element is never early.
        let delay_ms = u64::try_from(delay.as_nanos().div_ceil(1_000_000))
            .ok()
            .filter(|ms| *ms <= MAX_SCORE)
            .ok_or(Error::DelayTooLong { delay })?;
        Ok(Self {
            client,
            keys,
            ticket,
            delay,
            delay_ms,
            started: Instant::now(),
            may_be_written: false,
        })
    }

    /// Makes attempts until the outcome is known, or another attempt would not be safe.
    pub(crate) async fn run(mut self) -> Result<Ticket> {
        let mut backoff = Backoff::new(self.options().longest_pause());
        loop {
            if let Err(closed) = self.client.ensure_open() {
                return Err(if self.may_be_written {
                    self.unknown(None)
                } else {
                    closed
                });
            }
            let failure = match self.attempt().await {
                Ok(offered) => match offered.outcome {
                    Outcome::Settled => return Ok(self.ticket),
                    Outcome::TooLate if self.may_be_written => return Err(self.unknown(None)),
                    // Redis's clock was set forward since its last report; this reply brought a new
                    // one.
                    Outcome::TooLate if self.time_left() => continue,
                    Outcome::TooLate => return Err(self.too_late()),
                },
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
            let again = again && self.started.elapsed() + wait < self.options().retry_window;
            if again || lost {
                sleep(wait).await;
            }
            if !again {
                return Err(self.failed(failure));
            }
        }
    }

    async fn attempt(&self) -> Result<Offered, Failure> {
        let sent = Instant::now();
        let offered = self
            .client
            .commands
            .call(|connection| {
                // Only here, for a new connection brings the first report of Redis's clock.
                // The lower bound of it, for an attempt must rather be taken for late.
                let now_us = self.client.clock.at_least_us(Instant::now()).unwrap_or(0);
                let after = |time: Duration| {
                    now_us.saturating_add(i64::try_from(time.as_micros()).unwrap_or(i64::MAX))
                };
                let left = self.options().offer_window();
                let attempt = script::Offer {
                    member: self.ticket.as_bytes(),
                    id: self.ticket.id(),
                    delay_ms: self.delay_ms,
                    clock: self.options().clock,
                    fresh_until_us: if self.may_be_written {
                        0
                    } else {
                        after(Self::FRESH)
                    },
                    expires_us: after(left.saturating_sub(self.started.elapsed())),
                    remember: self.remember(),
                };
                async move { script::offer(connection, self.keys, &attempt).await }
            })
            .await?;
        let received = Instant::now();
        self.client.clock.observe(sent, received, offered.server_us);
        if let Some(due_us) = offered.head_due_us {
            self.client.request(Request::NewHead {
                name: self.keys.target().to_owned(),
                due: after_us(midpoint(sent, received), due_us),
            });
        }
        Ok(offered)
    }

    /// Whether the element cannot leave the queue by becoming due while attempts may still run.
    fn outlives_attempts(&self) -> bool {
        self.delay > self.options().offer_window()
    }

    fn is_repeatable(&self) -> bool {
        self.outlives_attempts() || self.options().remember_offers
    }

    /// How long Redis is to remember the id.
    fn remember(&self) -> Duration {
        if self.options().remember_offers && !self.outlives_attempts() {
            Options::SETTLED
        } else {
            Duration::ZERO
        }
    }

    fn time_left(&self) -> bool {
        self.started.elapsed() < self.options().retry_window
    }

    fn failed(self, failure: Failure) -> Error {
        if self.may_be_written {
            return self.unknown(Some(failure));
        }
        match failure {
            Failure::Refused(error) if error.code() == Some("RDQRANGE") => {
                Error::DelayTooLong { delay: self.delay }
            }
            failure => failure.into_error(Step::Offer),
        }
    }

    /// Redis took longer than the whole window, and says that it wrote nothing.
    fn too_late(&self) -> Error {
        Error::Refused {
            step: Step::Offer,
            source: RedisError::from((ErrorKind::Client, "the offer came after its window")),
        }
    }

    fn unknown(&self, failure: Option<Failure>) -> Error {
        Error::OutcomeUnknown {
            ticket: self.ticket.clone(),
            source: failure.map(Failure::into_redis_error),
        }
    }

    fn options(&self) -> &Options {
        &self.client.options
    }
}

/// The largest score that Redisson reads back as the integer it was.
const MAX_SCORE: u64 = 1 << 53;
