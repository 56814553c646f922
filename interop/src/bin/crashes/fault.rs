//! What happens to Redis while a consumer is killed.

use std::{thread, time::Duration};

use crate::{Result, bed::Bed};

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fault {
    Nothing,
    /// Redis is killed and starts again, with `appendfsync always`.
    Restart,
    /// What clients and Redis send is lost for a moment, and their connections are cut.
    Cut,
    /// The master is killed, and a Sentinel makes a replica the master.
    Failover,
}

impl Fault {
    pub(crate) const ALL: [Self; 4] = [Self::Nothing, Self::Restart, Self::Cut, Self::Failover];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Restart => "restart",
            Self::Cut => "cut",
            Self::Failover => "failover",
        }
    }

    /// Every n-th kill comes with it. A failover takes seconds.
    pub(crate) fn every(self) -> usize {
        match self {
            Self::Nothing | Self::Restart | Self::Cut => 1,
            Self::Failover => 3,
        }
    }

    /// True if Redis may forget what it has confirmed.
    pub(crate) fn forgets(self) -> bool {
        self == Self::Failover
    }

    pub(crate) fn begin(self, bed: &mut Bed) -> Result<()> {
        match self {
            Self::Nothing => {}
            Self::Restart => bed.server()?.kill(),
            Self::Cut => {
                bed.proxy()?.swallow();
                thread::sleep(SWALLOWED);
            }
            Self::Failover => bed.kill_master()?,
        }
        Ok(())
    }

    /// Returns when Redis is whole again.
    pub(crate) fn end(self, bed: &mut Bed) -> Result<()> {
        match self {
            Self::Nothing => {}
            Self::Restart => bed.server()?.restart(),
            Self::Cut => bed.proxy()?.stop_swallowing(),
            Self::Failover => bed.await_another_master()?,
        }
        Ok(())
    }
}

const SWALLOWED: Duration = Duration::from_millis(5);
