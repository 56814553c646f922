//! A process with Redisson: a model of what its delayed queue and its blocking queue send, and when.
//!
//! It does as 4.7.0: an offer is a script that is never sent again, with a due time by the process's own
//! clock. A task for each queue listens to the channel of the queue and moves what is due by that clock,
//! when it has subscribed, when a message or its own last run says so, and 5 s after an error. It never
//! looks by itself. A take is a BLPOP.
//!
//! With the old [`Layout`] it is a process of 3.20 that offers and takes. Its task is left out: it fails at
//! the first member of the new layout, after it has delivered those before.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::StreamExt;
use rand::{RngExt, rngs::StdRng};
use redis::{
    AsyncConnectionConfig, Cmd, FromRedisValue, RedisConnectionInfo, RedisError,
    aio::{MultiplexedConnection, PubSub},
};
use redisson_delayed_queue::keys::QueueKeys;
use tokio::time::{Instant, sleep, sleep_until};

use crate::{
    ledger::Ledger,
    process::{Dialled, delay},
    server::slots::address,
};

/// How it packs members.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layout {
    /// `Bc0Lc0`, since 3.21.1.
    New,
    /// `dLc0`, before.
    Old,
}

impl Layout {
    pub(crate) fn any(random: &mut StdRng) -> Self {
        match random.random_range(0..4) {
            0 => Self::Old,
            _ => Self::New,
        }
    }

    fn pack(self, id: f64, payload: &str) -> Vec<u8> {
        let size = (payload.len() as u64).to_le_bytes();
        let id = id.to_le_bytes();
        match self {
            Self::New => [&[8][..], &id, &size, payload.as_bytes()].concat(),
            Self::Old => [&id[..], &size, payload.as_bytes()].concat(),
        }
    }
}

const OFFER: &str = "
-- redisson.offer
redis.call('zadd', KEYS[1], ARGV[1], ARGV[2])
redis.call('rpush', KEYS[2], ARGV[2])
if redis.call('zrange', KEYS[1], 0, 0)[1] == ARGV[2] then
  redis.call('publish', KEYS[3], ARGV[1])
end";

const TRANSFER: &str = "
-- redisson.transfer
local due = redis.call('zrangebyscore', KEYS[2], 0, ARGV[1], 'limit', 0, 100)
for _, member in ipairs(due) do
  local id, payload = struct.unpack('Bc0Lc0', member)
  redis.call('rpush', KEYS[1], payload)
  redis.call('lrem', KEYS[3], 1, member)
end
if #due > 0 then
  redis.call('zrem', KEYS[2], unpack(due))
end
return redis.call('zrange', KEYS[2], 0, 0, 'WITHSCORES')[2]";

/// For how long it waits for a reply, but for that to a BLPOP.
const PATIENCE: Duration = Duration::from_millis(500);
/// For how long it waits before it connects again.
const RECONNECT: Duration = Duration::from_millis(100);
/// For how long the task rests after an error.
const REST: Duration = Duration::from_secs(5);
/// It moves at once what is due within this time.
const SOON: Duration = Duration::from_millis(10);
/// Its timer has this precision.
const TICK: Duration = Duration::from_millis(100);

pub(crate) async fn work(dialled: Dialled, ledger: Ledger, offers: u32, layout: Layout) {
    let names = ["taken", "consumed"].map(|it| QueueKeys::new(it).expect("these are names"));
    let [taken, consumed] = names.each_ref().map(|keys| Redisson {
        dialled: &dialled,
        ledger: &ledger,
        keys,
    });
    tokio::join!(
        taken.offer(offers, layout),
        consumed.offer(offers, layout),
        taken.transfer(layout),
        consumed.transfer(layout),
        taken.take(),
    );
}

/// The process works on one of its queues.
struct Redisson<'a> {
    dialled: &'a Dialled,
    ledger: &'a Ledger,
    keys: &'a QueueKeys,
}

