use std::time::Duration;

use redisson_delayed_queue::keys::NameError;

use super::*;
use crate::queue::programs::parse;
use crate::queue::stats::Marks;

const NOW_MS: u64 = 1_800_000_000_000;

fn reading(stats: Stats) -> Reading {
    Reading {
        stats: Stats {
            at_ms: NOW_MS,
            listed: stats.pending,
            ..stats
        },
        ..Reading::default()
    }
}

fn board(reading: Reading) -> Board {
    let mut watched = Watched::new("orders".to_owned());
    watched.note(reading);
    watched.board(Instant::now())
}

fn notices(stats: Stats) -> Vec<String> {
    let board = board(reading(stats));
    board.notices.into_iter().map(|it| it.text).collect()
}

/// A dashboard that does not listen yet must not take a client for itself.
#[test]
fn a_listener_is_a_rust_client_if_the_server_has_no_others() {
    let mut reading = reading(Stats {
        subscribers: 1,
        ..Stats::default()
    });
    reading.rust_listeners = 1;
    let rust = |reading: &Reading| board(reading.clone()).listeners[0].1.clone();
    assert_eq!(rust(&reading), "0");
    let rdq = parse("addr=10.0.0.1:50 name=rdq:subscription");
    reading.programs = Some(ProgramList::Programs(rdq));
    assert_eq!(rust(&reading), "1");
    let both = "addr=10.0.0.1:50 name=rdq:subscription\naddr=10.0.0.2:50 name=";
    reading.programs = Some(ProgramList::Programs(parse(both)));
    assert_eq!(rust(&reading), "0");
}

#[test]
fn connections_of_one_program_are_counted_and_rust_clients_come_first() {
    let mut reading = reading(Stats::default());
    let list = "addr=10.0.0.3:52 name=\naddr=10.0.0.1:50 name=orders:subscription\n\
                addr=10.0.0.2:51 name=orders:subscription\naddr=10.0.0.4:53 name=billing\n\
                addr=10.0.0.5:54 name=rdq-cli:subscription";
    reading.programs = Some(ProgramList::Programs(parse(list)));
    let expected = ["orders (Rust) x2", "10.0.0.3:52 x1", "billing x1"];
    assert_eq!(board(reading).programs, expected);
}

/// The famous stall of Redisson: elements are due, and nobody who would move them is there.
#[test]
fn due_elements_that_nobody_listens_for_are_called_stalled() {
    let stats = Stats {
        pending: 3,
        overdue: 1,
        next_due_ms: Some(NOW_MS as f64 - 50.0),
        ..Stats::default()
    };
    assert!(notices(stats.clone())[0].starts_with("stalled"));
    let paused = Stats {
        paused: true,
        ..stats.clone()
    };
    assert!(notices(paused)[0].starts_with("paused"));
    // A listener may be about to move it.
    let listened = Stats {
        subscribers: 1,
        ..stats
    };
    assert!(notices(listened).is_empty());
}

#[test]
fn a_head_that_listeners_leave_is_late_after_a_while() {
    let stats = |late_ms: f64| Stats {
        pending: 3,
        overdue: 1,
        subscribers: 2,
        next_due_ms: Some(NOW_MS as f64 - late_ms),
        ..Stats::default()
    };
    assert!(notices(stats(4_000.0)).is_empty());
    assert_eq!(
        notices(stats(7_000.0)),
        ["late: the head has been due for 7s"]
    );
}

#[test]
fn ghosts_and_unlisted_elements_are_told_apart() {
    let mut reading = reading(Stats {
        pending: 5,
        subscribers: 1,
        ..Stats::default()
    });
    reading.stats.listed = 3;
    assert_eq!(board(reading.clone()).notices[0].text, "2 unlisted");
    reading.stats.listed = 6;
    let ghosts = &board(reading).notices[0];
    assert!(
        ghosts.is_bad && ghosts.text.starts_with("1 more listed"),
        "{ghosts:?}"
    );
}

/// Elements that were read before they left must not be shown as overdue.
#[test]
fn elements_before_the_head_have_left() {
    let mut watched = Watched::new("orders".to_owned());
    let upcoming = |due_ms| Upcoming {
        due_ms,
        value: String::new(),
    };
    let mut first = reading(Stats {
        next_due_ms: Some(NOW_MS as f64 + 5_000.0),
        ..Stats::default()
    });
    first.upcoming = Some(vec![upcoming(NOW_MS - 9), upcoming(NOW_MS + 5_000)]);
    watched.note(first);
    let board = watched.board(Instant::now());
    let due: Vec<_> = board.upcoming.iter().map(|it| &*it.due).collect();
    assert_eq!(due, ["in 5s"]);
}

#[test]
fn a_failure_is_shown_with_its_age_until_the_next_reading() {
    let start = Instant::now();
    let mut watched = Watched::new("orders".to_owned());
    watched.note(reading(Stats::default()));
    let failure = Failure::from(NameError::Empty);
    watched.fail(&failure, start);
    watched.fail(&failure, start + Duration::from_secs(2));
    let board = watched.board(start + Duration::from_secs(5));
    let trouble = board.trouble.unwrap();
    assert!(
        trouble.starts_with("connection lost, since 5s: "),
        "{trouble}"
    );
    assert!(board.is_known, "the last numbers stay");
    watched.note(reading(Stats::default()));
    assert_eq!(watched.board(start).trouble, None);
}

/// What happened while nothing was read is no rate.
#[test]
fn rates_begin_anew_after_a_gap() {
    let mut watched = Watched::new("orders".to_owned());
    let at = |seconds: u64, pending| {
        let mut reading = reading(Stats {
            pending,
            marks: Marks {
                last: Some((NOW_MS, 0)),
                ..Marks::default()
            },
            ..Stats::default()
        });
        reading.stats.at_ms += 1_000 * seconds;
        reading
    };
    watched.note(at(0, 0));
    watched.note(at(1, 7));
    let offered = |watched: &Watched| watched.board(Instant::now()).rates[0].series.clone();
    assert_eq!(offered(&watched), [70]);
    watched.forget();
    watched.note(at(60, 1_000));
    assert_eq!(offered(&watched), [70]);
}
