//! Messages that a server sends without a call.

use redis::{Msg, PushInfo, PushKind, RedisError, Value};

use super::role::Role;

/// A message that the server sent unasked.
#[derive(Debug)]
pub(crate) enum Push {
    /// A connection is gone, and with it its subscriptions or hints.
    Disconnected,
    /// One of these keys may have changed; every key, if none is named.
    Invalidated(Vec<Vec<u8>>),
    /// The server does not speak RESP3.
    Resp3Refused(RedisError),
    /// Something was published.
    Message { channel: Vec<u8>, payload: Vec<u8> },
    /// The server has another role than at the last connection.
    Role(Role),
    /// The server will give no hints about keys on this connection.
    TrackingRefused(RedisError),
}

impl Push {
    /// Reads the driver's form; `None` for kinds that this crate does not ask for.
    pub(super) fn from_info(info: PushInfo) -> Option<Self> {
        let mut data = info.data.into_iter();
        match info.kind {
            PushKind::Disconnection => Some(Self::Disconnected),
            PushKind::Invalidate => Some(Self::Invalidated(match data.next() {
                Some(Value::Array(keys)) => keys.into_iter().filter_map(bulk).collect(),
                _ => Vec::new(),
            })),
            PushKind::Message => Some(Self::Message {
                channel: bulk(data.next()?)?,
                payload: bulk(data.next()?)?,
            }),
            _ => None,
        }
    }

    /// Reads a message that came in RESP2.
    pub(super) fn from_message(message: &Msg) -> Self {
        Self::Message {
            channel: message.get_channel_name().into(),
            payload: message.get_payload_bytes().into(),
        }
    }
}

fn bulk(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        _ => None,
    }
}
