//! Offers of several elements, some hundred in a script.

use super::Element;
use super::attempt::{Failed, Offer};
use crate::client::session::Shared;
use crate::error::{Error, Result, Step};
use crate::link::connection::{Failure, timed_out};
use crate::ticket::Ticket;
use crate::wire::chunk::chunks;
use crate::wire::keys::QueueKeys;
use crate::wire::script;

/// How many elements one script stores at the most: little enough that it holds up nobody.
pub(super) const MOST: usize = 500;

/// Stores the elements in order, a chunk after the other, until one fails.
pub(crate) async fn offer_all(
    client: &Shared,
    keys: &QueueKeys,
    elements: Vec<Element>,
) -> Result<Vec<Ticket>> {
    let mut stored = 0;
    let mut failed = None;
    for chunk in chunks(&elements, MOST, Element::size) {
        match offer(client, keys, chunk).await {
            Ok(()) => stored += chunk.len(),
            Err(failure) => {
                failed = Some((failure, chunk.len()));
                break;
            }
        }
    }
    let mut tickets = elements.into_iter().map(|element| element.ticket);
    let stored = tickets.by_ref().take(stored).collect();
    let Some((failure, len)) = failed else {
        return Ok(stored);
    };
    let (cause, unknown) = match failure {
        Failed::Certain(cause) if stored.is_empty() => {
            return Err(cause.on_queue(keys.target()));
        }
        Failed::Certain(cause) => (cause.on_queue(keys.target()), Vec::new()),
        Failed::Unknown(failure) => {
            let cause = match failure {
                Some(failure) => failure.into_error(Step::Offer).on_queue(keys.target()),
                // An attempt was lost before.
                None => match client.ensure_open() {
                    Ok(()) => Failure::Lost(client.commands.met(timed_out()))
                        .into_error(Step::Offer)
                        .on_queue(keys.target()),
                    Err(closed) => closed,
                },
            };
            (cause, tickets.take(len).collect())
        }
    };
    Err(Error::OfferedInPart {
        stored,
        unknown,
        source: Box::new(cause),
    })
}

/// Stores all of these elements or none.
async fn offer(client: &Shared, keys: &QueueKeys, elements: &[Element]) -> Result<(), Failed> {
    let due = elements.iter().map(|element| element.due);
    let attempt = |connection, attempt| async move {
        let elements = elements.iter().map(Element::parts);
        script::offer(connection, keys, elements, &attempt).await
    };
    let bytes = elements.iter().map(Element::size).sum();
    Offer::new(client, keys, due, bytes).run(attempt).await
}
