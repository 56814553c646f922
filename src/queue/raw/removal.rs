//! Taking out many elements, a bounded number in each script.

use std::collections::HashSet;

use bytes::Bytes;

use super::RawQueue;
use super::pace::Pace;
use crate::error::{Result, Step};
use crate::options::Options;
use crate::ordering::Ordering;
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

    /// Removes the elements whose payload is among `payloads`, or is not, if it is to be `kept`.
    pub(crate) async fn remove_where(
        &self,
        payloads: &HashSet<Bytes>,
        kept: bool,
        ordering: Ordering,
    ) -> Result<usize> {
        let mut removed = 0;
        let result = match ordering {
            Ordering::Listed => self.sift(payloads, kept, &mut removed).await,
            Ordering::Unlisted => self.sift_by_due(payloads, kept, &mut removed).await,
        };
        result.map_err(|error| error.after(Step::Cancel, removed))?;
        Ok(removed)
    }

    async fn sift(&self, payloads: &HashSet<Bytes>, kept: bool, removed: &mut usize) -> Result<()> {
        let mut missing = Vec::new();
        // From the newest down: what is removed here moves nothing that is still to be read.
        let mut end = self.listed().await?;
        let mut pace = Pace::new(Self::PAGE);
        while end > 0 {
            let first = end.saturating_sub(pace.next());
            let page = self.page(first, end - 1, &mut pace).await?;
            let found: Vec<(usize, Ticket)> = page
                .into_iter()
                .enumerate()
                .filter_map(|(place, member)| {
                    let (ticket, payload) = Ticket::unpack(member).ok()?;
                    (payloads.contains(&payload) != kept).then_some((first + place, ticket))
                })
                .rev()
                .collect();
            // Where elements are large, little besides is to be read.
            let slack = Self::SLACK.min(pace.next());
            let size = |(_, ticket): &(usize, Ticket)| ticket.as_bytes().len();
            for chunk in chunks(&found, Self::MOST_SIFTED, size) {
                missing.extend(self.sift_chunk(chunk, slack, removed).await?);
            }
            end = first;
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
            // An entry that stands there twice, as a ghost of Redisson's can, goes as a whole.
            .filter(|ticket| seen.insert(ticket.as_bytes()))
            .collect();
        let removal = self.removal(&tickets);
        let Sifted { count, missing } = self
            .call_sized(Step::Cancel, true, size_of(&tickets), |connection| {
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
        let mut listed = self.listed().await?;
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

    /// Removes elements in one script; `seen_listed` if they were seen in the ordering list, so
    /// that they are to be searched for there also when nothing else knows them.
    pub(super) async fn remove_members(
        &self,
        tickets: &[&Ticket],
        seen_listed: bool,
    ) -> Result<Removed> {
        for ticket in tickets {
            check_argument(ticket.as_bytes().len())?;
        }
        let removal = self.removal(tickets);
        self.call_sized(Step::Cancel, true, size_of(tickets), |connection| {
            script::remove(connection, &self.keys, &removal, seen_listed)
        })
        .await
    }

    fn removal<'a>(&self, tickets: &'a [&'a Ticket]) -> Removal<'a> {
        let size = size_of(tickets);
        Removal {
            tickets,
            remember: Options::settled(size),
            // The same in every attempt, so a repeated one finds that another has been there.
            call: rand::random(),
            repeatable: self.client.options.repeat_window(size),
        }
    }
}

/// How many bytes the members have together.
fn size_of(tickets: &[&Ticket]) -> usize {
    tickets.iter().map(|ticket| ticket.as_bytes().len()).sum()
}
