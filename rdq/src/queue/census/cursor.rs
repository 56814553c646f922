//! Reads the members of a queue in portions.

use bytes::Bytes;
use redisson_delayed_queue::Master;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::cmd;

use crate::failure::Result;

/// The two keys with members of one queue, at its master.
#[derive(Clone, Copy)]
pub(crate) struct Members<'a> {
    pub(crate) master: &'a Master,
    pub(crate) keys: &'a QueueKeys,
}

/// An entry of the ordering list with its place, counted from the oldest.
pub(crate) type Placed = (u64, Bytes);

impl<'a> Members<'a> {
    /// How many members stand in the timeout set and in the ordering list.
    pub(crate) async fn sizes(self) -> Result<(u64, u64)> {
        let pending = self
            .master
            .query(cmd("ZCARD").arg(self.keys.timeouts()))
            .await?;
        let listed = self
            .master
            .query(cmd("LLEN").arg(self.keys.ordering()))
            .await?;
        Ok((pending, listed))
    }

    /// Reads the whole timeout set. A member that is there all the time comes at least once.
    pub(crate) fn scheduled(self) -> Scheduled<'a> {
        Scheduled {
            members: self,
            cursor: Some(0),
            portion: Portion::default(),
        }
    }

    /// Reads the places from `first` on that lie before `end`, the newest first. An entry that is
    /// there all the time comes at least once, whatever leaves the list meanwhile: what leaves only
    /// brings others nearer to the oldest.
    pub(crate) fn listed(self, first: u64, end: u64) -> ListedBack<'a> {
        ListedBack {
            members: self,
            first,
            end,
            bytes_left: usize::MAX,
            anchor: None,
            portion: Portion::default(),
        }
    }

    /// About how many bytes of Redis's memory both keys take; 0 if the user may not ask.
    pub(crate) async fn bytes(self) -> u64 {
        let mut bytes = 0;
        for key in [self.keys.timeouts(), self.keys.ordering()] {
            let mut usage = cmd("MEMORY");
            usage.arg("USAGE").arg(key);
            let used: Option<u64> = self.master.query(&usage).await.ok().flatten();
            bytes += used.unwrap_or(0);
        }
        bytes
    }

    /// The scores that these members have in the timeout set.
    pub(crate) async fn scores(self, members: &[Bytes]) -> Result<Vec<Option<f64>>> {
        let mut scores = Vec::with_capacity(members.len());
        for portion in portions(members) {
            let mut command = cmd("ZMSCORE");
            command.arg(self.keys.timeouts());
            for member in portion {
                command.arg(&member[..]);
            }
            let found: Vec<Option<f64>> = self.master.query(&command).await?;
            scores.extend(found);
        }
        Ok(scores)
    }

    /// The members from rank `first` on that come before rank `end` of the timeout set, in order; fewer
    /// if they are large.
    pub(crate) async fn ranks(self, first: u64, end: u64) -> Result<Vec<(Bytes, f64)>> {
        let mut found = Vec::new();
        let (mut next, mut portion, mut bytes) = (first, Portion::default(), 0);
        while next < end && bytes < SAMPLE_BYTES {
            let stop = end.min(next + portion.size()) - 1;
            let mut command = cmd("ZRANGE");
            command.arg(self.keys.timeouts()).arg(next).arg(stop);
            let page: Vec<(Vec<u8>, f64)> = self.master.query(command.arg("WITHSCORES")).await?;
            if page.is_empty() {
                break;
            }
            let size = page.iter().map(|(member, _)| member.len()).sum();
            portion.learn(page.len(), size);
            bytes += size;
            found.extend(
                page.into_iter()
                    .map(|(member, score)| (member.into(), score)),
            );
            next = stop + 1;
        }
        Ok(found)
    }
}

/// The members of the timeout set, with their scores as Redis spells them.
pub(crate) struct Scheduled<'a> {
    members: Members<'a>,
    cursor: Option<u64>,
    portion: Portion,
}

impl Scheduled<'_> {
    /// The next members; `None` after the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<(Bytes, String)>>> {
        let Some(cursor) = self.cursor else {
            return Ok(None);
        };
        let mut scan = cmd("ZSCAN");
        scan.arg(self.members.keys.timeouts()).arg(cursor);
        scan.arg("COUNT").arg(self.portion.size());
        let (next, page): (u64, Vec<(Vec<u8>, String)>) = self.members.master.query(&scan).await?;
        self.cursor = (next != 0).then_some(next);
        let bytes = page.iter().map(|(member, _)| member.len()).sum();
        self.portion.learn(page.len(), bytes);
        let page = page
            .into_iter()
            .map(|(member, score)| (member.into(), score));
        Ok(Some(page.collect()))
    }
}

/// Entries of the ordering list, the newest first.
pub(crate) struct ListedBack<'a> {
    members: Members<'a>,
    first: u64,
    end: u64,
    /// How many bytes may still be read.
    bytes_left: usize,
    /// The entry that was read last. If it has moved, entries left meanwhile, and the next portion
    /// has some that were read already.
    anchor: Option<Bytes>,
    portion: Portion,
}

impl ListedBack<'_> {
    /// The same, until about so many bytes are read.
    pub(crate) fn within(mut self, bytes: usize) -> Self {
        self.bytes_left = bytes;
        self
    }

    /// The next entries, in the order of their places; `None` after the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<Placed>>> {
        if self.end <= self.first || self.bytes_left == 0 {
            return Ok(None);
        }
        let start = self.first.max(self.end.saturating_sub(self.portion.size()));
        let stop = self.end - u64::from(self.anchor.is_none());
        let mut range = cmd("LRANGE");
        range.arg(self.members.keys.ordering()).arg(start).arg(stop);
        let page: Vec<Vec<u8>> = self.members.master.query(&range).await?;
        let bytes = page.iter().map(Vec::len).sum();
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
        self.portion.learn(page.len(), bytes);
        let mut page: Vec<Bytes> = page.into_iter().map(Bytes::from).collect();
        if let Some(anchor) = self.anchor.take() {
            let read = page.iter().rposition(|entry| *entry == anchor);
            page.truncate(read.unwrap_or(page.len()));
            self.anchor = Some(anchor);
        }
        self.anchor = page.first().cloned().or(self.anchor.take());
        self.end = start;
        Ok(Some((start..).zip(page).collect()))
    }
}

/// How many members to read at once: more while they are small.
struct Portion(u64);

impl Default for Portion {
    fn default() -> Self {
        Self(16)
    }
}

impl Portion {
    /// Redis needs some 0.5 ms for so many small members.
    const MOST: u64 = 500;
    /// About so many bytes a command.
    const BYTES: usize = 1 << 20;

    fn size(&self) -> u64 {
        self.0
    }

    /// Notes what a portion of this size turned out to be.
    fn learn(&mut self, members: usize, bytes: usize) {
        let fitting = (Self::BYTES * members.max(1) / bytes.max(1)) as u64;
        self.0 = (4 * self.0).min(fitting).clamp(1, Self::MOST);
    }
}

/// Members for one command each: at most 500, and about a MiB.
pub(crate) fn portions(members: &[Bytes]) -> Vec<&[Bytes]> {
    let (mut portions, mut rest) = (Vec::new(), members);
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |member: &&Bytes| {
            bytes += member.len();
            bytes <= Portion::BYTES
        };
        let count = rest.iter().take(500).take_while(fits).count().max(1);
        let (portion, others) = rest.split_at(count);
        portions.push(portion);
        rest = others;
    }
    portions
}

/// About how many bytes a sample of one end of a key may have.
pub(crate) const SAMPLE_BYTES: usize = 8 << 20;
