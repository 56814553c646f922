//! The connection to the broker.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lapin::options::ConfirmSelectOptions;
use lapin::uri::AMQPUri;
use lapin::{Channel, Connection, ConnectionProperties};
use tokio::sync::{self, Semaphore};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::confirm_channel::ConfirmChannel;
use super::outage::Outage;
use crate::event::Reporter;
use crate::link::pauses::Pauses;
use crate::sync::lock;

/// The connection to the broker, made again whenever it is needed and not there.
pub(super) struct Link {
    /// It holds a password.
    uri: AMQPUri,
    /// Locked while somebody connects, for all who need a connection.
    state: sync::Mutex<State>,
    /// One permit for each message that may be under way.
    in_flight: Semaphore,
    outage: Outage,
}

struct State {
    session: Option<Arc<Session>>,
    /// Begins anew when there is a channel, not when there is a connection: the broker may close that at
    /// once.
    pauses: Pauses,
    /// No further attempt to connect before this moment.
    resume_at: Option<Instant>,
}

struct Session {
    connection: Connection,
    idle: Idle,
}

/// The channels of one connection that have no message under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Idle(Arc<Mutex<Vec<Channel>>>);

impl Link {
    pub(super) fn new(mut uri: AMQPUri, max_in_flight: usize) -> Self {
        // The broker would propose 60 s, and a message waits for two heartbeats in a dead connection.
        uri.query.heartbeat.get_or_insert(HEARTBEAT_S);
        let outage = Outage::of(format!("{}:{}", uri.authority.host, uri.authority.port));
        Self {
            uri,
            state: sync::Mutex::new(State {
                session: None,
                pauses: Pauses::from_to(FIRST_WAIT, LONGEST_WAIT),
                resume_at: None,
            }),
            in_flight: Semaphore::new(max_in_flight),
            outage,
        }
    }

    pub(super) async fn connect(&self) -> Result<(), Failure> {
        let mut state = self.state.lock().await;
        state.session = Some(Arc::new(self.open().await?));
        Ok(())
    }

    /// A channel for one message. Waits as long as there is no connection to the broker, which `reporter`
    /// learns.
    ///
    /// Cancel safe: nothing was sent.
    pub(super) async fn confirm_channel(&self, reporter: Option<&Reporter>) -> ConfirmChannel<'_> {
        if let Some(reporter) = reporter {
            self.outage.tell(reporter);
        }
        // Nobody closes the semaphore.
        let permit = self
            .in_flight
            .acquire()
            .await
            .expect("the semaphore stays open");
        loop {
            let session = self.session().await;
            let opened = match session.idle.take() {
                Some(channel) => Ok(channel),
                None => session.channel().await,
            };
            match opened {
                Ok(channel) => {
                    self.outage.end();
                    // Whoever holds the lock is connecting again.
                    if let Ok(mut state) = self.state.try_lock() {
                        state.pauses.reset();
                        state.resume_at = None;
                    }
                    return ConfirmChannel {
                        channel,
                        frame_max: session.connection.configuration().frame_max(),
                        idle: session.idle.clone(),
                        _permit: permit,
                    };
                }
                Err(failure) => {
                    // A broker that only opens no further channel is not away.
                    let is_there = session.connection.status().connected();
                    if matches!(failure, Failure::Silent(_)) || !is_there {
                        self.outage.begin(&failure);
                    }
                    self.pause().await;
                }
            }
        }
    }

    /// The connection, or a new one. One caller connects for all, again and again until it succeeds.
    async fn session(&self) -> Arc<Session> {
        let mut state = self.state.lock().await;
        loop {
            if let Some(session) = &state.session
                && session.connection.status().connected()
            {
                return Arc::clone(session);
            }
            if let Some(at) = state.resume_at {
                sleep_until(at).await;
                state.resume_at = None;
            }
            // Even if this is dropped before the attempt ends.
            state.resume_at = Some(Instant::now() + state.pauses.next());
            match self.open().await {
                Ok(session) => state.session = Some(Arc::new(session)),
                Err(failure) => self.outage.begin(&failure),
            }
        }
    }

    /// Waits for the turn to try again after no channel could be opened.
    async fn pause(&self) {
        let wait = self.state.lock().await.pauses.next();
        sleep(wait).await;
    }

    async fn open(&self) -> Result<Session, Failure> {
        let name = concat!("redisson-delayed-queue ", env!("CARGO_PKG_VERSION"));
        let properties = ConnectionProperties::default().with_connection_name(name.into());
        let connection = Connection::connect_uri(self.uri.clone(), properties);
        let connection = timeout(PATIENCE, connection).await??;
        let idle = Idle::default();
        Ok(Session { connection, idle })
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link")
            .field("host", &self.uri.authority.host)
            .field("port", &self.uri.authority.port)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A new channel, on which the broker confirms messages.
    async fn channel(&self) -> Result<Channel, Failure> {
        let opened = async {
            let channel = self.connection.create_channel().await?;
            channel
                .confirm_select(ConfirmSelectOptions::default())
                .await?;
            Ok::<_, lapin::Error>(channel)
        };
        Ok(timeout(PATIENCE, opened).await??)
    }
}

