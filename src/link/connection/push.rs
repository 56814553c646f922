//! What comes from the server without being asked for.

use redis::{PushInfo, PushKind, RedisError, Value};

use super::Role;

/// What the server sent without being asked.
#[derive(Debug)]
pub(crate) enum Push {
    /// A connection is gone, and with it its subscriptions or hints.
    Disconnected,
    /// One of these keys may have changed; every key, if none is named.
    Invalidated(Vec<Vec<u8>>),
    /// Something was published.
    Message { channel: Vec<u8>, payload: Vec<u8> },
    /// The server plays another part than the one before.
    Role(Role),
    /// The server will give no hints about keys on this connection.
    TrackingRefused(RedisError),
}

impl Push {
    /// Nothing if it is of no kind that this crate asks for.
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
}

fn bulk(value: Value) -> Option<Vec<u8>> {
    match value {
        Value::BulkString(bytes) => Some(bytes),
        _ => None,
    }
}
