//! Turns a census into changes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;

use super::fix::{Fix, Ghosts, Unlisted};
use crate::queue::amend::{Change, ListPlace, Score, Standing};
use crate::queue::census::{Census, Group, LATEST_MS, Odd, due_shown};

/// What to do where there is a choice.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    /// What to put right.
    pub(crate) fixes: Vec<Fix>,
    /// What to do with entries without a due time that nothing explains; `None` leaves them.
    pub(crate) ghosts: Option<Ghosts>,
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
    /// How many elements whose entries have no due time stay, because nobody chose what becomes of them.
    pub(crate) left: u64,
}

impl Plan {
    fn add(&mut self, fix: Fix, group: &Group, change: impl Fn(&Odd) -> Change) {
        if group.is_empty() {
            return;
        }
        let (count, example) = self.found.entry(fix).or_default();
        *count += group.count;
        let first = group.kept.first();
        *example = example.take().or_else(|| first.map(|it| shown(fix, it)));
        self.is_cut |= group.count > group.kept.len() as u64;
        let changes = group.kept.iter().map(|odd| (fix, change(odd)));
        self.changes.extend(changes);
    }

    /// Delivers each member once, at its oldest place, and removes its other entries: they would be ghosts.
    /// [`due_in_list_order`] says when it is due.
    fn deliver(&mut self, orphans: &Group) {
        if orphans.is_empty() {
            return;
        }
        let mut places = HashMap::<&Bytes, Vec<u64>>::new();
        for odd in &orphans.kept {
            places.entry(&odd.member).or_default().extend(odd.place);
        }
        let (mut repeats, due) = (0, Score::Is(String::new()));
        for (member, mut places) in places {
            places.sort_unstable();
            let oldest = places.first().copied().unwrap_or(0);
            let change = |listed, score: &Score| Change {
                before: standing(member, Score::None, listed),
                after: standing(member, score.clone(), ListPlace::At(oldest)),
            };
            if places.len() < 2 {
                let delivered = change(ListPlace::At(oldest), &due);
                self.changes.push((Fix::Ghosts, delivered));
            }
            // The newest leave first, so the second is the last: only that one delivers the member.
            for (times, place) in (1..).zip(places).skip(1) {
                let listed = ListPlace::Twice(place, oldest, times);
                let (fix, score) = match times {
                    2 => (Fix::Ghosts, &due),
                    _ => (Fix::Repeats, &Score::None),
                };
                repeats += u64::from(fix == Fix::Repeats);
                self.changes.push((fix, change(listed, score)));
            }
        }
        self.found.entry(Fix::Ghosts).or_default().0 += orphans.elements();
        self.found.entry(Fix::Ghosts).or_default().1 = orphans.example();
        if repeats > 0 {
            self.found.entry(Fix::Repeats).or_default().0 += repeats;
        }
        self.is_cut |= orphans.count > orphans.kept.len() as u64;
    }
}

/// The changes that put right what the census found.
pub(crate) fn plan(census: &Census, choices: &Choices) -> Plan {
    let mut plan = Plan::default();
    for fix in &choices.fixes {
        match fix {
            Fix::Malformed => plan.add(*fix, &census.malformed, set_aside),
            Fix::Scores => plan.add(*fix, &census.scores, |it| rescored(*fix, it)),
            Fix::Seconds => plan.add(*fix, &census.seconds, |it| rescored(*fix, it)),
            Fix::Repeats => plan.add(*fix, &census.repeats, without_repeat),
            Fix::Ghosts => {
                plan.add(*fix, &census.ghosts, dropped);
                let orphans = &census.orphans;
                match choices.ghosts {
                    Some(Ghosts::Drop) => plan.add(*fix, orphans, dropped),
                    Some(Ghosts::Deliver) => plan.deliver(orphans),
                    None => plan.left = orphans.elements(),
                }
            }
            Fix::Unlisted => match choices.unlisted {
                Unlisted::List => plan.add(*fix, &census.unlisted, listed),
                Unlisted::Drop => plan.add(*fix, &census.unlisted, removed),
            },
        }
    }
    plan.changes.sort_by_key(|(_, change)| order(change));
    due_in_list_order(&mut plan.changes, choices.now_ms);
    plan
}

