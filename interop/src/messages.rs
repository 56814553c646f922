//! What is published on the channels of delayed queues.

use std::{fmt, sync::mpsc};

use redis::{Connection, PushInfo, PushKind};

/// Everything that is published on the channels of all delayed queues, while it lives.
pub struct Messages {
    connection: Connection,
    pushes: mpsc::Receiver<PushInfo>,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// The channel of a queue.
    pub channel: String,
    /// What was published.
    pub text: String,
}

impl Messages {
    /// Listens at a Redis.
    ///
    /// # Panics
    ///
    /// If Redis does not accept the connection or the subscription.
    pub fn of(url: &str) -> Self {
        // RESP3, in which messages come before the reply to what was sent later on the same
        // connection.
        let client = redis::Client::open(format!("{url}/?protocol=resp3"));
        let connection = client.and_then(|client| client.get_connection());
        let mut connection = connection.expect("the private redis accepts connections");
        let (sender, pushes) = mpsc::channel();
        connection.set_push_sender(sender);
        let subscribed = connection.psubscribe_resp3(CHANNELS);
        subscribed.expect("redis accepts subscriptions");
        Self { connection, pushes }
    }

    /// What was published since the last call.
    ///
    /// # Panics
    ///
    /// If Redis does not answer, or if a message is no text.
    pub fn heard(&mut self) -> Vec<Message> {
        let pong = redis::cmd("PING").exec(&mut self.connection);
        pong.expect("redis answers");
        let messages = self
            .pushes
            .try_iter()
            .filter(|push| push.kind == PushKind::PMessage);
        let messages = messages.map(|push| {
            let parts = push.data.into_iter().map(redis::from_redis_value);
            let parts: Result<Vec<String>, _> = parts.collect();
            let parts = parts.expect("channels and scores are text");
            let [_pattern, channel, text] = parts.try_into().expect("a message has three parts");
            Message { channel, text }
        });
        messages.collect()
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").finish_non_exhaustive()
    }
}

/// The channels of all queues, whatever their names.
const CHANNELS: &str = "redisson_delay_queue_channel:*";
