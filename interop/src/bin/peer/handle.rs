//! One open queue: the commands of the protocol on it.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use bytes::Bytes;
use interop::{delays::delays, order::Order, value};
use redisson_delayed_queue::{
    Client, DelayedQueue,
    codec::{ByteArrayCodec, Codec, LongCodec, StringCodec, TypedJsonJacksonCodec},
};
use tokio::task::JoinSet;

use crate::{Answer, Result};

/// A queue of one of the four codecs.
pub(crate) enum Handle {
    Bytes(Queue<Vec<u8>>),
    Json(Queue<Order>),
    Long(Queue<i64>),
    Text(Queue<String>),
}

/// Which commands a handle answers.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    Full,
    /// Those on the target only.
    Target,
}

/// A queue whose values are of type `T`.
pub(crate) struct Queue<T> {
    access: Access,
    codec: Arc<dyn Codec<T>>,
    queue: DelayedQueue<T>,
}

impl Handle {
    pub(crate) fn open(client: &Client, access: Access, name: &str, codec: &str) -> Result<Self> {
        Ok(match codec {
            "bytes" => Self::Bytes(Queue::open(client, access, name, ByteArrayCodec)?),
            "json" => {
                let codec = TypedJsonJacksonCodec::new();
                Self::Json(Queue::open(client, access, name, codec)?)
            }
            "long" => Self::Long(Queue::open(client, access, name, LongCodec)?),
            "string" => Self::Text(Queue::open(client, access, name, StringCodec)?),
            _ => return Err(format!("unknown codec: {codec}").into()),
        })
    }

    pub(crate) async fn run(&self, command: &str, arguments: &[&str]) -> Result<Answer> {
        match self {
            Self::Bytes(queue) => queue.run(command, arguments).await,
            Self::Json(queue) => queue.run(command, arguments).await,
            Self::Long(queue) => queue.run(command, arguments).await,
            Self::Text(queue) => queue.run(command, arguments).await,
        }
    }
}

