use std::collections::BTreeSet;

use super::table::Row;
use super::*;

// Redis's own CRC16 says whether a name fits a cluster.
const NAMES: [(&str, &str, bool); 11] = [
    ("q", "redisson_delay_queue:{q}", true),
    ("a:b", "redisson_delay_queue:{a:b}", true),
    ("{t}q", "redisson_delay_queue:{t}q", true),
    ("q{t}", "redisson_delay_queue:q{t}", true),
    ("x{y}z{w}", "redisson_delay_queue:x{y}z{w}", true),
    ("a{b", "redisson_delay_queue:a{b", false),
    ("a}b", "redisson_delay_queue:{a}b}", false),
    ("{}q", "redisson_delay_queue:{}q", false),
    ("{a", "redisson_delay_queue:{a", false),
    ("a}", "redisson_delay_queue:{a}}", false),
    ("a{}b", "redisson_delay_queue:a{}b", false),
];

fn keys(name: &str) -> QueueKeys {
    QueueKeys::new(name).unwrap()
}

/// Java and Rust meet only if every byte of every name agrees.
#[test]
fn names_of_a_queue_match_redisson() {
    let keys = keys("orders");

    assert_eq!(keys.target(), "orders");
    assert_eq!(keys.ordering(), "redisson_delay_queue:{orders}");
    assert_eq!(keys.timeouts(), "redisson_delay_queue_timeout:{orders}");
    assert_eq!(keys.channel(), "redisson_delay_queue_channel:{orders}");
}

/// The crate's own keys must never collide with Redisson's, and carry the layout version.
#[test]
fn own_names_carry_the_layout_version() {
    let keys = keys("orders");
    let javas = [keys.target(), keys.ordering(), keys.timeouts()];
    let own = keys.rows().filter(|(key, _)| !javas.contains(key));
    for (key, row) in own {
        assert_eq!(key, format!("rdq1_{}:{{orders}}", row.name));
    }
    assert_eq!(keys.moved(0), "rdq1_moved.0:{orders}");
}

/// The rows of a table in a text, cell by cell.
fn cells(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = text.lines().filter_map(|line| {
        let row = line.trim_start_matches("//! ").strip_prefix("| ")?;
        Some(row.trim_end_matches(" |").split(" | ").collect())
    });
    rows.filter(|cells: &Vec<&str>| cells.len() > 1)
}

/// The words in backticks.
fn quoted(cell: &str) -> BTreeSet<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_documentation_names_each_key() {
    let keys = keys("orders");
    let documented: Vec<Vec<&str>> = cells(include_str!("../keys.rs")).collect();
    let internals: Vec<Vec<&str>> = cells(include_str!("../../../docs/internals.md")).collect();
    for (key, row) in keys.rows() {
        let accessor = format!("[`{0}`](QueueKeys::{0})", row.name);
        let entry = documented.iter().find(|it| it[0] == accessor);
        let name = entry.and_then(|it| it[1].split('`').nth(1));
        assert_eq!(name, Some(key));

        let key = key.replace("dead_notes:{orders}", "dead_notes:{orders}-dead");
        let mut rows = internals.iter().filter(|it| it[0].starts_with('`'));
        let entry = rows.find(|it| quoted(it[0]).contains(&*key));
        let entry = entry.unwrap_or_else(|| panic!("docs/internals.md lacks {key}"));
        let place = entry[0]
            .split(", ")
            .position(|it| quoted(it).contains(&*key));
        let kinds: Vec<&str> = entry[1].split(", ").collect();
        assert_eq!(place.map(|at| kinds[at]), Some(row.kind), "{key}");
    }
}

/// The keys of [`ROWS`] that fit, as the documentation names them.
fn rows(fits: impl Fn(&Row) -> bool) -> BTreeSet<String> {
    let rows = ROWS.iter().filter(|row| fits(row));
    rows.map(|row| format!("rdq1_{}", row.name)).collect()
}

#[test]
fn the_documentation_says_what_calls_about_the_whole_queue_do_to_each_key() {
    let documented: Vec<Vec<&str>> = cells(include_str!("../keys.rs")).collect();
    let named = |call: &str| -> BTreeSet<String> {
        let row = documented.iter().find(|it| it[0].contains(call));
        let names = quoted(row.expect("the call has a row")[1]).into_iter();
        names.map(str::to_owned).collect()
    };
    assert_eq!(named("::delete)"), rows(|it| it.life == Life::Kept));
    assert_eq!(named("::expire)"), rows(|it| it.life != Life::Queue));
    assert_eq!(named("::rename)"), rows(|it| it.travel == Travel::Stays));
    // Besides those that `rename` leaves alone.
    assert_eq!(named("::copy_to)"), rows(|it| it.travel == Travel::Renamed));
}

/// Redisson looks for an opening brace anywhere, not for a well-formed hash tag.
#[test]
fn brace_rule_matches_redisson() {
    for (name, ordering, _) in NAMES {
        assert_eq!(keys(name).ordering(), ordering, "{name}");
        assert_eq!(keys(name).target(), name);
    }
}

/// [G1] A name that would fail with CROSSSLOT is refused before anything is sent.
#[test]
fn names_over_several_cluster_slots_are_refused() {
    for (name, _, fits) in NAMES {
        let expected = match fits {
            true => Ok(()),
            false => Err(NameError::CrossesSlots { name: name.into() }),
        };
        assert_eq!(keys(name).check_cluster(), expected, "{name}");
    }
}

/// With an empty name, all nameless queues would share their keys.
#[test]
fn empty_name_is_refused() {
    assert_eq!(QueueKeys::new(""), Err(NameError::Empty));
}

#[test]
fn a_queue_is_known_by_each_of_its_keys_but_the_target() {
    for (name, ..) in NAMES {
        let keys = keys(name);
        for key in keys.derived().chain([keys.channel()]) {
            let found = QueueKeys::of_key(key).unwrap();
            assert_eq!(found.timeouts(), keys.timeouts());
            assert_eq!(found.target(), name);
        }
        for key in [keys.target(), "rdq1_periodic_due", "rdq1_leases:", ""] {
            assert_eq!(QueueKeys::of_key(key), None, "{key}");
        }
    }
}

#[test]
fn dead_letters_stay_in_the_slot_of_their_queue() {
    for (name, dead) in [("orders", "{orders}-dead"), ("{a}b", "{a}b-dead")] {
        assert_eq!(keys(name).default_dead_letters(), dead);
        assert_eq!(keys(dead).slot(), keys(name).slot());
    }
}

#[test]
fn twins_have_all_keys_in_common_but_the_target() {
    for (name, twin) in [("orders", "{orders}"), ("a}b", "{a}b}"), ("a b", "{a b}")] {
        let (one, other) = (keys(name), keys(twin));
        assert!(one.derived().eq(other.derived()), "{name}");
        assert_eq!(one.channel(), other.channel());
        assert_eq!(one.twin().as_deref(), Some(twin));
        assert_eq!(other.twin().as_deref(), Some(name));
    }
    for name in ["{a}b", "{a}{b}", "{}", "a{b}", "{{a}}"] {
        assert_eq!(keys(name).twin(), None, "{name}");
    }
}
