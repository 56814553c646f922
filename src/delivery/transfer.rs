//! The transfer service: one task for each master, which moves due elements in the queues there.
//!
//! The session starts it. It sleeps until the earliest moment at which an element may be due in
//! some queue. It learns these moments from the replies to its own script, from messages on the
//! queues' channels, and from offers through the same client. An offer only brings a wake-up
//! forward. A newer message from a client that moved elements replaces it. News can be lost, so the
//! service also looks at every queue once a `safety_poll`.
//!
//! If several clients share a queue, one of them leads. The others move a little later; see `herd`.
//!
//! The service also tells the queues' takers what Redis reports about their keys, even where only
//! other clients transfer, and fires periodic offers on time.
//!
//! To read on: `agenda` says when to look at which queue, `run` sends the script and reads its
//! reply, `pace` says how many elements a run moves, `subscription` listens to the channels,
//! `survey` finds members in a long ordering list.

use std::future::pending;
use std::pin::pin;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};

use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::delivery::alarm::Alarm;
use crate::delivery::intake::Signal;
use crate::delivery::services::Services;
use crate::error::Step;
use crate::event::{Event, Reporter};
use crate::link::connection::{Failure, Link, Push, Role};
use crate::link::node::Node;
use crate::options::Options;

mod agenda;
mod arrangement;
mod connect;
mod ear;
mod pace;
#[cfg(feature = "periodic")]
mod periodic;
mod quarantine;
mod request;
mod run;
mod subscription;
mod survey;

use agenda::{Agenda, Ran};
use arrangement::{Arranged, Arrangement};
use ear::Ear;

#[cfg(feature = "periodic")]
pub(crate) use periodic::Firing;
#[cfg(all(feature = "periodic", feature = "test-util"))]
pub(crate) use periodic::fire;
pub(crate) use quarantine::QuarantineReports;
pub(crate) use request::{Request, Requests};
pub(crate) use survey::Placing;

/// The state of the task. Nothing else touches it.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) alarm: Alarm,
    #[cfg(feature = "periodic")]
    pub(crate) ids: Arc<crate::wire::ids::IdSource>,
    /// Counts the moves of slots.
    pub(crate) changes: watch::Receiver<u64>,
    /// The service has reported that a login was refused.
    pub(crate) is_denied: Arc<AtomicBool>,
    pub(crate) link: Arc<Link>,
    pub(crate) node: Arc<Node>,
    pub(crate) options: Options,
    pub(crate) pushes: UnboundedReceiver<Push>,
    pub(crate) reporter: Reporter,
    pub(crate) requests: UnboundedReceiver<Request>,
    pub(crate) services: Weak<Services>,
    pub(crate) subscription: Arc<Link>,
}

/// The runs under way.
type Runs = FuturesUnordered<BoxFuture<'static, Ran>>;

/// Waits for the next move of a slot. A single server has all of them for ever.
async fn changed(changes: &mut watch::Receiver<u64>) {
    if changes.changed().await.is_err() {
        pending().await
    }
}

