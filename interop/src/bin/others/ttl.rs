//! A time to live for each message in a queue of RabbitMQ, whose dead letters go to the queue of the
//! consumers.

use std::time::{Duration, Instant};

use futures::StreamExt;
use lapin::{
    BasicProperties, Channel, Connection, ConnectionProperties,
    options::{
        BasicConsumeOptions, BasicPublishOptions, ConfirmSelectOptions, QueueDeclareOptions,
    },
    types::{AMQPValue, FieldTable, LongString},
};
use testbed::Broker;
use tokio::{runtime::Runtime, time::timeout};

use crate::{
    FAR, Work,
    lateness::{Lateness, due_in},
};

/// With another message in front that is due in an hour, or without.
pub(crate) fn measure(work: Work, is_behind: bool) -> Lateness {
    let broker = Broker::start();
    let runtime = Runtime::new().expect("the system has threads");
    let measured = runtime.block_on(async {
        let properties = ConnectionProperties::default();
        let connection = Connection::connect(&broker.url(), properties).await?;
        let channel = connection.create_channel().await?;
        let confirms = ConfirmSelectOptions::default();
        channel.confirm_select(confirms).await?;
        let mut dead_letters = FieldTable::default();
        for (name, value) in [
            ("x-dead-letter-exchange", ""),
            ("x-dead-letter-routing-key", "due"),
        ] {
            let value = AMQPValue::LongString(LongString::from(value));
            dead_letters.insert(name.into(), value);
        }
        for (name, arguments) in [("due", FieldTable::default()), ("waiting", dead_letters)] {
            let options = QueueDeclareOptions::default();
            channel
                .queue_declare(name.into(), options, arguments)
                .await?;
        }
        let options = BasicConsumeOptions {
            no_ack: true,
            ..BasicConsumeOptions::default()
        };
        let arguments = FieldTable::default();
        let consuming = channel.basic_consume("due".into(), "".into(), options, arguments);
        let mut due = consuming.await?;
        if is_behind {
            publish(&channel, FAR).await?;
        }
        for delay in work.delays() {
            publish(&channel, delay).await?;
        }

        let end = Instant::now() + work.length();
        let mut late = Lateness::of(work.due);
        while !late.is_complete()
            && let Some(left) = end.checked_duration_since(Instant::now())
        {
            let Ok(Some(message)) = timeout(left, due.next()).await else {
                break;
            };
            let message = message?;
            late.came(std::str::from_utf8(&message.data).expect("messages are text"));
        }
        Ok::<_, lapin::Error>(late)
    });
    measured.expect("the broker works")
}

async fn publish(channel: &Channel, delay: Duration) -> lapin::Result<()> {
    let expires = delay.as_millis().to_string();
    let properties = BasicProperties::default().with_expiration(expires.into());
    let body = due_in(delay);
    let options = BasicPublishOptions::default();
    let confirm = channel.basic_publish(
        "".into(),
        "waiting".into(),
        options,
        body.as_bytes(),
        properties,
    );
    confirm.await?.await?;
    Ok(())
}
