//! Removing pending elements, a bounded number in each script.

use std::collections::HashSet;

use bytes::Bytes;

use super::RawQueue;
use crate::error::{Result, Step};
use crate::listing::Listing;
use crate::options::Options;
use crate::payload::check_argument;
use crate::ticket::Ticket;
use crate::wire::chunk::{chunks, split};
use crate::wire::script::{self, Removal, Removed, Sifted};

impl RawQueue {
    /// The most members that one script may search the ordering list for.
    const MOST_SEARCHED: usize = 500;
    /// How many entries of the ordering list one script may scan, some 20 ms of Redis's time.
    const MOST_SCANNED: usize = 2_000_000;
    /// The most members that one script may take out of a stretch.
    const MOST_SIFTED: usize = 200;
    /// How far small elements may have moved up since their places were read, when others left.
    const SLACK: usize = 100;

    /// Removes the element with this payload that is the first in the order that its handle sees.
    pub(crate) async fn remove(&self, payload: &[u8], listing: Listing) -> Result<bool> {
        let listed = listing == Listing::Listed;
        while let Some(ticket) = self.find(payload, true, listing).await? {
            // Zero if it was moved or removed after it was found; an equal one may be left.
            if self.remove_members(&[&ticket], listed).await?.count > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) async fn clear(&self) -> Result<()> {
        let keys = &self.keys;
        let mut command = redis::cmd("DEL");
        command.arg(keys.timeouts()).arg(keys.ordering());
        // Their members are gone.
        command.arg(keys.keyed()).arg(keys.keyed_due());
        self.command(Step::Clear, true, &command).await
    }

    pub(crate) async fn cancel_all(&self, tickets: &[Ticket]) -> Result<usize> {
        let mut seen = HashSet::new();
        let distinct: Vec<&Ticket> = tickets
            .iter()
            .filter(|ticket| seen.insert(ticket.as_bytes()))
            .collect();
        let mut removed = 0;
        let result = self.remove_many(&distinct, &mut removed).await;
        result.map_err(|error| error.after(Step::Cancel, removed))?;
        Ok(removed)
    }

    /// Removes elements with one of `payloads`; with `kept`, all others.
    pub(crate) async fn remove_where(
        &self,
        payloads: &HashSet<Bytes>,
        kept: bool,
        listing: Listing,
    ) -> Result<usize> {
        let mut removed = 0;
        let result = match listing {
            Listing::Listed => self.sift(payloads, kept, &mut removed).await,
            Listing::Unlisted => self.sift_by_due(payloads, kept, &mut removed).await,
        };
        result.map_err(|error| error.after(Step::Cancel, removed))?;
        Ok(removed)
    }

    async fn sift(&self, payloads: &HashSet<Bytes>, kept: bool, removed: &mut usize) -> Result<()> {
        let mut missing = Vec::new();
        // Removing an element moves no entry that is still to be read.
        let mut pages = self.pages_down().await?;
        while let Some((first, last)) = pages.next() {
            let page = self.page(first, last, &mut pages.size).await?;
            let found: Vec<(usize, Ticket)> = page
                .into_iter()
                .enumerate()
                .filter_map(|(place, member)| {
                    let (ticket, payload) = Ticket::unpack(member).ok()?;
                    (payloads.contains(&payload) != kept).then_some((first + place, ticket))
                })
                .rev()
                .collect();
            // Reads less around large elements.
            let slack = Self::SLACK.min(pages.size.next());
            let size = |(_, ticket): &(usize, Ticket)| ticket.as_bytes().len();
            for chunk in chunks(&found, Self::MOST_SIFTED, size) {
                missing.extend(self.sift_chunk(chunk, slack, removed).await?);
            }
        }
        let missing: Vec<&Ticket> = missing.iter().collect();
        self.remove_many(&missing, removed).await
    }

    /// Removes elements that stood at these places of the ordering list, the newest first. Returns
    /// those that do not stand there any more.
    async fn sift_chunk(
        &self,
        chunk: &[(usize, Ticket)],
        slack: usize,
        removed: &mut usize,
    ) -> Result<Vec<Ticket>> {
        let (Some((last, _)), Some((first, _))) = (chunk.first(), chunk.last()) else {
            return Ok(Vec::new());
        };
        let first = first.saturating_sub(slack);
        let mut seen = HashSet::new();
        let tickets: Vec<&Ticket> = chunk
            .iter()
            .map(|(_, ticket)| ticket)
            // A duplicate entry, as Redisson can leave, is removed once, with all its copies.
            .filter(|ticket| seen.insert(ticket.as_bytes()))
            .collect();
        let removal = self.removal(&tickets);
        let Sifted { count, missing } = self
            .script_of_size(Step::Cancel, true, size_of(&tickets), |connection| {
                script::sift(connection, &self.keys, &removal, first, *last)
            })
            .await?;
        *removed += count;
        let missing = missing.into_iter().filter_map(|place| tickets.get(place));
        Ok(missing.map(|ticket| Ticket::clone(ticket)).collect())
    }

    /// Removes elements wherever they stand, as many in each script as the list's length allows.
    pub(super) async fn remove_many(&self, tickets: &[&Ticket], removed: &mut usize) -> Result<()> {
        if tickets.is_empty() {
            return Ok(());
        }
        let mut listed = self.listed_count().await?;
        let mut rest = tickets;
        while !rest.is_empty() {
            let most = (Self::MOST_SCANNED / listed.max(1)).clamp(1, Self::MOST_SEARCHED);
            let (chunk, later) = split(rest, most, |ticket| ticket.as_bytes().len());
            let chunk = self.remove_members(chunk, false).await?;
            *removed += chunk.count;
            listed = chunk.listed;
            rest = later;
        }
        Ok(())
    }

    /// Removes elements in one script. If they were `seen_listed`, the script searches the ordering
    /// list for them even if nothing else knows them.
    pub(crate) async fn remove_members(
        &self,
        tickets: &[&Ticket],
        seen_listed: bool,
    ) -> Result<Removed> {
        for ticket in tickets {
            check_argument(ticket.as_bytes().len())?;
        }
        let removal = self.removal(tickets);
        self.script_of_size(Step::Cancel, true, size_of(tickets), |connection| {
            script::remove(connection, &self.keys, &removal, seen_listed)
        })
        .await
    }

    fn removal<'a>(&self, tickets: &'a [&'a Ticket]) -> Removal<'a> {
        let size = size_of(tickets);
        Removal {
            tickets,
            remember: Options::id_memory(size),
            // The same in every attempt, so a repeated one finds that an earlier one ran.
            call: rand::random(),
            repeatable: self.session.options.repeat_window(size),
        }
    }
}

fn size_of(tickets: &[&Ticket]) -> usize {
    tickets.iter().map(|ticket| ticket.as_bytes().len()).sum()
}
