use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use bytes::Bytes;
use futures::future::join_all;

use super::shards::Home;
use super::{ShardedQueue, worse};
use crate::error::{Error, Result, ShardError};
use crate::offered::{Offered, Outcome};
use crate::queue::offer::{IfPending, Offer};
use crate::queue::raw::Item;
use crate::ticket::ShardTicket;
use crate::wire::script::Key;

/// Scheduling elements, each in one shard.
impl<T: 'static> ShardedQueue<T> {
    /// Schedules `value` as [`DelayedQueue::offer`](crate::DelayedQueue::offer) does, in the shard
    /// of its [group](Self::grouped_by), or in each shard in turn.
    ///
    /// Offers at the same time share a script only if they go to the same shard.
    pub async fn offer(&self, value: &T, delay: Duration) -> Result<ShardTicket> {
        let offered = self.offer_with(value, Offer::after(delay)).await?;
        Ok(offered.ticket)
    }

    /// Schedules `value` with the settings of `offer`, as
    /// [`DelayedQueue::offer_with`](crate::DelayedQueue::offer_with) does; a key decides the shard.
    ///
    /// At most one element is pending under a key, in all shards together, even while the names
    /// [change](crate::Shards). Then an offer under a key that changes its shard is refused, or it
    /// keeps the element that is pending in the old shard.
    ///
    /// # Redis
    ///
    /// After a [change](crate::Shards::after) of the names, an offer under a key that has moved
    /// also costs one `EVALSHA` of `lua/pending_under.lua` in the old shard. O(1). Java finds the
    /// shard of a key with the function in `docs/sharded.md`.
    ///
    /// # Errors
    ///
    /// - [`ShardError::KeyMoves`] in [`Error::Shard`] if the names are changing, and the key's
    ///   element cannot be offered safely; nothing was written.
    /// - [`ShardError::UniqueInQueue`] for
    ///   [`Offer::unique_in_queue`](crate::Offer::unique_in_queue); nothing was sent.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{Error, Offer, ShardError};
    ///
    /// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let offer = Offer::after(Duration::from_secs(3_600)).key("order 17");
    /// match queue.offer_with(&"remind order 17".to_owned(), offer).await {
    ///     Err(Error::Shard(ShardError::KeyMoves { .. })) => println!("later: the shards change"),
    ///     offered => drop(offered?),
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn offer_with(
        &self,
        value: &T,
        offer: impl Into<Offer>,
    ) -> Result<Offered<ShardTicket>> {
        let offer = offer.into();
        let payload = self.encode(value)?;
        let place = match self.home(value, &payload, offer.key.as_ref())? {
            Home::At(place) => place,
            Home::Leaving(here, next) => return Err(self.moves(here, next)),
            Home::Arriving(previous, here) => match self.kept(previous, &offer, &payload).await? {
                None => here,
                Some(kept) if offer.if_pending == IfPending::Keep => return Ok(kept),
                Some(_) => return Err(self.moves(previous, here)),
            },
        };
        let queue = &self.queues[place];
        let offered = queue
            .core()
            .offer_with(&payload, offer, queue.listing())
            .await?;
        Ok(self.offered(place, offered))
    }

    /// Schedules many values, each with its delay, moment or [`Offer`].
    ///
    /// The shards get their values at the same time, each by
    /// [`DelayedQueue::offer_all`](crate::DelayedQueue::offer_all). If an offer fails, its shard
    /// gets no further values; the other shards go on. An empty list is no error.
    ///
    /// # Errors
    ///
    /// - [`Error::Element`] also with an [`Error::Shard`] for a value whose key changes its shard,
    ///   even if [`offer_with`](Self::offer_with) would accept it; nothing was sent.
    /// - [`Error::ShardsOfferedInPart`] if an offer failed or its outcome is unknown, and values
    ///   were, or may have been, stored. It names them.
    /// - Any other error of [`offer_with`](Self::offer_with): nothing was written.
    pub async fn offer_all<V: Borrow<T>>(
        &self,
        values: impl IntoIterator<Item = (V, impl Into<Offer>)>,
    ) -> Result<Vec<Offered<ShardTicket>>> {
        let mut batches: Vec<ShardBatch> = Vec::new();
        batches.resize_with(self.shards.len(), ShardBatch::default);
        for (index, (value, offer)) in values.into_iter().enumerate() {
            let item = self.item(value.borrow(), offer.into());
            let (place, item) = item.map_err(|error| Error::of_element(index, error))?;
            batches[place].indices.push(index);
            batches[place].items.push(item);
        }
        let offers = self.queues.iter().zip(&batches);
        let offers = offers.map(|(it, batch)| it.core().offer_all(&batch.items, it.listing()));
        let results = join_all(offers).await;

        let mut outcome = InPart::default();
        for (place, (batch, result)) in batches.iter().zip(results).enumerate() {
            outcome.add(self, place, &batch.indices, result);
        }
        outcome.into_result()
    }

    fn encode(&self, value: &T) -> Result<Bytes> {
        // All shards have the same codec, and there is one at least.
        self.queues[0].core().encode(value)
    }

    /// The place of the shard that a value goes to, and the value as an offer of that shard.
    fn item(&self, value: &T, offer: Offer) -> Result<(usize, Item)> {
        let payload = self.encode(value)?;
        match self.home(value, &payload, offer.key.as_ref())? {
            Home::At(place) => {
                let queue = &self.queues[place];
                let item = queue.core().item(&payload, offer, queue.listing())?;
                Ok((place, item))
            }
            Home::Leaving(from, to) | Home::Arriving(from, to) => Err(self.moves(from, to)),
        }
    }

    fn home(&self, value: &T, payload: &[u8], key: Option<&Key>) -> Result<Home> {
        match (key, &self.group) {
            (Some(Key::Chosen(key)), _) => Ok(self.shards.home_of(key)),
            (Some(Key::Payload), _) => Ok(self.shards.home_of(payload)),
            (Some(Key::InQueue), _) => Err(ShardError::UniqueInQueue.into()),
            (None, Some(group)) => Ok(Home::At(self.shards.current_of(&group(value)))),
            (None, None) => {
                let turn = self.turn.fetch_add(1, Relaxed);
                Ok(Home::At(turn % self.shards.len()))
            }
        }
    }

    /// The element that is pending in the shard at `previous` under the key of this offer.
    ///
    /// No process offers under the key there any more. So once the element has gone, none follows.
    async fn kept(
        &self,
        previous: usize,
        offer: &Offer,
        payload: &[u8],
    ) -> Result<Option<Offered<ShardTicket>>> {
        let Some(key) = &offer.key else {
            return Ok(None);
        };
        let found = self.queues[previous].core().pending_under(key, payload);
        let outcome = Outcome::Kept;
        let kept = found.await?.map(|ticket| Offered { ticket, outcome });
        Ok(kept.map(|kept| self.offered(previous, kept)))
    }

    fn offered(&self, place: usize, offered: Offered) -> Offered<ShardTicket> {
        Offered {
            ticket: ShardTicket::new(self.shards.text(place), offered.ticket),
            outcome: offered.outcome,
        }
    }

    fn moves(&self, from: usize, to: usize) -> Error {
        let [from, to] = [from, to].map(|place| self.shards.text(place).to_owned());
        ShardError::KeyMoves { from, to }.into()
    }
}

