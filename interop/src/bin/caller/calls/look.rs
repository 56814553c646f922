//! Looks at pending elements.

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
    let pending = queue.pending();
    let reply = match (name, arguments) {
        ("contains", [value]) => pending.contains(&(*value).to_owned()).await?.to_string(),
        ("contains_all", values) => pending.contains_all(&texts(values)).await?.to_string(),
        ("entries_between", [from, to]) => {
            let range = moment(from)?..moment(to)?;
            values_of(pending.between(range)).await?
        }
        ("is_empty", []) => pending.is_empty().await?.to_string(),
        ("iter", []) => values_of(pending.iter()).await?,
        ("len", []) => pending.len().await?.to_string(),
        ("next_due", []) => maybe(pending.next_due().await?.map(unix_ms).transpose()?),
        ("peek", []) => maybe(pending.peek().await?),
        ("peek_next_due", []) => maybe(pending.peek_next().await?.map(|entry| entry.value)),
        ("read_all", []) => listed(pending.read_all().await?),
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
