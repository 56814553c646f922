//! The transfer service: one task a client moves what is due, in all the client's queues.
//!
//! It sleeps until the earliest moment at which some queue may have something due, and learns that
//! moment from the replies of its own script, from messages on the queues' channels, and from
//! offers made through the same client. All of these may only bring a wake-up forward. Messages can
//! be missed, so every queue is looked at once a `safety_poll` in any case.
//!
//! Of many clients of a queue one does all that while the others wait a moment longer, see `herd`.
//!
//! The task also passes on to the callers that wait what Redis says of the queues' keys, for queues
//! in which others move what is due as well, and has periodic offers fired on time.

use std::error::Error as _;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Instant;

use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::time::{sleep, timeout};

use crate::delivery::alarm::Alarm;
use crate::delivery::intake::Ends;
use crate::delivery::transfer::agenda::Agenda;
use crate::error::{Error, Step};
use crate::event::{Event, Reporter};
use crate::link::backoff::Backoff;
use crate::link::clock::RemoteClock;
use crate::link::connection::{Failure, Link, Push, Role};
use crate::options::Options;
use crate::wire::keys::QueueKeys;

mod agenda;
#[cfg(feature = "periodic")]
mod periodic;
mod quarantine;
mod run;
mod subscription;
mod survey;

use run::Ran;
use subscription::Ear;

#[cfg(feature = "periodic")]
pub(crate) use periodic::Firing;
#[cfg(all(feature = "periodic", feature = "test-util"))]
pub(crate) use periodic::fire;
pub(crate) use quarantine::Quarantine;
pub(crate) use survey::Placing;

/// What the handles of a client tell its service.
#[derive(Debug)]
pub(crate) enum Request {
    /// An offer made a new head of the queue `name`.
    NewHead { name: String, due: Instant },
    /// Look at the queue `name` in full.
    #[cfg(feature = "periodic")]
    Poll { name: String },
    /// Look after this queue from now on.
    Watch {
        keys: Arc<QueueKeys>,
        ends: Weak<Ends>,
        /// Move what is due in it as well.
        transfer: bool,
    },
}

/// Sends requests to the service, which ends when every sender is gone.
pub(crate) type Requests = UnboundedSender<Request>;

/// What the task works with; nothing else touches it.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) alarm: Alarm,
    pub(crate) clock: Arc<RemoteClock>,
    #[cfg(feature = "periodic")]
    pub(crate) ids: Arc<crate::wire::ids::IdSource>,
    pub(crate) link: Arc<Link>,
    pub(crate) options: Options,
    pub(crate) pushes: UnboundedReceiver<Push>,
    pub(crate) reporter: Reporter,
    pub(crate) requests: UnboundedReceiver<Request>,
    pub(crate) subscription: Arc<Link>,
}

impl Drop for Service {
    fn drop(&mut self) {
        // Nobody reports anything any more.
        self.reporter.close();
    }
}

/// Something that is asked of Redis besides the runs.
type Arrangement = BoxFuture<'static, Arranged>;

/// What came of it.
enum Arranged {
    /// There is a connection to deliver on; its number.
    Connected(u64),
    /// The periodic offers of a queue were looked at.
    #[cfg(feature = "periodic")]
    Fired {
        name: Arc<str>,
        result: Result<periodic::Fired, Failure>,
    },
    /// There is a connection to listen on; its number.
    Listening(u64),
    /// The connection to listen on is gone.
    Deaf,
    Subscribed {
        name: Arc<str>,
        result: Result<(), Failure>,
    },
    Unsubscribed,
    /// Redis tells from now on when the queue's state changes.
    WatchedState {
        name: Arc<str>,
        /// Whether it was still paused then.
        paused: Result<bool, Failure>,
    },
}

impl Service {
    /// How many elements to move in a run of the script at first, as in Redisson; more when there
    /// are more.
    const BATCH: usize = 100;

