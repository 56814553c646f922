//! Whether each element came once.

use std::collections::BTreeMap;

/// Fails unless each of these values was taken once, and nothing else. `what` says in which scenario.
///
/// # Panics
///
/// With the values that were lost, came twice, or were never offered.
pub fn assert_each_once(
    what: &str,
    taken: impl IntoIterator<Item = String>,
    offered: impl IntoIterator<Item = String>,
) {
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for value in taken {
        *counts.entry(value).or_default() += 1;
    }
    for value in offered {
        *counts.entry(value).or_default() -= 1;
    }
    // Below 0 if it was lost, above if it came twice or was never offered.
    counts.retain(|_, more| *more != 0);
    assert!(counts.is_empty(), "{what}: {counts:?}");
}
