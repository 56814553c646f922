//! Elements that become due.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use redis::{Connection, RedisResult};

/// Puts numbers into a target queue, as a transfer does, until it is stopped.
pub(crate) struct Supply {
    pushed: Arc<AtomicUsize>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Supply {
    /// `rate` elements a second. A rate of 0 never lets the queue run empty.
    pub(crate) fn start(connection: Connection, queue: &'static str, rate: f64) -> Self {
        let (pushed, stopped) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let (count, stop) = (Arc::clone(&pushed), Arc::clone(&stopped));
        let thread = thread::spawn(move || {
            let supplied = supply(connection, queue, rate, &count, &stop);
            supplied.expect("the private redis answers");
        });
        Self {
            pushed,
            stopped,
            thread: Some(thread),
        }
    }

    /// Stops the supply; afterwards no more elements come.
    pub(crate) fn stop(&mut self) {
        self.stopped.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the private redis answers");
        }
    }

    pub(crate) fn pushed(&self) -> usize {
        self.pushed.load(Relaxed)
    }
}

fn supply(
    mut connection: Connection,
    queue: &str,
    rate: f64,
    pushed: &AtomicUsize,
    stopped: &AtomicBool,
) -> RedisResult<()> {
    let begun = Instant::now();
    while !stopped.load(Relaxed) {
        let so_far = pushed.load(Relaxed);
        let wanted = if rate > 0.0 {
            (begun.elapsed().as_secs_f64() * rate) as usize - so_far
        } else {
            let left: usize = redis::cmd("LLEN").arg(queue).query(&mut connection)?;
            STOCK.saturating_sub(left)
        };
        if wanted > 0 {
            let values: Vec<usize> = (so_far..so_far + wanted).collect();
            redis::cmd("RPUSH")
                .arg(queue)
                .arg(values)
                .exec(&mut connection)?;
            pushed.fetch_add(wanted, Relaxed);
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// More than a process takes while the supply sleeps.
const STOCK: usize = 5_000;
