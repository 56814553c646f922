//! The settings of a publisher.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use lapin::uri::{AMQPScheme, AMQPUri};
use tokio::sync::Semaphore;

use super::link::Link;
use super::properties::short;
use super::publisher::Settings;
use super::{Error, Properties, Publisher};
use crate::codec::Codec;

/// The settings of a [`Publisher`]; made by [`Publisher::builder`].
#[must_use = "a publisher is made by `connect`"]
pub struct PublisherBuilder<T> {
    exchange: String,
    codec: Arc<dyn Codec<T>>,
    routing_key: Arc<dyn Fn(&T) -> String + Send + Sync>,
    properties: Arc<dyn Fn(&T) -> Properties + Send + Sync>,
    max_in_flight: usize,
    timeout: Duration,
}

impl<T: 'static> PublisherBuilder<T> {
    pub(super) fn new(exchange: String, codec: Arc<dyn Codec<T>>) -> Self {
        Self {
            exchange,
            codec,
            routing_key: Arc::new(|_| String::new()),
            properties: Arc::new(|_| Properties::new()),
            max_in_flight: 64,
            timeout: Duration::from_secs(30),
        }
    }

    /// The routing key of all messages. Default: the empty text.
    pub fn routing_key(self, key: impl Into<String>) -> Self {
        let key = key.into();
        self.routing_key_by(move |_| key.clone())
    }

    /// Computes the routing key of each message from its value.
    pub fn routing_key_by(
        mut self,
        function: impl Fn(&T) -> String + Send + Sync + 'static,
    ) -> Self {
        self.routing_key = Arc::new(function);
        self
    }

    /// Computes the properties of each message from its value. Default: none but those that are
    /// always there.
    pub fn properties_by(
        mut self,
        function: impl Fn(&T) -> Properties + Send + Sync + 'static,
    ) -> Self {
        self.properties = Arc::new(function);
        self
    }

    /// How many messages may be under way at a time, each on a channel of its own. At least 1. Further
    /// ones wait. The broker has a limit, too: RabbitMQ allows 2,047 channels on a connection.
    /// Default: 64.
    pub fn max_in_flight(mut self, messages: usize) -> Self {
        self.max_in_flight = messages.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// How long to wait for the confirm of a message that was sent. A broker that is short of memory or
    /// disk confirms nothing until it has room again; a shorter time then makes more messages come
    /// twice. Default: 30 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Connects to the broker at `amqp://user:password@host:port/vhost`, with `%2f` for the virtual
    /// host `/`. The exchange is not looked for: it may be declared later.
    ///
    /// The connection belongs to the Tokio runtime of the caller, which must have I/O enabled and must
    /// live as long as the publisher.
    ///
    /// # Errors
    ///
    /// - [`Error::Address`] if the URL cannot be read.
    /// - [`Error::Encrypted`] if it begins with `amqps://`.
    /// - [`Error::Connect`] if the broker does not let the client in within 10 s.
    /// - [`Error::TooLong`] if the name of the exchange is.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the connection is closed if dropped.
    pub async fn connect(self, url: impl AsRef<str>) -> Result<Publisher<T>, Error> {
        let uri: AMQPUri = url.as_ref().parse().map_err(|_| Error::Address)?;
        if uri.scheme == AMQPScheme::AMQPS {
            return Err(Error::Encrypted);
        }
        let exchange = short("the exchange", self.exchange)?;
        let link = Link::new(uri, self.max_in_flight);
        link.connect().await.map_err(|failure| Error::Connect {
            source: failure.to_string().into(),
        })?;
        let settings = Settings {
            exchange,
            codec: self.codec,
            routing_key: self.routing_key,
            properties: self.properties,
            timeout: self.timeout,
        };
        Ok(Publisher::new(settings, link))
    }
}

impl<T> fmt::Debug for PublisherBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PublisherBuilder")
            .field("exchange", &self.exchange)
            .field("max_in_flight", &self.max_in_flight)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::StringCodec;

    #[tokio::test]
    async fn an_address_is_refused_with_its_reason() {
        for (url, reason) in [
            ("amqps://rabbit/%2f", "amqps:// is not supported"),
            ("https://rabbit/", "is no amqp:// URL"),
            ("rabbit:5672", "is no amqp:// URL"),
        ] {
            let publisher: PublisherBuilder<String> = Publisher::builder("orders", StringCodec);
            let refused = publisher.connect(url).await.unwrap_err();
            assert!(refused.to_string().contains(reason), "{url}: {refused}");
            assert!(!refused.may_have_been_published());
        }
    }
}
