//! This crate under load.

use std::time::Duration;

use redisson_delayed_queue::{
    Client, DelayedQueue, IfPending, Ordering, Placed, Ticket, codec::StringCodec,
};

use super::{Connection, Outcome, Queue};

pub(crate) struct Own {
    client: Client,
    ordering: Ordering,
}

impl Own {
    pub(crate) async fn connect(url: &str, ordering: Ordering) -> Outcome<Self> {
        Ok(Self {
            client: Client::connect(url).await?,
            ordering,
        })
    }
}

impl Connection for Own {
    type Queue = DelayedQueue<String>;

    fn open(&self, name: &str) -> Outcome<Self::Queue> {
        let queue = self.client.delayed_queue(name, StringCodec)?;
        Ok(queue.with_ordering(self.ordering))
    }
}

impl Queue for DelayedQueue<String> {
    async fn offer(&self, value: String, delay: Duration) -> Outcome<()> {
        DelayedQueue::offer(self, &value, delay).await?;
        Ok(())
    }

    async fn offer_all(&self, values: Vec<(String, Duration)>) -> Outcome<()> {
        DelayedQueue::offer_all(self, values).await?;
        Ok(())
    }

    async fn take(&self) -> Outcome<String> {
        Ok(DelayedQueue::take(self).await?)
    }

    async fn take_many(&self, max: usize) -> Outcome<usize> {
        Ok(DelayedQueue::take_many(self, max, WAIT).await?.len())
    }

    async fn call(&self, call: &str, member: Vec<u8>, value: String) -> Outcome<bool> {
        let delay = Duration::from_millis(rand::random_range(3_600_000..7_200_000));
        match call {
            "offer" => drop(DelayedQueue::offer(self, &value, delay).await?),
            "remove" => drop(self.remove(&value).await?),
            "contains" => drop(self.contains(&value).await?),
            "move-keyed" => {
                let keyed = self.offer_keyed(&value, &value, delay, IfPending::Replace);
                if !matches!(keyed.await?, Placed::Moved(_)) {
                    return Err("not moved".into());
                }
            }
            "replace-keyed" => {
                let other = format!("{value}!");
                let keyed = self.offer_keyed(&value, &other, delay, IfPending::Replace);
                if !matches!(keyed.await?, Placed::Replaced(_)) {
                    return Err("not replaced".into());
                }
            }
            "replace" => drop(self.replace(&value, delay).await?),
            "cancel" => drop(self.cancel(&Ticket::from_bytes(member)?).await?),
            "reschedule" => drop(self.reschedule(&Ticket::from_bytes(member)?, delay).await?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

const WAIT: Duration = Duration::from_secs(1);
