//! This crate under load.

use std::time::Duration;

use redisson_delayed_queue::{
    Client, DelayedQueue, IfPending, Listing, Offer, Ticket, codec::StringCodec,
};

use super::{
    Connection, Outcome, Queue,
    consumption::Consumption,
    load::{Rate, Seen},
    unsupported,
};

mod consume;

pub(crate) struct Own {
    client: Client,
    listing: Listing,
}

impl Own {
    pub(crate) async fn connect(url: &str, listing: Listing) -> Outcome<Self> {
        Ok(Self {
            client: Client::connect(url).await?,
            listing,
        })
    }
}

impl Connection for Own {
    type Queue = DelayedQueue<String>;

    fn open(&self, name: &str) -> Outcome<Self::Queue> {
        let queue = self.client.delayed_queue(name, StringCodec)?;
        Ok(queue.with_listing(self.listing))
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

    async fn consume(&self, work: Consumption) -> Outcome<Rate> {
        consume::consume(self, work).await
    }

    async fn work(queues: Vec<Self>, concurrency: usize, count: usize) -> Outcome<Seen> {
        consume::work(queues, concurrency, count).await
    }

    async fn call(&self, call: &str, member: Vec<u8>, value: String) -> Outcome<()> {
        let delay = Duration::from_millis(rand::random_range(3_600_000..7_200_000));
        match call {
            "offer" => drop(DelayedQueue::offer(self, &value, delay).await?),
            "remove" => drop(self.pending().remove(&value).await?),
            "contains" => drop(self.pending().contains(&value).await?),
            "move-keyed" => {
                let offer = Offer::after(delay)
                    .key(&value)
                    .if_pending(IfPending::Replace);
                if self.offer_with(&value, offer).await?.outcome
                    != redisson_delayed_queue::Outcome::Rescheduled
                {
                    return Err("not moved".into());
                }
            }
            "replace-keyed" => {
                let other = format!("{value}!");
                let offer = Offer::after(delay)
                    .key(&value)
                    .if_pending(IfPending::Replace);
                if self.offer_with(&other, offer).await?.outcome
                    != redisson_delayed_queue::Outcome::Replaced
                {
                    return Err("not replaced".into());
                }
            }
            "replace" => {
                let offer = Offer::after(delay).unique_in_queue();
                let offer = offer.if_pending(IfPending::Replace);
                drop(self.offer_with(&value, offer).await?);
            }
            "cancel" => drop(self.cancel(&Ticket::from_bytes(member)?).await?),
            "reschedule" => drop(self.reschedule(&Ticket::from_bytes(member)?, delay).await?),
            _ => return unsupported(),
        }
        Ok(())
    }
}

const WAIT: Duration = Duration::from_secs(1);
