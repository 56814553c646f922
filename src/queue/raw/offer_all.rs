//! Offers of many values at once.

use std::collections::{BTreeMap, HashSet};

use futures::future::{join, join_all};
use tracing::{Instrument, Span};

use super::RawQueue;
use super::offer::{Item, added};
use crate::error::{Error, Result};
use crate::listing::Listing;
use crate::offer::{Failed, MOST, Stored};
use crate::offered::Offered;
use crate::ticket::Ticket;
use crate::trace;
use crate::wire::chunk::split;
use crate::wire::script::Key;

/// How many offers with keys are under way at the same time.
const IN_FLIGHT: usize = 32;

/// The outcome of one offer in a group where an offer failed.
enum Known {
    Done(Offered),
    NotDone,
    /// It may be stored as this element, or it is and not as durable as asked.
    Unknown(Ticket),
}

impl RawQueue {
    /// Makes these offers in order, a group after the other, until one fails.
    pub(crate) async fn offer_all(&self, items: &[Item], listing: Listing) -> Result<Vec<Offered>> {
        let span = trace::offer_all(self.name(), items.len());
        let offered = self.offer_in_order(&span, items, listing);
        offered.instrument(span.clone()).await
    }

    async fn offer_in_order(
        &self,
        span: &Span,
        items: &[Item],
        listing: Listing,
    ) -> Result<Vec<Offered>> {
        let mut offered = Vec::with_capacity(items.len());
        let mut rest = items;
        while !rest.is_empty() {
            let (group, later) = rest.split_at(group_len(rest));
            let making = async {
                if group.iter().all(Item::is_plain) {
                    self.offer_together(group).await
                } else {
                    self.offer_each(group, listing).await
                }
            };
            let carrying = self.carry(span, group.iter().map(|item| &item.element));
            let ((), made) = join(carrying, making).await;
            match made {
                Ok(made) => offered.extend(made),
                Err((known, cause)) => return Err(in_part(offered, known, cause)),
            }
            rest = later;
        }
        Ok(offered)
    }

    /// Stores all values of a group in one script, or none.
    async fn offer_together(&self, group: &[Item]) -> Result<Vec<Offered>, (Vec<Known>, Error)> {
        let elements = group.iter().map(|item| &item.element);
        let durable = group.first().and_then(|item| item.durable);
        let stored = self.store_together(elements.clone(), durable).await;
        let made = || elements.clone().map(added);
        let cause = match stored {
            Ok(stored) => {
                // If it falls short, the first element stands for all in the error.
                let first = made().next().map(|first| stored.map(|()| first));
                match first.map(|first| self.as_asked(first)) {
                    Some(Err(error)) => error,
                    _ => return Ok(made().collect()),
                }
            }
            Err(failed @ Failed::Certain(_)) => {
                let known = group.iter().map(|_| Known::NotDone).collect();
                return Err((known, failed.into_cause(&self.session, self.name())));
            }
            Err(failed) => failed.into_cause(&self.session, self.name()),
        };
        let unknown = made().map(|offered| Known::Unknown(offered.ticket));
        Err((unknown.collect(), cause))
    }

    /// Makes each offer of a group, all at the same time.
    async fn offer_each(
        &self,
        group: &[Item],
        listing: Listing,
    ) -> Result<Vec<Offered>, (Vec<Known>, Error)> {
        let made = join_all(group.iter().map(|item| self.make(item, listing))).await;
        let mut cause = None;
        let known: Vec<Known> = made
            .into_iter()
            .zip(group)
            .map(|(made, item)| {
                let (known, error) = self.known(made, item);
                if let Some(error) = error {
                    cause.get_or_insert(error);
                }
                known
            })
            .collect();
        match cause {
            Some(cause) => Err((known, cause)),
            None => Ok(known.into_iter().filter_map(Known::done).collect()),
        }
    }

    /// The outcome of one offer, and why it is not as asked.
    fn known(&self, made: Result<Stored<Offered>, Failed>, item: &Item) -> (Known, Option<Error>) {
        let failed = match made {
            Ok(stored) => {
                let ticket = stored.done.ticket.clone();
                return match self.as_asked(stored) {
                    Ok(offered) => (Known::Done(offered), None),
                    Err(error) => (Known::Unknown(ticket), Some(error)),
                };
            }
            Err(failed) => failed,
        };
        let known = match &failed {
            Failed::Certain(_) => Known::NotDone,
            Failed::Unknown { .. } => Known::Unknown(item.element.ticket.clone()),
        };
        let error = failed.into_cause(&self.session, self.name());
        (known, Some(error))
    }
}

