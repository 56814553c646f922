//! Tests of code that uses delayed queues, without waiting for delays; behind the feature
//! `test-util`.
//!
//! A [`TestQueue`] is a queue on a private `redis-server`, which must be on the `PATH`, with a
//! clock that stands still until the test moves it. [`advance`](TestQueue::advance) moves it, past
//! everything that becomes due in between, and says what did. A [`TestServer`] is the same for
//! several queues and clients, and for code that makes its own.
//!
//! Nothing here waits for time to pass. What code under test does when it takes an element is
//! another matter: it runs beside the test, which has to wait for what it wants to see of it.
//!
//! The clock begins at a fixed moment, [`ManualClock::default`]. For code that calls
//! [`SystemTime::now`](std::time::SystemTime::now), such as to [offer at a
//! moment](crate::DelayedQueue::offer_at), [set](ManualClock::set) it to that first. Tokio's time
//! must go on: while it is paused, as by `start_paused`, every wait for Redis times out at once.
//!
//! # Examples
//!
//! ```no_run
//! use std::time::Duration;
//! use redisson_delayed_queue::codec::StringCodec;
//! use redisson_delayed_queue::test_util::TestQueue;
//!
//! const MINUTE: Duration = Duration::from_secs(60);
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let mut bench = TestQueue::<String>::start(StringCodec).await?;
//! // Code under test gets clones of the handle.
//! let queue = bench.queue().clone();
//! let reminder = tokio::spawn(async move { queue.take().await });
//!
//! bench.queue().offer(&"pay the bill".to_owned(), 60 * MINUTE).await?;
//! assert!(bench.advance(59 * MINUTE).await?.is_empty());
//! assert_eq!(bench.advance(MINUTE).await?, ["pay the bill"]);
//! assert_eq!(reminder.await??, "pay the bill");
//! assert!(bench.drain().await?.is_empty());
//! # Ok(()) }
//! ```

mod process;
mod queue;
mod server;

pub use crate::link::clock::ManualClock;
pub use process::StartError;
pub use queue::TestQueue;
pub use server::{Moved, TestServer};
