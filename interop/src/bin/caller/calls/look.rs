//! Looks at what is not yet due.

use std::time::SystemTime;

use futures::{Stream, StreamExt};
use redisson_delayed_queue::Entry;

use super::{Queue, unfit};
use crate::{Result, arguments::*};

pub(crate) const NAMES: &[&str] = &[
    "contains",
    "contains_all",
    "entries_between",
    "is_empty",
    "iter",
    "len",
    "next_due",
    "peek",
    "peek_next_due",
    "read_all",
];

pub(crate) async fn run(queue: &Queue, name: &str, arguments: &[&str]) -> Result<String> {
    let reply = match (name, arguments) {
        ("contains", [value]) => queue.contains(&(*value).to_owned()).await?.to_string(),
        ("contains_all", values) => queue.contains_all(&texts(values)).await?.to_string(),
        ("entries_between", [from, to]) => {
            let range = moment(from)?..moment(to)?;
            values_of(queue.entries_between::<std::ops::Range<SystemTime>>(range)).await?
        }
        ("is_empty", []) => queue.is_empty().await?.to_string(),
        ("iter", []) => values_of(queue.iter()).await?,
        ("len", []) => queue.len().await?.to_string(),
        ("next_due", []) => maybe(queue.next_due().await?.map(unix_ms).transpose()?),
        ("peek", []) => maybe(queue.peek().await?),
        ("peek_next_due", []) => maybe(queue.peek_next_due().await?.map(|entry| entry.value)),
        ("read_all", []) => listed(queue.read_all().await?),
        _ => return unfit(name),
    };
    Ok(reply)
}

async fn values_of(
    entries: impl Stream<Item = redisson_delayed_queue::Result<Entry<String>>>,
) -> Result<String> {
    let entries: Vec<_> = entries.collect().await;
    let entries = entries.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(listed(entries.into_iter().map(|entry| entry.value)))
}
