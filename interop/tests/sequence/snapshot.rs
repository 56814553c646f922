//! What is pending in one moment.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use redis::{Connection, Script};
use redisson_delayed_queue::{keys::QueueKeys, packed::Packed};

/// The members of the ordering list, and those of the timeout set with their scores.
pub(crate) struct Snapshot {
    ordering: Vec<Vec<u8>>,
    timeouts: Vec<(Vec<u8>, u64)>,
}

impl Snapshot {
    /// Reads both at once.
    pub(crate) fn read(redis: &mut Connection, name: &str) -> Self {
        let keys = QueueKeys::new(name).expect("the name is not empty");
        let script = Script::new(READ);
        let mut script = script.prepare_invoke();
        script.key(keys.ordering()).key(keys.timeouts());
        let read = script.invoke(redis);
        let (ordering, timeouts) = read.expect("redis runs the script");
        Self { ordering, timeouts }
    }

    /// Members that are not in both, or are in one of them more than once.
    pub(crate) fn differing(&self) -> Vec<String> {
        let mut listed: Vec<&[u8]> = self.ordering.iter().map(Vec::as_slice).collect();
        let mut scheduled: Vec<&[u8]> = self.members().collect();
        listed.sort_unstable();
        scheduled.sort_unstable();
        if listed == scheduled {
            return Vec::new();
        }
        let show = |key: &str, members: Vec<&[u8]>| {
            let members = members.into_iter().map(|it| it.escape_ascii().to_string());
            format!("{key}: {}", members.collect::<Vec<_>>().join(" "))
        };
        vec![show("list", listed), show("set", scheduled)]
    }

    /// True if something is due soon, or is late.
    pub(crate) fn has_any_due_within(&self, wait: Duration) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let end = now.expect("it is after 1970") + wait;
        let mut scores = self.timeouts.iter().map(|(_, score)| *score);
        scores.any(|score| Duration::from_millis(score) < end)
    }

    /// What is pending.
    pub(crate) fn payloads(&self) -> Vec<String> {
        let payload = |member: &[u8]| {
            let packed = Packed::parse(Bytes::copy_from_slice(member));
            let packed = packed.expect("both languages write members");
            String::from_utf8(packed.payload.to_vec()).expect("payloads are text")
        };
        self.members().map(payload).collect()
    }

    fn members(&self) -> impl Iterator<Item = &[u8]> {
        self.timeouts.iter().map(|(member, _)| member.as_slice())
    }
}

const READ: &str = "return {redis.call('LRANGE', KEYS[1], 0, -1), \
                    redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')}";
