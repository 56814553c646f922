//! A channel to the broker that waits for the confirm of each message.

use std::time::Duration;

use lapin::options::BasicPublishOptions;
use lapin::{Channel, Confirmation};
use tokio::sync::SemaphorePermit;
use tokio::time::timeout;

use super::Error;
use super::link::Idle;
use super::message::Message;

/// A channel for one message at a time.
///
/// RabbitMQ returns an unroutable message just before its confirm, and does not say which one it is.
/// So a channel carries one message at a time.
#[derive(Debug)]
pub(super) struct ConfirmChannel<'a> {
    pub(super) channel: Channel,
    /// How many bytes the broker takes in one frame; 0 for any number.
    pub(super) frame_max: u32,
    /// Where the channel waits for the next message.
    pub(super) idle: Idle,
    /// Counts the message among those that are under way.
    pub(super) _permit: SemaphorePermit<'a>,
}

impl ConfirmChannel<'_> {
    /// Publishes the message, and waits until the broker confirms it.
    ///
    /// Leaves the message published or not if dropped. The channel is closed then.
    pub(super) async fn publish(self, message: Message, limit: Duration) -> Result<(), Error> {
        let size = message.header_size();
        if self.frame_max != 0 && size > self.frame_max as usize {
            // The broker would close the connection, on which other messages are under way.
            self.idle.put(self.channel);
            return Err(Error::HeadersTooLarge {
                size,
                most: self.frame_max as usize,
            });
        }
        let confirmed = match timeout(limit, self.send(&message)).await {
            Ok(Ok(confirmed)) => confirmed,
            Ok(Err(error)) => return Err(Error::of_sent(&error)),
            Err(_) => {
                let source = format!("no confirm came within {limit:?}").into();
                return Err(Error::Lost { source });
            }
        };
        self.idle.put(self.channel);
        match confirmed {
            Confirmation::Ack(None) => Ok(()),
            Confirmation::Ack(Some(_)) => Err(message.unroutable()),
            Confirmation::Nack(_) | Confirmation::NotRequested => Err(Error::Nacked),
        }
    }

    async fn send(&self, message: &Message) -> lapin::Result<Confirmation> {
        let options = BasicPublishOptions {
            mandatory: true,
            immediate: false,
        };
        let confirm = self.channel.basic_publish(
            message.exchange.clone(),
            message.routing_key.clone(),
            options,
            &message.body,
            message.properties.clone(),
        );
        confirm.await?.await
    }
}
