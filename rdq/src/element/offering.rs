//! Offers many values, and prints their tickets.

use std::io::{self, IsTerminal};

use bytes::Bytes;
use redisson_delayed_queue::{DelayedQueue, Error, Listing, Offer, Offered, Outcome, Ticket};
use serde::Serialize;

use crate::element::{hex, short};
use crate::failure::Result;
use crate::screen::Flow;
use crate::screen::progress::Progress;
use crate::session::Session;

/// A payload, and how to offer it.
pub(crate) struct Item {
    pub(crate) payload: Bytes,
    pub(crate) offer: Offer,
    pub(crate) listing: Listing,
}

/// Offers that are under way.
pub(crate) struct Offering<'a> {
    session: &'a Session,
    queue: DelayedQueue<Bytes>,
    flow: Flow,
    progress: Progress,
    /// How many offers were made, certainly.
    offered: usize,
}

#[derive(Serialize)]
struct Row<'a> {
    id: String,
    ticket: &'a Ticket,
    /// `unknown` if the reply was lost: the element may be pending.
    outcome: &'static str,
}

impl<'a> Offering<'a> {
    pub(crate) fn new(session: &'a Session, queue: &str) -> Result<Self> {
        let progress = session
            .screen
            .progress("offered", !io::stdout().is_terminal());
        Ok(Self {
            session,
            queue: session.queue(queue)?,
            flow: session.screen.flow(&[]),
            progress,
            offered: 0,
        })
    }

    /// How many offers were made, certainly.
    pub(crate) fn offered(&self) -> usize {
        self.offered
    }

    /// Makes these offers in order, and prints the tickets.
    pub(crate) async fn offer(&mut self, items: Vec<Item>) -> Result {
        for group in items.chunk_by(|one, next| one.listing == next.listing) {
            let listing = group.first().map_or(Listing::Listed, |it| it.listing);
            let queue = self.queue.clone().with_listing(listing);
            let offers = group.iter().map(|it| (&it.payload, it.offer.clone()));
            match queue.offer_all(offers).await {
                Ok(offered) => {
                    self.offered += offered.len();
                    offered.iter().try_for_each(|it| self.print(it))?;
                }
                Err(error) => {
                    self.print_done(&error)?;
                    self.flow.flush()?;
                    return Err(error.into());
                }
            }
            self.progress.add(group.len() as u64);
        }
        self.flow.flush()
    }

    fn print(&mut self, offered: &Offered) -> Result {
        let outcome = match offered.outcome {
            Outcome::Added => "added",
            Outcome::Kept => "kept",
            Outcome::Replaced => "replaced",
            Outcome::Rescheduled => "rescheduled",
            _ => "done",
        };
        self.row(&offered.ticket, outcome)
    }

    /// Prints what was done in spite of the error, and what may have been done.
    fn print_done(&mut self, error: &Error) -> Result {
        match error {
            Error::OfferedInPart {
                offered, unknown, ..
            } => {
                self.offered += offered.len();
                offered.values().try_for_each(|it| self.print(it))?;
                unknown.values().try_for_each(|it| self.row(it, "unknown"))
            }
            Error::OutcomeUnknown { ticket, .. } => self.row(ticket, "unknown"),
            Error::NotDurable { offered, .. } => {
                self.offered += 1;
                self.print(offered)
            }
            _ => Ok(()),
        }
    }

    fn row(&mut self, ticket: &Ticket, outcome: &'static str) -> Result {
        let id = hex(ticket.id());
        if outcome != "added" && !self.session.screen.is_json() {
            let advice = match outcome {
                "unknown" => ": the reply was lost; rdq cancel settles it",
                _ => "",
            };
            self.session
                .screen
                .note(&format!("{outcome} {}{advice}", short(&id)));
        }
        let text = ticket.to_string();
        self.flow.say(
            &text,
            &Row {
                id,
                ticket,
                outcome,
            },
        )
    }
}
