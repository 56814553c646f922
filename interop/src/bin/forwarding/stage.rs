//! A Redis, a RabbitMQ, and what the consumers behind them see.

use std::{collections::BTreeMap, time::Duration};

use lapin::{
    Channel, Connection, ConnectionProperties, ExchangeKind,
    options::{
        BasicGetOptions, ConfirmSelectOptions, ExchangeDeclareOptions, QueueBindOptions,
        QueueDeclareOptions,
    },
    types::{AMQPValue, FieldTable},
};
use redisson_delayed_queue::{
    Client, ConsumerBuilder, DelayedQueue, amqp::Publisher, codec::StringCodec, keys::QueueKeys,
};
use testbed::{Broker, Server, Settings, until};
use tokio::task::{JoinHandle, block_in_place};

pub(crate) struct Stage {
    pub(crate) redis: Server,
    pub(crate) broker: Broker,
}

/// The ids of all messages with the same body, by the body.
pub(crate) type Received = BTreeMap<String, Vec<String>>;

impl Stage {
    /// Redis saves each change before it answers, so a restart changes nothing.
    pub(crate) fn start() -> Self {
        let settings = Settings::new()
            .set("appendonly", "yes")
            .set("appendfsync", "always");
        Self {
            redis: Server::with(&settings),
            broker: Broker::start(),
        }
    }

    /// A channel of a connection that lasts as long as the channel.
    pub(crate) async fn channel(&self) -> Channel {
        let connection =
            Connection::connect(&self.broker.url(), ConnectionProperties::default()).await;
        let connection = connection.expect("the broker accepts connections");
        let channel = connection.create_channel().await.expect("a channel");
        let confirms = channel.confirm_select(ConfirmSelectOptions::default());
        confirms.await.expect("confirms");
        channel
    }

    /// Declares a durable direct exchange.
    pub(crate) async fn declare_exchange(&self, name: &str) {
        let options = ExchangeDeclareOptions {
            durable: true,
            ..ExchangeDeclareOptions::default()
        };
        let channel = self.channel().await;
        let arguments = FieldTable::default();
        let declared =
            channel.exchange_declare(name.into(), ExchangeKind::Direct, options, arguments);
        declared.await.expect("an exchange");
    }

    /// Declares an exchange, and a durable queue of the same name that gets the messages with this
    /// routing key. A broker that is killed afterwards still knows them.
    pub(crate) async fn declare(&self, name: &str, key: &str, arguments: &[(&str, AMQPValue)]) {
        self.declare_exchange(name).await;
        let channel = self.channel().await;
        let options = QueueDeclareOptions {
            durable: true,
            ..QueueDeclareOptions::default()
        };
        let mut table = FieldTable::default();
        for (argument, value) in arguments {
            table.insert((*argument).into(), value.clone());
        }
        let declared = channel.queue_declare(name.into(), options, table);
        declared.await.expect("a queue");
        self.bind(name, key).await;
        // The broker writes in the order in which it was told.
        let last = format!("{name}-written");
        self.declare_exchange(&last).await;
        block_in_place(|| self.broker.wait_until_written(&last));
    }

    /// Lets the queue of this name get the messages with this routing key, too.
    pub(crate) async fn bind(&self, name: &str, key: &str) {
        let channel = self.channel().await;
        let options = QueueBindOptions::default();
        let bound = channel.queue_bind(
            name.into(),
            name.into(),
            key.into(),
            options,
            FieldTable::default(),
        );
        bound.await.expect("a binding");
    }

    /// Takes all messages out of a queue.
    pub(crate) async fn receive(&self, queue: &str) -> Received {
        let channel = self.channel().await;
        let mut received = Received::new();
        let options = BasicGetOptions { no_ack: true };
        while let Some(message) = channel
            .basic_get(queue.into(), options)
            .await
            .expect("a queue")
        {
            let id = message.properties.message_id().as_ref();
            let body = String::from_utf8(message.data.clone()).expect("text");
            let ids = received.entry(body).or_default();
            ids.push(id.expect("each message has an id").to_string());
        }
        received
    }

    /// The queue of this name, by a client of its own.
    pub(crate) async fn queue(&self, name: &str) -> DelayedQueue<String> {
        let client = Client::connect(self.redis.url()).await.expect("a client");
        client.delayed_queue(name, StringCodec).expect("a queue")
    }

    /// Forwards a queue until the handle is dropped.
    pub(crate) fn forward(
        &self,
        publisher: &Publisher<String>,
        consumer: ConsumerBuilder<String>,
    ) -> Forwarding {
        let consumer = consumer.build().expect("a consumer");
        let run = consumer.run(32, publisher.handler()).into_future();
        Forwarding(tokio::spawn(run))
    }

    /// The elements of a queue that consumers have or that wait for another attempt.
    pub(crate) fn deliveries(&self, queue: &str) -> usize {
        let keys = QueueKeys::new(queue).expect("a name");
        self.redis.run(&["HLEN", keys.deliveries()])
    }

    /// The elements that consumers have.
    pub(crate) fn leases(&self, queue: &str) -> usize {
        let keys = QueueKeys::new(queue).expect("a name");
        self.redis.run(&["ZCARD", keys.delivery_leases()])
    }

    /// How many deliveries a second attempt has begun for, or waits for. An entry among the retries stays there for
    /// some ms only; the token of a second attempt names another lease than the first one.
    pub(crate) fn attempted(&self, queue: &str) -> usize {
        let keys = QueueKeys::new(queue).expect("a name");
        let waiting: usize = self.redis.run(&["ZCARD", keys.retries()]);
        let tokens: Vec<Vec<u8>> = self
            .redis
            .run(&["ZRANGE", keys.delivery_leases(), "0", "-1"]);
        let is_first = |token: &Vec<u8>| token.get(..18) == token.get(26..44);
        waiting + tokens.iter().filter(|it| !is_first(it)).count()
    }

    /// Waits until Redis holds nothing of a queue but its dead letters, for as long as it becomes less.
    pub(crate) fn wait_until_empty(&self, queue: &str) {
        let keys = QueueKeys::new(queue).expect("a name");
        let left = || {
            let due: usize = self.redis.run(&["LLEN", keys.target()]);
            let pending: usize = self.redis.run(&["ZCARD", keys.timeouts()]);
            due + pending + self.deliveries(queue)
        };
        block_in_place(|| {
            let mut before = left();
            while before > 0 {
                before = until("something is forwarded", || match left() {
                    now if now < before => Ok(now),
                    now => Err(format!("{now} are left")),
                });
            }
        });
    }

    /// The dead letters of a queue.
    pub(crate) fn dead(&self, queue: &str) -> Vec<String> {
        let key = format!("{{{queue}}}-dead");
        let mut dead: Vec<String> = self.redis.run(&["LRANGE", &key, "0", "-1"]);
        dead.sort();
        dead
    }
}

/// A running handler, ended when dropped.
pub(crate) struct Forwarding(JoinHandle<()>);

impl Drop for Forwarding {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Puts values on a queue that are due at once.
pub(crate) async fn offer(queue: &DelayedQueue<String>, values: impl IntoIterator<Item = String>) {
    for value in values {
        let offered = queue.offer(&value, Duration::ZERO).await;
        offered.expect("Redis takes it");
    }
}
