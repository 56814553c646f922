//! Stalls: how long something was due, the fault was not there, and nothing came.

use std::time::{Duration, Instant};

use crate::ledger::Episode;

/// Something that was to happen from `due` on, and happened.
#[derive(Clone, Copy)]
pub(crate) struct Event {
    pub(crate) due: Instant,
    pub(crate) happened: Instant,
}

/// The longest time in which something was due and nothing happened, outside the episodes and
/// before `end`.
pub(crate) fn longest(mut events: Vec<Event>, episodes: &[Episode], end: Instant) -> Duration {
    events.sort_by_key(|it| it.happened);
    // For each event, the earliest due time of it and of all later events.
    let mut first_due = end;
    let mut waiting = Vec::with_capacity(events.len());
    for event in events.iter().rev() {
        first_due = first_due.min(event.due);
        waiting.push(first_due);
    }
    let mut last: Option<Instant> = None;
    let mut longest = Duration::ZERO;
    for (event, due) in events.iter().zip(waiting.into_iter().rev()) {
        let from = last.map_or(due, |last| last.max(due));
        longest = longest.max(outside(from, event.happened.min(end), episodes));
        last = Some(event.happened);
    }
    longest
}

/// The longest piece of the time between both moments in which no episode was.
fn outside(from: Instant, to: Instant, episodes: &[Episode]) -> Duration {
    let mut from = from;
    let mut longest = Duration::ZERO;
    for episode in episodes {
        if episode.healed <= from || episode.begun >= to {
            continue;
        }
        longest = longest.max(episode.begun.saturating_duration_since(from));
        from = episode.healed;
    }
    longest.max(to.saturating_duration_since(from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_is_what_is_left_of_a_gap_when_the_fault_is_taken_out() {
        let zero = Instant::now();
        let at = |ms| zero + Duration::from_millis(ms);
        let event = |due, happened| Event {
            due: at(due),
            happened: at(happened),
        };
        let events = vec![
            event(0, 10),
            event(50, 60),
            event(70, 1000),
            event(990, 1001),
        ];
        let episode = Episode {
            begun: at(100),
            healed: at(800),
            settled: at(900),
        };
        let none = longest(events.clone(), &[], at(2000));
        assert_eq!(none, Duration::from_millis(930));
        let stall = longest(events.clone(), &[episode], at(2000));
        assert_eq!(stall, Duration::from_millis(200));
        // Nothing was due between the first two.
        let ended = longest(events, &[episode], at(100));
        assert_eq!(ended, Duration::from_millis(30));
    }
}
