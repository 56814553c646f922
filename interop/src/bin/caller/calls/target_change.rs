//! Calls that put values into the target queue, move them and remove them.

use redisson_delayed_queue::BlockingQueue;

use super::unfit;
use crate::{Result, arguments::*};

pub(crate) const NAMES: &[&str] = &[
    "target.add_all",
    "target.add_all_first",
    "target.add_first_if_exists",
    "target.add_last_if_exists",
    "target.clear",
    "target.move_to",
    "target.offer",
    "target.offer_first",
    "target.poll_last_and_offer_first_to",
    "target.remove",
    "target.remove_all",
    "target.remove_last_occurrence",
    "target.retain_all",
    "target.take_last_and_offer_first_to",
    "target.trim",
];

pub(crate) async fn run(
    queue: &BlockingQueue<String>,
    name: &str,
    arguments: &[&str],
) -> Result<String> {
    let text = |token: &str| token.to_owned();
    let reply = match (name, arguments) {
        ("target.clear", []) => {
            queue.clear().await?;
            String::new()
        }
        ("target.move_to", [other, from, to, count]) => {
            let moved = queue.move_to(other, side(from)?, side(to)?, count.parse()?);
            moved.await?.to_string()
        }
        ("target.poll_last_and_offer_first_to", [other, wait]) => maybe(
            queue
                .poll_last_and_offer_first_to(other, millis(wait)?)
                .await?,
        ),
        ("target.remove", [value, count]) => {
            let removed = queue.remove_up_to(&text(value), count.parse()?).await;
            removed?.to_string()
        }
        ("target.remove_all", values) => queue.remove_all(&texts(values)).await?.to_string(),
        ("target.remove_last_occurrence", [value]) => {
            let removed = queue.remove_last_occurrence(&text(value)).await;
            removed?.to_string()
        }
        ("target.retain_all", values) => queue.retain_all(&texts(values)).await?.to_string(),
        ("target.take_last_and_offer_first_to", [other]) => {
            queue.take_last_and_offer_first_to(other).await?
        }
        ("target.trim", [from, to]) => {
            queue.trim(places(from, to)?).await?;
            String::new()
        }
        _ => return add(queue, name, arguments).await,
    };
    Ok(reply)
}

async fn add(queue: &BlockingQueue<String>, name: &str, arguments: &[&str]) -> Result<String> {
    let values = texts(arguments);
    let reply = match (name, &values[..]) {
        ("target.add_all", values) => queue.add_all(values).await?.to_string(),
        ("target.add_all_first", values) => queue.add_all_first(values).await?.to_string(),
        ("target.add_first_if_exists", values) => {
            queue.add_first_if_exists(values).await?.to_string()
        }
        ("target.add_last_if_exists", values) => {
            queue.add_last_if_exists(values).await?.to_string()
        }
        ("target.offer", [value]) => {
            queue.offer(value).await?;
            String::new()
        }
        ("target.offer_first", [value]) => {
            queue.offer_first(value).await?;
            String::new()
        }
        _ => return unfit(name),
    };
    Ok(reply)
}
