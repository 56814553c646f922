//! How many changes a step may have.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::change::Change;
use super::cost::Cost;
use super::script::{Outcome, amend};
use crate::failure::Result;
use crate::queue::census::Members;

/// Makes changes in steps that keep Redis busy for some 5 ms each, and leaves it as much time for
/// others in between.
///
/// One removal far from both ends of a long list takes longer. Others in the same half of the list then
/// cost little more, so they share the step.
#[derive(Debug)]
pub(crate) struct Stepper {
    /// How many entries the ordering list has, about.
    listed: u64,
    /// How many units of [`Cost`] a step may have.
    size: u64,
    /// The quickest step so far: hardly more than the way to Redis and back.
    quickest: Duration,
}

impl Stepper {
    pub(crate) async fn new(members: Members<'_>) -> Result<Self> {
        let (_, listed) = members.sizes().await?;
        Ok(Self::of_list(listed))
    }

    fn of_list(listed: u64) -> Self {
        Self {
            listed,
            size: 1,
            quickest: Duration::MAX,
        }
    }

    /// Makes as many of these changes as one step may have. Returns what became of them; at least
    /// one, if there are any.
    pub(crate) async fn step(
        &mut self,
        members: Members<'_>,
        changes: &[&Change],
    ) -> Result<Vec<Outcome>> {
        let changes = &changes[..self.fitting(changes)];
        let began = Instant::now();
        let outcomes = amend(members, changes).await?;
        let took = began.elapsed();
        self.quickest = self.quickest.min(took);
        let busy = took - self.quickest;
        self.learn(changes, busy);
        sleep(busy.min(LONGEST_REST)).await;
        Ok(outcomes)
    }

    /// How many of these changes go into the next step.
    pub(crate) fn fitting(&self, changes: &[&Change]) -> usize {
        let (mut bytes, mut units, mut scanned) = (0, 0, None);
        let fits = |change: &&&Change| {
            let cost = Cost::of(change, self.listed);
            bytes += change.bytes();
            units += cost.units;
            let half = scanned.or(cost.scans);
            let is_one_half = cost.scans.is_none() || cost.scans == half;
            scanned = half;
            bytes <= MOST_BYTES && units <= self.size && is_one_half
        };
        let count = changes.iter().take_while(fits).count();
        count.max(1).min(changes.len())
    }

    fn learn(&mut self, changes: &[&Change], busy: Duration) {
        let costs = changes.iter().map(|it| Cost::of(it, self.listed));
        let units: u64 = costs.clone().map(|it| it.units).sum();
        // A long scan takes its time with one change as with many, so it says nothing about them.
        let scans = costs.clone().any(|it| it.scans.is_some());
        if busy > 2 * GOAL && !scans {
            self.size = units / 2;
        } else if (busy < GOAL || scans) && 2 * units > self.size {
            self.size = 2 * self.size.max(units);
        }
        self.size = self.size.clamp(1, MOST);
    }
}

const GOAL: Duration = Duration::from_millis(5);
const LONGEST_REST: Duration = Duration::from_millis(100);
/// The most units of a step: some 3 ms.
const MOST: u64 = 200;
const MOST_BYTES: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::change::{ListPlace, Score, Standing};
    use super::*;

    const MILLION: u64 = 1_000_000;

    fn change(before: ListPlace, after: ListPlace) -> Change {
        let standing = |listed| Standing {
            member: Bytes::from_static(b"member"),
            score: Score::Any,
            listed,
            quarantined: None,
        };
        Change {
            before: standing(before),
            after: standing(after),
        }
    }

    fn insert(place: u64) -> Change {
        change(ListPlace::Nowhere, ListPlace::At(place))
    }

    fn remove(place: u64) -> Change {
        change(ListPlace::At(place), ListPlace::Nowhere)
    }

    /// A stepper that made many new scores quickly.
    fn grown() -> Stepper {
        let mut stepper = Stepper::of_list(MILLION);
        let score = change(ListPlace::Any, ListPlace::Any);
        let scores = vec![&score; 1_000];
        for _ in 0..20 {
            let fitting = stepper.fitting(&scores);
            stepper.learn(&scores[..fitting], Duration::ZERO);
        }
        assert_eq!(stepper.fitting(&scores), 200);
        stepper
    }

    fn fitting(stepper: &Stepper, changes: &[Change]) -> usize {
        stepper.fitting(&changes.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_step_that_grew_on_scores_has_few_inserts_in_a_long_list() {
        let inserts = |place| (0..200_u64).map(|i| insert(place + i)).collect::<Vec<_>>();
        assert_eq!(fitting(&grown(), &inserts(150_000)), 1);
        assert_eq!(fitting(&grown(), &inserts(20_000)), 3);
        assert_eq!(fitting(&grown(), &inserts(0)), 18);
    }

    #[test]
    fn a_step_scans_one_half_of_a_long_list_and_takes_all_removals_of_that_half_along() {
        let removals = |places: [u64; 4]| places.map(remove);
        let stepper = grown();
        assert_eq!(
            fitting(&stepper, &removals([600_000, 550_000, 450_000, 400_000])),
            2
        );
        assert_eq!(
            fitting(&stepper, &removals([450_000, 440_000, 430_000, 420_000])),
            4
        );
        // Near the ends there is little to scan.
        assert_eq!(fitting(&stepper, &removals([999_999, 999_998, 2, 1])), 4);
    }

    #[test]
    fn a_slow_scan_does_not_make_steps_smaller_and_slow_inserts_do() {
        let slow = 4 * GOAL;
        let mut stepper = grown();
        let far = [remove(600_000)];
        stepper.learn(&far.iter().collect::<Vec<_>>(), slow);
        assert_eq!(stepper.size, MOST);
        let mut young = Stepper::of_list(MILLION);
        young.learn(&far.iter().collect::<Vec<_>>(), slow);
        assert_eq!(fitting(&young, &[600_000, 599_999].map(remove)), 2);
        let inserts = [insert(1_000), insert(2_000)];
        stepper.learn(&inserts.iter().collect::<Vec<_>>(), slow);
        assert!(fitting(&stepper, &inserts) == 1, "{stepper:?}");
    }
}