impl Redisson<'_> {
    fn line(&self, patience: Option<Duration>) -> Line<'_> {
        Line {
            dialled: self.dialled,
            patience,
            connection: None,
        }
    }

    async fn offer(&self, count: u32, layout: Layout) {
        let mut line = self.line(Some(PATIENCE));
        for _ in 0..count {
            sleep(Duration::from_millis(rand::random_range(0..200))).await;
            let delay = delay();
            let due_ms = now_ms() + delay.as_millis() as u64;
            let id = self.ledger.open().offer_at(due_ms as i64 * 1_000);
            let member = layout.pack(rand::random(), &id.to_string());
            let mut offer = script(
                OFFER,
                &[
                    self.keys.timeouts(),
                    self.keys.ordering(),
                    self.keys.channel(),
                ],
            );
            offer.arg(due_ms).arg(member);
            match line.send::<()>(&offer).await {
                Ok(()) => self.ledger.open().acknowledge(id),
                Err(_) => sleep(RECONNECT).await,
            }
        }
    }

    async fn transfer(&self, layout: Layout) {
        match layout {
            Layout::New => {}
            Layout::Old => return std::future::pending().await,
        }
        loop {
            if self.listen().await.is_err() {
                sleep(RECONNECT).await;
            }
        }
    }

    /// Moves what is due until the subscription is lost.
    async fn listen(&self) -> Result<(), RedisError> {
        let settings = RedisConnectionInfo::default();
        let mut subscription = PubSub::new(&settings, self.dialled.dial(address(0))).await?;
        subscription.subscribe(self.keys.channel()).await?;
        let mut messages = subscription.into_on_message();
        let mut line = self.line(Some(PATIENCE));
        let mut move_at = Some(Instant::now());
        loop {
            let timer = async {
                match move_at {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                message = messages.next() => {
                    let Some(message) = message else {
                        return Ok(());
                    };
                    move_at = Some(timer_for(message.get_payload()?));
                }
                () = timer => {
                    let mut transfer = script(
                        TRANSFER,
                        &[self.keys.target(), self.keys.timeouts(), self.keys.ordering()],
                    );
                    transfer.arg(now_ms());
                    let head = line.send::<Option<f64>>(&transfer).await;
                    move_at = match head {
                        Ok(head) => head.map(|it| timer_for(it as u64)),
                        Err(_) => Some(Instant::now() + REST),
                    };
                }
            }
        }
    }

    /// Takes elements one after the other, with pauses in which Rust can take some. The server tells the
    /// ledger which ones: if the reply is lost, so is the element.
    async fn take(&self) {
        let mut line = self.line(None);
        let mut take = redis::cmd("BLPOP");
        take.arg(self.keys.target()).arg(0);
        loop {
            sleep(Duration::from_millis(rand::random_range(0..500))).await;
            let _ = line.send::<Vec<String>>(&take).await;
        }
    }
}

/// A connection that is opened when it is needed.
struct Line<'a> {
    dialled: &'a Dialled,
    /// For how long it waits for a reply.
    patience: Option<Duration>,
    connection: Option<MultiplexedConnection>,
}

impl Line<'_> {
    /// Sends a command, on a new connection if the one before is lost.
    async fn send<T: FromRedisValue>(&mut self, command: &Cmd) -> Result<T, RedisError> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.open().await?,
        };
        let reply = command.query_async(&mut connection).await?;
        self.connection = Some(connection);
        Ok(reply)
    }

    async fn open(&self) -> Result<MultiplexedConnection, RedisError> {
        let config = AsyncConnectionConfig::new().set_response_timeout(self.patience);
        let settings = RedisConnectionInfo::default();
        let stream = self.dialled.dial(address(0));
        let (connection, driver) =
            MultiplexedConnection::new_with_config(&settings, stream, config).await?;
        tokio::spawn(driver);
        Ok(connection)
    }
}

fn script(text: &str, keys: &[&str]) -> Cmd {
    let mut command = redis::cmd("EVAL");
    command.arg(text).arg(keys.len()).arg(keys);
    command
}

/// The clock of the process.
fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |it| it.as_millis() as u64)
}

/// When its timer fires for what is due then.
fn timer_for(due_ms: u64) -> Instant {
    let wait = Duration::from_millis(due_ms.saturating_sub(now_ms()));
    let now = Instant::now();
    if wait <= SOON {
        return now;
    }
    let ticks = wait.as_millis().div_ceil(TICK.as_millis());
    now + TICK * ticks as u32
}
