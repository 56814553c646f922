//! Watches elements become due, and leave the timeout set.

use std::collections::HashMap;
use std::sync::LazyLock;

use bytes::Bytes;
use redisson_delayed_queue::Master;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::script::Script;

use crate::failure::Result;
use crate::queue::script::{lua, run};

/// The most members to look at, and the most bytes.
const MOST: usize = 1_000;
const MOST_BYTES: usize = 256 * 1_024;
/// The size of the largest member whose payload is shown.
const LARGE: usize = 64 * 1_024;

static DUE: LazyLock<Script> = lua!("due");

/// What the last looks saw of a queue.
pub(crate) struct Lookout {
    keys: QueueKeys,
    /// How far ahead to look, ms.
    ahead_ms: u64,
    seen: HashMap<String, Seen>,
}

/// An element that was in the timeout set.
struct Seen {
    due_ms: f64,
    /// When it was there last, unix us by Redis's clock.
    last_us: u64,
    bytes: usize,
    /// Empty if it is large.
    member: Bytes,
}

/// One look at a queue.
pub(crate) struct Look {
    pub(crate) now_us: u64,
    is_complete: bool,
    members: Vec<Member>,
}

/// A digest, a score, a size and, unless it is large, the member.
type Member = (String, f64, usize, Vec<u8>);

/// An element that left the timeout set.
pub(crate) struct Left {
    pub(crate) due_ms: f64,
    /// It was still there at this moment, and gone at the next, unix us by Redis's clock.
    pub(crate) there_us: u64,
    pub(crate) gone_us: u64,
    pub(crate) bytes: usize,
    /// None if it is large.
    pub(crate) member: Option<Bytes>,
}

impl Lookout {
    pub(crate) fn new(keys: QueueKeys, ahead_ms: u64) -> Self {
        Self {
            keys,
            ahead_ms,
            seen: HashMap::new(),
        }
    }

    /// Looks at the first members of the timeout set.
    ///
    /// # Redis
    ///
    /// One script: up to 1,000 members or 256 KiB.
    pub(crate) async fn look(&self, master: &Master) -> Result<Look> {
        let mut call = DUE.of(&self.keys);
        call.arg("ahead_ms", self.ahead_ms)
            .arg("most", MOST)
            .arg("most_bytes", MOST_BYTES)
            .arg("large_from", LARGE);
        let (now_us, is_complete, members) = run(master, &mut call).await?;
        Ok(Look {
            now_us,
            is_complete,
            members,
        })
    }

    /// Which elements have left since the look before, the earliest due time first.
    pub(crate) fn compare(&mut self, look: Look) -> Vec<Left> {
        // Behind the last member of a look that was cut off, nobody knows.
        let end_ms = match look.is_complete {
            true => f64::INFINITY,
            false => look.members.last().map_or(f64::NEG_INFINITY, |it| it.1),
        };
        let now_us = look.now_us;
        for (digest, due_ms, bytes, member) in look.members {
            let seen = self.seen.entry(digest).or_insert_with(|| Seen {
                due_ms,
                last_us: now_us,
                bytes,
                member: member.into(),
            });
            (seen.due_ms, seen.last_us) = (due_ms, now_us);
        }
        let is_gone = |seen: &Seen| seen.last_us < now_us && seen.due_ms < end_ms;
        let gone = self.seen.extract_if(|_, seen| is_gone(seen));
        let left = gone.map(|(_, seen)| Left {
            due_ms: seen.due_ms,
            there_us: seen.last_us,
            gone_us: now_us,
            bytes: seen.bytes,
            member: (seen.bytes <= LARGE).then_some(seen.member),
        });
        let mut left: Vec<_> = left.collect();
        left.sort_by(|a, b| a.due_ms.total_cmp(&b.due_ms));
        left
    }

    /// How long until the next element that was seen becomes due, ms; 0 if one is due. None without
    /// one.
    pub(crate) fn next_due_ms(&self, now_us: u64) -> Option<f64> {
        let due = self.seen.values().map(|it| it.due_ms);
        let next = due.min_by(f64::total_cmp)?;
        Some((next - now_us as f64 / 1_000.0).max(0.0))
    }

    /// How long an element is overdue at the most, ms, of those that were seen.
    pub(crate) fn overdue_ms(&self, now_us: u64) -> f64 {
        let due = self.seen.values().map(|it| it.due_ms);
        let first = due.min_by(f64::total_cmp);
        first.map_or(0.0, |it| (now_us as f64 / 1_000.0 - it).max(0.0))
    }
}

impl Left {
    /// True if it was due when it left, or may have been.
    pub(crate) fn was_due(&self) -> bool {
        self.due_ms <= self.gone_us as f64 / 1_000.0
    }

    /// How late it was moved, ms: at least, and at most.
    pub(crate) fn late_ms(&self) -> (f64, f64) {
        let since = |us: u64| (us as f64 / 1_000.0 - self.due_ms).max(0.0);
        (since(self.there_us), since(self.gone_us))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(now_ms: u64, is_complete: bool, members: &[(&str, f64)]) -> Look {
        let member = |(name, due): &(&str, f64)| ((*name).to_owned(), *due, 1, vec![1]);
        Look {
            now_us: now_ms * 1_000,
            is_complete,
            members: members.iter().map(member).collect(),
        }
    }

    fn lookout() -> Lookout {
        Lookout::new(QueueKeys::new("orders").unwrap(), 1_000)
    }

    #[test]
    fn an_element_that_leaves_after_its_time_is_late_between_two_looks() {
        let mut lookout = lookout();
        assert!(
            lookout
                .compare(look(1_000, true, &[("a", 1_005.0)]))
                .is_empty()
        );
        assert_eq!(lookout.next_due_ms(1_000_000), Some(5.0));
        assert!(
            lookout
                .compare(look(1_010, true, &[("a", 1_005.0)]))
                .is_empty()
        );
        let [left] = lookout
            .compare(look(1_020, true, &[]))
            .try_into()
            .ok()
            .unwrap();
        assert!(left.was_due());
        assert_eq!(left.late_ms(), (5.0, 15.0));
        assert_eq!(lookout.next_due_ms(1_020_000), None);
    }

    #[test]
    fn an_element_that_leaves_before_its_time_was_withdrawn() {
        let mut lookout = lookout();
        lookout.compare(look(1_000, true, &[("a", 9_000.0)]));
        let [left] = lookout
            .compare(look(1_010, true, &[]))
            .try_into()
            .ok()
            .unwrap();
        assert!(!left.was_due());
    }

    #[test]
    fn an_element_behind_the_end_of_a_look_is_not_called_gone() {
        let mut lookout = lookout();
        lookout.compare(look(1_000, true, &[("a", 1.0), ("z", 5.0)]));
        // Others came before it.
        assert!(
            lookout
                .compare(look(1_010, false, &[("a", 1.0), ("b", 2.0)]))
                .is_empty()
        );
        let left = lookout.compare(look(1_020, true, &[("z", 5.0)]));
        assert_eq!(left.len(), 2);
    }

    #[test]
    fn a_rescheduled_element_is_late_by_its_new_time() {
        let mut lookout = lookout();
        lookout.compare(look(1_000, true, &[("a", 1_005.0)]));
        lookout.compare(look(1_010, true, &[("a", 2_000.0)]));
        let [left] = lookout
            .compare(look(2_003, true, &[]))
            .try_into()
            .ok()
            .unwrap();
        assert_eq!(left.late_ms(), (0.0, 3.0));
    }
}