impl Service {
    /// Runs until `stop` is ready, every sender of requests is gone, or the node has lost its slots.
    /// Then waits a while for the runs under way.
    pub(crate) async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut agenda = Agenda::new(&self.options, self.link.database());
        let mut runs = Runs::new();
        let mut arrangements = FuturesUnordered::from_iter([self.connect()]);
        let mut connected = None;
        let mut ear = Ear::default();
        // When the alarm will ring.
        let mut alarm_at = None;
        while !self.is_over(&agenda) {
            arrangements.extend(self.reconnect(&mut connected));
            arrangements.extend(self.listen_again(&mut agenda, &mut ear));
            if connected.is_some() {
                arrangements.extend(self.start_runs(&mut agenda, &mut runs));
                if let Some(next) = agenda.next().filter(|next| alarm_at != Some(*next)) {
                    self.alarm.set(next);
                    alarm_at = Some(next);
                }
            }
            tokio::select! {
                // Told to stop.
                () = &mut stop => break,
                // The next moment has come, or one that was replaced.
                () = self.alarm.ring() => alarm_at = None,
                // A handle says something, or the last handle is gone.
                request = self.requests.recv() => match request {
                    Some(request) => {
                        arrangements.extend(self.on_request(&mut agenda, &mut ear, request));
                    }
                    None => break,
                },
                // The server says something unasked. The link keeps a sender, so this never ends.
                Some(push) = self.pushes.recv() => self.on_push(&mut agenda, push),
                // Other nodes may have some of the queues now.
                () = changed(&mut self.changes) => {
                    arrangements.extend(self.pass_on(&mut agenda, None));
                }
                Some(ran) = runs.next() => arrangements.extend(self.on_ran(&mut agenda, ran)),
                Some(arranged) = arrangements.next() => {
                    let further =
                        self.on_arranged(&mut agenda, &mut connected, &mut ear, arranged);
                    arrangements.extend(further);
                }
            }
        }
        self.finish(agenda, runs).await;
    }

    /// Connects again if the delivery connection is gone.
    fn reconnect(&self, connected: &mut Option<u64>) -> Option<Arrangement> {
        // Asks the link instead of waiting for its report, which may come before this task knows of
        // the connection.
        connected.take_if(|it| !self.link.is_current(*it))?;
        self.reporter.report(Event::Disconnected {
            server: self.link.server().to_string(),
            cause: self.link.cause(),
        });
        Some(self.connect())
    }

    /// Starts the runs that are due, and returns what to arrange because of them.
    fn start_runs(&self, agenda: &mut Agenda, runs: &mut Runs) -> Vec<Arrangement> {
        let mut arrangements = Vec::new();
        while let Some(run) = agenda.next_run(Instant::now()) {
            arrangements.extend(self.resubscribe(agenda, &run));
            runs.push(self.transfer(run));
        }
        arrangements
    }

    /// Waits a while for runs that may have something to report, but not for a frozen server.
    async fn finish(&self, mut agenda: Agenda, mut runs: Runs) {
        let all = async {
            while let Some(ran) = runs.next().await {
                self.record_run(&mut agenda, ran);
            }
        };
        let _ = timeout(self.options.offer_window(), all).await;
        for watched in agenda.all_mut() {
            self.report_quarantined(watched, true);
        }
    }

    /// Handles a request of a handle, and returns what to arrange because of it.
    fn on_request(&self, agenda: &mut Agenda, ear: &mut Ear, request: Request) -> Vec<Arrangement> {
        match request {
            Request::NewHead { name, due } => agenda.bring_forward(&name, due),
            #[cfg(feature = "periodic")]
            Request::Poll { name } => agenda.poll_by(&name, Instant::now()),
            Request::Watch {
                keys,
                sides,
                transfer,
                is_moved,
                is_failing,
            } => {
                if !transfer {
                    agenda.forget_abandoned();
                }
                let begins = agenda.watch(Arc::clone(&keys), sides, transfer, Instant::now());
                if is_moved && let Some(watched) = agenda.get_mut(keys.target()) {
                    // What the other node would have reported is lost.
                    watched.tell(Signal::Claimable);
                    watched.tell(Signal::Released);
                    watched.failing |= is_failing;
                }
                let mut arrangements = Vec::new();
                if begins {
                    arrangements.extend(self.listen_to(Arc::clone(&keys), ear));
                }
                // The queue may have moved on while the request was on its way.
                arrangements.extend(self.pass_on(agenda, Some(keys.slot())));
                return arrangements;
            }
            Request::WroteState { name } => {
                if let Some(watched) = agenda.get_mut(&name) {
                    watched.tell(Signal::Released);
                }
            }
        }
        Vec::new()
    }

    /// Passes the queues on that other nodes have: those of `slot`, or any.
    fn pass_on(&self, agenda: &mut Agenda, slot: Option<u16>) -> Vec<Arrangement> {
        let Some(services) = self.services.upgrade() else {
            return Vec::new();
        };
        // Without a look at the queues, of which there may be thousands.
        if slot.is_some_and(|slot| services.is_at(&self.node, slot)) {
            return Vec::new();
        }
        let gone = agenda.all().map(|it| &it.keys);
        let gone = gone.filter(|keys| slot.is_none_or(|slot| keys.slot() == slot));
        let gone = gone.filter(|keys| !services.is_at(&self.node, keys.slot()));
        let mut arrangements = Vec::new();
        for keys in gone.cloned().collect::<Vec<_>>() {
            let Some(mut watched) = agenda.forget(keys.target()) else {
                continue;
            };
            self.report_quarantined(&mut watched, true);
            let request = Request::Watch {
                keys: Arc::clone(&keys),
                sides: watched.sides,
                transfer: watched.is_transferred,
                is_moved: true,
                is_failing: watched.failing,
            };
            services.request(keys.slot(), request);
            arrangements.push(self.unsubscribe(keys));
        }
        arrangements
    }

    /// True if this node has no slot any more, and no request is waiting.
    fn is_over(&self, agenda: &Agenda) -> bool {
        let services = self.services.upgrade();
        agenda.all().next().is_none()
            && services.is_some_and(|it| it.retire(&self.node, &self.requests))
    }

    /// Handles a message that the server sent unasked.
    fn on_push(&self, agenda: &mut Agenda, push: Push) {
        match push {
            // Only the connection that listens is gone.
            Push::Disconnected if self.link.is_connected() => {}
            // Takers must not wait for reports on a connection that is gone.
            Push::Disconnected => agenda.hint(&[], Instant::now()),
            Push::Invalidated(keys) => agenda.hint(&keys, Instant::now()),
            Push::Message { channel, payload } => self.hear(agenda, &channel, &payload),
            Push::Role(Role::Alone | Role::Sentinel) => {}
            Push::Role(_) if self.node.endpoint().must_be_master() => {}
            Push::Role(Role::Node) => self.reporter.report(Event::Cluster {
                server: self.link.server().to_string(),
            }),
            Push::Role(Role::Replica) => self.reporter.report(Event::Replica {
                server: self.link.server().to_string(),
            }),
            Push::Resp3Refused(error) => self.reporter.report(Event::Resp3Refused {
                error: Failure::Refused(self.link.met(error)).into_error(Step::Connect),
            }),
            Push::TrackingRefused(error) => self.reporter.report(Event::TrackingRefused {
                error: Failure::Refused(self.link.met(error)).into_error(Step::Connect),
            }),
        }
    }

    /// Handles a finished run, and returns what to arrange because of it.
    fn on_ran(&self, agenda: &mut Agenda, ran: Ran) -> Vec<Arrangement> {
        let name = Arc::clone(&ran.run.name);
        let mut arrangements = Vec::new();
        #[cfg(feature = "periodic")]
        arrangements.extend(self.fire(agenda, &ran));
        let has_failed = ran.result.is_err();
        let slot = ran.run.keys.slot();
        let retired = self.record_run(agenda, ran);
        if has_failed {
            arrangements.extend(self.pass_on(agenda, Some(slot)));
        }
        let now = Instant::now();
        if let Some(watched) = agenda.get_mut(&name) {
            let keys = Arc::clone(&watched.keys);
            let wait = watched.trust.wait(now);
            if !watched.paused {
                watched.trust.regain();
            } else if wait.is_zero() {
                arrangements.push(self.watch_state(Arc::clone(&name), keys.state().to_owned()));
            } else {
                agenda.bring_forward(&name, now + wait);
            }
            if retired {
                arrangements.push(self.unsubscribe(keys));
                agenda.forget(&name);
            }
        }
        arrangements
    }

    /// Handles a finished arrangement, and returns what to arrange because of it.
    fn on_arranged(
        &self,
        agenda: &mut Agenda,
        connected: &mut Option<u64>,
        ear: &mut Ear,
        arranged: Arranged,
    ) -> Vec<Arrangement> {
        match arranged {
            Arranged::Connected(generation) => {
                if connected.replace(generation) != Some(generation) {
                    let server = self.link.server().to_string();
                    self.reporter.report(Event::Connected { server });
                }
                // A full look finds what became due, was published or was moved in between.
                agenda.poll_all(Instant::now());
                // No signal was lost if the first attempt to connect succeeded. Otherwise a hint
                // too many does no harm.
                if generation > 1 {
                    agenda.hint(&[], Instant::now());
                }
            }
            Arranged::Listening(generation) => return self.listening(agenda, ear, generation),
            #[cfg(feature = "periodic")]
            Arranged::Fired { name, result } => self.fired(agenda, &name, result),
            Arranged::Subscribed { name, result } => self.subscribed(agenda, &name, result),
            Arranged::Unsubscribed => {}
            Arranged::WatchedState { name, paused } => {
                // After a failure, the next run asks again.
                if matches!(paused, Ok(false)) {
                    agenda.bring_forward(&name, Instant::now());
                }
            }
        }
        Vec::new()
    }

    /// Asks Redis to report the next change of the state under `key`.
    fn watch_state(&self, name: Arc<str>, key: String) -> Arrangement {
        let link = Arc::clone(&self.link);
        async move {
            let mut command = redis::cmd("HEXISTS");
            command.arg(key).arg("paused");
            let paused = link.watch(command).await;
            Arranged::WatchedState { name, paused }
        }
        .boxed()
    }
}
