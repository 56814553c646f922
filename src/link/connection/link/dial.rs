//! How a link makes its connections, and gives them up.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use redis::{AsyncConnectionConfig, Msg, PushInfo, PushKind, RedisError, RedisResult};
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::{Link, Live, probe};
use crate::error::{Cause, Unreachable};
use crate::link::connection::failure::{hung_up, is_loss, timed_out};
use crate::link::connection::handshake::Introduced;
use crate::link::connection::leave::Leave;
use crate::link::connection::protocol::{in_resp2, refuses_resp3};
use crate::link::connection::pub_sub::PubSub;
use crate::link::connection::purpose::Purpose;
use crate::link::connection::push::Push;
use crate::link::connection::role::Role;
use crate::link::connection::socket::Connection;
use crate::link::endpoint::Located;
use crate::sync::lock;

impl Link {
    /// How long to wait before looking again whether a replica has become the master.
    const UNTIL_PROMOTED: Duration = Duration::from_millis(20);

    /// Returns the connection, or makes one if there is none. The caller asked at `asked`.
    ///
    /// Cancel safe.
    pub(super) async fn dial(self: &Arc<Self>, asked: Instant) -> RedisResult<(Connection, u64)> {
        let mut redial = self.connecting.lock().await;
        if let Some(live) = self.live() {
            return Ok(live);
        }
        if let Some(error) = redial.failed_since(asked) {
            return Err(error);
        }
        let was_of_use = self.of_use.load(Relaxed) != 0;
        let for_caller = self.purpose.is_for_callers();
        let next = redial.next(was_of_use, for_caller, Instant::now());
        sleep_until(next).await;
        self.of_use.store(0, Relaxed);
        let connecting = timeout(self.endpoint.timeouts().connect, self.connect_to_master());
        let connected = connecting.await.unwrap_or_else(|_| Err(timed_out()));
        let connected = connected.map_err(|error| match error.is_timeout() {
            true if self.endpoint.has_tls() => Unreachable::SilentOverTls.into(),
            _ => error,
        });
        redial.made(connected.as_ref().err(), Instant::now());
        match &connected {
            Ok((_, generation)) => {
                tracing::debug!(socket = self.purpose.name(), generation, "connected");
                if !self.purpose.is_closed_when_idle() {
                    if self.was_connected.swap(true, Relaxed) {
                        self.reconnects.increment(1);
                    }
                    tokio::spawn(probe::probe(Arc::downgrade(self), *generation));
                }
            }
            Err(error) => self.endpoint.note(error),
        }
        connected
    }

    /// The connection in use. Gives it up if its socket has ended.
    pub(super) fn live(&self) -> Option<(Connection, u64)> {
        let (connection, generation) = self.current()?;
        if connection.is_over() {
            self.discard(generation, &hung_up());
            return None;
        }
        Some((connection, generation))
    }

    pub(super) fn current(&self) -> Option<(Connection, u64)> {
        let live = lock(&self.live);
        live.connection.clone().map(|it| (it, live.generation))
    }

    /// Notes that a command on the connection of this number succeeded.
    pub(super) fn note_use(&self, generation: u64) {
        if self.of_use.load(Relaxed) != generation {
            self.of_use.store(generation, Relaxed);
        }
    }

    /// Connects. If another server becomes the master meanwhile, connects to that one.
    async fn connect_to_master(&self) -> RedisResult<(Connection, u64)> {
        loop {
            let mut left = self.left.subscribe();
            tokio::select! {
                connected = self.connect() => return connected,
                _ = left.changed() => {}
            }
            if !self.endpoint.is_located_anew() {
                return Err(hung_up());
            }
        }
    }

