//! The museum of broken queues: each defect that `rdq doctor` knows is a room.
//!
//! A room is built on servers of its own. The doctor names its defect and nothing else, each command of
//! the advice runs as it was printed, and then nothing is wrong and nothing is lost. `--example museum`
//! opens a room for a visit by hand.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

#[path = "../cli/broken.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod broken;
mod healthy;
#[path = "../cli/rdq.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod rdq;
mod room;
mod rooms;
mod table;
mod walk;

use std::collections::BTreeSet;
use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread;

use crate::room::Room;

/// How many rooms to walk at a time. Most of a walk is waiting.
const GUIDES: usize = 6;

/// `ROOM=ghost` walks only those with that in their names.
#[test]
fn each_defect_is_named_and_the_advice_mends_it() {
    let only = env::var("ROOM").unwrap_or_default();
    let rooms: Vec<&Room> = rooms::all().filter(|it| it.name.contains(&only)).collect();
    let rooms = Mutex::new(rooms);
    let advice = Mutex::new(Vec::new());
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..GUIDES {
            scope.spawn(|| {
                while let Some(room) = { rooms.lock().unwrap().pop() } {
                    match catch_unwind(AssertUnwindSafe(|| walk::walk(room))) {
                        Ok(found) => advice.lock().unwrap().push(found),
                        Err(_) => failed.lock().unwrap().push(room.name),
                    }
                }
            });
        }
    });
    let failed: Vec<&str> = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{failed:#?}");
    if only.is_empty() {
        table::check(&advice.into_inner().unwrap());
    }
}

#[test]
fn each_kind_of_finding_has_a_room() {
    let kinds: BTreeSet<_> = table::kinds().into_iter().map(|it| it.name).collect();
    let shown = rooms::all().map(|it| it.finding.to_owned()).collect();
    assert_eq!(kinds, shown);
    let names: BTreeSet<_> = rooms::all().map(|it| it.name).collect();
    assert_eq!(names.len(), rooms::all().count());
    assert_eq!(rooms::named("a ghost").unwrap().finding, "ghosts");
    for (line, room) in rooms::lines().zip(rooms::all()) {
        let name = line.split("  ").next().unwrap();
        assert_eq!(rooms::named(name).unwrap().name, room.name);
    }
    let said = "no room \"orphans\": give a name of the first column";
    assert_eq!(rooms::named("orphans").err().unwrap(), said);
}
