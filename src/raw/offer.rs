//! Scheduling elements.

use std::time::{Duration, SystemTime};

use bytes::Bytes;

use super::RawQueue;
use crate::error::{Error, Result};
use crate::offer::{self, Due, Element};
use crate::packed::pack;
use crate::ticket::Ticket;

impl RawQueue {
    pub(crate) async fn offer(&self, payload: &[u8], delay: Duration) -> Result<Ticket> {
        let due = Due::after(delay)?;
        self.store(self.element(payload, due)).await
    }

    pub(crate) async fn offer_at(&self, payload: &[u8], moment: SystemTime) -> Result<Ticket> {
        let due = Due::at(moment, &self.client)?;
        self.store(self.element(payload, due)).await
    }

    pub(crate) async fn offer_all(&self, items: Vec<(Bytes, Duration)>) -> Result<Vec<Ticket>> {
        let mut elements = Vec::with_capacity(items.len());
        for (index, (payload, delay)) in items.into_iter().enumerate() {
            let due = Due::after(delay).map_err(|error| Error::of_element(index, error))?;
            elements.push(self.element(&payload, due));
        }
        offer::offer_all(&self.client, &self.keys, elements).await
    }

    /// A new element, which has an id of its own.
    pub(super) fn element(&self, payload: &[u8], due: Due) -> Element {
        let id = self.client.ids.next();
        let member = pack(&id, payload);
        Element {
            ticket: Ticket::new(id, member),
            due,
        }
    }

    async fn store(&self, element: Element) -> Result<Ticket> {
        let elements = std::slice::from_ref(&element);
        match offer::offer(&self.client, &self.keys, elements).await {
            Ok(()) => Ok(element.ticket),
            Err(failed) => Err(failed.into_error(element.ticket)),
        }
    }
}
