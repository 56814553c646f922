//! What Redis runs, in its order.

use std::pin::Pin;
use std::time::Duration;

use futures::{Stream, StreamExt};
use redis::aio::MultiplexedConnection;
use tokio::time::timeout;

use super::RedisServer;

/// Stands in no script: those are sent, too.
const END: &str = "7fa1c2 is the end";

pub(crate) struct Monitor {
    lines: Pin<Box<dyn Stream<Item = String> + Send>>,
    connection: MultiplexedConnection,
}

impl Monitor {
    pub(crate) async fn start(redis: &RedisServer) -> Self {
        // First, so that what opens it is not seen.
        let connection = redis.connection().await;
        let client = redis::Client::open(redis.url()).expect("the URL is valid");
        let monitor = client.get_async_monitor().await.expect("MONITOR answers");
        Self {
            lines: Box::pin(monitor.into_on_message()),
            connection,
        }
    }

    /// The commands since the last time, and what scripts ran, as Redis spells them: `1700000000.0 [0 lua] "ZCARD" "key"`.
    pub(crate) async fn take(&mut self) -> Vec<String> {
        redis::cmd("ECHO")
            .arg(END)
            .exec_async(&mut self.connection)
            .await
            .expect("ECHO answers");
        let mut taken = Vec::new();
        loop {
            let line = timeout(Duration::from_secs(30), self.lines.next()).await;
            let line = line.expect("MONITOR goes on").expect("Redis lives");
            if line.contains(END) {
                return taken;
            }
            taken.push(line);
        }
    }
}
