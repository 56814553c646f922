//! Offers.

use std::time::Duration;

use redisson_delayed_queue::Ticket;

use super::{Queue, unfit};
use crate::{Result, arguments::*};

pub(crate) const NAMES: &[&str] = &[
    "offer",
    "offer_all",
    "offer_at",
    "offer_expiring",
    "offer_keyed",
    "offer_unique",
    "replace",
];

pub(crate) async fn run(queue: &Queue, name: &str, arguments: &[&str]) -> Result<String> {
    let text = |token: &str| token.to_owned();
    let reply = match (name, arguments) {
        ("offer", [delay, value]) => {
            let ticket = queue.offer(&text(value), millis(delay)?).await?;
            ticket.to_string()
        }
        ("offer_all", [delay, values @ ..]) => all(queue, millis(delay)?, values).await?,
        ("offer_at", [from_now, value]) => {
            let ticket = queue.offer_at(&text(value), moment(from_now)?).await?;
            ticket.to_string()
        }
        ("offer_expiring", [delay, expires_in, value]) => {
            let (value, delay, expires_at) = (text(value), millis(delay)?, moment(expires_in)?);
            let ticket = queue.offer_expiring(&value, delay, expires_at).await?;
            ticket.to_string()
        }
        ("offer_keyed", [key, delay, if_kept, value]) => {
            let (value, delay) = (text(value), millis(delay)?);
            let if_pending = if_pending(if_kept)?;
            placed(&queue.offer_keyed(key, &value, delay, if_pending).await?)
        }
        ("offer_unique", [delay, if_kept, value]) => {
            let (value, delay) = (text(value), millis(delay)?);
            placed(
                &queue
                    .offer_unique(&value, delay, if_pending(if_kept)?)
                    .await?,
            )
        }
        ("replace", [delay, value]) => placed(&queue.replace(&text(value), millis(delay)?).await?),
        _ => return unfit(name),
    };
    Ok(reply)
}

async fn all(queue: &Queue, delay: Duration, values: &[&str]) -> Result<String> {
    let values = texts(values);
    let items: Vec<_> = values.iter().map(|value| (value, delay)).collect();
    let tickets: Vec<Ticket> = queue.offer_all(items).await?;
    Ok(listed(tickets))
}
