//! Helpers that test code with delayed queues without waiting for delays. Need the feature
//! `test-util`.
//!
//! A [`TestQueue`] is a queue on a private `redis-server`, which must be on the `PATH`. Its clock
//! stands still until the test calls [`advance`](TestQueue::advance), which moves the clock and
//! returns the elements that became due on the way. A [`TestServer`] is the same for several queues
//! and clients, and for code that makes its own.
//!
//! Nothing here waits for time to pass. Code under test that takes elements runs beside the test,
//! so the test must wait for the effects that it wants to see.
//!
//! The clock starts at a fixed moment, [`ManualClock::default`]. If the code under test calls
//! [`SystemTime::now`](std::time::SystemTime::now), for instance to [offer at a
//! moment](crate::Offer::at), [set](ManualClock::set) the clock to that first. Do not pause Tokio's
//! time, for instance with `start_paused`: every wait for Redis would time out at once.
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
