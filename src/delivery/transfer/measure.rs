//! What a run of the transfer says about the queue, as metrics.

use std::time::Duration;

use crate::metric::Meter;
use crate::wire::script::Transferred;

/// Notes the result of a run. `None` if it failed.
pub(super) fn measure(meter: &Meter, result: Option<&Transferred>, round_trip: Duration) {
    let Some(ran) = result else {
        meter.transfer_failed();
        return;
    };
    meter.transferred(&ran.lateness_us, ran.moved, round_trip);
    meter.expired(ran.expired.len());
    meter.quarantined(ran.quarantined.count);
    meter.pending(ran.pending);
    // Without the elements that this run moved: takers get them next. A run of a paused queue does
    // not count what is ready.
    let waited = ran.claimable.saturating_sub(ran.moved as u64);
    meter.ready((!ran.is_paused).then_some(waited));
    meter.paused(ran.is_paused);
}
