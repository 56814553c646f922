//! Sending a run of the transfer script, and reading its reply. `agenda::planned` is the run itself.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join};
use futures::poll;
use tokio::time::Instant;
use tracing::Instrument;

use super::pace::Took;
use super::{QuarantineReports, Service};
use crate::delivery::intake::Signal;
use crate::delivery::transfer::agenda::{Agenda, PlannedRun, Ran, Watched};
use crate::error::Step;
use crate::event::Event;
use crate::link::clock::{Clock, after_us, midpoint};
use crate::link::connection::{Connection, Failure, Link};
use crate::metric;
use crate::ticket::Ticket;
use crate::trace;
use crate::wire::script::{self, Transfer, Transferred};

impl Service {
    /// How long before its due time an unreadable member is taken out. A Redisson client that meets
    /// it when it is due, by its own clock, would fail forever.
    const UNREADABLE_AHEAD: Duration = Duration::from_secs(5);

    /// Makes a run, and notes when its script was sent and answered.
    pub(super) fn transfer(&self, mut run: PlannedRun) -> BoxFuture<'static, Ran> {
        let link = Arc::clone(&self.link);
        let clock = self.options.clock;
        let span = trace::transfer(run.keys.name());
        async move {
            let mut sent = Instant::now();
            let send = Self::send(&mut run, &link, clock, &mut sent);
            let (result, busy) = match send.instrument(span.clone()).await {
                Ok((transferred, busy)) => {
                    span.record("moved", transferred.moved);
                    (Ok(transferred), busy)
                }
                Err(failure) => (Err(failure), None),
            };
            Ran {
                sent,
                received: Instant::now(),
                busy,
                result,
                run,
            }
        }
        .boxed()
    }

    /// Sends the script of a run, and sets `sent` then. Reads the ordering list before, if the run
    /// needs that. Also returns how long Redis was busy, if the run is timed.
    async fn send(
        run: &mut PlannedRun,
        link: &Arc<Link>,
        clock: Clock,
        sent: &mut Instant,
    ) -> Result<(Transferred, Option<Duration>), Failure> {
        let look_ahead = if run.is_poll {
            Self::UNREADABLE_AHEAD
        } else {
            Duration::ZERO
        };
        let (keys, mover) = (&run.keys, &run.mover);
        let heads = run.placing.prepare(link, keys, run.limit).await?;
        let transfer = Transfer {
            clock,
            limit: run.limit,
            look_ahead,
            measures: metric::IS_ON,
            guesses: &run.placing.guesses(&heads),
            bulky_score: &run.bulky_score,
            channel: &keys.moved(link.database()),
            mover: &mover.peer.to_string(),
            takes: mover.takes,
            wanted: mover.wanted,
            waiting: &mover.waiting(),
        };
        *sent = Instant::now();
        let is_timed = run.is_timed;
        let call = link.call(|it| async move {
            let end = Self::end(it.clone(), is_timed);
            let ran = script::transfer(it, keys, transfer);
            // Sent in this order.
            let (ran, end_us) = join(ran, end).await;
            Ok((ran?, end_us))
        });
        let mut call = pin!(call);
        let (transferred, end_us) = match poll!(&mut call) {
            Poll::Ready(result) => result?,
            Poll::Pending => {
                // The script is on its way. A claim sent after it finds the elements that it moves.
                run.expect();
                call.await?
            }
        };
        run.placing.forget(&heads, &transferred);
        let busy = end_us.and_then(|it| busy(&transferred, it));
        Ok((transferred, busy))
    }

    /// The clock of Redis at the end of a run that is timed, unix us. A script cannot say it: the
    /// clock of newer servers stands still meanwhile.
    async fn end(mut connection: Connection, is_timed: bool) -> Option<i64> {
        if !is_timed {
            return None;
        }
        let time = redis::cmd("TIME").query_async(&mut connection).await;
        let (seconds, us): (i64, i64) = time.ok()?;
        Some(seconds * 1_000_000 + us)
    }

    /// Notes the result of a run. True if the queue is abandoned and nothing is left to move.
    pub(super) fn record_run(&self, agenda: &mut Agenda, ran: Ran) -> bool {
        let took = ran.took();
        let Ran {
            run,
            sent,
            received,
            result,
            ..
        } = ran;
        let name = Arc::clone(&run.name);
        match &result {
            Ok(transferred) => run.meter.transferred(transferred, took.round_trip),
            Err(_) => run.meter.transfer_failed(),
        }
        if let Ok(transferred) = &result {
            let clock = self.link.clock();
            clock.observe(sent, received, transferred.server_us);
            if let Some(by) = clock.take_back() {
                let server = self.link.server().to_string();
                self.reporter.report(Event::ClockWentBack { server, by });
            }
            self.reporter.moved(transferred.moved);
            self.report_expired(run.keys.name(), &transferred.expired);
        }
        let Some(watched) = agenda.get_mut(&name) else {
            // Another node has the queue by now. The elements that the run took out have left Redis
            // all the same.
            if let Ok(transferred) = result {
                let mut quarantine = QuarantineReports::default();
                quarantine.add(transferred.quarantined);
                self.report_quarantine(run.keys.name(), &mut quarantine, true);
            }
            return false;
        };
        match result {
            Ok(transferred) => {
                let middle = midpoint(sent, received);
                let (next, retired) = self.record_transfer(watched, run, transferred, middle, took);
                agenda.finish(&name, next);
                retired
            }
            Err(failure) => {
                if matches!(failure, Failure::Lost(_)) {
                    watched.pace.lost();
                }
                let retry = Instant::now() + watched.pauses.next();
                self.report_quarantined(watched, true);
                self.report_failure(watched, failure);
                agenda.fail(&name, retry);
                false
            }
        }
    }

    /// Notes the result of a run. `middle` is the middle of its round trip. Returns when there is
    /// something to do next, and whether the queue is abandoned and nothing is left to move.
    fn record_transfer(
        &self,
        watched: &mut Watched,
        run: PlannedRun,
        transferred: Transferred,
        middle: Instant,
        took: Took,
    ) -> (Option<Instant>, bool) {
        watched
            .pace
            .ran(took, transferred.left(), transferred.is_cut());
        tracing::trace!(
            queue = watched.keys.name(),
            moved = transferred.moved,
            "transferred"
        );
        watched.herd.ran(took.round_trip, transferred.server_us);
        watched.pauses.reset();
        watched.placing = run
            .placing
            .after(&transferred, &mut watched.no_survey_before);
        watched.paused = transferred.is_paused;
        if std::mem::take(&mut watched.failing) {
            let queue = watched.keys.name().to_owned();
            self.reporter.report(Event::TransferResumed { queue });
        }
        if transferred.claimable > 0 {
            watched.tell(Signal::Claimable);
        }
        // A queue without handles is watched until all its pending elements have moved.
        let retired = run.is_poll && transferred.is_drained() && self.is_retired(watched);
        // Assumes that the script ran in the middle of the round trip. The next run then arrives
        // half a round trip after the due time. A run that arrived before it would be in vain.
        let head = transferred.head_us.map(|us| after_us(middle, us));
        let tidying = Self::note_tidying(watched, &transferred, took.round_trip);
        // Waits as long as the run took, so returning leases uses at most half of Redis's time.
        let returning = (transferred.ran_out > 0).then(|| Instant::now() + took.round_trip);
        watched.quarantine.add(transferred.quarantined);
        watched.bulky_score = transferred.bulky_score;
        self.report_quarantined(watched, retired);
        let report = watched.quarantine.due(Instant::now());
        let next = head
            .into_iter()
            .chain(tidying)
            .chain(returning)
            .chain(report);
        let next = next.min();
        (next, retired)
    }

    /// True if nobody needs a queue any more whose pending elements have all moved.
    fn is_retired(&self, watched: &Watched) -> bool {
        // A handle that is gone may have left a request. The agenda knows it by now, or it waits in
        // the channel.
        watched.sides.strong_count() == 0
            && !watched.has_news(Instant::now())
            && self.requests.is_empty()
    }

    /// Notes whether the ordering list must still be tidied, and returns when to go on with it.
    fn note_tidying(watched: &mut Watched, ran: &Transferred, took: Duration) -> Option<Instant> {
        let is_untidy = ran.is_untidy;
        let was_tidying = std::mem::replace(&mut watched.tidying, is_untidy);
        if was_tidying || is_untidy || ran.quarantined.count > 0 {
            // The script wrote to the state, where it notes what is left to tidy. Redis does not
            // report a client's own write to it, and forgets that this client asked for reports.
            watched.tell(Signal::Released);
        }
        // Waits as long as the run took, so tidying uses at most half of Redis's time.
        is_untidy.then(|| Instant::now() + took)
    }

    /// Reports that the transfer is refused: once, until a run succeeds.
    fn report_failure(&self, watched: &mut Watched, failure: Failure) {
        // After a redirect, another node takes the queue over.
        let is_refused = matches!(failure, Failure::Refused(_)) && !failure.is_redirect();
        if is_refused && !std::mem::replace(&mut watched.failing, true) {
            self.reporter.report(Event::TransferFailed {
                queue: watched.keys.name().to_owned(),
                error: failure.into_error(Step::Transfer),
            });
        }
    }

    /// Reports the malformed members that were taken out, if a report is due or this is the last.
    pub(super) fn report_quarantined(&self, watched: &mut Watched, is_last: bool) {
        self.report_quarantine(watched.keys.name(), &mut watched.quarantine, is_last);
    }

    fn report_quarantine(&self, queue: &str, quarantine: &mut QuarantineReports, is_last: bool) {
        if let Some(event) = quarantine.next_report(queue, is_last, Instant::now()) {
            self.reporter.report(event);
        }
    }

    fn report_expired(&self, queue: &str, expired: &[Vec<u8>]) {
        for member in expired {
            if let Ok(ticket) = Ticket::from_bytes(member.clone()) {
                self.reporter.report(Event::Expired {
                    queue: queue.to_owned(),
                    ticket,
                });
            }
        }
    }
}

