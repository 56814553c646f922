//! Names, their shares of the keys, and what a change moves.

use super::*;

fn numbered(count: usize) -> Shards {
    Shards::numbered("orders", count).unwrap()
}

/// Many keys, of different lengths and scripts.
fn keys() -> impl Iterator<Item = String> {
    let words = ["customer", "заказ", "注文", "Bestellung Ü", ""];
    (0..20_000).map(move |i| format!("{} {i}", words[i % words.len()]))
}

#[test]
fn names_that_would_mix_up_their_elements_are_refused() {
    let refused = |names: &[&str]| Shards::new(names.iter().copied()).unwrap_err();
    assert_eq!(refused(&[]), ShardError::NoNames);
    assert!(matches!(refused(&["a", ""]), ShardError::Name(_)));
    assert!(matches!(
        refused(&["a", "b", "a"]),
        ShardError::Twice { .. }
    ));
    assert!(matches!(
        refused(&["a", "{a}"]),
        ShardError::SharesKeys { .. }
    ));
    // A known collision of CRC-32.
    let collision = refused(&["plumless", "buckeroo"]);
    assert!(
        matches!(collision, ShardError::SameHash { .. }),
        "{collision:?}"
    );
    assert_eq!(
        Shards::numbered("{orders}", 2),
        Err(ShardError::Braces {
            base: "{orders}".to_owned()
        })
    );
    assert_eq!(Shards::numbered("orders", 0), Err(ShardError::NoNames));
}

#[test]
fn each_name_has_an_equal_share_of_the_keys() {
    for count in [2, 3, 8, 12] {
        let shards = numbered(count);
        let mut share = vec![0_usize; count];
        for key in keys() {
            share[shards.current_of(key.as_bytes())] += 1;
        }
        let fair = 20_000 / count;
        for counted in &share {
            assert!(counted.abs_diff(fair) * 8 < fair, "{share:?}");
        }
    }
}

#[test]
fn the_order_of_the_names_does_not_matter() {
    let names = ["orders:2", "orders:0", "orders:1"];
    let (shuffled, sorted) = (Shards::new(names).unwrap(), numbered(3));
    for key in keys() {
        assert_eq!(shuffled.shard_of(&key), sorted.shard_of(&key));
    }
}

#[test]
fn a_further_name_moves_only_the_keys_that_it_gets() {
    let (eight, nine) = (numbered(8), numbered(9));
    let mut moved = 0;
    for key in keys() {
        let (before, after) = (eight.shard_of(&key), nine.shard_of(&key));
        if before != after {
            assert_eq!(after, "orders:8", "{key}");
            moved += 1;
        }
    }
    assert!((1_900..2_600).contains(&moved), "{moved} of 20,000");
}

/// Both sides of a change agree on each key that they accept without a look at the other shard.
#[test]
fn a_key_is_accepted_before_and_after_a_change_only_if_it_stays() {
    for (old, new) in [(4, 6), (6, 4), (1, 2)] {
        let (old, new) = (numbered(old), numbered(new));
        let before = old.clone().before(&new).unwrap();
        let after = new.clone().after(&old).unwrap();
        for key in keys() {
            let key = key.as_bytes();
            let (from, to) = (old.shard_of(key), new.shard_of(key));
            match before.home_of(key) {
                Home::At(place) => assert_eq!([before.text(place), from], [to, to]),
                Home::Leaving(here, next) => {
                    assert_ne!(from, to);
                    assert_eq!([before.text(here), before.text(next)], [from, to]);
                }
                Home::Arriving(..) => panic!("nothing has arrived before the change"),
            }
            match after.home_of(key) {
                Home::At(place) => assert_eq!([after.text(place), to], [from, from]),
                Home::Arriving(previous, here) => {
                    assert_ne!(from, to);
                    assert_eq!([after.text(previous), after.text(here)], [from, to]);
                }
                Home::Leaving(..) => panic!("nothing leaves after the change"),
            }
        }
    }
}

#[test]
fn retired_names_have_no_keys_and_are_there_once() {
    let four = numbered(4);
    let shards = numbered(2).after(&four).unwrap();
    let shards = shards.retired(["orders:3", "old"]).unwrap();
    let drained: Vec<_> = shards.drained_names().collect();
    assert_eq!(drained, ["orders:2", "orders:3", "old"]);
    assert!(keys().all(|key| shards.current_of(key.as_bytes()) < 2));
    let twice = shards.clone().retired(["orders:1"]);
    assert!(matches!(twice, Err(ShardError::Twice { .. })));
    assert_eq!(shards.after(&four), Err(ShardError::Unsettled));
}
