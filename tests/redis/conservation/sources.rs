//! Where elements are taken, and put elsewhere.

use redisson_delayed_queue::{BlockingQueue, Selector, Side};
use tokio::time::timeout;

use super::*;

/// Where a consumer takes from.
#[derive(Clone)]
pub(super) struct Sources {
    pub(super) queue: DelayedQueue<String>,
    first: BlockingQueue<String>,
    second: BlockingQueue<String>,
    pub(super) both: Selector<String>,
}

impl Sources {
    pub(super) fn of(client: &Client) -> Self {
        let open = |name| client.blocking_queue(name, StringCodec).unwrap();
        let (first, second) = (open("orders"), open("others"));
        Self {
            queue: client.delayed_queue("orders", StringCodec).unwrap(),
            both: Selector::new([first.clone(), second.clone()]),
            first,
            second,
        }
    }

    /// Takes in one of many ways, and gives up at any moment.
    pub(super) async fn take(&self) -> Result<Vec<String>, Error> {
        let patience = Duration::from_millis(30);
        let listing = [Listing::Listed, Listing::Unlisted][rand::random_range(0..2)];
        let pending = self.queue.clone().with_listing(listing).pending();
        let unnamed = |named: Vec<(String, String)>| named.into_iter().map(|(_, value)| value);
        let take = async {
            Ok(match rand::random_range(0..10) {
                0 => self
                    .both
                    .take_many(20, patience)
                    .await
                    .map(unnamed)?
                    .collect(),
                1 => unnamed(self.both.poll(patience).await?.into_iter().collect()).collect(),
                2 => self.first.drain_to(20).await?,
                3 => self.second.drain_to(20).await?,
                4 => self.first.poll_last(patience).await?.into_iter().collect(),
                5 => self.second.take_many(3, patience).await?,
                6 => self.first.poll_last_many(3).await?,
                7 => {
                    let any = self.first.poll_from_any(["others"], patience).await?;
                    any.map(|(_, value)| value).into_iter().collect()
                }
                8 => pending.poll_many(3).await?,
                _ => pending.poll().await?.into_iter().collect(),
            })
        };
        match rand::random_range(0..3) {
            0 => timeout(a_moment(), take).await.unwrap_or(Ok(Vec::new())),
            _ => take.await,
        }
    }

    /// Moves elements around, and holds them up for a moment.
    pub(super) async fn stir(&self) {
        let patience = Duration::from_millis(10);
        let stir = async {
            match rand::random_range(0..7) {
                0 => drop(
                    self.first
                        .poll_last_and_offer_first_to("others", patience)
                        .await,
                ),
                1 => drop(
                    self.second
                        .poll_last_and_offer_first_to("orders", patience)
                        .await,
                ),
                2 => drop(
                    self.first
                        .move_to("others", Side::First, Side::Last, 3)
                        .await,
                ),
                3 => drop(
                    self.second
                        .move_to("orders", Side::Last, Side::First, 3)
                        .await,
                ),
                4 => drop(
                    self.queue
                        .pending()
                        .poll_last_and_offer_first_to("others")
                        .await,
                ),
                5 => drop(self.queue.pause().await),
                _ => drop(self.queue.resume().await),
            }
        };
        let _ = timeout(a_moment(), stir).await;
        let _ = self.queue.resume().await;
    }
}
