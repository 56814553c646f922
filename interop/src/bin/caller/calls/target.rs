//! Takes from the target queue, and looks at it.

use futures::StreamExt;
use redisson_delayed_queue::BlockingQueue;
use tokio::{runtime::Handle, task::block_in_place};

use super::unfit;
use crate::{Result, arguments::*};

pub(crate) const NAMES: &[&str] = &[
    "target.contains",
    "target.contains_all",
    "target.drain_to",
    "target.get",
    "target.index_of",
    "target.is_empty",
    "target.iter",
    "target.last_index_of",
    "target.len",
    "target.peek",
    "target.peek_last",
    "target.poll",
    "target.poll_from_any",
    "target.poll_last",
    "target.poll_last_from_any",
    "target.poll_last_many",
    "target.poll_many",
    "target.range",
    "target.read_all",
    "target.take",
    "target.take_last",
    "target.take_many",
    "target.try_take",
    "target.try_take_last",
];

pub(crate) async fn run(
    queue: &BlockingQueue<String>,
    name: &str,
    arguments: &[&str],
) -> Result<String> {
    let reply = match (name, arguments) {
        ("target.drain_to", [max]) => listed(queue.drain_to(max.parse()?).await?),
        ("target.poll", [wait]) => maybe(queue.poll(millis(wait)?).await?),
        ("target.poll_from_any", [other, wait]) => named(
            queue
                .poll_from_any([other.to_string()], millis(wait)?)
                .await?,
        ),
        ("target.poll_last", [wait]) => maybe(queue.poll_last(millis(wait)?).await?),
        ("target.poll_last_from_any", [other, wait]) => named(
            queue
                .poll_last_from_any([other.to_string()], millis(wait)?)
                .await?,
        ),
        ("target.poll_last_many", [max]) => listed(queue.poll_last_many(max.parse()?).await?),
        ("target.poll_many", [max]) => listed(queue.poll_many(max.parse()?).await?),
        ("target.take", []) => queue.take().await?,
        ("target.take_last", []) => queue.take_last().await?,
        ("target.take_many", [max, wait]) => {
            listed(queue.take_many(max.parse()?, millis(wait)?).await?)
        }
        ("target.try_take", []) => maybe(queue.try_take().await?),
        ("target.try_take_last", []) => maybe(queue.try_take_last().await?),
        _ => return look(queue, name, arguments).await,
    };
    Ok(reply)
}

async fn look(queue: &BlockingQueue<String>, name: &str, arguments: &[&str]) -> Result<String> {
    let reply = match (name, arguments) {
        ("target.contains", [value]) => queue.contains(&(*value).to_owned()).await?.to_string(),
        ("target.contains_all", values) => {
            let values = texts(values);
            // Its future is not known to be `Send` here, so a thread of its own waits for it.
            let contained = || Handle::current().block_on(queue.contains_all(&values));
            block_in_place(contained)?.to_string()
        }
        ("target.get", [index]) => maybe(queue.get(index.parse()?).await?),
        ("target.index_of", [value]) => maybe(queue.index_of(&(*value).to_owned()).await?),
        ("target.is_empty", []) => queue.is_empty().await?.to_string(),
        ("target.iter", []) => {
            let items: Vec<_> = queue.iter().collect().await;
            listed(items.into_iter().collect::<Result<Vec<_>, _>>()?)
        }
        ("target.last_index_of", [value]) => {
            maybe(queue.last_index_of(&(*value).to_owned()).await?)
        }
        ("target.len", []) => queue.len().await?.to_string(),
        ("target.peek", []) => maybe(queue.peek().await?),
        ("target.peek_last", []) => maybe(queue.peek_last().await?),
        ("target.range", [from, to]) => listed(queue.range(places(from, to)?).await?),
        ("target.read_all", []) => listed(queue.read_all().await?),
        _ => return unfit(name),
    };
    Ok(reply)
}
