//! The time and the allocations of a call.

use std::time::{Duration, Instant};

/// The time and the allocations of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// The time of a call in the fastest of many short turns.
    pub(crate) nanos: f64,
    pub(crate) allocations: u64,
}

/// Calls for so many milliseconds. `interop.BenchCodec` measures in the same way.
pub(crate) fn measure(millis: u64, call: &dyn Fn()) -> Cost {
    call();
    let counted = allocation_counter::measure(call);
    let mut nanos = 0.0;
    // Counting allocations takes a tenth of the time of some calls.
    allocation_counter::opt_out(|| nanos = fastest(millis, call));
    Cost {
        nanos,
        allocations: counted.count_total,
    }
}

fn fastest(millis: u64, call: &dyn Fn()) -> f64 {
    let end = Instant::now() + Duration::from_millis(millis);
    let (mut calls, mut best) = (1_u32, f64::MAX);
    while Instant::now() < end {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        let turn = start.elapsed();
        best = best.min(turn.as_nanos() as f64 / f64::from(calls));
        // Long beside the clock, short beside the scheduler's slices.
        if turn < Duration::from_micros(100) {
            calls *= 2;
        }
    }
    best
}