/// What leaves the list alone comes first, the oldest places before the others, as movers deliver what
/// becomes due at once. Then the newest places come first.
fn order(change: &Change) -> (bool, Reverse<Option<u64>>, u64) {
    let place = match change.before.listed {
        ListPlace::At(place) | ListPlace::Twice(place, ..) => Some(place),
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
    let mut due: Vec<_> = changes.iter_mut().filter(is_due).collect();
    due.sort_by_key(|(_, change)| match change.after.listed {
        ListPlace::At(place) => Reverse(place),
        _ => Reverse(0),
    });
    for (ago_ms, (_, change)) in (0..).zip(due) {
        change.after.score = Score::Is(now_ms.saturating_sub(ago_ms).to_string());
    }
}

/// The quarantine is sorted by the due times that members had.
fn set_aside(odd: &Odd) -> Change {
    let kept = odd.score.clone().unwrap_or_else(|| "0".to_owned());
    let gone = match place(odd) {
        ListPlace::At(_) => ListPlace::Nowhere,
        other => other,
    };
    Change {
        before: standing(&odd.member, score(odd), place(odd)),
        after: Standing {
            quarantined: Some(kept),
            ..standing(&odd.member, Score::None, gone)
        },
    }
}

fn rescored(fix: Fix, odd: &Odd) -> Change {
    let new = new_score(fix, odd).map_or(Score::Any, Score::Is);
    Change {
        before: standing(&odd.member, score(odd), ListPlace::Any),
        after: standing(&odd.member, new, ListPlace::Any),
    }
}

fn without_repeat(odd: &Odd) -> Change {
    let (newer, (older, times)) = (odd.place.unwrap_or(0), odd.other.unwrap_or((0, 2)));
    Change {
        before: standing(
            &odd.member,
            Score::Any,
            ListPlace::Twice(newer, older, times),
        ),
        after: standing(&odd.member, Score::Any, ListPlace::At(older)),
    }
}

fn dropped(odd: &Odd) -> Change {
    Change {
        before: standing(&odd.member, Score::None, place(odd)),
        after: standing(&odd.member, Score::None, ListPlace::Nowhere),
    }
}

fn listed(odd: &Odd) -> Change {
    Change {
        before: standing(&odd.member, Score::Any, ListPlace::Nowhere),
        after: standing(&odd.member, Score::Any, ListPlace::Last),
    }
}

fn removed(odd: &Odd) -> Change {
    Change {
        before: standing(&odd.member, score(odd), ListPlace::Nowhere),
        after: standing(&odd.member, Score::None, ListPlace::Nowhere),
    }
}

/// Where the member was seen.
fn place(odd: &Odd) -> ListPlace {
    odd.place.map_or(ListPlace::Any, ListPlace::At)
}

fn score(odd: &Odd) -> Score {
    odd.score.clone().map_or(Score::None, Score::Is)
}

fn standing(member: &Bytes, score: Score, listed: ListPlace) -> Standing {
    Standing {
        member: member.clone(),
        score,
        listed,
        quarantined: None,
    }
}

/// The score that a fix gives a member, as Redis spells it; `None` if it leaves the score alone.
pub(super) fn new_score(fix: Fix, odd: &Odd) -> Option<String> {
    let score: f64 = odd.score.as_deref()?.parse().unwrap_or(0.0);
    let new = match fix {
        // The nearest due time that Redisson can read.
        Fix::Scores => score.ceil().clamp(0.0, LATEST_MS as f64),
        Fix::Seconds => (score * 1_000.0).round(),
        Fix::Ghosts | Fix::Malformed | Fix::Repeats | Fix::Unlisted => return None,
    };
    Some(format!("{}", new as u64))
}

/// A member, and the due time that a fix gives it.
fn shown(fix: Fix, odd: &Odd) -> String {
    match new_score(fix, odd) {
        Some(new) => format!("{}, becomes {}", odd.shown(), due_shown(&new)),
        None => odd.shown(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(fix: Fix, score: &str) -> String {
        let odd = Odd {
            member: Bytes::new(),
            score: Some(score.to_owned()),
            place: None,
            other: None,
        };
        new_score(fix, &odd).unwrap()
    }

    #[test]
    fn due_times_become_the_nearest_that_java_reads() {
        assert_eq!(due(Fix::Scores, "-5"), "0");
        assert_eq!(due(Fix::Scores, "-0.5"), "0");
        assert_eq!(due(Fix::Scores, "1700000000000.5"), "1700000000001");
        assert_eq!(due(Fix::Scores, "4.6e+18"), "9007199254740992");
        assert_eq!(due(Fix::Scores, "inf"), "9007199254740992");
    }

    #[test]
    fn due_times_in_seconds_become_the_same_in_ms() {
        assert_eq!(due(Fix::Seconds, "1700000000"), "1700000000000");
        assert_eq!(due(Fix::Seconds, "1700000000.25"), "1700000000250");
    }
}
