//! Defects: what a script would do wrong with one piece changed. The schedules must find each.

use std::str;

/// A change of one script that breaks a promise.
#[derive(Debug)]
pub struct Defect {
    /// What the script does then.
    pub name: &'static str,
    /// The file in `lua/` that is changed, without `.lua`.
    pub script: &'static str,
    /// What stands in the script as it is sent, and what stands there instead.
    change: (&'static str, &'static str),
}

impl Defect {
    /// The defect of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        DEFECTS.iter().find(|it| it.name == name)
    }

    /// The text of a script with this defect; nothing if the defect is one of another script.
    ///
    /// # Panics
    ///
    /// If the script no longer has what the defect changes: then it must be written anew.
    pub(crate) fn put_into(&self, text: &[u8]) -> Option<Vec<u8>> {
        let text = str::from_utf8(text).ok()?;
        let heading = format!("-- {}", self.script);
        if !text.lines().any(|it| it == heading) {
            return None;
        }
        let (from, to) = self.change;
        assert!(text.contains(from), "{} has no {from:?}", self.script);
        Some(text.replace(from, to).into_bytes())
    }
}

/// All defects.
pub const DEFECTS: &[Defect] = &[
    Defect {
        name: "early",
        script: "transfer",
        change: (
            "local now_ms = math.floor(now_us / 1000)",
            "local now_ms = math.floor(now_us / 1000) + 100",
        ),
    },
    Defect {
        name: "moved into nothing",
        script: "transfer",
        change: ("redis.call('RPUSH', KEYS[1], unpack(moved))", ""),
    },
    Defect {
        name: "moved and still pending",
        script: "transfer",
        change: ("redis.call('ZREM', KEYS[2], unpack(due, 1, count))", ""),
    },
    Defect {
        name: "moved and still listed",
        script: "transfer",
        change: ("leave(due, count, places, size)", ""),
    },
    Defect {
        name: "what dead processes had is dropped",
        script: "transfer",
        change: ("redis.call('LPUSH', KEYS[1], payload)", ""),
    },
    Defect {
        name: "leases end at once",
        script: "transfer",
        change: ("/ 1000)\nlocal ran_out", "/ 1000) + 2000\nlocal ran_out"),
    },
    Defect {
        name: "nothing to do while something is due",
        script: "transfer_rest",
        change: ("head_us > ahead_ms * 1000", "true"),
    },
    Defect {
        name: "taken without a lease",
        script: "claim",
        change: (
            "redis.call('ZADD', KEYS[3], unpack(tokens",
            "select('#', unpack(tokens",
        ),
    },
    Defect {
        name: "the first payload is read twice",
        script: "claim",
        change: (
            "from_last and 0 or leased,",
            "from_last and 0 or leased - 1,",
        ),
    },
    Defect {
        name: "others' leases are claimed",
        script: "claim",
        change: (
            "'(' .. string.format('%.0f', now_ms)",
            "string.format('%.0f', now_ms + 1990)",
        ),
    },
    Defect {
        name: "taken and still there",
        script: "end_leases",
        change: ("redis.call('HDEL', KEYS[2], unpack(ARGV))", ""),
    },
    Defect {
        name: "offered again by a second attempt",
        script: "offer",
        change: (
            "may_be_settled and redis.call('ZSCORE', KEYS[3], id_of(member))",
            "false",
        ),
    },
    Defect {
        name: "listed again by a second attempt",
        script: "offer",
        change: ("if added == 0 then", "if false then"),
    },
    Defect {
        name: "acknowledged and still there",
        script: "conclude",
        change: (
            "elseif what == 'a' then\n    remove_payload",
            "elseif what == 'a' then\n    attempt_of",
        ),
    },
    Defect {
        name: "no further attempt",
        script: "conclude",
        change: (
            "redis.call('ZADD', KEYS[3], string.format('%.0f', steady_ms + ms), token)",
            "",
        ),
    },
    Defect {
        name: "a turn is not passed on",
        script: "conclude",
        change: (
            "redis.call('ZADD', KEYS[3], string.format('%.0f', now_ms), following)",
            "",
        ),
    },
    Defect {
        name: "two have the turn",
        script: "join",
        change: (
            "redis.call('HSETNX', KEYS[2], group, origin_of(token)) == 1",
            "redis.call('HSETNX', KEYS[2], group, origin_of(token))",
        ),
    },
    Defect {
        name: "the newest has the next turn",
        script: "join",
        change: (
            "struct.pack('>L', number)",
            "struct.pack('>L', 9007199254740991 - number)",
        ),
    },
    Defect {
        name: "no turn is awaited",
        script: "consume",
        change: (
            "local holder = redis.call('HGET', KEYS[8], EVERYTHING)",
            "local holder = false",
        ),
    },
    Defect {
        name: "deliveries of dead processes stay",
        script: "consume",
        change: (
            "lease_again_3('(' .. string.format('%.0f', steady_ms)",
            "lease_again_3('(0'",
        ),
    },
    Defect {
        name: "attempts that do not count",
        script: "consume",
        change: (
            "struct.pack('>HH', place, attempt) .. group",
            "struct.pack('>HH', place, 1) .. group",
        ),
    },
    Defect {
        name: "cancelled and delivered",
        script: "remove",
        change: (
            "redis.call('ZREM', KEYS[1], member) == 1",
            "redis.call('ZSCORE', KEYS[1], member) and true",
        ),
    },
    Defect {
        name: "cancelled, and the second attempt denies it",
        script: "remove",
        change: (
            "if redis.call('ZSCORE', KEYS[3], id .. call) then",
            "if false then",
        ),
    },
    Defect {
        name: "due again and lost",
        script: "reschedule",
        change: (
            "redis.call('ZADD', KEYS[1], 'XX', score, member)",
            "redis.call('ZREM', KEYS[1], member)",
        ),
    },
    Defect {
        name: "rejected and lost",
        script: "conclude",
        change: ("redis.call('RPUSH', KEYS[4], payload)", ""),
    },
    Defect {
        name: "replaced and still pending",
        script: "offer_keyed",
        change: ("redis.call('ZREM', KEYS[1], pending)", ""),
    },
    Defect {
        name: "stored although another was kept",
        script: "offer_keyed",
        change: ("if is_pending and not replaces then", "if false then"),
    },
    Defect {
        name: "replaced once more by the second attempt",
        script: "offer_keyed",
        change: ("local done = done_under(id)", "local done"),
    },
    Defect {
        name: "stored although an equal one came meanwhile",
        script: "offer_unique_listed",
        change: ("found = find_appended()", "found = ''"),
    },
];
