//! Publishing elements.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use lapin::types::ShortString;

use super::link::Link;
use super::message::Message;
use super::properties::short;
use super::{Error, Properties, PublisherBuilder};
use crate::codec::Codec;
use crate::delivery_id::DeliveryId;
use crate::queue::consumer::{DeliveryInfo, HandlerError};

/// Publishes elements to an exchange of RabbitMQ, and waits until the broker confirms each.
///
/// Made by [`Publisher::builder`]. Clones are cheap and share a connection.
///
/// - The body of a message is what the codec makes of the value. The message id is the
///   [`DeliveryId`]. Messages are persistent: durable queues keep them when the broker restarts.
/// - The broker confirms a message when all its durable queues have it on disk, or on most of their
///   nodes.
/// - Messages are mandatory: one that the exchange routes to no queue is an error.
/// - When the connection is lost, the next message makes a new one for all, after waits from 0.1 s to
///   5 s. While the broker is away, messages wait, so that no element loses its attempts to an outage.
///   The client of each queue reports [`Event::BrokerUnreachable`](crate::Event::BrokerUnreachable)
///   once.
pub struct Publisher<T> {
    shared: Arc<Shared<T>>,
}

struct Shared<T> {
    settings: Settings<T>,
    link: Link,
}

pub(super) struct Settings<T> {
    pub(super) exchange: ShortString,
    pub(super) codec: Arc<dyn Codec<T>>,
    pub(super) routing_key: Arc<dyn Fn(&T) -> String + Send + Sync>,
    pub(super) properties: Arc<dyn Fn(&T) -> Properties + Send + Sync>,
    pub(super) timeout: Duration,
}

impl<T: 'static> Publisher<T> {
    /// Settings for publishing to `exchange`, with bodies in the format of `codec`; usually that of the
    /// queue.
    pub fn builder(
        exchange: impl Into<String>,
        codec: impl Codec<T> + 'static,
    ) -> PublisherBuilder<T> {
        PublisherBuilder::new(exchange.into(), Arc::new(codec))
    }

    pub(super) fn new(settings: Settings<T>, link: Link) -> Self {
        let shared = Arc::new(Shared { settings, link });
        Self { shared }
    }

    /// A handler for [`Consumer::run`](crate::Consumer::run), which publishes each element. Its element
    /// is acknowledged in Redis after the confirm of the broker.
    ///
    /// | [`publish`](Self::publish) | The element |
    /// |---|---|
    /// | is confirmed | is acknowledged |
    /// | fails with [`Error::Encode`], [`Error::HeadersTooLarge`], [`Error::TooLong`] or, for its size, [`Error::Refused`] | is a dead letter |
    /// | fails otherwise | comes again after the back-off of the consumer, and is a dead letter after the last attempt |
    /// | waits for the broker | waits; its lease is extended meanwhile |
    /// | waits when the run is told to stop, or is dropped | is due again at once, and has lost no attempt |
    ///
    /// As many elements as the `concurrency` of `run` wait in the process while the broker is away. The
    /// others wait in Redis.
    pub fn handler(
        &self,
    ) -> impl Fn(T, DeliveryInfo) -> BoxFuture<'static, Result<(), HandlerError>> + Send + Sync + use<T>
    where
        T: Send,
    {
        let publisher = self.clone();
        move |value, info| {
            let publisher = publisher.clone();
            let published = async move {
                let message = publisher.message(&value, info.id());
                // A value may be one that threads cannot share.
                drop(value);
                let Shared { settings, link } = &*publisher.shared;
                let message = message?;
                let channel = info
                    .trial()
                    .wait_for(link.confirm_channel(Some(info.reporter())));
                channel.await.publish(message, settings.timeout).await
            };
            published
                .map(|published| published.map_err(Error::into_handler_error))
                .boxed()
        }
    }

    /// Publishes `value`, and waits until the broker confirms that it has it. While there is no
    /// connection to the broker, it waits for one.
    ///
    /// To publish the same element again, use the same `id`: it is the message id, by which those who
    /// consume the message can drop what comes twice.
    ///
    /// # Errors
    ///
    /// - [`Error::Encode`], [`Error::HeadersTooLarge`], [`Error::TooLong`]: nothing was sent.
    /// - [`Error::Refused`], [`Error::Unroutable`]: the broker does not have the message.
    /// - [`Error::Lost`], [`Error::Nacked`]: the broker may have it.
    ///
    /// # Cancel safety
    ///
    /// Leaves the message published or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{Consumer, Result, amqp::Publisher};
    ///
    /// # async fn run(consumer: Consumer<String>, publisher: Publisher<String>) -> Result<()> {
    /// loop {
    ///     let delivery = consumer.recv().await?;
    ///     match publisher.publish(delivery.value(), delivery.id()).await {
    ///         Ok(()) => delivery.ack().await?,
    ///         Err(error) if error.is_permanent() => delivery.reject(error.to_string()).await?,
    ///         Err(_) => delivery.nack(Duration::from_secs(10)).await?,
    ///     }
    /// }
    /// # }
    /// ```
    pub async fn publish(&self, value: &T, id: DeliveryId) -> Result<(), Error> {
        let message = self.message(value, id)?;
        let Shared { settings, link } = &*self.shared;
        let channel = link.confirm_channel(None).await;
        channel.publish(message, settings.timeout).await
    }

    fn message(&self, value: &T, id: DeliveryId) -> Result<Message, Error> {
        let settings = &self.shared.settings;
        let body = settings.codec.encode(value);
        let properties = (settings.properties)(value);
        Ok(Message {
            exchange: settings.exchange.clone(),
            routing_key: short("the routing key", (settings.routing_key)(value))?,
            body: body.map_err(|reason| Error::Encode { reason })?,
            properties: properties.into_wire(&id.to_string())?,
        })
    }
}

impl<T> Clone for Publisher<T> {
    fn clone(&self) -> Self {
        let shared = Arc::clone(&self.shared);
        Self { shared }
    }
}

impl<T> fmt::Debug for Publisher<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Publisher")
            .field("exchange", &self.shared.settings.exchange.as_str())
            .field("link", &self.shared.link)
            .finish_non_exhaustive()
    }
}