impl Known {
    fn done(self) -> Option<Offered> {
        match self {
            Self::Done(offered) => Some(offered),
            Self::NotDone | Self::Unknown(_) => None,
        }
    }
}

/// How many of the first offers are made at the same time. Offers without a key share a script if
/// they are to be equally durable. Of the others, two under one key are never under way together, so
/// they take effect in order.
fn group_len(items: &[Item]) -> usize {
    let durable = items.first().and_then(|item| item.durable);
    let count = match items.first().map(|item| &item.key) {
        None => 0,
        Some(None) => {
            let first = items.iter().take(MOST);
            first
                .take_while(|item| item.is_plain() && item.durable == durable)
                .count()
        }
        // It looks at all elements, whatever their keys.
        Some(Some(Key::InQueue)) => 1,
        Some(Some(Key::Chosen(_) | Key::Payload)) => {
            let mut keys = HashSet::new();
            let first = items.iter().take(IN_FLIGHT).map(Item::key);
            first
                .take_while(|key| key.is_some_and(|key| keys.insert(key)))
                .count()
        }
    };
    split(&items[..count], MOST, |item| item.element.size())
        .0
        .len()
}

/// The error of offers that failed for this cause: those of a group, behind others that were made.
fn in_part(made: Vec<Offered>, known: Vec<Known>, cause: Error) -> Error {
    let indices = made.len()..;
    let mut offered: BTreeMap<usize, Offered> = made.into_iter().enumerate().collect();
    let mut unknown = BTreeMap::new();
    for (index, known) in indices.zip(known) {
        match known {
            Known::Done(done) => {
                offered.insert(index, done);
            }
            Known::Unknown(ticket) => {
                unknown.insert(index, ticket);
            }
            Known::NotDone => {}
        }
    }
    if offered.is_empty() && unknown.is_empty() {
        return cause;
    }
    Error::OfferedInPart {
        offered,
        unknown,
        source: Box::new(cause),
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::offer::Element;
    use crate::queue::offer::IfPending;
    use crate::wire::packed::MemberId;
    use crate::wire::script::When;

    fn item(payload: &[u8], key: Option<Key>) -> Item {
        Item {
            element: Element::new(MemberId::from([0; 16]), payload, When::After(0)),
            key,
            if_pending: IfPending::Keep,
            durable: None,
        }
    }

    fn under(key: &'static str) -> Item {
        item(
            b"value",
            Some(Key::Chosen(Bytes::from_static(key.as_bytes()))),
        )
    }

    fn lengths(items: &[Item]) -> Vec<usize> {
        let mut lengths = Vec::new();
        let mut rest = items;
        while !rest.is_empty() {
            lengths.push(group_len(rest));
            rest = &rest[group_len(rest)..];
        }
        lengths
    }

    #[test]
    fn plain_offers_share_scripts_as_if_they_were_alone() {
        let plain: Vec<Item> = (0..1_001).map(|_| item(b"value", None)).collect();
        assert_eq!(lengths(&plain), [500, 500, 1]);
        let large: Vec<Item> = (0..5).map(|_| item(&[0; 100_000], None)).collect();
        assert_eq!(lengths(&large), [3, 2]);
    }

    #[test]
    fn offers_with_keys_go_together_until_a_key_comes_again() {
        let items = [
            under("a"),
            under("b"),
            item(b"a", Some(Key::Payload)),
            under("a"),
            item(b"a", Some(Key::Payload)),
            item(b"a", Some(Key::Payload)),
        ];
        assert_eq!(lengths(&items), [3, 2, 1]);
    }

    #[test]
    fn an_offer_that_looks_at_the_whole_queue_goes_alone() {
        let items = [
            under("a"),
            item(b"b", Some(Key::InQueue)),
            item(b"c", Some(Key::InQueue)),
            item(b"d", None),
            item(b"e", None),
            under("a"),
        ];
        assert_eq!(lengths(&items), [1, 1, 1, 2, 1]);
    }
}
