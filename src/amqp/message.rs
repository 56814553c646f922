use bytes::Bytes;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, ShortString};

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
    /// The bytes of the frame with its properties, which cannot be split: a little more than there are.
    pub(super) fn header_size(&self) -> usize {
        // Five texts of at most 255 bytes, and what stands around them.
        const OTHERS: usize = 1_400;
        let headers = self.properties.headers().iter().flat_map(|it| it.inner());
        let size = |(name, value): (&ShortString, &AMQPValue)| match value {
            AMQPValue::LongString(text) => name.as_str().len() + text.as_bytes().len() + 6,
            // No other value is written.
            _ => 0,
        };
        OTHERS + headers.map(size).sum::<usize>()
    }

    /// The error for a message that the exchange routes to no queue.
    pub(super) fn unroutable(&self) -> Error {
        Error::Unroutable {
            exchange: self.exchange.to_string(),
            routing_key: self.routing_key.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amqp::Properties;

    #[test]
    fn the_size_of_the_header_is_that_of_its_texts_and_a_little_more() {
        let size = |properties: Properties| {
            let message = Message {
                exchange: "orders".into(),
                routing_key: "key".into(),
                body: Bytes::new(),
                properties: properties.into_wire("id").unwrap(),
            };
            message.header_size()
        };
        let long = Properties::new()
            .header("a", "x".repeat(1_000))
            .header("b", "y".repeat(2_000));
        assert!((3_000..5_000).contains(&size(long)));
        assert!(size(Properties::new()) < 2_000);
    }
}
