//! Scheduling elements.

use std::time::{Duration, SystemTime};

use bytes::Bytes;

use super::RawQueue;
use crate::error::{Error, Result, Step};
use crate::offer::{Due, Element, Failed, offer_all};
use crate::ordering::Ordering;
use crate::ticket::Ticket;

impl RawQueue {
    pub(crate) async fn offer(
        &self,
        payload: &[u8],
        delay: Duration,
        ordering: Ordering,
    ) -> Result<Ticket> {
        let due = Due::after(delay)?;
        self.store(self.element(payload, due, ordering)).await
    }

    pub(crate) async fn offer_at(
        &self,
        payload: &[u8],
        moment: SystemTime,
        ordering: Ordering,
    ) -> Result<Ticket> {
        let due = Due::at(moment, &self.client)?;
        self.store(self.element(payload, due, ordering)).await
    }

    pub(crate) async fn offer_expiring(
        &self,
        payload: &[u8],
        delay: Duration,
        expires_at: SystemTime,
        ordering: Ordering,
    ) -> Result<Ticket> {
        let due = Due::after(delay)?;
        let id = self.client.ids.next_expiring(expires_at, ordering);
        self.store(Element::new(id, payload, due)).await
    }

    /// How many elements have expired.
    pub(crate) async fn expired(&self) -> Result<u64> {
        let mut expired = 0;
        // Earlier versions, which may run beside this one, count in the state.
        for key in [self.keys.counts(), self.keys.state()] {
            let mut command = redis::cmd("HGET");
            command.arg(key).arg("expired");
            let count: Option<u64> = self.query(Step::Read, true, key, &command).await?;
            expired += count.unwrap_or(0);
        }
        Ok(expired)
    }

    pub(crate) async fn offer_all(
        &self,
        items: Vec<(Bytes, Duration)>,
        ordering: Ordering,
    ) -> Result<Vec<Ticket>> {
        let mut elements = Vec::with_capacity(items.len());
        for (index, (payload, delay)) in items.into_iter().enumerate() {
            let due = Due::after(delay).map_err(|error| Error::of_element(index, error))?;
            elements.push(self.element(&payload, due, ordering));
        }
        offer_all(&self.client, &self.keys, elements).await
    }

    /// A new element, which has an id of its own; that says how it is ordered.
    pub(super) fn element(&self, payload: &[u8], due: Due, ordering: Ordering) -> Element {
        Element::new(self.client.ids.next(ordering), payload, due)
    }

    async fn store(&self, element: Element) -> Result<Ticket> {
        match self.line.offer(&self.client, &self.keys, &element).await {
            Ok(()) => Ok(element.ticket),
            Err(failed) => Err(self.failed(failed, element.ticket)),
        }
    }

    /// The error of an offer of one element that failed.
    pub(super) fn failed(&self, failed: Failed, ticket: Ticket) -> Error {
        failed.into_error(ticket, self.client.commands.server(), self.name())
    }
}
