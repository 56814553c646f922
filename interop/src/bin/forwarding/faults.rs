//! What happens to the processes and the servers.

use std::{
    collections::BTreeMap,
    env, fmt,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use interop::proxy::Proxy;
use rand::{RngExt, SeedableRng, rngs::StdRng, seq::SliceRandom};

use crate::stage::Stage;

/// Two processes that forward, and what is done to them.
pub(crate) struct Faults<'a> {
    stage: &'a Stage,
    proxy: Proxy,
    services: Vec<Service>,
    random: StdRng,
    done: BTreeMap<Fault, usize>,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Fault {
    BrokerCutOff,
    BrokerFrozen,
    BrokerKilled,
    RedisKilled,
    ServiceKilled,
}

/// A process that forwards, killed when dropped.
struct Service(Child);

impl<'a> Faults<'a> {
    pub(crate) fn new(stage: &'a Stage, seed: u64) -> Self {
        let proxy = Proxy::to(stage.broker.port(), Duration::ZERO).expect("a free port");
        let mut faults = Self {
            stage,
            proxy,
            services: Vec::new(),
            random: StdRng::seed_from_u64(seed),
            done: BTreeMap::new(),
        };
        faults.services = vec![faults.service(), faults.service()];
        faults
    }

    /// Makes each fault at least once, and goes on for `time`.
    pub(crate) fn run(&mut self, time: Duration) {
        let end = Instant::now() + time;
        let mut all = Fault::ALL;
        loop {
            all.shuffle(&mut self.random);
            for fault in all {
                self.pause(Duration::from_millis(600));
                self.make(fault);
                *self.done.entry(fault).or_default() += 1;
            }
            if Instant::now() >= end {
                break;
            }
        }
    }

    fn make(&mut self, fault: Fault) {
        match fault {
            Fault::BrokerCutOff => {
                self.proxy.swallow();
                self.pause(Duration::from_millis(500));
                self.proxy.stop_swallowing();
            }
            Fault::BrokerFrozen => {
                self.stage.broker.pause();
                self.pause(Duration::from_millis(1_500));
                self.stage.broker.resume();
            }
            Fault::BrokerKilled => self.stage.broker.restart(),
            Fault::RedisKilled => self.stage.redis.restart(),
            // They are cheap to start.
            Fault::ServiceKilled => {
                for _ in 0..5 {
                    self.pause(Duration::from_millis(300));
                    let which = self.random.random_range(0..self.services.len());
                    self.services[which] = self.service();
                }
            }
        }
    }

    /// Half of them go through the proxy.
    fn service(&mut self) -> Service {
        let port = if self.random.random() {
            self.proxy.port()
        } else {
            self.stage.broker.port()
        };
        let program = env::current_exe().expect("it has a path");
        let mut command = Command::new(program);
        command.args(["serve", &self.stage.redis.url()]);
        command.arg(self.stage.broker.url_at(port));
        Service(command.spawn().expect("the program starts"))
    }

    fn pause(&mut self, most: Duration) {
        thread::sleep(most.mul_f64(self.random.random_range(0.3..=1.0)));
    }
}

impl Fault {
    const ALL: [Self; 5] = [
        Self::BrokerCutOff,
        Self::BrokerFrozen,
        Self::BrokerKilled,
        Self::RedisKilled,
        Self::ServiceKilled,
    ];
}

impl fmt::Display for Faults<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "faults: {:?}", self.done)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // SIGKILL, at whatever it is doing.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