/// The values of one shard, and their places among all values.
#[derive(Default)]
struct ShardBatch {
    indices: Vec<usize>,
    items: Vec<Item>,
}

/// The offers that were made in all shards, and the error of one that was not.
#[derive(Default)]
struct InPart {
    offered: BTreeMap<usize, Offered<ShardTicket>>,
    unknown: BTreeMap<usize, ShardTicket>,
    error: Option<Error>,
}

impl InPart {
    /// Adds the result of one shard.
    fn add<T: 'static>(
        &mut self,
        queue: &ShardedQueue<T>,
        place: usize,
        indices: &[usize],
        result: Result<Vec<Offered>>,
    ) {
        let (offered, unknown, error) = match result {
            Ok(offered) => {
                let offered = offered.into_iter().enumerate().collect();
                (offered, BTreeMap::new(), None)
            }
            Err(Error::OfferedInPart {
                offered,
                unknown,
                source,
            }) => (offered, unknown, Some(*source)),
            Err(error) => (BTreeMap::new(), BTreeMap::new(), Some(error)),
        };
        for (at, offered) in offered {
            self.offered
                .insert(indices[at], queue.offered(place, offered));
        }
        for (at, ticket) in unknown {
            let ticket = ShardTicket::new(queue.shards.text(place), ticket);
            self.unknown.insert(indices[at], ticket);
        }
        if let Some(error) = error {
            self.error = Some(worse(self.error.take(), error));
        }
    }

    fn into_result(self) -> Result<Vec<Offered<ShardTicket>>> {
        match self.error {
            None => Ok(self.offered.into_values().collect()),
            Some(error) if self.offered.is_empty() && self.unknown.is_empty() => Err(error),
            Some(error) => Err(Error::ShardsOfferedInPart {
                offered: self.offered,
                unknown: self.unknown,
                source: Box::new(error),
            }),
        }
    }
}
