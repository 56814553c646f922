//! Reads the members of a queue in portions.

use std::sync::LazyLock;

use bytes::Bytes;
use redisson_delayed_queue::Master;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::{Cmd, FromRedisValue, cmd};
use redisson_delayed_queue::script::Script;
use tokio::sync::Semaphore;

use crate::failure::Result;
use crate::queue::script::{lua, run};

/// How many portions to read at a time, whatever the number of queues. A portion may have a MiB, which
/// Redis keeps until it is sent.
static PORTIONS: Semaphore = Semaphore::const_new(16);

/// The two keys with members of one queue, at its master.
#[derive(Clone, Copy)]
pub(crate) struct Members<'a> {
    pub(crate) master: &'a Master,
    pub(crate) keys: &'a QueueKeys,
}

/// An entry of the ordering list with its place, counted from the oldest.
pub(crate) type Placed = (u64, Bytes);

impl<'a> Members<'a> {
    /// How many members stand in the timeout set and in the ordering list at one moment.
    pub(crate) async fn sizes(self) -> Result<(u64, u64)> {
        static SIZES: LazyLock<Script> = lua!("sizes");
        Ok(run(self.master, &mut SIZES.of(self.keys)).await?)
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
    /// brings others nearer to the oldest. One that comes again in another [run] may be the same entry.
    ///
    /// [run]: ListedBack::run
    pub(crate) fn listed(self, first: u64, end: u64) -> ListedBack<'a> {
        ListedBack {
            members: self,
            first,
            end,
            bytes_left: usize::MAX,
            anchor: None,
            run: 0,
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
            let found: Vec<Option<f64>> = self.read(&command).await?;
            scores.extend(found);
        }
        Ok(scores)
    }

    /// The oldest entry of the ordering list that is due after `ms`, with its place, among the first
    /// `most` entries, or fewer if these have more than `most_bytes`.
    pub(crate) async fn oldest_due_after(
        self,
        ms: u64,
        most: u64,
        most_bytes: usize,
    ) -> Result<Option<Placed>> {
        let (mut first, mut portion, mut bytes) = (0, Portion::default(), 0);
        while first < most && bytes < most_bytes {
            let stop = most.min(first + portion.size()) - 1;
            let mut command = cmd("LRANGE");
            command.arg(self.keys.ordering()).arg(first).arg(stop);
            let page: Vec<Vec<u8>> = self.read(&command).await?;
            if page.is_empty() {
                break;
            }
            let size = page.iter().map(Vec::len).sum();
            portion.learn(page.len(), size);
            bytes += size;
            let entries: Vec<Bytes> = page.into_iter().map(Bytes::from).collect();
            let scores = self.scores(&entries).await?;
            let is_later = |score: &Option<f64>| score.is_some_and(|it| it > ms as f64);
            if let Some(at) = scores.iter().position(is_later) {
                return Ok(Some((first + at as u64, entries[at].clone())));
            }
            first = stop + 1;
        }
        Ok(None)
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
            let page: Vec<(Vec<u8>, f64)> = self.read(command.arg("WITHSCORES")).await?;
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

    /// Sends a command that reads a portion, as soon as not too many are being read.
    async fn read<T: FromRedisValue>(self, command: &Cmd) -> Result<T> {
        // Nobody closes the semaphore.
        let _place = PORTIONS.acquire().await.ok();
        Ok(self.master.query(command).await?)
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
        let (next, page): (u64, Vec<(Vec<u8>, String)>) = self.members.read(&scan).await?;
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
    run: u64,
    portion: Portion,
}

impl ListedBack<'_> {
    /// How often it was lost what of a portion was read already: more had left the list than a portion
    /// has, or the anchor had left.
    pub(crate) fn run(&self) -> u64 {
        self.run
    }

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
        let page: Vec<Vec<u8>> = self.members.read(&range).await?;
        let bytes = page.iter().map(Vec::len).sum();
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
        self.portion.learn(page.len(), bytes);
        let mut page: Vec<Bytes> = page.into_iter().map(Bytes::from).collect();
        if let Some(anchor) = self.anchor.take() {
            match page.iter().rposition(|entry| *entry == anchor) {
                Some(read) => page.truncate(read),
                None => self.run += 1,
            }
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use redisson_delayed_queue::Client;
    use redisson_delayed_queue::keys::QueueKeys;
    use redisson_delayed_queue::redis::cmd;
    use testbed::Server;

    use super::Members;

    #[tokio::test]
    async fn an_entry_comes_again_in_another_run_only() {
        let server = Server::start();
        let client = Client::connect(server.url().as_str()).await.unwrap();
        let (master, keys) = (client.master_of("q").unwrap(), QueueKeys::new("q").unwrap());
        let mut push = cmd("RPUSH");
        push.arg(keys.ordering())
            .arg((0..3_000).collect::<Vec<u64>>());
        master.query::<()>(&push).await.unwrap();
        let members = Members {
            master: &master,
            keys: &keys,
        };
        let mut list = members.listed(0, 3_000);
        let (mut seen, mut run, mut again) = (HashSet::new(), 0, 0);
        for leave in [1, 10, 100, 500, 0, 700, 0].into_iter().cycle() {
            let Some(page) = list.next().await.unwrap() else {
                break;
            };
            if list.run() != run {
                (seen, run) = (HashSet::new(), list.run());
                again += 1;
            }
            for (_, entry) in page {
                assert!(seen.insert(entry), "{seen:?}");
            }
            let mut trim = cmd("LTRIM");
            trim.arg(keys.ordering()).arg(leave).arg(-1);
            master.query::<()>(&trim).await.unwrap();
        }
        assert!(again > 0, "more left than a portion has");
    }
}
