//! Reads the elements that become due next.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bytes::Bytes;
use redisson_delayed_queue::Master;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::packed::Packed;
use redisson_delayed_queue::script::Script;

use crate::failure::Result;
use crate::payload::Payloads;
use crate::queue::script::{lua, run};
use crate::screen::{clean, number};

static NEXT: LazyLock<Script> = lua!("next");

/// Describes an element that becomes due.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Upcoming {
    /// Its due time in Unix ms.
    pub(crate) due_ms: u64,
    /// Its value as JSON, in one line and cut, or the reason why the screen does not show it.
    pub(crate) value: String,
}

/// Says when to read again. A read that took long is repeated later.
#[derive(Debug, Default)]
pub(crate) struct NextRead {
    next: Option<Instant>,
}

/// A read returns at most so many elements.
const MOST: usize = 20;
/// A read leaves out larger members: the program would need all of a member to show its beginning.
const WHOLE: usize = 4_096;
/// A script stops when it has read so many bytes.
const ENOUGH: usize = 262_144;
/// A longer value is cut.
const LONGEST: usize = 240;

/// Holds a member of the timeout set: its score, its size and, unless it is large, the member itself.
pub(crate) type Scored = (f64, u64, Vec<u8>);

/// Reads the first members.
pub(crate) async fn read(master: &Master, keys: &QueueKeys) -> Result<Vec<Scored>> {
    let mut call = NEXT.of(keys);
    call.arg("most", MOST)
        .arg("whole", WHOLE)
        .arg("most_bytes", ENOUGH);
    Ok(run(master, &mut call).await?)
}

/// Reads the values in these members.
pub(crate) fn show_all(members: Vec<Scored>, payloads: &Payloads) -> Vec<Upcoming> {
    let upcoming = members.into_iter().map(|(score, size, member)| Upcoming {
        due_ms: score.ceil().max(0.0) as u64,
        value: show(member.into(), size, payloads),
    });
    upcoming.collect()
}

fn show(member: Bytes, size: u64, payloads: &Payloads) -> String {
    if member.is_empty() && size > 0 {
        return format!("({}, too large to show)", number::bytes(size));
    }
    match Packed::parse(member) {
        Ok(packed) => match payloads.show(&packed.payload) {
            Ok(value) => one_line(value.get()),
            Err(error) => format!("({}, {error})", number::bytes(packed.payload.len() as u64)),
        },
        Err(malformed) => format!("({malformed})"),
    }
}

/// Returns the beginning of a text, without characters that would move the cursor.
fn one_line(text: &str) -> String {
    clean(text).chars().take(LONGEST).collect()
}

impl NextRead {
    /// Reading takes at most this share of the time.
    const SHARE: u32 = 20;

    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.next.is_none_or(|next| now >= next)
    }

    /// Notes a read that began at `began` and is over `now`. The next comes after `least` at the
    /// earliest.
    pub(crate) fn note(&mut self, began: Instant, now: Instant, least: Duration) {
        let took = now.saturating_duration_since(began);
        self.next = Some(now + least.max(took * Self::SHARE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_read_is_repeated_rarely() {
        let start = Instant::now();
        let after = |ms| start + Duration::from_millis(ms);
        let mut next = NextRead::default();
        assert!(next.is_due(start));
        next.note(start, after(100), Duration::from_secs(1));
        assert!(!next.is_due(after(2_000)));
        assert!(next.is_due(after(2_100)));
    }

    #[test]
    fn values_cannot_move_the_cursor() {
        assert_eq!(one_line("\"a\u{1b}[2Jb\"\n"), "\"a [2Jb\" ");
        assert_eq!(one_line("gnp\u{202e}exe"), "gnp exe");
    }
}
