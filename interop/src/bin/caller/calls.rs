//! The calls, by the names that they have in the protocol.

use redisson_delayed_queue::{Client, DelayedQueue, Listing, codec::StringCodec};

use crate::{Result, say};

mod change;
mod control;
mod look;
mod offer;
mod take;
mod target;
mod target_change;
mod whole;

type Queue = DelayedQueue<String>;

/// Makes calls on the queues of one client.
pub(crate) struct Caller {
    client: Client,
}

/// The calls that this program knows.
pub(crate) fn names() -> Vec<&'static str> {
    let groups = [
        change::NAMES,
        control::NAMES,
        look::NAMES,
        offer::NAMES,
        take::NAMES,
        target::NAMES,
        target_change::NAMES,
        whole::NAMES,
    ];
    groups.concat()
}

impl Caller {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// Makes the call `name`; answers what follows `ok`.
    pub(crate) async fn run(&self, name: &str, queue: &str, arguments: &[&str]) -> Result<String> {
        let queue = &self.open(queue)?;
        match name {
            _ if change::NAMES.contains(&name) => change::run(queue, name, arguments).await,
            _ if control::NAMES.contains(&name) => control::run(queue, name, arguments).await,
            _ if look::NAMES.contains(&name) => look::run(queue, name, arguments).await,
            _ if offer::NAMES.contains(&name) => offer::run(queue, name, arguments).await,
            _ if take::NAMES.contains(&name) => {
                take::run(&self.client, queue, name, arguments).await
            }
            _ if target::NAMES.contains(&name) => {
                target::run(&queue.destination(), name, arguments).await
            }
            _ if target_change::NAMES.contains(&name) => {
                target_change::run(&queue.destination(), name, arguments).await
            }
            _ if whole::NAMES.contains(&name) => whole::run(queue, name, arguments).await,
            _ => Err("no such call".into()),
        }
    }

    /// Takes elements forever, and prints the elements of each call as soon as it returns.
    pub(crate) async fn consume(&self, number: &str, queue: &str, how: &str) -> Result<String> {
        let queue = self.open(queue)?;
        loop {
            let values = match how {
                "take" => vec![queue.take().await?],
                "take_many" => queue.take_many(CONSUMED_AT_ONCE, PATIENCE).await?,
                _ => return Err(format!("no such way to consume: {how}").into()),
            };
            if !values.is_empty() {
                say(&format!("{number} took {}", values.join(" ")))?;
            }
        }
    }

    /// The queue of a token: its name, with `/unlisted` behind it for a handle that does not list.
    fn open(&self, token: &str) -> Result<Queue> {
        let (name, listing) = match token.strip_suffix("/unlisted") {
            Some(name) => (name, Listing::Unlisted),
            None => (token, Listing::Listed),
        };
        let queue = self.client.delayed_queue(name, StringCodec)?;
        Ok(queue.with_listing(listing))
    }
}

fn unfit(name: &str) -> Result<String> {
    Err(format!("{name}: not its arguments").into())
}

const CONSUMED_AT_ONCE: usize = 20;
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(1);
