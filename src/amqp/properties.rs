//! What a message says about itself.

use std::time::Duration;

use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable, LongString, ShortString};

use super::Error;
use crate::link::clock::ms_up;

/// The properties of a message, beside those that a [`Publisher`](super::Publisher) sets itself: the
/// message id, which is the [`DeliveryId`](crate::DeliveryId), and persistent delivery.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[must_use = "properties are for `PublisherBuilder::properties_by`"]
pub struct Properties {
    content_type: Option<String>,
    correlation_id: Option<String>,
    expiration: Option<Duration>,
    headers: Vec<(String, String)>,
    kind: Option<String>,
    priority: Option<u8>,
}

impl Properties {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// The MIME type of the body, such as `application/json`.
    pub fn content_type(mut self, mime: impl Into<String>) -> Self {
        self.content_type = Some(mime.into());
        self
    }

    /// What the message belongs to.
    pub fn correlation_id(mut self, id: impl Into<String>) -> Self {
        self.correlation_id = Some(id.into());
        self
    }

    /// How long the message may wait in a queue before the broker drops it, in whole milliseconds.
    /// Default: without end.
    pub fn expiration(mut self, ttl: Duration) -> Self {
        self.expiration = Some(ttl);
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The kind of message; AMQP calls it `type`.
    pub fn kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// The priority, for queues that have priorities. Higher ones come first.
    pub fn priority(mut self, priority: u8) -> Self {
        self.priority = Some(priority);
        self
    }

    pub(super) fn into_wire(self, message_id: &str) -> Result<BasicProperties, Error> {
        let mut wire = BasicProperties::default()
            .with_delivery_mode(PERSISTENT)
            .with_message_id(short("the message id", message_id)?);
        if let Some(mime) = self.content_type {
            wire = wire.with_content_type(short("the content type", mime)?);
        }
        if let Some(id) = self.correlation_id {
            wire = wire.with_correlation_id(short("the correlation id", id)?);
        }
        if let Some(ttl) = self.expiration {
            wire = wire.with_expiration(short("the expiration", ms_up(ttl).to_string())?);
        }
        if let Some(kind) = self.kind {
            wire = wire.with_type(short("the type", kind)?);
        }
        if let Some(priority) = self.priority {
            wire = wire.with_priority(priority);
        }
        if !self.headers.is_empty() {
            let mut headers = FieldTable::default();
            for (name, value) in self.headers {
                let value = AMQPValue::LongString(LongString::from(value));
                headers.insert(short("the name of a header", name)?, value);
            }
            wire = wire.with_headers(headers);
        }
        Ok(wire)
    }
}

/// A text of the protocol, or the error that `what` is too long.
pub(super) fn short(what: &'static str, text: impl Into<String>) -> Result<ShortString, Error> {
    ShortString::try_new(text).map_err(|_| Error::TooLong { what })
}

/// The delivery mode of messages that survive a restart of the broker, in durable queues.
const PERSISTENT: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_reaches_the_wire() {
        let wire = Properties::new()
            .content_type("text/plain")
            .correlation_id("17")
            .expiration(Duration::from_micros(1_499_001))
            .header("customer", "Ada")
            .kind("order.due")
            .priority(3)
            .into_wire("id")
            .unwrap();
        let text = |it: &Option<ShortString>| it.as_ref().map(ToString::to_string).unwrap();
        assert_eq!(text(wire.message_id()), "id");
        assert_eq!(text(wire.content_type()), "text/plain");
        assert_eq!(text(wire.correlation_id()), "17");
        assert_eq!(text(wire.expiration()), "1500");
        assert_eq!(text(wire.kind()), "order.due");
        assert_eq!(*wire.priority(), Some(3));
        assert_eq!(*wire.delivery_mode(), Some(PERSISTENT));
        let headers = wire.headers().as_ref().unwrap();
        let customer = headers.inner().get("customer").unwrap();
        assert_eq!(*customer, AMQPValue::LongString("Ada".into()));
    }

    #[test]
    fn a_text_of_256_bytes_is_refused_by_name() {
        let long = "x".repeat(256);
        let refused = Properties::new().header(long, "").into_wire("id");
        let error = refused.unwrap_err();
        assert!(error.is_permanent());
        assert_eq!(
            error.to_string(),
            "the name of a header of the message is longer than 255 bytes"
        );
    }
}
