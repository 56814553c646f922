//! A client that offers, and a ledger of what must come of it.

use std::ops::AddAssign;

use redisson_delayed_queue::{IfPending, Offered, Outcome, Ticket};
use tokio::time::timeout;

use super::*;
use crate::fixture::{by_value, expiring, replacing, under};

/// What must come of each value.
pub(super) type Ledger = HashMap<String, Due>;

/// How often a value must come at least, and may come at the most.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Due {
    pub(super) least: i64,
    pub(super) most: i64,
}

impl AddAssign for Due {
    fn add_assign(&mut self, other: Self) {
        self.least += other.least;
        self.most += other.most;
    }
}

/// Offers in every way there is, and changes its mind about what it has offered.
pub(super) struct Producer {
    queue: DelayedQueue<String>,
    number: usize,
    count: usize,
    ledger: Ledger,
    pending: Vec<(String, Ticket)>,
    /// A key of its own, and what was offered under it last; nothing once that is in doubt.
    key: Option<(String, String)>,
}

impl Producer {
    pub(super) fn new(queue: DelayedQueue<String>, number: usize) -> Self {
        Self {
            queue,
            number,
            count: 0,
            ledger: Ledger::new(),
            pending: Vec::new(),
            key: None,
        }
    }

    /// Goes on until it is `done`; counts the calls in `accepted`.
    pub(super) async fn run(mut self, done: Arc<AtomicBool>, accepted: Arc<AtomicUsize>) -> Ledger {
        while !done.load(Relaxed) {
            match rand::random_range(0..9) {
                0 => self.offer().await,
                1 => self.offer_all().await,
                2 => self.offer_unique().await,
                3 => self.offer_keyed().await,
                4 => self.replace().await,
                5 => self.cancel().await,
                6 => self.reschedule().await,
                7 => self.cancel_all().await,
                _ => self.offer_and_forget().await,
            }
            accepted.fetch_add(1, Relaxed);
        }
        self.ledger
    }

    fn value(&mut self) -> String {
        self.count += 1;
        format!("{}-{}", self.number, self.count)
    }

    fn note(&mut self, value: &str, due: Due) {
        *self.ledger.entry(value.to_owned()).or_default() += due;
    }

    fn offered(&mut self, value: String, offered: Result<Ticket, Error>) {
        match offered {
            Ok(ticket) => {
                self.note(&value, ONCE);
                self.pending.push((value, ticket));
            }
            Err(Error::OutcomeUnknown { ticket, .. }) => {
                self.note(&value, MAYBE);
                self.pending.push((value, ticket));
            }
            Err(error) => assert!(!error.may_have_changed_redis(), "{error:?}"),
        }
    }

    async fn offer(&mut self) {
        let value = self.value();
        let offered = match rand::random() {
            true => self.queue.offer(&value, delay()).await,
            false => {
                let never = std::time::SystemTime::now() + Duration::from_secs(3_600);
                let offer = self.queue.offer_with(&value, expiring(delay(), never));
                offer.await.map(|it| it.ticket)
            }
        };
        self.offered(value, offered);
    }

    async fn offer_and_forget(&mut self) {
        let value = self.value();
        let offer = self.queue.offer(&value, delay());
        match timeout(a_moment(), offer).await {
            Ok(offered) => self.offered(value, offered),
            Err(_) => self.note(&value, MAYBE),
        }
    }

    async fn offer_all(&mut self) {
        let values: Vec<String> = (0..5).map(|_| self.value()).collect();
        let items = values.iter().map(|value| (value, delay()));
        match self.queue.offer_all(items).await {
            Ok(offered) => {
                for (value, offered) in values.into_iter().zip(offered) {
                    self.offered(value, Ok(offered.ticket));
                }
            }
            // All are in one chunk.
            Err(Error::OfferedInPart {
                offered, unknown, ..
            }) => {
                assert!(offered.is_empty());
                for (value, ticket) in values.into_iter().zip(unknown.into_values()) {
                    self.note(&value, MAYBE);
                    self.pending.push((value, ticket));
                }
            }
            Err(error) => assert!(!error.may_have_changed_redis(), "{error:?}"),
        }
    }

    async fn offer_unique(&mut self) {
        let value = self.value();
        let if_pending = [IfPending::Keep, IfPending::Replace][rand::random_range(0..2)];
        let placed = self
            .queue
            .offer_with(&value, by_value(delay(), if_pending))
            .await;
        if let Ok(placed) = &placed {
            assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
        }
        self.offered(value, placed.map(|it| it.ticket));
    }

    async fn offer_keyed(&mut self) {
        let value = self.value();
        let (key, before) = match self.key.take() {
            Some((key, before)) => (key, Some(before)),
            None => (value.clone(), None),
        };
        let offer = self
            .queue
            .offer_with(&value, under(&key, delay(), IfPending::Replace));
        match offer.await {
            Ok(placed) => {
                self.note(&value, ONCE);
                match (placed.outcome, before) {
                    (Outcome::Added, _) => {}
                    (Outcome::Replaced, Some(before)) => self.note(&before, GONE),
                    other => panic!("{other:?}"),
                }
                self.key = Some((key, value));
            }
            Err(Error::OutcomeUnknown { .. }) => {
                self.note(&value, MAYBE);
                if let Some(before) = before {
                    self.note(&before, MAYBE_GONE);
                }
            }
            Err(error) => {
                assert!(!error.may_have_changed_redis(), "{error:?}");
                self.key = before.map(|before| (key, before));
            }
        }
    }

    async fn replace(&mut self) {
        let Some((value, _)) = self.pending.pop() else {
            return;
        };
        match self.queue.offer_with(&value, replacing(delay())).await {
            Ok(Offered {
                outcome: Outcome::Replaced,
                ticket,
                ..
            }) => self.pending.push((value, ticket)),
            other => self.offered(value, other.map(|it| it.ticket)),
        }
    }

    async fn cancel(&mut self) {
        let Some((value, ticket)) = self.pending.pop() else {
            return;
        };
        let cancelled = match rand::random() {
            true => self.queue.cancel(&ticket).await,
            false => self.queue.pending().remove(&value).await,
        };
        match cancelled {
            Ok(true) => self.note(&value, GONE),
            Ok(false) => {}
            Err(error) if error.may_have_changed_redis() => self.note(&value, MAYBE_GONE),
            Err(_) => {}
        }
    }

    async fn cancel_all(&mut self) {
        let some = self.pending.split_off(self.pending.len().saturating_sub(3));
        let tickets = some.iter().map(|(_, ticket)| ticket);
        // It does not say which.
        let due = match self.queue.cancel_all(tickets).await {
            Ok(count) if count == some.len() => GONE,
            Ok(0) => Due::default(),
            Ok(_) => MAYBE_GONE,
            Err(error) if error.may_have_changed_redis() => MAYBE_GONE,
            Err(_) => Due::default(),
        };
        for (value, _) in some {
            self.note(&value, due);
        }
    }

    async fn reschedule(&mut self) {
        let Some((_, ticket)) = self.pending.last() else {
            return;
        };
        let change = async {
            match rand::random() {
                true => self.queue.promote(ticket).await,
                false => self.queue.reschedule(ticket, delay()).await,
            }
        };
        let _ = timeout(a_moment(), change).await;
    }
}

const ONCE: Due = Due { least: 1, most: 1 };
const MAYBE: Due = Due { least: 0, most: 1 };
const MAYBE_GONE: Due = Due { least: -1, most: 0 };
const GONE: Due = Due {
    least: -1,
    most: -1,
};
