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

    assert_eq!(keys.leases(), "rdq1_leases:{orders}");
    assert_eq!(keys.quarantine(), "rdq1_quarantine:{orders}");
    assert_eq!(keys.settled(), "rdq1_settled:{orders}");
    assert_eq!(keys.keyed(), "rdq1_keyed:{orders}");
    assert_eq!(keys.keyed_due(), "rdq1_keyed_due:{orders}");
    assert_eq!(keys.periodic(), "rdq1_periodic:{orders}");
    assert_eq!(keys.periodic_due(), "rdq1_periodic_due:{orders}");
    assert_eq!(keys.state(), "rdq1_state:{orders}");
    assert_eq!(keys.counts(), "rdq1_counts:{orders}");
    assert_eq!(keys.deliveries(), "rdq1_deliveries:{orders}");
    assert_eq!(keys.delivery_leases(), "rdq1_delivery_leases:{orders}");
    assert_eq!(keys.retries(), "rdq1_retries:{orders}");
    assert_eq!(keys.groups(), "rdq1_groups:{orders}");
    assert_eq!(keys.grouped(), "rdq1_grouped:{orders}");
    assert_eq!(keys.fence(), "rdq1_fence:{orders}");
    assert_eq!(keys.clock(), "rdq1_clock:{orders}");
    assert_eq!(keys.dead_notes(), "rdq1_dead_notes:{orders}");
    assert_eq!(keys.moved(0), "rdq1_moved.0:{orders}");
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
        for key in keys.derived().into_iter().chain([keys.channel()]) {
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
        assert_eq!(one.derived(), other.derived(), "{name}");
        assert_eq!(one.channel(), other.channel());
        assert_eq!(one.twin().as_deref(), Some(twin));
        assert_eq!(other.twin().as_deref(), Some(name));
    }
    for name in ["{a}b", "{a}{b}", "{}", "a{b}", "{{a}}"] {
        assert_eq!(keys(name).twin(), None, "{name}");
    }
}
