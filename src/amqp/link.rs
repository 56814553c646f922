//! The connection to the broker.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lapin::options::ConfirmSelectOptions;
use lapin::uri::AMQPUri;
use lapin::{Channel, Connection, ConnectionProperties};
use tokio::sync::{self, Semaphore};
use tokio::time::{sleep, timeout};

use super::lane::Lane;
use crate::link::backoff::Backoff;
use crate::sync::lock;

/// The connection to the broker, made again whenever it is needed and not there.
pub(super) struct Link {
    /// It holds a password.
    uri: AMQPUri,
    /// Locked while somebody connects.
    session: sync::Mutex<Option<Arc<Session>>>,
    /// One permit for each message that may be under way.
    lanes: Semaphore,
}

/// One connection.
struct Session {
    connection: Connection,
    idle: Idle,
}

/// The channels of one connection that have no message under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Idle(Arc<Mutex<Vec<Channel>>>);

impl Link {
    pub(super) fn new(mut uri: AMQPUri, lanes: usize) -> Self {
        // The broker would propose 60 s, and a message waits for two heartbeats in a dead connection.
        uri.query.heartbeat.get_or_insert(HEARTBEAT_S);
        Self {
            uri,
            session: sync::Mutex::new(None),
            lanes: Semaphore::new(lanes),
        }
    }

    /// Connects, once.
    pub(super) async fn connect(&self) -> Result<(), Failure> {
        let mut current = self.session.lock().await;
        *current = Some(Arc::new(self.open().await?));
        Ok(())
    }

    /// A lane for one message. Waits as long as there is no connection to the broker.
    ///
    /// Cancel safe: nothing was sent.
    pub(super) async fn lane(&self) -> Lane<'_> {
        // Nobody closes the semaphore.
        let permit = self.lanes.acquire().await.expect("lanes stay open");
        let mut backoff = Backoff::from_to(FIRST_WAIT, LONGEST_WAIT);
        loop {
            match self.channel().await {
                Ok((channel, idle)) => {
                    return Lane {
                        channel,
                        idle,
                        _permit: permit,
                    };
                }
                Err(error) => tracing::warn!(%error, "cannot reach the broker"),
            }
            sleep(backoff.next()).await;
        }
    }

    /// A channel that has no message under way, and where it goes afterwards.
    async fn channel(&self) -> Result<(Channel, Idle), Failure> {
        let session = self.session().await?;
        let channel = match session.idle.take() {
            Some(channel) => channel,
            None => session.channel().await?,
        };
        Ok((channel, session.idle.clone()))
    }

    /// The connection, or a new one. One caller connects for all.
    async fn session(&self) -> Result<Arc<Session>, Failure> {
        let mut current = self.session.lock().await;
        if let Some(session) = &*current
            && session.connection.status().connected()
        {
            return Ok(Arc::clone(session));
        }
        let session = Arc::new(self.open().await?);
        *current = Some(Arc::clone(&session));
        Ok(session)
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
