//! Changes pending elements.

use super::{Queue, unfit};
use crate::{Result, arguments::*};

pub(crate) const NAMES: &[&str] = &[
    "cancel",
    "cancel_all",
    "clear",
    "promote",
    "remove",
    "remove_all",
    "reschedule",
    "reschedule_at",
    "retain_all",
];

pub(crate) async fn run(queue: &Queue, name: &str, arguments: &[&str]) -> Result<String> {
    let pending = queue.pending();
    let reply = match (name, arguments) {
        ("cancel", [ticket]) => queue.cancel(&ticket.parse()?).await?.to_string(),
        ("cancel_all", given) => queue.cancel_all(tickets(given)?).await?.to_string(),
        ("clear", []) => {
            pending.clear().await?;
            String::new()
        }
        ("promote", [ticket]) => queue.promote(&ticket.parse()?).await?.to_string(),
        ("remove", [value]) => pending.remove(&(*value).to_owned()).await?.to_string(),
        ("remove_all", values) => pending.remove_all(&texts(values)).await?.to_string(),
        ("reschedule", [ticket, delay]) => {
            let change = queue.reschedule(&ticket.parse()?, millis(delay)?).await;
            change?.to_string()
        }
        ("reschedule_at", [ticket, from_now]) => {
            let change = queue
                .reschedule_at(&ticket.parse()?, moment(from_now)?)
                .await;
            change?.to_string()
        }
        ("retain_all", values) => pending.retain_all(&texts(values)).await?.to_string(),
        _ => return unfit(name),
    };
    Ok(reply)
}
