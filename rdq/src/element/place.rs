//! Where else a queue has a pending element: its place in the ordering list, and its key.

use std::sync::LazyLock;

use redisson_delayed_queue::Master;
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::script::Script;

use crate::failure::Result;
use crate::queue::script::{MOST_BYTES, lua, run};

static PLACE: LazyLock<Script> = lua!("place");

static KEY_OF: LazyLock<Script> = lua!("key_of");

/// How many entries to look at in one step: some 1 ms of Redis's time.
const STEP: u64 = 1_000;

/// The first place of a member in the ordering list, from the oldest on: a repair keeps that entry.
pub(crate) async fn place_of(
    master: &Master,
    ordering: &str,
    member: &[u8],
) -> Result<Option<u64>> {
    let mut behind: u64 = master.query(cmd("LLEN").arg(ordering)).await?;
    let (mut step, mut found) = (1, None);
    // From the newest entry down: those that leave meanwhile move others towards the front only.
    while behind > 0 {
        let first = behind.saturating_sub(step);
        let (place, bytes) = look(master, ordering, first, behind - 1, member).await?;
        if place >= 0 {
            found = Some(place as u64);
        }
        // As many as have the wanted size together, if they are like these.
        let fit = MOST_BYTES * (behind - first) / bytes.max(1);
        step = fit.clamp(1, (step * 16).min(STEP));
        behind = first;
    }
    Ok(found)
}

/// The first place of a member between two places or -1, and how many bytes stand there.
async fn look(
    master: &Master,
    ordering: &str,
    first: u64,
    last: u64,
    member: &[u8],
) -> Result<(i64, u64)> {
    let mut call = PLACE.with(|_| Some(ordering));
    call.arg("first", first)
        .arg("last", last)
        .arg("member", member);
    Ok(run(master, &mut call).await?)
}

/// The field of the hash of keys that has this member.
pub(crate) async fn key_of(master: &Master, keyed: &str, member: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut cursor = 0_u64;
    loop {
        let mut call = KEY_OF.with(|_| Some(keyed));
        // Members may be large, and the script reads them.
        call.arg("cursor", cursor)
            .arg("member", member)
            .arg("most", 100);
        let (next, field): (u64, Vec<u8>) = run(master, &mut call).await?;
        if !field.is_empty() {
            return Ok(Some(field));
        }
        cursor = next;
        if cursor == 0 {
            return Ok(None);
        }
    }
}
