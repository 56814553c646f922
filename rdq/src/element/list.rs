//! Reads the lists of a queue in their order, a portion at a time.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures::stream::{self, Stream, TryStreamExt};
use redisson_delayed_queue::Master;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::script::Script;

use crate::failure::Result;
use crate::queue::script::{MOST_BYTES, PORTION, lua, run};
use crate::queue::types;

static LIST: LazyLock<Script> = lua!("list");

static SKIP: LazyLock<Script> = lua!("skip");

/// An entry of the ordering list or of the target queue.
#[derive(Debug)]
pub(crate) struct Listed {
    /// Counted from 0.
    pub(crate) place: u64,
    pub(crate) entry: Bytes,
    /// The score of the entry in the timeout set.
    pub(crate) score: Option<f64>,
}

/// The entries of the list at `key` from a place on, with their scores in the timeout set of the
/// queue: as many as there were at the beginning.
pub(crate) fn entries(
    master: Master,
    keys: &QueueKeys,
    key: &str,
    first: u64,
) -> impl Stream<Item = Result<Listed>> + Send + use<> {
    let begin = Reader {
        master,
        keys: [key, keys.timeouts()].map(str::to_owned),
        place: first,
        before: Bytes::new(),
        left: None,
    };
    let portions = stream::try_unfold(begin, |mut reader| async move {
        let portion = reader.portion().await;
        portion.map(|portion| (!portion.is_empty()).then_some((portion, reader)))
    });
    portions
        .map_ok(|portion| stream::iter(portion.into_iter().map(Ok)))
        .try_flatten()
}

struct Reader {
    master: Master,
    /// The list, and the timeout set.
    keys: [String; 2],
    /// Where to go on, behind the entry `before`.
    place: u64,
    before: Bytes,
    /// How many entries to read. A list that grows as fast as it is read would have no end.
    left: Option<u64>,
}

impl Reader {
    async fn portion(&mut self) -> Result<Vec<Listed>> {
        let left = match self.left {
            Some(left) => left,
            None => {
                let len = self.master.query(cmd("LLEN").arg(&self.keys[0])).await;
                let len: u64 = match (len, QueueKeys::of_key(&self.keys[1])) {
                    (Err(error), Some(keys)) => {
                        return Err(types::named(error, &self.master, &keys).await.into());
                    }
                    (len, _) => len?,
                };
                len.saturating_sub(self.place)
            }
        };
        let count = left.min(PORTION);
        if count == 0 {
            return Ok(Vec::new());
        }
        let (behind, entries) =
            list(&self.master, &self.keys, self.place, &self.before, count).await?;
        let read = entries.len() as u64;
        self.left = Some(left - read.min(left));
        self.place = behind;
        if let Some((last, _)) = entries.last() {
            self.before = last.clone();
        }
        let listed = entries.into_iter().zip(behind - read..);
        let listed = listed.map(|((entry, score), place)| Listed {
            place,
            entry,
            score,
        });
        Ok(listed.collect())
    }
}

/// The place behind the last entry, and the entries with their scores.
type Portion = (u64, Vec<(Bytes, Option<f64>)>);

async fn list(
    master: &Master,
    keys: &[String; 2],
    place: u64,
    before: &[u8],
    count: u64,
) -> Result<Portion> {
    let [list, timeouts] = keys;
    let mut call = LIST.with(|name| Some(if name == "list" { list } else { timeouts }));
    call.arg("place", place)
        .arg("before", before)
        .arg("most", count)
        .arg("most_bytes", MOST_BYTES);
    let (behind, entries): (u64, Vec<(Vec<u8>, String)>) = run(master, &mut call).await?;
    let entry = |(entry, score): (Vec<u8>, String)| (entry.into(), score.parse().ok());
    Ok((behind, entries.into_iter().map(entry).collect()))
}

/// Where to begin to read the timeout set so that `count` elements that are due at `from` or later
/// are left out: when the first of the others is due, and how many elements of that millisecond are
/// to be left out.
pub(crate) async fn skip(
    master: &Master,
    timeouts: &str,
    from: SystemTime,
    count: u64,
) -> Result<Option<(SystemTime, usize)>> {
    // A fraction is due in the next whole millisecond.
    let lowest = match from.duration_since(UNIX_EPOCH) {
        Ok(since) if !since.is_zero() => {
            format!("({}", since.as_nanos().div_ceil(1_000_000) - 1)
        }
        _ => "-inf".to_owned(),
    };
    let mut call = SKIP.with(|_| Some(timeouts));
    call.arg("lowest", lowest).arg("passed", count);
    let found: Option<(String, usize)> = run(master, &mut call).await?;
    let due = |(ms, same): (String, usize)| {
        let ms = ms.parse().unwrap_or(u64::MAX);
        (UNIX_EPOCH + Duration::from_millis(ms), same)
    };
    Ok(found.map(due))
}