impl<T: Send + Sync + 'static> Queue<T> {
    fn open(
        client: &Client,
        access: Access,
        name: &str,
        codec: impl Codec<T> + Clone,
    ) -> Result<Self> {
        Ok(Self {
            access,
            codec: Arc::new(codec.clone()),
            queue: client.delayed_queue(name, codec)?,
        })
    }

    async fn run(&self, command: &str, arguments: &[&str]) -> Result<Answer> {
        let reply = match (command, arguments) {
            ("take", []) => self.taken(self.queue.take().await?)?,
            ("poll", [timeout]) => match self.queue.poll(wait(timeout)?).await? {
                Some(value) => self.taken(value)?,
                None => return Ok(Answer::Nil),
            },
            ("drain", [idle]) => self.drain(wait(idle)?).await?,
            ("target-size", []) => self.queue.destination().len().await?.to_string(),
            ("target-offer", [value]) => {
                let target = self.queue.destination();
                target.offer(&self.parse(value)?).await?;
                String::new()
            }
            _ => return self.run_delayed(command, arguments).await,
        };
        Ok(Answer::Ok(reply))
    }

    /// The commands on what is not yet due.
    async fn run_delayed(&self, command: &str, arguments: &[&str]) -> Result<Answer> {
        if matches!(self.access, Access::Target) {
            return Err("only the target is open".into());
        }
        let queue = &self.queue;
        let reply = match (command, arguments) {
            ("offer", [delay, value]) => {
                queue.offer(&self.parse(value)?, millis(delay)?).await?;
                String::new()
            }
            ("offer-many", [count, max_delay, prefix, seed]) => {
                let delays = delays(seed.parse()?, millis(max_delay)?);
                self.offer_many(delays.take(count.parse()?), prefix).await?;
                String::new()
            }
            ("remove", [value]) => queue
                .pending()
                .remove(&self.parse(value)?)
                .await?
                .to_string(),
            ("contains", [value]) => queue
                .pending()
                .contains(&self.parse(value)?)
                .await?
                .to_string(),
            ("size", []) => queue.pending().len().await?.to_string(),
            ("read-all", []) => self.read_all().await?,
            ("peek", []) => match queue.pending().peek().await? {
                Some(value) => self.print(&value)?,
                None => return Ok(Answer::Nil),
            },
            ("clear", []) => {
                queue.pending().clear().await?;
                String::new()
            }
            ("destroy", []) => return Err("a Rust client moves what is due until it ends".into()),
            _ => return Err(format!("no such command, or not its arguments: {command}").into()),
        };
        Ok(Answer::Ok(reply))
    }

    async fn offer_many(&self, delays: impl Iterator<Item = Duration>, prefix: &str) -> Result<()> {
        let mut offers = JoinSet::new();
        for (i, delay) in delays.enumerate() {
            if offers.len() == OFFERS_IN_FLIGHT
                && let Some(offered) = offers.join_next().await
            {
                offered??;
            }
            let value = self.codec.decode(format!("{prefix}-{i}").into())?;
            let queue = self.queue.clone();
            offers.spawn(async move { queue.offer(&value, delay).await });
        }
        while let Some(offered) = offers.join_next().await {
            offered??;
        }
        Ok(())
    }

    /// With many takers, as a service has: one claim then brings several elements.
    async fn drain(&self, idle: Duration) -> Result<String> {
        let mut takers: JoinSet<Result<Vec<_>>> = JoinSet::new();
        for _ in 0..TAKERS {
            let queue = self.queue.clone();
            takers.spawn(async move {
                let mut taken = Vec::new();
                while let Some(value) = queue.poll(idle).await? {
                    taken.push((SystemTime::now(), value));
                }
                Ok(taken)
            });
        }
        let mut taken = Vec::new();
        while let Some(ended) = takers.join_next().await {
            taken.extend(ended??);
        }
        taken.sort_by_key(|(at, _)| *at);
        let mut reply = taken.len().to_string();
        for (at, value) in taken {
            reply.push_str(&format!(" {}:{}", micros(at)?, self.print(&value)?));
        }
        Ok(reply)
    }

    async fn read_all(&self) -> Result<String> {
        let values = self.queue.pending().read_all().await?;
        let mut reply = values.len().to_string();
        for value in values {
            reply.push(' ');
            reply.push_str(&self.print(&value)?);
        }
        Ok(reply)
    }

    /// Reads the clock before anything else, so that printing a value does not count as its delay.
    fn taken(&self, value: T) -> Result<String> {
        let now = SystemTime::now();
        Ok(format!("{} {}", micros(now)?, self.print(&value)?))
    }

    fn parse(&self, token: &str) -> Result<T> {
        let bytes = value::decode(token).ok_or_else(|| format!("not a VALUE: {token}"))?;
        Ok(self.codec.decode(Bytes::from(bytes))?)
    }

    fn print(&self, value: &T) -> Result<String> {
        Ok(value::encode(self.codec.encode(value)?))
    }
}

/// Reads a wait of 0 or of at least a second, because Redisson truncates to whole seconds.
fn wait(token: &str) -> Result<Duration> {
    let wait = millis(token)?;
    if !wait.is_zero() && wait < Duration::from_secs(1) {
        return Err(format!("a wait is 0 or at least 1000 ms: {token}").into());
    }
    Ok(wait)
}

fn millis(token: &str) -> Result<Duration> {
    Ok(Duration::from_millis(token.parse()?))
}

fn micros(time: SystemTime) -> Result<u128> {
    Ok(time.duration_since(UNIX_EPOCH)?.as_micros())
}

/// As many as the Java peer keeps in flight.
const OFFERS_IN_FLIGHT: usize = 32;

/// How many calls wait at the same time in `drain`.
const TAKERS: usize = 16;
