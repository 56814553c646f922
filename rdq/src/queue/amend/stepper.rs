//! How many changes a step may have.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::change::Change;
use super::script::{Outcome, amend};
use crate::failure::Result;
use crate::queue::census::Members;

/// Makes changes in steps that keep Redis busy for some 5 ms each, and leaves it as much time for
/// others in between.
#[derive(Debug)]
pub(crate) struct Stepper {
    size: usize,
    /// The quickest step so far: hardly more than the way to Redis and back.
    quickest: Duration,
}

impl Default for Stepper {
    fn default() -> Self {
        Self {
            size: 1,
            quickest: Duration::MAX,
        }
    }
}

impl Stepper {
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
        self.learn(changes.len(), busy);
        sleep(busy.min(LONGEST_REST)).await;
        Ok(outcomes)
    }

    /// How many of these changes go into the next step.
    pub(crate) fn fitting(&self, changes: &[&Change]) -> usize {
        let mut bytes = 0;
        let fits = |change: &&&Change| {
            bytes += change.bytes();
            bytes <= MOST_BYTES
        };
        let count = changes.iter().take(self.size).take_while(fits).count();
        count.max(1).min(changes.len())
    }

    fn learn(&mut self, changes: usize, busy: Duration) {
        if busy > 2 * GOAL {
            self.size = changes / 2;
        } else if busy < GOAL && changes == self.size {
            self.size *= 2;
        }
        self.size = self.size.clamp(1, MOST);
    }
}

const GOAL: Duration = Duration::from_millis(5);
const LONGEST_REST: Duration = Duration::from_millis(100);
const MOST: usize = 200;
const MOST_BYTES: usize = 1 << 20;
