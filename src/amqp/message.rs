use bytes::Bytes;
use lapin::BasicProperties;
use lapin::types::ShortString;

use super::Error;

/// A message that is ready to be sent.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) exchange: ShortString,
    pub(super) routing_key: ShortString,
    pub(super) body: Bytes,
    pub(super) properties: BasicProperties,
}

impl Message {
    /// The error for a message that the exchange routes to no queue.
    pub(super) fn unroutable(&self) -> Error {
        Error::Unroutable {
            exchange: self.exchange.to_string(),
            routing_key: self.routing_key.to_string(),
        }
    }
}
