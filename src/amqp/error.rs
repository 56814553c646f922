//! What can go wrong with a message.

use lapin::ErrorKind;
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};

use crate::codec;
use crate::queue::consumer::HandlerError;

/// Why a message was not confirmed. Each variant says whose fault it is, and whether the broker may have
/// the message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address of the broker cannot be read. It is `amqp://user:password@host:port/vhost`, with
    /// `%2f` for the virtual host `/`.
    ///
    /// The caller's fault. Nothing was sent.
    #[error("the address of the broker is no amqp:// URL")]
    Address,

    /// The broker cannot be reached, or does not let this user in. Only
    /// [`connect`](super::PublisherBuilder::connect) returns it: a publisher that was connected once
    /// waits until it is connected again.
    ///
    /// The fault of the settings, the network or the broker. Nothing was sent.
    #[error("cannot connect to the broker")]
    Connect {
        /// What the broker or the network said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// The codec cannot write the value.
    ///
    /// The caller's fault. Nothing was sent.
    #[error("cannot encode the value: {reason}")]
    Encode {
        /// What the codec said.
        reason: codec::Error,
    },

    /// The address begins with `amqps://`, and publishers cannot encrypt their connection. Have a tunnel
    /// on the same host encrypt it, such as `stunnel`, and connect to the tunnel with `amqp://`.
    ///
    /// The caller's fault. Nothing was sent.
    #[error("amqps:// is not supported; connect with amqp:// to a tunnel that encrypts")]
    Encrypted,

    /// The headers do not fit into a frame of the broker (`frame_max`), and AMQP cannot split them.
    ///
    /// The caller's fault. Nothing was sent.
    #[error("the properties of the message take {size} bytes, and the broker takes {most}")]
    HeadersTooLarge {
        /// The bytes of all properties.
        size: usize,
        /// The most that the broker takes.
        most: usize,
    },

    /// The message was sent, and no confirm came: the connection was lost, the broker was stopped, or it
    /// took longer than the [timeout](super::PublisherBuilder::timeout).
    ///
    /// The fault of the network or the broker. **The broker may have the message.** When it is published
    /// again, it has the same message id.
    #[error("the broker did not confirm the message")]
    Lost {
        /// What ended the wait.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// The broker refused the responsibility for the message: a queue is full and rejects
    /// (`x-overflow`), or the broker failed inside.
    ///
    /// The fault of the broker or of the queue's limits. If the exchange routed the message to several
    /// queues, some of them may have it.
    #[error("the broker refused the message with a nack")]
    Nacked,

    /// The routing key or a property is longer than the 255 bytes of the protocol.
    ///
    /// The caller's fault. Nothing was sent.
    #[error("{what} of the message is longer than 255 bytes")]
    TooLong {
        /// Which part of the message.
        what: &'static str,
    },

    /// The broker closed the channel because of the message: there is no such exchange (404), the user
    /// may not write to it (403), or the message is larger than the broker allows (311, 406).
    ///
    /// The fault of the settings, here or at the broker. The broker does not have the message.
    #[error("the broker refused the message with {code}")]
    Refused {
        /// The reply code of AMQP.
        code: u16,
        /// What the broker said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// The exchange routes the message to no queue.
    ///
    /// The fault of the bindings or of the routing key. The broker has thrown the message away.
    #[error("exchange {exchange:?} has no queue for the routing key {routing_key:?}")]
    Unroutable {
        /// The exchange.
        exchange: String,
        /// The routing key.
        routing_key: String,
    },
}

impl Error {
    /// True if the broker may have the message. `false` is certain.
    #[must_use]
    pub fn may_have_been_published(&self) -> bool {
        matches!(self, Self::Lost { .. } | Self::Nacked)
    }

    /// True if the message itself is at fault, so that it would fail again:
    /// [`handler`](super::Publisher::handler) moves such an element to the dead letters at once.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        let too_large = [
            AMQPSoftError::CONTENTTOOLARGE.get_id(),
            AMQPSoftError::PRECONDITIONFAILED.get_id(),
        ];
        match self {
            Self::Encode { .. } | Self::HeadersTooLarge { .. } | Self::TooLong { .. } => true,
            Self::Refused { code, .. } => too_large.contains(code),
            _ => false,
        }
    }

    /// The error of a message that was given to a channel, on which no other one was under way.
    pub(super) fn of_sent(error: &lapin::Error) -> Self {
        let source = error.to_string().into();
        match error.kind() {
            ErrorKind::ProtocolError(said) => match said.kind() {
                AMQPErrorKind::Soft(code) => Self::Refused {
                    code: code.get_id(),
                    source,
                },
                AMQPErrorKind::Hard(_) => Self::Lost { source },
            },
            _ => Self::Lost { source },
        }
    }

    pub(super) fn into_handler_error(self) -> HandlerError {
        if self.is_permanent() {
            HandlerError::reject(self)
        } else {
            HandlerError::retry(self)
        }
    }
}
