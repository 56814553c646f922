//! This crate's queue over several names under load.

use std::time::Duration;

use redisson_delayed_queue::{Client, Offer, ShardedQueue, Shards, codec::StringCodec};

use super::{Connection, Outcome, Queue};

pub(crate) struct Sharded {
    client: Client,
}

impl Sharded {
    pub(crate) async fn connect(url: &str) -> Outcome<Self> {
        Ok(Self {
            client: Client::connect(url).await?,
        })
    }
}

impl Connection for Sharded {
    type Queue = Spread;

    /// The name is `NAME/COUNT/LABEL` for the names `{NAME:0}LABEL` to `{NAME:(COUNT - 1)}LABEL`, and
    /// `NAME/COUNT/LABEL/keyed` if each value is to be its own key.
    fn open(&self, name: &str) -> Outcome<Spread> {
        let mut parts = name.split('/');
        let base = parts.next().unwrap_or_default();
        let count: usize = parts.next().ok_or("no number of names")?.parse()?;
        let label = parts.next().unwrap_or_default();
        let shards = Shards::new((0..count).map(|number| format!("{{{base}:{number}}}{label}")))?;
        Ok(Spread {
            queue: self.client.sharded_queue(shards, StringCodec)?,
            keyed: parts.next() == Some("keyed"),
        })
    }
}

#[derive(Clone)]
pub(crate) struct Spread {
    queue: ShardedQueue<String>,
    keyed: bool,
}

impl Spread {
    fn after(&self, delay: Duration) -> Offer {
        let offer = Offer::after(delay);
        if self.keyed {
            offer.keyed_by_value()
        } else {
            offer
        }
    }
}

impl Queue for Spread {
    async fn offer(&self, value: String, delay: Duration) -> Outcome<()> {
        self.queue.offer_with(&value, self.after(delay)).await?;
        Ok(())
    }

    async fn offer_all(&self, values: Vec<(String, Duration)>) -> Outcome<()> {
        let offers = values.into_iter();
        let offers = offers.map(|(value, delay)| (value, self.after(delay)));
        self.queue.offer_all(offers).await?;
        Ok(())
    }

    async fn take(&self) -> Outcome<String> {
        Ok(self.queue.take().await?)
    }

    async fn take_many(&self, max: usize) -> Outcome<usize> {
        Ok(self.queue.take_many(max, WAIT).await?.len())
    }
}

const WAIT: Duration = Duration::from_secs(1);
