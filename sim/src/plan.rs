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
/// How many kinds of accidents there are.
const KINDS: u32 = 17;
/// The kind of [`Accident::CutAtAnswer`].
const LOST_ANSWER: u32 = 1;
/// Those kinds in which another server or an older one takes the place of the server: in a cluster slots move
/// instead.
const OF_ONE_SERVER: [u32; 4] = [8, 10, 11, 12];
/// The kind of [`Accident::MoveSlot`].
const MOVED_SLOT: u32 = 17;
/// Leases outlast such a move of a slot.
const SHORT_MOVE_MS: u64 = 1_000;
/// No accident happens later.
pub(crate) const HEALED_MS: u64 = 8_000;

/// Makes accidents in the order of their times.
///
/// Only some kinds meet in a schedule, and sometimes they are many: a defect that one kind shows may hide
/// behind another.
pub(crate) fn plan(is_cluster: bool, random: &mut StdRng) -> Vec<(u64, Accident)> {
    let mut kinds: Vec<u32> = (0..KINDS).filter(|_| random.random_bool(0.4)).collect();
    if is_cluster {
        let of_one = kinds.iter_mut().filter(|it| OF_ONE_SERVER.contains(it));
        of_one.for_each(|it| *it = MOVED_SLOT);
    }
    // A lost answer is what makes a client send a call again, and few answers are to a given call.
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
            let accident = Accident::of_kind(kind, process, ms, random);
            (at, accident)
        })
        .collect();
    plan.sort_by_key(|(at, _)| *at);
    plan
}

/// Makes accidents of the process with Redisson alone.
pub(crate) fn plan_redisson(random: &mut StdRng) -> Vec<(u64, Accident)> {
    const OF_A_PROCESS: [u32; 6] = [0, 1, 2, 3, 4, 6];
    let count = random.random_range(0..5);
    let accidents = (0..count).map(|_| {
        let at = random.random_range(0..HEALED_MS);
        let process = REDISSON;
        let ms = random.random_range(1..HEALED_MS - at + 1).min(4_000);
        let kind = OF_A_PROCESS[random.random_range(0..OF_A_PROCESS.len())];
        (at, Accident::of_kind(kind, process, ms, random))
    });
    accidents.collect()
}

impl Accident {
    /// The accident of this kind. Those of kinds up to 6 happen to a process alone, whatever runs in it.
    fn of_kind(kind: u32, process: usize, ms: u64, random: &mut StdRng) -> Self {
        match kind {
            0 => Self::Cut { process },
            LOST_ANSWER => Self::CutAtAnswer { process },
            2 => Self::Stall { process, ms },
            3 => Self::HalfOpen { process },
            4 => Self::Kill { process, ms },
            5 => Self::KillAtAnswer { process, ms },
            6 => Self::Freeze { process, ms },
            7 => Self::Restart,
            8 => Self::Forget,
            9 => Self::Leave { process, ms },
            10 => Self::HandOver { ms },
            11 => Self::FailOver { ms },
            12 => Self::Split { ms },
            13 => Self::Full { ms },
            14 => Self::Busy { ms },
            15 => Self::Flush,
            MOVED_SLOT => Self::MoveSlot {
                queue: ["taken", "consumed"][process],
                ms,
            },
            _ => Self::Jump {
                ms: random.random_range(-3_000..3_000),
            },
        }
    }

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
