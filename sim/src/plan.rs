//! The accidents of a schedule.

use rand::{RngExt, rngs::StdRng};

/// An accident. Times are ms.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Accident {
    /// The streams of a process break.
    Cut { process: usize },
    /// They break when the server next answers a call, and the answer is lost.
    CutAtAnswer { process: usize },
    /// For so long no byte arrives that the process sends or is to receive.
    Stall { process: usize, ms: u64 },
    /// What the server sends to a process is lost, on the streams that are open.
    HalfOpen { process: usize },
    /// A process dies, and another takes its place later.
    Kill { process: usize, ms: u64 },
    /// The same, when the server next answers a call.
    KillAtAnswer { process: usize, ms: u64 },
    /// A process shuts its client down and ends, and another takes its place later.
    Leave { process: usize, ms: u64 },
    /// A process stands still.
    Freeze { process: usize, ms: u64 },
    /// The server restarts and knows no script.
    Restart,
    /// The server restarts without its last writes.
    Forget,
    /// The clock of the server jumps.
    Jump { ms: i64 },
    /// Another server takes its place. Open streams stay with the old one, as a replica, for so long.
    HandOver { ms: u64 },
    /// The same, and the new one lacks the last writes.
    FailOver { ms: u64 },
    /// The same, and the old one does not know: it goes on.
    Split { ms: u64 },
    /// The server has no memory left for so long.
    Full { ms: u64 },
    /// It answers every call that a script is running, for so long.
    Busy { ms: u64 },
    /// It forgets its scripts.
    Flush,
    /// The slot of a queue goes to another server of the cluster, key by key, within this time.
    MoveSlot { queue: &'static str, ms: u64 },
}

/// How many processes there are with this crate. Their numbers come first.
pub(crate) const PROCESSES: usize = 2;
/// The number of the process with Redisson, if there is one.
pub(crate) const REDISSON: usize = PROCESSES;
/// Makes an accident. Some happen to the process of this number, and some last for so many ms.
type Kind = fn(usize, u64, &mut StdRng) -> Accident;

/// A lost answer is what makes a client send a call again.
const LOST_ANSWER: Kind = |process, _, _| Accident::CutAtAnswer { process };
/// These happen to a process, whatever runs in it.
const OF_ANY_PROCESS: [Kind; 7] = [
    LOST_ANSWER,
    |process, _, _| Accident::Cut { process },
    |process, ms, _| Accident::Stall { process, ms },
    |process, _, _| Accident::HalfOpen { process },
    |process, ms, _| Accident::Kill { process, ms },
    |process, ms, _| Accident::KillAtAnswer { process, ms },
    |process, ms, _| Accident::Freeze { process, ms },
];
/// These happen to a process with this crate, or to any server.
const OF_OURS: [Kind; 6] = [
    |process, ms, _| Accident::Leave { process, ms },
    |_, _, _| Accident::Restart,
    |_, ms, _| Accident::Full { ms },
    |_, ms, _| Accident::Busy { ms },
    |_, _, _| Accident::Flush,
    |_, _, random| Accident::Jump {
        ms: random.random_range(-3_000..3_000),
    },
];
/// Another server, or an older state, takes the place of the only server.
const OF_ONE_SERVER: [Kind; 4] = [
    |_, _, _| Accident::Forget,
    |_, ms, _| Accident::HandOver { ms },
    |_, ms, _| Accident::FailOver { ms },
    |_, ms, _| Accident::Split { ms },
];
/// In a cluster, slots move instead.
const OF_A_CLUSTER: [Kind; 4] = [MOVED_SLOT; 4];
const MOVED_SLOT: Kind = |process, ms, _| Accident::MoveSlot {
    queue: ["taken", "consumed"][process],
    ms,
};
/// Leases outlast such a move of a slot.
const SHORT_MOVE_MS: u64 = 1_000;
/// No accident happens later.
pub(crate) const HEALED_MS: u64 = 8_000;

/// Makes accidents in the order of their times.
///
/// Only some kinds meet in a schedule, and sometimes they are many: a defect that one kind shows may hide
/// behind another.
pub(crate) fn plan(is_cluster: bool, random: &mut StdRng) -> Vec<(u64, Accident)> {
    let of_servers = match is_cluster {
        true => OF_A_CLUSTER,
        false => OF_ONE_SERVER,
    };
    let all = OF_ANY_PROCESS.into_iter().chain(OF_OURS).chain(of_servers);
    let mut kinds: Vec<Kind> = all.filter(|_| random.random_bool(0.4)).collect();
    // Few answers are to a given call.
    if random.random_bool(0.5) {
        kinds.extend([LOST_ANSWER; 10]);
    }
    let most = if random.random_bool(0.3) { 30 } else { 6 };
    let count = if kinds.is_empty() {
        0
    } else {
        random.random_range(0..=most)
    };
    let mut plan: Vec<_> = (0..count)
        .map(|_| {
            let at = random.random_range(0..HEALED_MS);
            let process = random.random_range(0..PROCESSES);
            let ms = random.random_range(1..HEALED_MS - at + 1).min(4_000);
            let kind = kinds[random.random_range(0..kinds.len())];
            (at, kind(process, ms, random))
        })
        .collect();
    plan.sort_by_key(|(at, _)| *at);
    plan
}

/// Makes accidents of the process with Redisson alone.
pub(crate) fn plan_redisson(random: &mut StdRng) -> Vec<(u64, Accident)> {
    let count = random.random_range(0..5);
    let accidents = (0..count).map(|_| {
        let at = random.random_range(0..HEALED_MS);
        let process = REDISSON;
        let ms = random.random_range(1..HEALED_MS - at + 1).min(4_000);
        let kind = OF_ANY_PROCESS[random.random_range(0..OF_ANY_PROCESS.len())];
        (at, kind(process, ms, random))
    });
    accidents.collect()
}

impl Accident {
    /// True if the server that goes on may lack the last writes.
    pub(crate) fn may_lose(self) -> bool {
        matches!(
            self,
            Self::Forget | Self::FailOver { .. } | Self::Split { .. }
        )
    }

    /// True if leases may end because of it while somebody has the elements: a caller that hears or moves too
    /// late, a server that forgot that they were over or refuses to extend them, a clock that is ahead.
    pub(crate) fn may_double(self) -> bool {
        match self {
            Self::Restart
            | Self::Cut { .. }
            | Self::CutAtAnswer { .. }
            | Self::Leave { .. }
            | Self::HandOver { .. }
            | Self::Flush => false,
            Self::MoveSlot { ms, .. } => ms > SHORT_MOVE_MS,
            Self::Full { .. }
            | Self::Busy { .. }
            | Self::Forget
            | Self::FailOver { .. }
            | Self::Split { .. }
            | Self::Jump { .. } => true,
            Self::Stall { process, .. }
            | Self::HalfOpen { process }
            | Self::Kill { process, .. }
            | Self::KillAtAnswer { process, .. }
            | Self::Freeze { process, .. } => process != REDISSON,
        }
    }
}
