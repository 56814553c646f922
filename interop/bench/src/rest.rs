//! What a process costs that has nothing to do.

use std::{thread, time::Duration};

use crate::{Result, stage::Stage, table::figure, usage::Spent, worker::Worker};

#[derive(Debug)]
pub(crate) struct Rest {
    /// That clients send in a second.
    pub(crate) commands: f64,
    pub(crate) sockets: usize,
    /// In bytes.
    pub(crate) memory: u64,
    pub(crate) spent: Spent,
}

impl Rest {
    /// Watches the only process on this Redis for so long.
    pub(crate) fn watch(stage: &mut Stage, worker: &mut Worker, window: Duration) -> Result<Self> {
        thread::sleep(SETTLE);
        let (sent, spent) = stage.spent(worker, |stage, _| {
            let monitor = stage.monitor()?;
            thread::sleep(window);
            monitor.stop()
        })?;
        let clients: String = stage.query(&["CLIENT", "LIST"])?;
        Ok(Self {
            commands: sent.per_second(),
            sockets: clients.lines().count() - DRIVER,
            memory: worker.memory()?,
            spent,
        })
    }

    /// Processor time in ms for each second.
    pub(crate) fn a_second(&self, time: Duration) -> String {
        figure(time.as_secs_f64() * 1e3 / self.spent.wall.as_secs_f64())
    }
}

/// Until connections are made and scripts are loaded.
const SETTLE: Duration = Duration::from_secs(2);

/// The sockets of the driver.
const DRIVER: usize = 1;
