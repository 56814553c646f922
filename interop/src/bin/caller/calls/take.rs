//! Takes due elements from one queue or several, and pending ones.

use futures::StreamExt;
use redisson_delayed_queue::{BlockingQueue, Client, Selector, codec::StringCodec};

use super::{Queue, unfit};
use crate::{Result, arguments::*};

pub(crate) const NAMES: &[&str] = &[
    "drain_to",
    "poll",
    "poll_last_and_offer_first_to",
    "poll_many",
    "poll_undue",
    "poll_undue_many",
    "selector.poll",
    "selector.take",
    "selector.take_many",
    "selector.try_take",
    "stream",
    "take",
    "take_many",
    "try_take",
];

pub(crate) async fn run(
    client: &Client,
    queue: &Queue,
    name: &str,
    arguments: &[&str],
) -> Result<String> {
    let reply = match (name, arguments) {
        ("drain_to", [max]) => listed(queue.destination().drain_to(max.parse()?).await?),
        ("poll", [wait]) => maybe(queue.poll(millis(wait)?).await?),
        ("poll_last_and_offer_first_to", [other]) => {
            maybe(queue.pending().poll_last_and_offer_first_to(other).await?)
        }
        ("poll_many", [max]) => listed(queue.destination().poll_many(max.parse()?).await?),
        ("poll_undue", []) => maybe(queue.pending().poll().await?),
        ("poll_undue_many", [max]) => listed(queue.pending().poll_many(max.parse()?).await?),
        ("stream", [max]) => {
            let items: Vec<_> = queue.stream().take(max.parse()?).collect().await;
            listed(items.into_iter().collect::<Result<Vec<_>, _>>()?)
        }
        ("take", []) => queue.take().await?,
        ("take_many", [max, wait]) => listed(queue.take_many(max.parse()?, millis(wait)?).await?),
        ("try_take", []) => maybe(queue.try_take().await?),
        (_, [other, arguments @ ..]) if name.starts_with("selector.") => {
            let other = client.blocking_queue(*other, StringCodec)?;
            select(queue.destination(), other, name, arguments).await?
        }
        _ => return unfit(name),
    };
    Ok(reply)
}

async fn select(
    one: BlockingQueue<String>,
    other: BlockingQueue<String>,
    name: &str,
    arguments: &[&str],
) -> Result<String> {
    let selector = Selector::new([one, other]);
    let reply = match (name, arguments) {
        ("selector.poll", [wait]) => named(selector.poll(millis(wait)?).await?),
        ("selector.take", []) => named(Some(selector.take().await?)),
        ("selector.take_many", [max, wait]) => {
            let taken = selector.take_many(max.parse()?, millis(wait)?).await?;
            listed(taken.into_iter().map(|(_, value)| value))
        }
        ("selector.try_take", []) => named(selector.try_take().await?),
        _ => return unfit(name),
    };
    Ok(reply)
}
