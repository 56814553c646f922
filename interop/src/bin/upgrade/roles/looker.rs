//! Looks at what the other revision may have written. An answer of any kind will do.

use std::{thread, time::Duration};

use rand::seq::IndexedRandom;

use super::{Part, QUEUE};

/// Looks until all is done.
pub(crate) fn run(mut part: Part<'_>) {
    while !part.is_done() {
        let look = LOOKS.choose(&mut part.random).expect("there are some");
        let mut words = look.split(' ');
        let name = words.next().unwrap_or_default();
        let arguments: Vec<&str> = words.collect();
        part.call(&[&[name, QUEUE], &arguments[..]].concat().join(" "));
        thread::sleep(Duration::from_millis(5));
    }
}

const LOOKS: &[&str] = &[
    "contains a",
    "contains_all a b",
    "entries_between 0 1000",
    "exists",
    "expired",
    "is_empty",
    "is_paused",
    "iter",
    "len",
    "next_due",
    "peek",
    "peek_next_due",
    "rate_limit",
    "read_all",
    "remaining_ttl",
    "schedules",
    "size_in_memory",
    "target.contains a",
    "target.contains_all a b",
    "target.get 0",
    "target.index_of a",
    "target.is_empty",
    "target.iter",
    "target.last_index_of a",
    "target.len",
    "target.peek",
    "target.peek_last",
    "target.range 0 3",
    "target.read_all",
    "touch",
];
