//! What a client stands on: the sockets and threads of the system, or those of a simulation.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use redis::aio::{AsyncStream, MultiplexedConnection, PubSub};
use redis::{AsyncConnectionConfig, Client, RedisResult};

/// Bytes to a server and back.
type Stream = Pin<Box<dyn AsyncStream + Send + Sync>>;

/// Where a client gets sockets and threads. It is asked when something is opened, and for no command.
#[derive(Clone, Default)]
pub(crate) enum Host {
    #[default]
    System,
    /// The function makes a stream to the server at an address, and everything runs on the runtime that
    /// connected.
    Simulated(Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Stream>> + Send + Sync>),
}

impl Host {
    pub(crate) fn simulated<C, F, S>(connect: C) -> Self
    where
        C: Fn(String) -> F + Send + Sync + 'static,
        F: Future<Output = io::Result<S>> + Send + 'static,
        S: AsyncStream + Send + Sync + 'static,
    {
        Self::Simulated(Arc::new(move |address| {
            let connecting = connect(address);
            async { Ok(Box::pin(connecting.await?) as Stream) }.boxed()
        }))
    }

    /// True if the client may start threads.
    pub(crate) fn has_threads(&self) -> bool {
        matches!(self, Self::System)
    }

    /// Opens a socket for commands.
    pub(crate) async fn multiplexed(
        &self,
        client: &Client,
        config: &AsyncConnectionConfig,
    ) -> RedisResult<MultiplexedConnection> {
        let Self::Simulated(connect) = self else {
            return client
                .get_multiplexed_async_connection_with_config(config)
                .await;
        };
        let info = client.get_connection_info();
        let stream = connect(info.addr().to_string()).await?;
        let settings = info.redis_settings();
        let (socket, driver) =
            MultiplexedConnection::new_with_config(settings, stream, config.clone()).await?;
        tokio::spawn(driver);
        Ok(socket)
    }

    /// Opens a socket for subscriptions in RESP2.
    pub(crate) async fn pub_sub(&self, client: &Client) -> RedisResult<PubSub> {
        let Self::Simulated(connect) = self else {
            return client.get_async_pubsub().await;
        };
        let info = client.get_connection_info();
        let stream = connect(info.addr().to_string()).await?;
        PubSub::new(info.redis_settings(), stream).await
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "System",
            Self::Simulated(_) => "Simulated",
        })
    }
}
