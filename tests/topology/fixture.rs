//! What the tests share.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue, IntoAddress, Offer};

/// No test takes that long.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A delay that is over before a test ends.
pub(crate) const SHORT: Duration = Duration::from_millis(50);

pub(crate) fn client() -> ClientBuilder {
    Client::builder()
        .connect_timeout(Duration::from_secs(1))
        .response_timeout(Duration::from_secs(1))
        .retry_window(Duration::from_secs(20))
        .remember_offers(true)
}

pub(crate) async fn connect(address: impl IntoAddress) -> Client {
    client().connect(address).await.unwrap()
}

pub(crate) fn queue(client: &Client, name: &str) -> DelayedQueue<String> {
    client.delayed_queue(name, StringCodec).unwrap()
}

/// Takes until each of `values` has come, and returns what came more than once. Values that nobody
/// offered fail the test.
pub(crate) async fn take_each(
    queue: &DelayedQueue<String>,
    values: impl IntoIterator<Item = String>,
) -> Vec<String> {
    let offered: HashSet<String> = values.into_iter().collect();
    let mut missing = offered.clone();
    let mut again = Vec::new();
    let start = Instant::now();
    while !missing.is_empty() {
        assert!(start.elapsed() < LONG, "{} are missing", missing.len());
        let Ok(Some(value)) = queue.poll(Duration::from_secs(5)).await else {
            continue;
        };
        assert!(offered.contains(&value), "{value}");
        if !missing.remove(&value) {
            again.push(value);
        }
    }
    again
}

/// Makes this offer with values of this prefix, one after another until told to stop, and until enough
/// succeeded to prove something. Returns those that succeeded.
pub(crate) async fn keep_offering(
    queue: DelayedQueue<String>,
    offer: Offer,
    prefix: &str,
    mut stop: tokio::sync::oneshot::Receiver<()>,
) -> Vec<String> {
    let mut offered = Vec::new();
    for i in 0.. {
        if offered.len() > 10 && stop.try_recv().is_ok() {
            break;
        }
        let value = format!("{prefix} {i}");
        if queue.offer_with(&value, offer.clone()).await.is_ok() {
            offered.push(value);
        }
    }
    offered
}

/// Runs blocking work, such as a failover, beside the test's tasks.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}
