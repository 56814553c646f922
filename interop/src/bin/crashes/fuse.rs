//! Tells the supervisor when to kill this process.

use std::future::Future;

use futures::future::{join, pending};

use crate::{process::say, step::Step};

/// Burns down when the process has come to its step for the n-th time.
pub(crate) struct Fuse {
    step: Step,
    /// 0 never burns down.
    left: usize,
}

impl Fuse {
    pub(crate) fn new(step: Step, left: usize) -> Self {
        Self { step, left }
    }

    /// Counts that the process is at `step`. True if it is to be killed there.
    pub(crate) fn burns_down_at(&mut self, step: Step) -> bool {
        if step != self.step || self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.left == 0
    }

    /// Does `action`. If this process is to be killed at `step`, it is killed meanwhile.
    pub(crate) async fn during<T>(&mut self, step: Step, action: impl Future<Output = T>) -> T {
        match self.burns_down_at(step) {
            true => await_death(action).await,
            false => action.await,
        }
    }

    /// As [`during`](Self::during), where nothing is done.
    pub(crate) async fn stop_at(&mut self, step: Step) {
        if self.burns_down_at(step) {
            await_death(async {}).await;
        }
    }
}

/// Begins `action`, tells the supervisor, and goes on until this process is killed.
pub(crate) async fn await_death<T>(action: impl Future<Output = T>) -> T {
    let action = async {
        // What it returns is kept: a delivery that is dropped is given back.
        let _kept = action.await;
        pending().await
    };
    let telling = async { say("at") };
    join(action, telling).await.0
}