/// How long Redis was busy with a run that ended by `end_us`. None if Redis did not know the script:
/// then it said the time first.
fn busy(transferred: &Transferred, end_us: i64) -> Option<Duration> {
    let us = u64::try_from(end_us - transferred.server_us).ok()?;
    Some(Duration::from_micros(us))
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;

    use redis::IntoConnectionInfo;
    use tokio::runtime::Handle;
    use tokio::sync::{mpsc, watch};

    use super::*;
    use crate::delivery::alarm::Alarm;
    use crate::event::Reporter;
    use crate::link::access::Access;
    use crate::link::endpoint::{Endpoint, Site};
    use crate::link::host::Host;
    use crate::link::node::Node;
    use crate::offer::Element;
    use crate::options::Options;
    use crate::wire::keys::QueueKeys;
    use crate::wire::packed::MemberId;
    use crate::wire::script::{Quarantined, When};

    fn service() -> Service {
        let options = Options::default();
        let info = "redis://127.0.0.1:1".into_connection_info().unwrap();
        let endpoint = Endpoint::new(Site::Fixed, info, Access::default(), options.timeouts);
        let runtime = Handle::current();
        let node = Arc::new(Node::new(endpoint, &runtime, &runtime));
        Service {
            alarm: Alarm::start(&Host::System),
            #[cfg(feature = "periodic")]
            ids: Arc::new(crate::wire::ids::IdSource::new(options.member_ids)),
            changes: watch::channel(0).1,
            is_denied: Arc::default(),
            link: Arc::clone(&node.delivery),
            subscription: Arc::clone(&node.subscription),
            pushes: node.take_pushes().unwrap(),
            node,
            options,
            reporter: Reporter::new(),
            requests: mpsc::unbounded_channel().1,
            services: Weak::new(),
        }
    }

    #[tokio::test]
    async fn what_a_run_took_out_is_reported_though_another_node_has_the_queue_by_now() {
        let service = service();
        let mut events = service.reporter.subscribe();
        let mut agenda = Agenda::new(&service.options, 0);
        let keys = Arc::new(QueueKeys::new("orders").unwrap());
        let now = Instant::now();
        agenda.watch(keys, Weak::new(), true, now);
        let run = agenda.next_run(now).unwrap();
        agenda.forget("orders").unwrap();

        let expired = Element::new(MemberId::from([7; 16]), b"17", When::After(0)).ticket;
        let transferred = Transferred {
            expired: vec![expired.as_bytes().to_vec()],
            quarantined: Quarantined {
                count: 2,
                ..Quarantined::default()
            },
            ..Transferred::default()
        };
        let ran = Ran {
            run,
            sent: now,
            received: now,
            busy: None,
            result: Ok(transferred),
        };
        assert!(!service.record_run(&mut agenda, ran));
        drop(service);
        let told = events.next().await;
        assert!(
            matches!(&told, Some(Event::Expired { ticket, .. }) if *ticket == expired),
            "{told:?}"
        );
        let told = events.next().await;
        assert!(
            matches!(told, Some(Event::Quarantined { count: 2, .. })),
            "{told:?}"
        );
    }
}
