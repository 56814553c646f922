//! Turns a census into changes.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::fix::{Fix, Ghosts, Unlisted};
use crate::queue::amend::{Change, ListPlace, Score, Standing};
use crate::queue::census::{Census, LATEST_MS, Odd};

/// What to do where there is a choice.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    /// What to put right.
    pub(crate) fixes: Vec<Fix>,
    pub(crate) ghosts: Ghosts,
    pub(crate) unlisted: Unlisted,
    /// The clock of Redis, in Unix ms.
    pub(crate) now_ms: u64,
}

/// The changes that put a queue right.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// In the order in which they are to be made: what leaves the ordering list must move no other.
    pub(crate) changes: Vec<(Fix, Change)>,
    /// How many there are of each kind, and one of them.
    pub(crate) found: BTreeMap<Fix, (u64, Option<String>)>,
    /// True if a kind has too many bytes for one plan.
    pub(crate) is_cut: bool,
}

/// The changes that put right what the census found.
pub(crate) fn plan(census: &Census, choices: &Choices) -> Plan {
    let mut plan = Plan::default();
    for fix in &choices.fixes {
        let group = match fix {
            Fix::Malformed => &census.malformed,
            Fix::Scores => &census.scores,
            Fix::Repeats => &census.repeats,
            Fix::Ghosts => &census.ghosts,
            Fix::Unlisted => &census.unlisted,
        };
        if group.is_empty() {
            continue;
        }
        plan.found.insert(*fix, (group.count, group.example()));
        plan.is_cut |= group.count > group.kept.len() as u64;
        let changes = group
            .kept
            .iter()
            .map(|odd| (*fix, change(*fix, odd, choices)));
        plan.changes.extend(changes);
    }
    plan.changes.sort_by_key(|(_, change)| order(change));
    due_in_list_order(&mut plan.changes, choices.now_ms);
    plan
}

/// What leaves the list alone comes first, the oldest places before the others, as movers deliver what
/// becomes due at once. Then the newest places come first.
fn order(change: &Change) -> (bool, Reverse<Option<u64>>, u64) {
    let place = match change.before.listed {
        ListPlace::At(place) | ListPlace::Twice(place, _) => Some(place),
        ListPlace::Any | ListPlace::Nowhere | ListPlace::Last => None,
    };
    match change.before.listed == change.after.listed {
        true => (false, Reverse(None), place.unwrap_or(0)),
        false => (true, Reverse(place), 0),
    }
}

/// Gives ghosts that become due a ms each, the last of them now: Redis sorts members with one score by
/// their bytes.
fn due_in_list_order(changes: &mut [(Fix, Change)], now_ms: u64) {
    let is_due = |it: &&mut (Fix, Change)| it.0 == Fix::Ghosts && it.1.after.score != Score::None;
    let due = changes.iter_mut().filter(is_due);
    for (ago_ms, (_, change)) in (0..).zip(due.rev()) {
        change.after.score = Score::Is(now_ms.saturating_sub(ago_ms).to_string());
    }
}

fn change(fix: Fix, odd: &Odd, choices: &Choices) -> Change {
    let standing = |score, listed| Standing {
        member: odd.member.clone(),
        score,
        listed,
        quarantined: None,
    };
    let seen_score = || odd.score.clone().map_or(Score::None, Score::Is);
    let seen_place = odd.place.map_or(ListPlace::Any, ListPlace::At);
    let (before, after) = match fix {
        Fix::Malformed => {
            // The quarantine is sorted by the due times that members had.
            let kept = odd.score.clone().unwrap_or_else(|| "0".to_owned());
            let gone = match seen_place {
                ListPlace::At(_) => ListPlace::Nowhere,
                other => other,
            };
            let aside = Standing {
                quarantined: Some(kept),
                ..standing(Score::None, gone)
            };
            (standing(seen_score(), seen_place), aside)
        }
        Fix::Scores => (
            standing(seen_score(), ListPlace::Any),
            standing(Score::Is(readable(odd.score.as_deref())), ListPlace::Any),
        ),
        Fix::Repeats => {
            let (newer, older) = (odd.place.unwrap_or(0), odd.other.unwrap_or(0));
            (
                standing(Score::Any, ListPlace::Twice(newer, older)),
                standing(Score::Any, ListPlace::At(older)),
            )
        }
        Fix::Ghosts => match choices.ghosts {
            Ghosts::Drop => (
                standing(Score::None, seen_place),
                standing(Score::None, ListPlace::Nowhere),
            ),
            Ghosts::Deliver => (
                standing(Score::None, seen_place),
                standing(Score::Is(choices.now_ms.to_string()), seen_place),
            ),
        },
        Fix::Unlisted => match choices.unlisted {
            Unlisted::List => (
                standing(Score::Any, ListPlace::Nowhere),
                standing(Score::Any, ListPlace::Last),
            ),
            Unlisted::Drop => (
                standing(seen_score(), ListPlace::Nowhere),
                standing(Score::None, ListPlace::Nowhere),
            ),
        },
    };
    Change { before, after }
}

/// The nearest due time that Redisson can read, as Redis spells it.
fn readable(score: Option<&str>) -> String {
    let score: f64 = score.and_then(|it| it.parse().ok()).unwrap_or(0.0);
    format!("{}", score.ceil().clamp(0.0, LATEST_MS as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn due_times_become_the_nearest_that_java_reads() {
        let due = |score| readable(Some(score));
        assert_eq!(due("-5"), "0");
        assert_eq!(due("-0.5"), "0");
        assert_eq!(due("1700000000000.5"), "1700000000001");
        assert_eq!(due("4.6e+18"), "9007199254740992");
        assert_eq!(due("inf"), "9007199254740992");
    }
}
