//! Saying that something is under way that takes long.

use std::{
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// Does this, and says every ten seconds that it goes on.
pub(crate) fn working<T>(what: &str, work: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        scope.spawn(move || {
            let began = Instant::now();
            while is_done.recv_timeout(EACH) == Err(RecvTimeoutError::Timeout) {
                println!("  … {what}, for {} s", began.elapsed().as_secs());
            }
        });
        let result = work();
        drop(done);
        result
    })
}

const EACH: Duration = Duration::from_secs(10);