    /// Connects. If a replica is about to become the master, tries there until it is one.
    async fn connect(&self) -> RedisResult<(Connection, u64)> {
        loop {
            let located = self.endpoint.locate().await?;
            let is_successor = located.is_successor;
            match self.connect_to(located).await {
                Ok(connected) => {
                    if is_successor {
                        self.endpoint.note_promotion();
                    }
                    return Ok(connected);
                }
                Err(error) if is_successor => {
                    tracing::trace!(%error, "the next master is not ready");
                    sleep(Self::UNTIL_PROMOTED).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn connect_to(&self, located: Located) -> RedisResult<(Connection, u64)> {
        let generation = {
            let mut live = lock(&self.live);
            live.generation += 1;
            live.server = Some(Arc::clone(&located.server));
            live.generation
        };
        let (mut connection, refusal) = self.open(located, generation).await?;
        let introduced = if connection.takes_commands() {
            Some(self.introduce(&mut connection).await?)
        } else {
            None
        };
        self.adopt(connection.clone(), introduced, refusal);
        Ok((connection, generation))
    }

    /// Opens a socket, in RESP3 if the server speaks it. Returns the refusal if it does not.
    async fn open(
        &self,
        located: Located,
        generation: u64,
    ) -> RedisResult<(Connection, Option<RedisError>)> {
        let Located { client, server, .. } = located;
        let timeouts = self.endpoint.timeouts();
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(timeouts.connect))
            .set_response_timeout(Some(timeouts.response));
        let full = config.clone();
        let full = full.set_push_sender(self.push_sender(generation));
        let host = self.endpoint.host();
        let refusal = match host.multiplexed(&client, &full).await {
            Ok(socket) => return Ok((Connection::in_resp3(socket, server), None)),
            Err(error) if refuses_resp3(&client, &error) => error,
            Err(error) => return Err(error),
        };
        let client = in_resp2(&client)?;
        let connection = match &self.purpose {
            Purpose::Subscription(pushes) => {
                let (hear, end) = self.listeners(pushes.clone(), generation);
                let socket = PubSub::connect(host, &client, timeouts.response, hear, end);
                Connection::of_subscriptions(socket.await?, server)
            }
            _ => {
                let socket = host.multiplexed(&client, &config);
                Connection::in_resp2(socket.await?, server)
            }
        };
        Ok((connection, Some(refusal)))
    }

    async fn introduce(&self, connection: &mut Connection) -> RedisResult<Introduced> {
        let sent = Instant::now();
        let database = self.endpoint.database();
        let purpose = &self.purpose;
        let name = format!("{}:{}", self.endpoint.client_name(), purpose.name());
        let introduced = Introduced::begin(connection, database, &name, purpose).await?;
        if introduced.role == Role::Replica && self.endpoint.must_be_master() {
            return Err(Unreachable::Replica.into());
        }
        let clock = self.endpoint.clock();
        clock.observe(sent, Instant::now(), introduced.time_us);
        Ok(introduced)
    }

    /// Puts a new connection to use, and passes on what is new about the server.
    fn adopt(
        &self,
        connection: Connection,
        introduced: Option<Introduced>,
        refusal: Option<RedisError>,
    ) {
        let mut live = lock(&self.live);
        live.connection = Some(connection);
        let was_refused = std::mem::replace(&mut live.is_resp3_refused, refusal.is_some());
        let is_untracked = introduced.as_ref().is_some_and(|it| it.tracking.is_err());
        let was_untracked = std::mem::replace(&mut live.is_tracking_refused, is_untracked);
        let role = introduced.as_ref().map_or(live.role, |it| it.role);
        let old_role = std::mem::replace(&mut live.role, role);
        drop(live);
        let Purpose::Delivery(pushes) = &self.purpose else {
            return;
        };
        if let Some(refusal) = refusal.filter(|_| !was_refused) {
            let _ = pushes.send(Push::Resp3Refused(refusal));
        }
        if let Some(Err(refusal)) = introduced.map(|it| it.tracking)
            && !was_untracked
        {
            let _ = pushes.send(Push::TrackingRefused(refusal));
        }
        if role != old_role {
            let _ = pushes.send(Push::Role(role));
        }
    }

    /// Listens to the driver of one connection, which reports the end of the socket at once, even
    /// if nothing is being sent.
    fn push_sender(&self, generation: u64) -> impl Fn(PushInfo) -> Result<(), Hangup> + use<> {
        let forget = self.forgetter(generation);
        let pushes = self.purpose.pushes().cloned();
        move |info| {
            if info.kind == PushKind::Disconnection {
                forget();
            }
            match (&pushes, Push::from_info(info)) {
                (Some(pushes), Some(push)) => pushes.send(push).map_err(|_| Hangup),
                _ => Ok(()),
            }
        }
    }

    /// The same for a connection that listens in RESP2: what to do with a message, and at the end.
    fn listeners(
        &self,
        pushes: UnboundedSender<Push>,
        generation: u64,
    ) -> (impl Fn(Msg) + Send + use<>, impl FnOnce() + Send + use<>) {
        let forget = self.forgetter(generation);
        let messages = pushes.clone();
        let hear = move |message| {
            let _ = messages.send(Push::from_message(&message));
        };
        let end = move || {
            forget();
            let _ = pushes.send(Push::Disconnected);
        };
        (hear, end)
    }

    /// Gives up the connection of this number when the driver reports the end of its socket.
    fn forgetter(&self, generation: u64) -> impl Fn() + Send + use<> {
        let live: Weak<Mutex<Live>> = Arc::downgrade(&self.live);
        let socket = self.purpose.name();
        move || {
            if let Some(live) = live.upgrade() {
                forget(&live, socket, generation, hung_up());
            }
        }
    }

    /// Gives up the connection: another server is the master, or will be.
    pub(crate) fn leave(&self, how: Leave<'_>, error: &RedisError) {
        let (generation, server) = {
            let live = lock(&self.live);
            (live.generation, live.server.clone())
        };
        match how {
            Leave::Later => {
                self.discard(generation, error);
            }
            Leave::For(to) if server.as_deref() == Some(to) => {
                let before = generation.saturating_sub(1);
                self.left.send_if_modified(|left| {
                    let is_new = *left < before;
                    *left = before.max(*left);
                    is_new
                });
            }
            Leave::For(_) | Leave::Now => {
                self.discard(generation, error);
                self.left.send_replace(generation);
            }
        }
    }

    /// Waits until the connection of this number is left.
    pub(super) async fn left(&self, generation: u64) {
        let mut left = self.left.subscribe();
        let _ = left.wait_for(|left| *left >= generation).await;
    }

    /// Gives up the connection of this number because of this error. A connection to a replica was
    /// of no use, even if reads on it succeeded.
    pub(super) fn discard(&self, generation: u64, error: &RedisError) {
        if !is_loss(error) {
            self.of_use.store(0, Relaxed);
        }
        if forget(&self.live, self.purpose.name(), generation, error.clone())
            && let Some(pushes) = self.purpose.pushes()
        {
            // A frozen server never ends the socket, so the driver would not report it.
            let _ = pushes.send(Push::Disconnected);
        }
    }
}

fn forget(live: &Mutex<Live>, socket: &str, generation: u64, cause: RedisError) -> bool {
    let mut live = lock(live);
    let is_lost = live.generation == generation && live.connection.take().is_some();
    if is_lost {
        let cause = live.cause.insert(Cause::of(cause));
        tracing::debug!(socket, generation, %cause, "gave the connection up");
    }
    is_lost
}

/// Nobody listens to pushes any more.
struct Hangup;
