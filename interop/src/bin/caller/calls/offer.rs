//! Offers.

use std::time::Duration;

use redisson_delayed_queue::{Durability, Error, IfPending, Offer};

use super::{Queue, unfit};
use crate::{Result, arguments::*};

pub(crate) const NAMES: &[&str] = &[
    "offer",
    "offer_all",
    "offer_at",
    "offer_durable",
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
            let offer = Offer::at(moment(from_now)?);
            ticket(queue, value, offer).await?
        }
        ("offer_durable", [replicas, within, delay, value]) => {
            let wanted = Durability::Replicas(replicas.parse()?);
            let offer = Offer::after(millis(delay)?).durability(wanted, millis(within)?);
            durable(queue, value, offer).await?
        }
        ("offer_expiring", [delay, expires_in, value]) => {
            let offer = Offer::after(millis(delay)?).expires_at(moment(expires_in)?);
            ticket(queue, value, offer).await?
        }
        ("offer_keyed", [key, delay, if_kept, value]) => {
            let offer = Offer::after(millis(delay)?).key(key);
            let offer = offer.if_pending(if_pending(if_kept)?);
            placed(&queue.offer_with(&text(value), offer).await?)
        }
        ("offer_unique", [delay, if_kept, value]) => {
            let offer = Offer::after(millis(delay)?).keyed_by_value();
            let offer = offer.if_pending(if_pending(if_kept)?);
            placed(&queue.offer_with(&text(value), offer).await?)
        }
        ("replace", [delay, value]) => {
            let offer = Offer::after(millis(delay)?).unique_in_queue();
            let offer = offer.if_pending(IfPending::Replace);
            placed(&queue.offer_with(&text(value), offer).await?)
        }
        _ => return unfit(name),
    };
    Ok(reply)
}

async fn all(queue: &Queue, delay: Duration, values: &[&str]) -> Result<String> {
    let values = texts(values);
    let items: Vec<_> = values.iter().map(|value| (value, delay)).collect();
    let offered = queue.offer_all(items).await?;
    Ok(listed(offered.into_iter().map(|it| it.ticket)))
}

async fn ticket(queue: &Queue, value: &str, offer: Offer) -> Result<String> {
    let offered = queue.offer_with(&value.to_owned(), offer).await?;
    Ok(offered.ticket.to_string())
}

/// Says whether the element is durable, or only stored.
async fn durable(queue: &Queue, value: &str, offer: Offer) -> Result<String> {
    match queue.offer_with(&value.to_owned(), offer).await {
        Ok(offered) => Ok(format!("durable {}", offered.ticket)),
        Err(Error::NotDurable { offered, .. }) => Ok(format!("stored {}", offered.ticket)),
        Err(error) => Err(error.into()),
    }
}
