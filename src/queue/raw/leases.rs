//! The elements of the queue that processes hold.

use std::sync::Arc;

use bytes::Bytes;
use futures::stream::Stream;

use super::RawQueue;
use crate::error::{Result, Step};
use crate::link::connection::LARGE;
use crate::queue::stream::paged;
use crate::side::Side;
use crate::wire::chunk::chunks;
use crate::wire::script::{self, Cursor, Lease, LeaseSet, LeasedEntry};

/// An element that a process holds, or a delivery that waits for another attempt.
#[derive(Clone, Debug)]
pub(crate) struct RawLeased {
    pub(crate) set: LeaseSet,
    token: Vec<u8>,
    /// Who holds it, and which attempt it is.
    pub(crate) lease: Lease,
    /// When the lease runs out or the next attempt is due, unix ms.
    pub(crate) until_ms: i64,
    /// Redis's clock when this was read, unix ms.
    pub(crate) now_ms: i64,
    pub(crate) bytes: usize,
    pub(crate) payload: Option<Bytes>,
}

impl RawLeased {
    /// None for an entry that this version cannot read.
    fn new(set: LeaseSet, now_ms: i64, entry: LeasedEntry, most: usize) -> Option<Self> {
        let (token, score, bytes, payload) = entry;
        Some(Self {
            set,
            lease: Lease::from_token(&token)?,
            token,
            // A whole number, unless somebody else wrote it.
            until_ms: score.parse::<f64>().ok()? as i64,
            now_ms,
            bytes,
            payload: (bytes <= most).then(|| payload.into()),
        })
    }
}

/// Where to read on.
struct Position {
    set: LeaseSet,
    cursor: Option<Cursor>,
    /// The last entry that came: its score and its token.
    last: Option<(String, Vec<u8>)>,
}

impl Position {
    fn begin(set: LeaseSet) -> Self {
        Self {
            set,
            cursor: None,
            last: None,
        }
    }
}

impl RawQueue {
    /// How many leases to read or to end in one script.
    const LEASES: usize = 500;

    /// The elements that processes hold or that wait for another attempt: each set by its times. An
    /// error is the last item. Large payloads are left out, and all of them unless they are wanted.
    pub(crate) fn leased(
        self: Arc<Self>,
        with_payloads: bool,
    ) -> impl Stream<Item = Result<RawLeased>> + Send {
        let most = if with_payloads { LARGE } else { 0 };
        paged(Position::begin(LeaseSet::Claims), move |position| {
            let queue = Arc::clone(&self);
            async move { queue.page_of_leases(position, most).await }
        })
    }

    /// A page of a set, and where the set goes on, or else the next set begins.
    async fn page_of_leases(
        &self,
        mut position: Position,
        most: usize,
    ) -> Result<(Vec<RawLeased>, Option<Position>)> {
        let set = position.set;
        let page = self
            .read_script(0, |it| {
                let cursor = position.cursor.as_ref();
                script::leased(it, &self.keys, set, cursor, Self::LEASES, most)
            })
            .await?;
        let (now_us, mut entries) = page.found;
        let now_ms = (now_us + 999).div_euclid(1_000);
        // Entries with the score of the last one may come again, in the order of their tokens.
        if let Some((last_score, last_token)) = &position.last {
            entries.retain(|(token, score, ..)| score != last_score || token > last_token);
        }
        if let Some((token, score, ..)) = entries.last() {
            position.last = Some((score.clone(), token.clone()));
        }
        let rest = match page.next {
            None => set.next().map(Position::begin),
            next => Some(Position {
                cursor: next,
                ..position
            }),
        };
        let leased = entries.into_iter();
        let leased = leased.filter_map(|it| RawLeased::new(set, now_ms, it, most));
        Ok((leased.collect(), rest))
    }

    /// Takes these from whoever holds them. The payloads of `take()` go back to the head of the target
    /// queue, those of deliveries too if `to_target` is true. Otherwise their next attempts are due.
    /// Returns how many.
    pub(crate) async fn release(&self, leased: &[&RawLeased], to_target: bool) -> Result<usize> {
        let mut oldest_first = leased.to_vec();
        oldest_first.sort_by(|a, b| (a.until_ms, &a.token).cmp(&(b.until_ms, &b.token)));
        let (claims, deliveries): (Vec<_>, Vec<_>) = oldest_first
            .into_iter()
            .partition(|it| it.set == LeaseSet::Claims);
        let mut released = 0;
        let channel = self.moved_channel();
        let done = async {
            // The newest first, so that the oldest stands at the head in the end.
            for portion in portions(&claims).into_iter().rev() {
                let leases: Vec<Lease> = portion.iter().map(|it| it.lease).collect();
                let (set, side) = (LeaseSet::Claims, Side::First);
                let given = self.script(Step::GiveBack, true, |it| {
                    script::give_back(it, &self.keys, &channel, set, side, &leases)
                });
                released += given.await? as usize;
            }
            for portion in portions(&deliveries).into_iter().rev() {
                let tokens: Vec<&[u8]> = portion.iter().map(|it| &it.token[..]).collect();
                let given = self.script(Step::GiveBack, true, |it| {
                    script::release(it, &self.keys, &channel, &tokens, to_target)
                });
                released += given.await?;
            }
            Ok(())
        };
        let done: Result<()> = done.await;
        done.map_err(|error| error.after(Step::GiveBack, released))?;
        Ok(released)
    }

    fn moved_channel(&self) -> String {
        let route = self.session.route(&self.keys);
        self.keys.moved(route.delivery().database())
    }
}

/// Splits the elements into portions for one script each.
fn portions<'a, 'b>(leased: &'b [&'a RawLeased]) -> Vec<&'b [&'a RawLeased]> {
    chunks(leased, RawQueue::LEASES, |it| it.bytes).collect()
}
