//! Peers on one topology, and what stands in Redis.

use std::time::{SystemTime, UNIX_EPOCH};

use interop::{
    keyspace::{self, keys},
    peer::Peer,
};
use testbed::eventually;

use crate::place::Place;

/// Where a scenario takes place. The peers come first, so that they end before Redis does.
pub(crate) struct Stage {
    pub(crate) peers: [Peer; 2],
    pub(crate) what: String,
    /// Whether the first peer is one of this crate.
    pub(crate) has_rust: bool,
    pub(crate) place: Place,
}

impl Stage {
    /// A process of each language.
    pub(crate) fn of_both(version: &str, place: Place) -> Self {
        let address = place.address();
        Self {
            peers: [
                Peer::rust(env!("CARGO_BIN_EXE_peer"), &address),
                Peer::java(version, &address),
            ],
            what: format!("rust and {version}"),
            has_rust: true,
            place,
        }
    }

    /// Two processes of Redisson.
    pub(crate) fn of_java(version: &str, place: Place) -> Self {
        let peer = || Peer::java(version, place.address());
        Self {
            peers: [peer(), peer()],
            what: format!("{version} alone"),
            has_rust: false,
            place,
        }
    }

    /// When the only element with this payload is due, in Unix milliseconds.
    pub(crate) fn due_ms(&self, name: &str, payload: &[u8]) -> u64 {
        let keys = keys(name);
        let master = self.place.master_of(name);
        let all: Vec<(Vec<u8>, u64)> =
            master.run(&["ZRANGE", keys.timeouts(), "0", "-1", "WITHSCORES"]);
        keyspace::due_ms(name, &all, payload)
    }

    /// How many scripts ran on the master of this queue.
    ///
    /// A transfer by Redisson that ran between two offers, of which the second is due earlier, may answer after the
    /// message of the second. Then Redisson sleeps until the first is due: its defect A3.
    pub(crate) fn scripts(&self, name: &str) -> u64 {
        let info: String = self.place.master_of(name).run(&["INFO", "commandstats"]);
        let calls = info.lines().filter_map(|line| {
            let (command, figures) = line.strip_prefix("cmdstat_eval")?.split_once(":calls=")?;
            let (calls, _) = figures.split_once(',')?;
            ["", "sha"].contains(&command).then_some(calls)
        });
        calls
            .map(|it| it.parse::<u64>().expect("calls are a number"))
            .sum()
    }

    /// Removes the pending elements, without a trace.
    pub(crate) fn forget_pending(&self, name: &str) {
        let keys = keys(name);
        let master = self.place.master_of(name);
        master.run::<usize>(&["DEL", keys.timeouts(), keys.ordering()]);
    }

    /// Waits until `count` processes have subscribed to the queue's channel, on whatever server:
    /// every mover does.
    pub(crate) fn await_movers(&self, name: &str, count: usize) {
        let keys = keys(name);
        eventually(&format!("{}: {count} movers of {name}", self.what), || {
            let servers = self.place.data();
            let of_server = |server: &testbed::Server| -> usize {
                server
                    .run::<(String, usize)>(&["PUBSUB", "NUMSUB", keys.channel()])
                    .1
            };
            let running = servers.iter().filter(|it| it.is_running());
            running.map(of_server).sum::<usize>() == count
        });
    }

    /// Waits until no key is left but notes of what the clock showed, which expire; the end of a lease
    /// follows the hand-over.
    pub(crate) fn await_empty(&self) {
        eventually(&format!("{}: nothing is left in Redis", self.what), || {
            let servers = self.place.data();
            let mut keys = servers
                .iter()
                .flat_map(|it| it.run::<Vec<String>>(&["KEYS", "*"]));
            keys.all(|key| key.starts_with("rdq1_clock:"))
        });
    }
}

/// Microseconds since the Unix epoch.
pub(crate) fn now_us() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("it is after 1970").as_micros() as u64
}
