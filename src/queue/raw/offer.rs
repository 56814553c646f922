//! Scheduling elements.

use futures::future::join;
use tracing::Instrument;

use super::RawQueue;
use crate::error::{Error, Result};
use crate::link::durability::Durable;
use crate::listing::Listing;
use crate::offer::{Attempts, Element, Failed, Stored};
use crate::offered::{Offered, Outcome};
use crate::payload::check_argument;
use crate::queue::offer::{IfPending, Moment, Offer};
use crate::trace;
use crate::wire::script::{self, Key, When};

/// A value that is offered, with an id of its own.
#[derive(Debug)]
pub(crate) struct Item {
    pub(super) element: Element,
    pub(super) key: Option<Key>,
    pub(super) if_pending: IfPending,
    pub(super) durable: Option<Durable>,
}

impl Item {
    /// True if the offer looks at no pending element.
    pub(super) fn is_plain(&self) -> bool {
        self.key.is_none()
    }

    /// True if the offer wins over a pending element.
    pub(super) fn replaces(&self) -> bool {
        self.if_pending == IfPending::Replace
    }

    /// The key of the offer, and whether the caller chose it.
    pub(super) fn key(&self) -> Option<(bool, &[u8])> {
        match self.key.as_ref()? {
            Key::Chosen(key) => Some((true, key)),
            Key::Payload => Some((false, self.element.payload())),
            Key::InQueue => None,
        }
    }
}

impl RawQueue {
    /// Stores one element, whatever is pending.
    pub(super) async fn store(
        &self,
        element: &Element,
        durable: Option<Durable>,
    ) -> Result<Stored<()>, Failed> {
        if durable.is_some() {
            let elements = std::iter::once(element);
            return Box::pin(self.store_together(elements, durable)).await;
        }
        self.line.offer(&self.session, &self.keys, element).await?;
        self.meter().added(1);
        Ok(Stored::as_asked(()))
    }

    pub(super) async fn store_together<'a>(
        &self,
        elements: impl Iterator<Item = &'a Element> + Clone,
        durable: Option<Durable>,
    ) -> Result<Stored<()>, Failed> {
        let (session, keys) = (&self.session, &self.keys);
        let due = elements.clone().map(|element| element.when);
        let bytes = elements.clone().map(Element::size).sum();
        let mut attempts = Attempts::new(session, keys, due, bytes).durably(durable);
        let attempt = |connection, attempt| {
            let elements = elements.clone().map(Element::parts);
            async move { script::offer(connection, keys, elements, &attempt).await }
        };
        let stored = attempts.run(attempt).await?;
        self.meter().added(elements.count());
        Ok(stored.map(drop))
    }

    pub(crate) async fn offer_with(
        &self,
        payload: &[u8],
        offer: Offer,
        listing: Listing,
    ) -> Result<Offered> {
        let item = self.item(payload, offer, listing)?;
        let span = trace::offer(self.name(), &item.element.ticket);
        let ((), made) = join(
            self.carry(&span, std::iter::once(&item.element)),
            self.make(&item, listing),
        )
        .instrument(span.clone())
        .await;
        match made {
            Ok(stored) => self.as_asked(stored),
            Err(failed) => Err(failed.into_error(item.element.ticket, self.name())),
        }
    }

    /// Fails if an offer was made and is not as durable as asked.
    pub(super) fn as_asked(&self, stored: Stored<Offered>) -> Result<Offered> {
        match stored.shortfall {
            None => Ok(stored.done),
            Some(shortfall) => Err(Error::NotDurable {
                server: shortfall.server.to_string(),
                queue: Some(self.name().to_owned()),
                offered: Box::new(stored.done),
                wanted: shortfall.wanted,
                got: shortfall.got,
                source: shortfall.refusal,
            }),
        }
    }

    pub(crate) fn item(&self, payload: &[u8], offer: Offer, listing: Listing) -> Result<Item> {
        let when = match offer.due {
            Moment::After(delay) => When::after(delay)?,
            Moment::At(moment) => When::at(moment)?,
        };
        if let Some(Key::Chosen(key)) = &offer.key {
            check_argument(key.len() + 1)?;
        }
        let ids = &self.session.ids;
        let id = match offer.expires_at {
            Some(expires_at) => ids.next_expiring(expires_at, listing),
            None => ids.next(listing),
        };
        Ok(Item {
            element: Element::new(id, payload, when),
            key: offer.key,
            if_pending: offer.if_pending,
            durable: match offer.durability {
                Some((wanted, within)) => Durable::new(wanted, within),
                None => self.session.options.durable,
            },
        })
    }
}

/// The answer to an offer that stored this element.
pub(super) fn added(element: &Element) -> Offered {
    Offered {
        ticket: element.ticket.clone(),
        outcome: Outcome::Added,
    }
}
