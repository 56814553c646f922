//! Members of a queue.

use crate::broken::{Broken, new, old};
use crate::room::Effect::{Becomes, Deletes, Mends, Shows};
use crate::room::{Room, Visit};

pub(super) static ROOMS: [Room; 9] = [
    Room {
        name: "a member that nobody can read",
        finding: "malformed",
        build: || with(|queue, later| queue.offer(b"\x08no member", later)),
        advice: &[("malformed", Becomes("quarantine"))],
    },
    Room {
        name: "a member of an old Redisson",
        finding: "format",
        build: || with(|queue, later| queue.offer(&old(9, b"old"), later)),
        advice: &[("migrate", Mends)],
    },
    Room {
        name: "a due time between two milliseconds",
        finding: "scores",
        build: || with(|queue, later| queue.offer(&new(9, b"odd"), &format!("{later}.5"))),
        advice: &[("scores", Mends)],
    },
    Room {
        name: "a due time in seconds",
        finding: "seconds",
        build: || with(|queue, later| queue.offer(&new(9, b"odd"), &later[..10])),
        advice: &[("rdq ls", Shows), ("repair", Mends)],
    },
    Room {
        name: "a due time in a thousand years",
        finding: "far",
        build: || with(|queue, _| queue.offer(&new(9, b"odd"), "8e15")),
        advice: &[("rdq ls", Shows)],
    },
    Room {
        name: "a ghost",
        finding: "ghosts",
        build: || {
            with(|queue, later| {
                queue.list(&new(9, b"ghost"));
                queue.offer(&new(8, b"good"), later);
            })
        },
        advice: &[("-n 100", Shows), ("--apply", Deletes)],
    },
    Room {
        name: "a timeout set that was lost",
        finding: "orphans",
        build: || {
            let (visit, queue) = Visit::to_moved();
            visit.server.run::<()>(&["DEL", queue.keys.timeouts()]);
            visit
        },
        advice: &[
            ("pause", Shows),
            ("-n 100", Shows),
            ("deliver", Mends),
            ("drop", Deletes),
            ("resume", Shows),
        ],
    },
    Room {
        name: "an element that is listed twice",
        finding: "repeats",
        build: || with(|queue, _| queue.list(&new(1, b"good"))),
        advice: &[("repeats", Mends)],
    },
    Room {
        name: "an element that the ordering list lacks",
        finding: "unlisted",
        build: || with(|queue, later| queue.schedule(&new(9, b"unlisted"), later)),
        advice: &[("unlisted", Mends), ("--unlisted drop", Deletes)],
    },
];

/// A queue with a defect. The other elements, and what `later` says, are due in an hour.
fn with(defect: impl FnOnce(&mut Broken, &str)) -> Visit {
    let (visit, mut queue) = Visit::to_deaf();
    let later = queue.later();
    defect(&mut queue, &later);
    visit
}
