//! The connection that listens in RESP2, where it can do nothing else.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use redis::aio::PubSubSink;
use redis::{Msg, RedisResult, ToRedisArgs, Value};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::failure::timed_out;
use crate::link::host::Host;

/// A socket for subscriptions in RESP2. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct PubSub {
    sink: PubSubSink,
    response_timeout: Duration,
    _pump: Arc<Pump>,
}

impl PubSub {
    /// Connects, and passes every message to `hear` for as long as a clone of this lives. Calls
    /// `end` if the socket ends before.
    pub(super) async fn connect(
        host: &Host,
        client: &redis::Client,
        response_timeout: Duration,
        hear: impl Fn(Msg) + Send + 'static,
        end: impl FnOnce() + Send + 'static,
    ) -> RedisResult<Self> {
        let (sink, mut messages) = host.pub_sub(client).await?.split();
        let pump = tokio::spawn(async move {
            while let Some(message) = messages.next().await {
                hear(message);
            }
            end();
        });
        Ok(Self {
            sink,
            response_timeout,
            _pump: Arc::new(Pump(pump.abort_handle())),
        })
    }

    pub(super) fn set_response_timeout(&mut self, timeout: Duration) {
        self.response_timeout = timeout;
    }

    pub(super) async fn subscribe(&mut self, channels: impl ToRedisArgs) -> RedisResult<()> {
        self.in_time(async |sink| sink.subscribe(channels).await)
            .await
    }

    pub(super) async fn unsubscribe(&mut self, channels: impl ToRedisArgs) -> RedisResult<()> {
        self.in_time(async |sink| sink.unsubscribe(channels).await)
            .await
    }

    /// Asks whether the server is there. Redis takes no other question on such a socket.
    pub(super) async fn ping(&mut self) -> RedisResult<()> {
        let pong: Value = self.in_time(async |sink| sink.ping().await).await?;
        pong.extract_error().map(drop)
    }

    /// Waits for the response timeout, where the driver would wait for ever.
    async fn in_time<T>(
        &mut self,
        ask: impl AsyncFnOnce(&mut PubSubSink) -> RedisResult<T>,
    ) -> RedisResult<T> {
        let asked = timeout(self.response_timeout, ask(&mut self.sink)).await;
        asked.unwrap_or_else(|_| Err(timed_out()))
    }
}

/// The task that passes messages on. The socket closes with it.
#[derive(Debug)]
struct Pump(AbortHandle);

impl Drop for Pump {
    fn drop(&mut self) {
        self.0.abort();
    }
}
