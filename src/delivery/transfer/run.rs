//! One run of the transfer: sent, and taken in.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use futures::poll;

use super::Service;
use crate::delivery::transfer::agenda::{Agenda, Run, Watched};
use crate::error::Step;
use crate::event::Event;
use crate::link::clock::{after_us, midpoint};
use crate::link::connection::Failure;
use crate::ticket::Ticket;
use crate::wire::script::{self, Known, Transferred};

/// A run of the script that is over.
pub(super) struct Ran {
    pub(super) run: Run,
    pub(super) sent: Instant,
    pub(super) received: Instant,
    pub(super) result: Result<Transferred, Failure>,
}

impl Service {
    /// The most elements to move in one run.
    const MOST: usize = 1_000;
    /// A run that takes longer moves too many: it holds up all who use the server. But most of it
    /// may be what a run costs that moves any at all.
    const LONG: Duration = Duration::from_millis(80);
    /// A run that takes longer must move fewer: one that outlasts the response timeout costs the
    /// connection.
    const SLOW: Duration = Duration::from_millis(200);
    /// How far ahead of its due time an unreadable member is taken out: before a Redisson client,
    /// which meets it when it is due by its own clock and then fails for ever.
    const LOOK_AHEAD: Duration = Duration::from_secs(5);

    /// Sends a run of the script, after what has to be known of the ordering list first.
    pub(super) fn transfer(&self, mut run: Run) -> BoxFuture<'static, Ran> {
        let link = Arc::clone(&self.link);
        let clock = self.options.clock;
        let look_ahead = if run.is_poll {
            Self::LOOK_AHEAD
        } else {
            Duration::ZERO
        };
        async move {
            let mut sent = Instant::now();
            let result = async {
                let (keys, limit, mover) = (&run.keys, run.limit, &run.mover);
                let heads = run.placing.prepare(&link, keys, limit).await?;
                let guesses = run.placing.guesses(&heads);
                let known = Known {
                    guesses: &guesses,
                    large_score: &run.large_score,
                };
                sent = Instant::now();
                let moved = keys.moved(link.database());
                let told = script::Told {
                    channel: &moved,
                    peer: mover.peer.to_string(),
                    takes: mover.takes,
                    wanted: mover.wanted,
                    waiting: mover.waiting(),
                };
                let call = link.call(|it| {
                    script::transfer(it, keys, clock, limit, look_ahead, known, Some(&told))
                });
                let mut call = pin!(call);
                let transferred = match poll!(&mut call) {
                    Poll::Ready(result) => result?,
                    Poll::Pending => {
                        // It is sent, and a claim that is sent from here on finds what it moves.
                        run.expect();
                        call.await?
                    }
                };
                run.placing.forget(&heads, &transferred);
                Ok(transferred)
            }
            .await;
            Ran {
                sent,
                received: Instant::now(),
                result,
                run,
            }
        }
        .boxed()
    }

    /// Takes in what a run reported. True if the queue needs no looking after any more.
    pub(super) fn take_in(&self, agenda: &mut Agenda, ran: Ran) -> bool {
        let name = &ran.run.name;
        let Some(watched) = agenda.get_mut(name) else {
            return false;
        };
        let took = ran.received.saturating_duration_since(ran.sent);
        watched.limit = Self::next_limit(watched.limit, took, &ran.result);
        let transferred = match ran.result {
            Ok(transferred) => transferred,
            Err(failure) => {
                let retry = Instant::now() + watched.backoff.next();
                self.report_quarantined(watched, true);
                self.report_failure(watched, failure);
                agenda.fail(name, retry);
                return false;
            }
        };
        self.clock
            .observe(ran.sent, ran.received, transferred.server_us);
        tracing::trace!(queue = %name, moved = transferred.moved, "transferred");
        watched.herd.ran(took, transferred.server_us);
        watched.backoff.reset();
        watched.placing = ran
            .run
            .placing
            .after(&transferred, &mut watched.no_survey_before);
        watched.paused = transferred.is_paused;
        if std::mem::take(&mut watched.failing) {
            let queue = name.to_string();
            self.reporter.report(Event::TransferResumed { queue });
        }
        if transferred.claimable > 0 {
            watched.hint();
        }
        // A queue without handles is still looked after until all that is scheduled has moved.
        // A handle may have gone behind what it told: that is known by now, or waits to be heard.
        let retired = ran.run.is_poll
            && transferred.is_drained()
            && watched.ends.strong_count() == 0
            && !watched.has_news(Instant::now())
            && self.requests.is_empty();
        // The script ran in the middle of the round trip, so the next will arrive half a round trip
        // after the due time: had it come before, there would have to be another.
        let head = transferred
            .head_us
            .map(|us| after_us(midpoint(ran.sent, ran.received), us));
        // Half of Redis's time is for others while the ordering list is tidied.
        let tidying = transferred
            .quarantined
            .is_untidy
            .then(|| Instant::now() + took);
        let was_tidying = std::mem::replace(&mut watched.tidying, tidying.is_some());
        if was_tidying || watched.tidying || transferred.quarantined.count > 0 {
            // The state notes what is to be tidied: our own write, by which Redis forgets who asked
            // to be told of changes.
            watched.release();
        }
        watched.quarantine.add(transferred.quarantined);
        watched.large_score = transferred.large_score;
        self.report_quarantined(watched, retired);
        let report = watched.quarantine.due(Instant::now());
        self.report_expired(name, transferred.expired);
        agenda.finish(name, head.into_iter().chain(tidying).chain(report).min());
        retired
    }

    /// How many elements to move in the next run, after one of up to `limit` that came to this.
    fn next_limit(limit: usize, took: Duration, result: &Result<Transferred, Failure>) -> usize {
        match result {
            Err(Failure::Lost(_)) => (limit / 4).max(1),
            _ if took > Self::SLOW => (limit / 4).max(1),
            _ if took > Self::LONG => limit.min((limit / 2).max(Self::BATCH)),
            Ok(it) if it.left() >= limit => (limit * 2).min(Self::MOST),
            // As many as fit, and to ask for more would be in vain.
            Ok(it) if it.left() > Self::BATCH && it.is_cut() => it.left(),
            _ => limit,
        }
    }

    /// Tells whom it concerns that the transfer fails, once until it does not.
    fn report_failure(&self, watched: &mut Watched, failure: Failure) {
        if matches!(failure, Failure::Refused(_)) && !std::mem::replace(&mut watched.failing, true)
        {
            self.reporter.report(Event::TransferFailed {
                queue: watched.keys.target().to_owned(),
                error: failure.into_error(Step::Transfer),
            });
        }
    }

    /// Reports the malformed members that were taken out; not after every run, unless this is the
    /// last of the queue.
    pub(super) fn report_quarantined(&self, watched: &mut Watched, is_last: bool) {
        let queue = watched.keys.target();
        if let Some(event) = watched
            .quarantine
            .next_report(queue, is_last, Instant::now())
        {
            self.reporter.report(event);
        }
    }

    /// Reports the members that were removed because they had expired.
    fn report_expired(&self, name: &str, expired: Vec<Vec<u8>>) {
        for member in expired {
            if let Ok(ticket) = Ticket::from_bytes(member) {
                self.reporter.report(Event::Expired {
                    queue: name.to_owned(),
                    ticket,
                });
            }
        }
    }
}
