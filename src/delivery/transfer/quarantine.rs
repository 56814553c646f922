//! Reporting malformed members: few reports, however many members there are.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::event::Event;
use crate::private_bytes::PrivateBytes;
use crate::wire::script::Quarantined;

/// The malformed members of one queue that were taken out and not yet reported.
#[derive(Debug, Default)]
pub(crate) struct QuarantineReports {
    count: u64,
    dropped: u64,
    members: Vec<PrivateBytes>,
    reported: Option<Instant>,
}

impl QuarantineReports {
    /// How long to collect members after a report, before the next.
    const PAUSE: Duration = Duration::from_secs(1);

    /// Adds the malformed members of one run.
    pub(super) fn add(&mut self, quarantined: Quarantined) {
        self.count += quarantined.count;
        self.dropped += quarantined.dropped;
        if self.members.is_empty() {
            let members = quarantined.members.into_iter();
            self.members = members.map(|it| Bytes::from(it).into()).collect();
        }
    }

    /// When the next report is due. None if there is nothing to report.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        (self.count > 0).then(|| self.reported.map_or(now, |it| it + Self::PAUSE))
    }

    /// Returns the event to report now, if any. The last report does not wait.
    pub(super) fn next_report(
        &mut self,
        queue: &str,
        is_last: bool,
        now: Instant,
    ) -> Option<Event> {
        let due = self.due(now)?;
        if now < due && !is_last {
            return None;
        }
        let report = std::mem::take(self);
        self.reported = Some(now);
        Some(Event::Quarantined {
            queue: queue.to_owned(),
            count: report.count,
            dropped: report.dropped,
            members: report.members,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken_out(count: u64) -> Quarantined {
        Quarantined {
            count,
            dropped: 1,
            members: vec![vec![b'x']],
        }
    }

    /// A flood of a million members comes in hundreds of runs, and so do members that become due
    /// one after the other.
    #[test]
    fn a_flood_is_reported_at_once_then_once_a_second_and_at_its_end() {
        let start = Instant::now();
        let mut quarantine = QuarantineReports::default();
        let mut counts = Vec::new();
        for ms in 0..2_500 {
            quarantine.add(taken_out(10));
            let now = start + Duration::from_millis(ms);
            if let Some(event) = quarantine.next_report("q", ms == 2_499, now) {
                let Event::Quarantined {
                    count,
                    dropped,
                    members,
                    ..
                } = event
                else {
                    panic!("{event:?}");
                };
                assert_eq!((dropped, members.len()), (count / 10, 1));
                counts.push(count);
            }
        }
        assert_eq!(counts, [10, 10_000, 10_000, 4_990]);
        assert!(quarantine.next_report("q", true, start).is_none());
    }
}
