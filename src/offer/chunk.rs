//! Offers of several elements, some hundred in a script.

use super::{Element, Failed, Offer, too_late};
use crate::error::{Error, Result, Step};
use crate::keys::QueueKeys;
use crate::script;
use crate::shared::Shared;
use crate::ticket::Ticket;

/// How many elements one script stores at the most: little enough that it holds up nobody.
const MOST: usize = 500;

/// How many bytes of members one script is sent at the most; a member that is larger goes alone.
const MOST_BYTES: usize = 256 * 1024;

/// Stores the elements in order, a chunk after the other, until one fails.
pub(crate) async fn offer_all(
    client: &Shared,
    keys: &QueueKeys,
    elements: Vec<Element>,
) -> Result<Vec<Ticket>> {
    let mut stored = 0;
    let mut failed = None;
    for chunk in chunks(&elements) {
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
        Failed::Certain(cause) if stored.is_empty() => return Err(cause),
        Failed::Certain(cause) => (cause, Vec::new()),
        Failed::Unknown(failure) => {
            let cause = match failure {
                Some(failure) => failure.into_error(Step::Offer),
                None => client.ensure_open().err().unwrap_or_else(too_late),
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
pub(crate) async fn offer(
    client: &Shared,
    keys: &QueueKeys,
    elements: &[Element],
) -> Result<(), Failed> {
    let due = elements.iter().map(|element| element.due);
    let attempt = |connection, attempt| async move {
        let elements = elements.iter().map(Element::parts);
        script::offer(connection, keys, elements, &attempt).await
    };
    Offer::new(client, keys, due).run(attempt).await
}

/// Parts the elements, in order, into as few chunks as their number and size allow.
fn chunks(elements: &[Element]) -> impl Iterator<Item = &[Element]> {
    let mut rest = elements;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fitting = rest.iter().take(MOST).take_while(|element| {
            bytes += element.ticket.as_bytes().len();
            bytes <= MOST_BYTES
        });
        let len = fitting.count().max(1);
        let (chunk, others) = rest.split_at_checked(len)?;
        rest = others;
        Some(chunk)
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::offer::Due;
    use crate::packed::MemberId;

    fn lengths(payloads: &[usize]) -> Vec<usize> {
        let elements: Vec<Element> = payloads
            .iter()
            .map(|len| {
                let due = Due::after(Duration::ZERO).unwrap();
                Element::new(MemberId::from([0; 16]), &vec![0; *len], due)
            })
            .collect();
        chunks(&elements).map(<[Element]>::len).collect()
    }

    #[test]
    fn a_chunk_holds_at_most_so_many_elements_and_bytes() {
        assert!(lengths(&[]).is_empty());
        assert_eq!(lengths(&[1; 500]), [500]);
        assert_eq!(lengths(&[1; 1_001]), [500, 500, 1]);
        assert_eq!(lengths(&[100_000; 5]), [2, 2, 1]);
        assert_eq!(lengths(&[1, 1_000_000, 1]), [1, 1, 1]);
    }
}
