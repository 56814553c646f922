//! Giving elements another due time.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::RawQueue;
use crate::clock::{after_us, midpoint};
use crate::error::{Error, Result, Step};
use crate::options::Options;
use crate::script::{self, NewTime, Reschedule};
use crate::ticket::Ticket;
use crate::transfer::Request;

impl RawQueue {
    pub(crate) async fn reschedule(&self, ticket: &Ticket, delay: Duration) -> Result<bool> {
        let ms = whole_ms(delay).ok_or(Error::DelayTooLong { delay })?;
        self.change_time(ticket, NewTime::In(ms), delay).await
    }

    pub(crate) async fn reschedule_at(&self, ticket: &Ticket, due: SystemTime) -> Result<bool> {
        let since_epoch = due.duration_since(UNIX_EPOCH).unwrap_or_default();
        let delay = due.duration_since(SystemTime::now()).unwrap_or_default();
        let ms = whole_ms(since_epoch).ok_or(Error::DelayTooLong { delay })?;
        self.change_time(ticket, NewTime::At(ms), delay).await
    }

    pub(crate) async fn promote(&self, ticket: &Ticket) -> Result<bool> {
        self.change_time(ticket, NewTime::Now, Duration::ZERO).await
    }

    /// Changes the due time; `delay` is for the message of an error.
    async fn change_time(&self, ticket: &Ticket, time: NewTime, delay: Duration) -> Result<bool> {
        let options = &self.client.options;
        // The same in every attempt, so a repeated one finds that another has been there.
        let call = rand::random();
        let (sent, received, rescheduled) = self
            .client
            .call(Step::Reschedule, true, |connection| async move {
                let reschedule = Reschedule {
                    ticket,
                    time,
                    clock: options.clock,
                    remember: Options::SETTLED,
                    call,
                    repeatable: options.repeat_window(),
                };
                let sent = Instant::now();
                let rescheduled = script::reschedule(connection, &self.keys, &reschedule).await?;
                Ok((sent, Instant::now(), rescheduled))
            })
            .await
            .map_err(|error| match error {
                Error::Refused { source, .. } if source.code() == Some("RDQRANGE") => {
                    Error::DelayTooLong { delay }
                }
                Error::Refused { source, .. } if source.code() == Some("RDQEXPIRY") => {
                    Error::ExpiresBeforeDue
                }
                error => error,
            })?;
        self.client
            .clock
            .observe(sent, received, rescheduled.server_us);
        if let Some(due_us) = rescheduled.head_due_us {
            self.client.request(Request::NewHead {
                name: self.keys.target().to_owned(),
                due: after_us(midpoint(sent, received), due_us),
            });
        }
        Ok(rescheduled.was_pending)
    }
}

/// Up to a whole millisecond, for an element is never early; nothing past the largest score that
/// Redisson reads back as the integer it was.
fn whole_ms(duration: Duration) -> Option<u64> {
    u64::try_from(duration.as_nanos().div_ceil(1_000_000))
        .ok()
        .filter(|ms| *ms <= 1 << 53)
}
