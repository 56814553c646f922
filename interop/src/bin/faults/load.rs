//! What producers and consumers do meanwhile.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::{Result, confirm::Guarantee, fleet::Fleet, ledger::Ledger, worker::Offered};

/// How many processes there are, and what they are like.
#[derive(Clone)]
pub(crate) struct Load {
    pub(crate) producers: usize,
    pub(crate) consumers: usize,
    /// How many calls a process has under way.
    pub(crate) callers: usize,
    /// Between two offers of a caller.
    pub(crate) pause: Duration,
    /// How long the few elements with a long delay wait, in milliseconds.
    pub(crate) long_delay_ms: (u64, u64),
    /// By how many seconds clocks are ahead.
    pub(crate) producer_clock: i64,
    pub(crate) consumer_clock: i64,
    /// Whether a proxy stands before Redis.
    pub(crate) is_proxied: bool,
}

/// The threads that drive the processes.
pub(crate) struct Drivers {
    no_offers: Arc<AtomicBool>,
    producing: Vec<JoinHandle<()>>,
    consuming: Vec<JoinHandle<()>>,
}

/// A thread that offers through one process.
struct Producer {
    fleet: Arc<Fleet>,
    ledger: Arc<Ledger>,
    place: usize,
    load: Load,
    next: Arc<AtomicUsize>,
    random: StdRng,
    guarantee: Guarantee,
}

impl Default for Load {
    fn default() -> Self {
        Self {
            producers: 2,
            consumers: 2,
            callers: 2,
            pause: Duration::from_millis(20),
            long_delay_ms: (1_000, 4_000),
            producer_clock: 0,
            consumer_clock: 0,
            is_proxied: false,
        }
    }
}

impl Drivers {
    /// Starts to offer and to take. `guarantee` says what the caller of a number is promised.
    pub(crate) fn start(
        fleet: &Arc<Fleet>,
        ledger: &Arc<Ledger>,
        load: &Load,
        guarantee: impl Fn(usize) -> Guarantee,
        seed: u64,
    ) -> Self {
        let mut drivers = Self {
            no_offers: Arc::default(),
            producing: Vec::new(),
            consuming: Vec::new(),
        };
        let next: Arc<AtomicUsize> = Arc::default();
        for number in 0..fleet.producers.len() * load.callers {
            let mut producer = Producer {
                fleet: Arc::clone(fleet),
                ledger: Arc::clone(ledger),
                place: number / load.callers,
                load: load.clone(),
                next: Arc::clone(&next),
                random: StdRng::seed_from_u64(seed.wrapping_add(number as u64)),
                guarantee: guarantee(number),
            };
            let no_offers = Arc::clone(&drivers.no_offers);
            let offering = move || {
                while !no_offers.load(Relaxed) {
                    producer.offer();
                }
            };
            drivers.producing.push(thread::spawn(offering));
        }
        for number in 0..fleet.consumers.len() * load.callers {
            let (fleet, ledger) = (Arc::clone(fleet), Arc::clone(ledger));
            let place = number / load.callers;
            let consuming = move || consume(&fleet, place, &ledger);
            drivers.consuming.push(thread::spawn(consuming));
        }
        drivers
    }

    /// Ends the offers. What is under way still gets its answer.
    pub(crate) fn stop_offers(&mut self, ledger: &Ledger) -> Result<()> {
        ledger.notes().load_ended = Some(Instant::now());
        self.no_offers.store(true, Relaxed);
        join(&mut self.producing)
    }

    /// Ends the takes.
    pub(crate) fn stop_takes(&mut self, fleet: &Fleet) -> Result<()> {
        let places = fleet.producers.iter().chain(&fleet.consumers);
        let closed: Vec<Result<()>> = places.map(|it| it.close()).collect();
        join(&mut self.consuming)?;
        closed.into_iter().collect()
    }
}

impl Producer {
    fn offer(&mut self) {
        let value = format!("e{}", self.next.fetch_add(1, Relaxed));
        let delay = self.delay();
        let worker = self.fleet.producers[self.place].worker();
        self.ledger.offers(&value, delay);
        let offered = worker.offer(&value, delay, self.guarantee.replicas());
        let at = Instant::now();
        let is_durable = self.guarantee.holds(&offered);
        match offered {
            Offered::Acknowledged | Offered::Confirmed => {
                self.ledger.acknowledged(&value, at, is_durable);
            }
            Offered::Failed(message) => self.ledger.failed(&message),
            Offered::Died => {}
        }
        thread::sleep(self.load.pause);
    }

    fn delay(&mut self) -> Duration {
        let (shortest, longest) = match self.random.random_bool(LONG) {
            true => self.load.long_delay_ms,
            false => SHORT_MS,
        };
        Duration::from_millis(self.random.random_range(shortest..longest))
    }
}

/// Takes until the place is closed, from one process after the other.
fn consume(fleet: &Fleet, place: usize, ledger: &Ledger) {
    let place = &fleet.consumers[place];
    while !place.is_closed() {
        if let Some(failure) = place.worker().consume(|value| ledger.came(value))
            && !place.is_closed()
        {
            ledger.failed(&format!("take: {failure}"));
        }
        // Another process is about to start.
        thread::sleep(Duration::from_millis(2));
    }
}

fn join(threads: &mut Vec<JoinHandle<()>>) -> Result<()> {
    let ended: Vec<_> = threads.drain(..).map(JoinHandle::join).collect();
    match ended.iter().all(|it| it.is_ok()) {
        true => Ok(()),
        false => Err("a thread panicked".into()),
    }
}

const SHORT_MS: (u64, u64) = (0, 1_000);
/// How many of the delays are long.
const LONG: f64 = 0.2;
