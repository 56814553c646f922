//! Firing periodic offers on time: when the service looks at them, and what it reports.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;

use super::Service;
use super::agenda::Ran;
use super::arrangement::{Arranged, Arrangement};
use crate::delivery::transfer::agenda::Agenda;
use crate::error::Step;
use crate::event::Event;
use crate::link::clock::{after_us, midpoint};
use crate::link::connection::Failure;
use crate::periodic::LOOK_AHEAD;
use crate::wire::script::Seen;

mod fire;
mod firing;

use fire::set_back;
pub(crate) use fire::{Fired, fire};
pub(crate) use firing::Firing;
use tokio::time::Instant;

impl Service {
    /// The least time between two looks at the periodic offers of a queue.
    const PAUSE: Duration = Duration::from_millis(100);

    /// Looks at the periodic offers of a queue if a run saw that one occurs soon, or if the clock went
    /// back.
    pub(super) fn fire(&self, agenda: &mut Agenda, ran: &Ran) -> Option<Arrangement> {
        let transferred = ran.result.as_ref().ok()?;
        let occurs_us = transferred.occurs_us?;
        let middle = midpoint(ran.sent, ran.received);
        let occurs = after_us(middle, occurs_us);
        let name = Arc::clone(&ran.run.name);
        let clock = self.options.clock;
        let firing = &mut agenda.get_mut(&name)?.firing;
        match clock.own_us() {
            Some(shown_us) => firing.note_clock(shown_us, Instant::now()),
            None => firing.note_clock(transferred.server_us, middle),
        }
        let is_checked = firing.is_checked;
        if is_checked && occurs > Instant::now() + LOOK_AHEAD {
            agenda.poll_by(&name, occurs - LOOK_AHEAD);
            return None;
        }
        let watched = agenda.get_mut(&name)?;
        if std::mem::replace(&mut watched.firing.running, true) {
            return None;
        }
        let keys = Arc::clone(&watched.keys);
        let (link, ids) = (Arc::clone(&self.link), Arc::clone(&self.ids));
        // Anything noted while the look is under way counts for the next one.
        watched.firing.is_checked = true;
        let look = async move {
            let result = link
                .call(|connection| async move {
                    let set_back = match is_checked {
                        true => Vec::new(),
                        false => set_back(&connection, &keys, clock).await?,
                    };
                    let fired = fire(&connection, &keys, clock, &ids).await?;
                    Ok(Fired { set_back, ..fired })
                })
                .await;
            Arranged::Fired { name, result }
        };
        Some(look.boxed())
    }

    /// Handles the result of a look.
    pub(super) fn fired(&self, agenda: &mut Agenda, name: &str, result: Result<Fired, Failure>) {
        let Some(watched) = agenda.get_mut(name) else {
            return;
        };
        watched.firing.running = false;
        let fired = match result {
            Ok(fired) => fired,
            // The next poll looks again.
            Err(failure) => {
                watched.firing.is_checked = false;
                if matches!(failure, Failure::Refused(_)) && !watched.firing.failing {
                    watched.firing.failing = true;
                    self.reporter.report(Event::ScheduleFailed {
                        queue: watched.keys.name().to_owned(),
                        error: failure.into_error(Step::Fire),
                    });
                }
                return;
            }
        };
        watched.firing.failing = false;
        watched.meter.added(fired.offered);
        for (offer, ms) in fired.set_back {
            self.reporter.report(Event::ScheduleSetBack {
                queue: watched.keys.name().to_owned(),
                name: String::from_utf8_lossy(&offer).into_owned(),
                by: Duration::from_millis(u64::try_from(ms).unwrap_or(0)),
            });
        }
        for Seen {
            name: offer,
            schedule,
            ..
        } in fired.unreadable
        {
            if watched.firing.unreadable.insert((offer.clone(), schedule)) {
                self.reporter.report(Event::ScheduleUnreadable {
                    queue: watched.keys.name().to_owned(),
                    name: String::from_utf8_lossy(&offer).into_owned(),
                });
            }
        }
        tracing::trace!(
            queue = watched.keys.name(),
            offered = fired.offered,
            "fired"
        );
        let now = Instant::now();
        if fired.offered > 0 {
            agenda.bring_forward(name, now);
        }
        if let Some(next_us) = fired.next_us {
            let look_at = after_us(now, next_us).checked_sub(LOOK_AHEAD);
            agenda.poll_by(name, look_at.unwrap_or(now).max(now + Self::PAUSE));
        }
    }
}