    /// Runs until `stop` is ready or every sender of requests is gone; finishes the runs under way
    /// that end soon.
    pub(crate) async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut agenda = Agenda::new(self.options.safety_poll, Self::BATCH, self.link.database());
        let mut runs: FuturesUnordered<BoxFuture<'static, Ran>> = FuturesUnordered::new();
        let mut arrangements = FuturesUnordered::from_iter([self.connect()]);
        let mut connected = None;
        let mut ear = Ear::default();
        // When the alarm will ring.
        let mut alarm_at = None;
        loop {
            // Looked at rather than heard of: that it is gone may be said before it is known here.
            if connected.take_if(|it| !self.link.is_current(*it)).is_some() {
                self.reporter.report(Event::Disconnected {
                    server: self.link.server().to_owned(),
                    cause: self.link.cause(),
                });
                arrangements.push(self.connect());
            }
            arrangements.extend(self.listen_again(&mut agenda, &mut ear));
            if connected.is_some() {
                while let Some(run) = agenda.start(Instant::now()) {
                    arrangements.extend(self.resubscribe(&mut agenda, &run));
                    runs.push(self.transfer(run));
                }
                if let Some(next) = agenda.next().filter(|next| alarm_at != Some(*next)) {
                    self.alarm.set(next);
                    alarm_at = Some(next);
                }
            }
            tokio::select! {
                // Told to stop.
                () = &mut stop => break,
                // The next moment has come, or one that was the next before.
                () = self.alarm.ring() => alarm_at = None,
                // A handle tells something, or the last of them abandoned us.
                request = self.requests.recv() => match request {
                    Some(request) => {
                        arrangements.extend(self.take_request(&mut agenda, &mut ear, request));
                    }
                    None => break,
                },
                // The server says something unasked. The link keeps the sender, so there is no end.
                Some(push) = self.pushes.recv() => self.take_push(&mut agenda, push),
                Some(ran) = runs.next() => arrangements.extend(self.conclude(&mut agenda, ran)),
                Some(arranged) = arrangements.next() => {
                    let further =
                        self.take_arranged(&mut agenda, &mut connected, &mut ear, arranged);
                    arrangements.extend(further);
                }
            }
        }
        // They may have something to report, which is not worth waiting for a frozen server.
        let finish = async {
            while let Some(ran) = runs.next().await {
                self.take_in(&mut agenda, ran);
            }
        };
        let _ = timeout(self.options.offer_window(), finish).await;
        for watched in agenda.all_mut() {
            self.report_quarantined(watched, true);
        }
    }

    /// Takes in what a handle tells. Returns what is to be arranged then.
    fn take_request(
        &self,
        agenda: &mut Agenda,
        ear: &mut Ear,
        request: Request,
    ) -> Option<Arrangement> {
        match request {
            Request::NewHead { name, due } => agenda.bring_forward(&name, due),
            #[cfg(feature = "periodic")]
            Request::Poll { name } => agenda.poll_by(&name, Instant::now()),
            Request::Watch {
                keys,
                ends,
                transfer,
            } => {
                if !transfer {
                    agenda.forget_abandoned();
                }
                if agenda.watch(Arc::clone(&keys), ends, transfer, Instant::now()) {
                    return self.listen_to(keys, ear);
                }
            }
        }
        None
    }

    /// Takes in what the server sent unasked.
    fn take_push(&self, agenda: &mut Agenda, push: Push) {
        match push {
            // Takers must not count on hints from a connection that is gone.
            Push::Disconnected => agenda.hint(&[], Instant::now()),
            Push::Invalidated(keys) => agenda.hint(&keys, Instant::now()),
            Push::Message { channel, payload } => self.hear(agenda, &channel, &payload),
            Push::Role(Role::Alone) => {}
            Push::Role(Role::Node) => self.reporter.report(Event::Cluster {
                server: self.link.server().to_owned(),
            }),
            Push::Role(Role::Replica) => self.reporter.report(Event::Replica {
                server: self.link.server().to_owned(),
            }),
            Push::TrackingRefused(error) => self.reporter.report(Event::TrackingRefused {
                error: Failure::Refused(self.link.met(error)).into_error(Step::Connect),
            }),
        }
    }

    /// Takes in a run that is over, and returns what is to be arranged then.
    fn conclude(&self, agenda: &mut Agenda, ran: Ran) -> Vec<Arrangement> {
        let name = Arc::clone(&ran.run.name);
        let mut arrangements = Vec::new();
        #[cfg(feature = "periodic")]
        arrangements.extend(self.fire(agenda, &ran));
        let retired = self.take_in(agenda, ran);
        if let Some(watched) = agenda.get_mut(&name) {
            if watched.paused {
                let key = watched.keys.state().to_owned();
                arrangements.push(self.watch_state(Arc::clone(&name), key));
            }
            if retired {
                arrangements.push(self.unsubscribe(Arc::clone(&watched.keys)));
                agenda.forget(&name);
            }
        }
        arrangements
    }

    /// Takes in what was arranged, and returns what is to be arranged then.
    fn take_arranged(
        &self,
        agenda: &mut Agenda,
        connected: &mut Option<u64>,
        ear: &mut Ear,
        arranged: Arranged,
    ) -> Vec<Arrangement> {
        match arranged {
            Arranged::Connected(generation) => {
                if connected.replace(generation) != Some(generation) {
                    self.reporter.report(Event::Connected);
                }
                // What was due, published or moved in between is found by a full look.
                agenda.poll_all(Instant::now());
                // Before the first connection there was none that could have missed a hint.
                if generation > 1 {
                    agenda.hint(&[], Instant::now());
                }
            }
            Arranged::Listening(generation) => return self.listening(agenda, ear, generation),
            Arranged::Deaf => {}
            #[cfg(feature = "periodic")]
            Arranged::Fired { name, result } => self.fired(agenda, &name, result),
            Arranged::Subscribed { name, result } => self.subscribed(agenda, &name, result),
            Arranged::Unsubscribed => {}
            Arranged::WatchedState { name, paused } => {
                // What failed is asked again after the next look.
                if matches!(paused, Ok(false)) {
                    agenda.bring_forward(&name, Instant::now());
                }
            }
        }
        Vec::new()
    }

    /// Waits for a connection to deliver on, however long that takes.
    fn connect(&self) -> Arrangement {
        let connected = self.connected(Arc::clone(&self.link));
        connected.map(Arranged::Connected).boxed()
    }

    /// Waits for a connection, however long that takes, and returns its number.
    fn connected(&self, link: Arc<Link>) -> impl Future<Output = u64> + Send + use<> {
        let reporter = self.reporter.clone();
        let mut backoff = Backoff::new(self.options.longest_pause());
        async move {
            let mut denied = false;
            loop {
                match link.connection().await {
                    Ok((_, generation)) => return generation,
                    Err(failure) => {
                        let error = failure.into_error(Step::Connect);
                        let socket = link.socket();
                        tracing::debug!(socket, %error, cause = error.source(), "not connected");
                        let is_denied = matches!(error, Error::Denied { .. });
                        if is_denied && !std::mem::replace(&mut denied, true) {
                            reporter.report(Event::Denied { error });
                        }
                    }
                }
                sleep(backoff.next()).await;
            }
        }
    }

    /// Asks to be told when the state that `key` holds changes.
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