impl Idle {
    /// A channel that the broker has not closed, as far as is known.
    fn take(&self) -> Option<Channel> {
        let mut idle = lock(&self.0);
        while let Some(channel) = idle.pop() {
            if channel.status().connected() {
                return Some(channel);
            }
        }
        None
    }

    pub(super) fn put(&self, channel: Channel) {
        lock(&self.0).push(channel);
    }
}

/// Why there is no connection, or no channel.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    Broker(#[from] lapin::Error),
    #[error("the broker did not answer within {PATIENCE:?}")]
    Silent(#[from] tokio::time::error::Elapsed),
}

/// A connection on which nothing comes is dead after about two of these.
const HEARTBEAT_S: u16 = 10;
/// How long the broker may take to let this client in, or to open a channel.
const PATIENCE: Duration = Duration::from_secs(10);
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;

    use futures::FutureExt;
    use futures::future::join_all;
    use tokio::net::TcpListener;

    use super::*;
    use crate::event::Event;

    /// Each attempt may be a failed login, which the broker logs and may punish.
    #[tokio::test]
    async fn many_messages_wait_for_one_connection_and_tell_of_the_outage_once() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let attempts = Arc::new(AtomicUsize::new(0));
        let counting = Arc::clone(&attempts);
        // A broker that closes every connection at once.
        let broker = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                counting.fetch_add(1, Relaxed);
                drop(socket);
            }
        });
        let uri = format!("amqp://{address}/%2f").parse().unwrap();
        let link = Link::new(uri, 32);
        let reporter = Reporter::new();
        let mut events = reporter.subscribe();
        let begin = Instant::now();
        let waiting = join_all((0..32).map(|_| link.confirm_channel(Some(&reporter))));
        assert!(timeout(Duration::from_secs(3), waiting).await.is_err());
        // Each wait is at least half of 0.1, 0.2, 0.4 s and so on.
        let (mut most, mut waits) = (1, Duration::ZERO);
        let mut wait = FIRST_WAIT;
        while waits <= begin.elapsed() {
            most += 1;
            waits += wait / 2;
            wait = (2 * wait).min(LONGEST_WAIT);
        }
        let made = attempts.load(Relaxed);
        assert!(
            (1..=most).contains(&made),
            "{made} attempts, {most} allowed"
        );
        broker.abort();
        drop(link);
        let told = events.next().await;
        assert!(
            matches!(&told, Some(Event::BrokerUnreachable { broker, .. }) if *broker == address.to_string()),
            "{told:?}"
        );
        assert!(events.next().now_or_never().is_none(), "told once");
    }
}
