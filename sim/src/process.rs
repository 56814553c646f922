//! A process: a runtime of its own, whose time stands still unless the world runs it.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rand::{RngExt, rngs::StdRng};
use redisson_delayed_queue::{
    Client, DelayedQueue, IfPending, Listing, Offer, Outcome, Processing, codec::LongCodec,
};
use tokio::{
    runtime::{Builder, Runtime},
    sync::Notify,
    task::JoinHandle,
    time::{Instant, sleep, sleep_until, timeout},
};

use crate::{
    ledger::Ledger,
    pipe::{End, Pipe},
    redisson::{self, Layout},
};

/// A process. When it is dropped, all its tasks are, wherever they wait.
#[derive(Debug)]
pub(crate) struct Process {
    runtime: Runtime,
    started: Instant,
    ran_ms: u64,
    dialled: Dialled,
    leave: Arc<Notify>,
    work: JoinHandle<()>,
}

/// Which elements consumers handle one at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turns {
    None,
    Sequential,
    ByKey,
}

impl Turns {
    pub(crate) fn any(random: &mut StdRng) -> Self {
        match random.random_range(0..4) {
            0 => Self::Sequential,
            1 => Self::ByKey,
            _ => Self::None,
        }
    }

    /// The key of an element: of those with one key, one is handled at a time.
    pub(crate) fn key(self, id: i64) -> i64 {
        match self {
            Self::None | Self::Sequential => 0,
            Self::ByKey => id % 3,
        }
    }
}

/// A consumer handles an element of this key. If its process dies, it no longer does.
struct Turn<'a> {
    ledger: &'a Ledger,
    key: i64,
    fence: u64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.ledger.open().end_turn(self.key, self.fence);
    }
}

/// The client library of a process.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    /// This crate.
    Rust(Habits),
    Redisson(Layout),
}

/// How processes use this crate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habits {
    /// Where Redis is.
    pub(crate) url: &'static str,
    pub(crate) turns: Turns,
    pub(crate) listing: Listing,
    /// Redis remembers their offers. Without that, an offer is only sent again while its element cannot have
    /// been delivered.
    pub(crate) remembers: bool,
}

/// The streams that a process has opened and the network has not seen, each with the address of a server.
/// Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dialled(Arc<Mutex<Vec<(String, Pipe)>>>);

impl Dialled {
    /// Opens a stream.
    pub(crate) fn dial(&self, address: String) -> End {
        let pipe = Pipe::default();
        let end = pipe.end();
        self.pipes().push((address, pipe));
        end
    }

    fn pipes(&self) -> MutexGuard<'_, Vec<(String, Pipe)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Process {
    /// Starts one that offers so many elements and gets whatever is due, until it dies.
    pub(crate) fn start(ledger: &Ledger, offers: u32, role: Role) -> Self {
        let runtime = Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        let runtime = runtime.expect("a runtime without a driver for sockets starts");
        let dialled = Dialled::default();
        let leave = Arc::new(Notify::new());
        let (streams, left, books) = (dialled.clone(), Arc::clone(&leave), ledger.clone());
        let (work, started) = runtime.block_on(async {
            let work = match role {
                Role::Rust(habits) => tokio::spawn(work(streams, left, books, offers, habits)),
                Role::Redisson(layout) => {
                    tokio::spawn(redisson::work(streams, books, offers, layout))
                }
            };
            (work, Instant::now())
        });
        Self {
            runtime,
            started,
            ran_ms: 0,
            dialled,
            leave,
            work,
        }
    }

    /// Lets it shut its client down, and end.
    pub(crate) fn leave(&self) {
        self.leave.notify_one();
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.work.is_finished()
    }

    /// Lets it run for a while. Time that has passed since it last ran is a freeze.
    pub(crate) fn run(&mut self, since_ms: u64, ms: u64) {
        let frozen = since_ms.saturating_sub(self.ran_ms);
        let until = self.started + Duration::from_millis(since_ms + ms);
        self.runtime.block_on(async {
            if frozen > 0 {
                tokio::time::advance(Duration::from_millis(frozen)).await;
            }
            sleep_until(until).await;
        });
        self.ran_ms = since_ms + ms;
    }

    /// The streams that it has opened since somebody took them.
    pub(crate) fn take_dialled(&self) -> Vec<(String, Pipe)> {
        std::mem::take(&mut *self.dialled.pipes())
    }
}

async fn work(dialled: Dialled, leave: Arc<Notify>, ledger: Ledger, offers: u32, habits: Habits) {
    let connect = move |address| {
        let end = dialled.dial(address);
        async move { io::Result::<End>::Ok(end) }
    };
    let client = loop {
        let builder = Client::builder()
            .simulated(connect.clone())
            .claim_lease(LEASE)
            .remember_offers(habits.remembers)
            .retry_window(Duration::from_secs(1))
            .response_timeout(Duration::from_millis(500))
            .connect_timeout(Duration::from_millis(500));
        match builder.connect(habits.url).await {
            Ok(client) => break client,
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    };
    let queue = |name| {
        let queue = client.delayed_queue::<i64, _>(name, LongCodec);
        queue.map(|it| it.with_listing(habits.listing))
    };
    let (Ok(taken), Ok(consumed)) = (queue("taken"), queue("consumed")) else {
        unreachable!("these are names")
    };
    let work = async {
        tokio::join!(
            offer(&taken, &ledger, offers),
            offer(&consumed, &ledger, offers),
            offer_keyed(&taken, &ledger, offers / 2),
            offer_unique(&taken, &ledger, offers / 2),
            take(&taken, &ledger),
            consume(&consumed, &ledger, habits.turns),
        )
    };
    tokio::select! {
        _ = work => {}
        () = leave.notified() => {}
    }
    let _ = client.shutdown().await;
}

/// How long elements are leased.
const LEASE: Duration = Duration::from_secs(2);

async fn offer(queue: &DelayedQueue<i64>, ledger: &Ledger, count: u32) {
    for _ in 0..count {
        sleep(Duration::from_millis(rand::random_range(0..200))).await;
        let delay = delay();
        let id = ledger.open().offer(delay);
        let Ok(ticket) = queue.offer(&id, delay).await else {
            continue;
        };
        ledger.open().acknowledge(id);
        match rand::random_range(0..8) {
            0 | 1 => {
                // If the process dies meanwhile, nobody knows.
                ledger.open().begin_cancelling(id);
                if let Ok(is_cancelled) = queue.cancel(&ticket).await {
                    ledger.open().end_cancelling(id, is_cancelled);
                }
            }
            2 => {
                let delay = self::delay();
                ledger.open().reschedule(id, delay);
                let _ = queue.reschedule(&ticket, delay).await;
            }
            _ => {}
        }
    }
}

/// Offers elements that replace each other, or stay out, while the one before is pending.
async fn offer_keyed(queue: &DelayedQueue<i64>, ledger: &Ledger, count: u32) {
    // Nobody else offers under it.
    let mut key = rand::random::<[u8; 8]>();
    let mut before = None;
    for _ in 0..count {
        sleep(Duration::from_millis(rand::random_range(0..400))).await;
        let delay = delay();
        let id = ledger.open().offer(delay);
        let if_pending = match rand::random_range(0..3) {
            0 => IfPending::Keep,
            _ => IfPending::Replace,
        };
        if let (Some(before), IfPending::Replace) = (before, if_pending) {
            ledger.open().begin_cancelling(before);
        }
        let offer = Offer::after(delay).key(key).if_pending(if_pending);
        let Ok(offered) = queue.offer_with(&id, offer).await else {
            // Either of them may be pending now.
            key = rand::random();
            before = None;
            continue;
        };
        let mut books = ledger.open();
        if offered.outcome == Outcome::Kept {
            books.end_cancelling(id, true);
            continue;
        }
        books.acknowledge(id);
        let is_replaced = offered.outcome == Outcome::Replaced;
        if let (Some(before), IfPending::Replace) = (before, if_pending) {
            books.end_cancelling(before, is_replaced);
        }
        before = Some(id);
    }
}

/// Offers elements of which one may be pending. Other processes offer equal ones at the same time.
async fn offer_unique(queue: &DelayedQueue<i64>, ledger: &Ledger, count: u32) {
    for _ in 0..count {
        sleep(Duration::from_millis(rand::random_range(0..400))).await;
        let delay = delay();
        let id = ledger.open().offer_unique(delay);
        let offer = Offer::after(delay).unique_in_queue();
        if let Ok(offered) = queue.offer_with(&id, offer).await {
            let is_stored = offered.outcome == Outcome::Added;
            ledger.open().end_unique(id, is_stored);
        }
    }
}

pub(crate) fn delay() -> Duration {
    Duration::from_millis(match rand::random_range(0..3) {
        0 => 0,
        1 => rand::random_range(1..100),
        _ => rand::random_range(100..3_000),
    })
}

async fn take(queue: &DelayedQueue<i64>, ledger: &Ledger) {
    loop {
        let patience = match rand::random_range(0..3) {
            0 => rand::random_range(0..100),
            _ => 60_000,
        };
        // Whoever loses patience drops a call that may just get an element.
        match timeout(Duration::from_millis(patience), queue.take()).await {
            Ok(Ok(id)) => ledger.open().take(id),
            Ok(Err(_)) => sleep(Duration::from_millis(10)).await,
            Err(_) => {}
        }
    }
}

async fn consume(queue: &DelayedQueue<i64>, ledger: &Ledger, turns: Turns) {
    let consumer = queue.consumer().visibility(LEASE).delivery_limit(u16::MAX);
    let consumer = consumer.processing(match turns {
        Turns::None => Processing::parallel(),
        Turns::Sequential => Processing::sequential(),
        Turns::ByKey => Processing::by_key(move |id: &i64| turns.key(*id).to_be_bytes()),
    });
    let Ok(consumer) = consumer.build() else {
        unreachable!("these are settings")
    };
    loop {
        let Ok(delivery) = consumer.recv().await else {
            sleep(Duration::from_millis(10)).await;
            continue;
        };
        let id = *delivery.value();
        ledger.open().deliver(id, delivery.attempt());
        let turn = delivery.fence().map(|fence| {
            let key = turns.key(id);
            ledger.open().begin_turn(key, id, fence);
            Turn { ledger, key, fence }
        });
        let handling = Duration::from_millis(rand::random_range(0..20));
        let end = rand::random_range(0..20);
        sleep(handling).await;
        drop(turn);
        match end {
            0 | 1 => {
                let _ = delivery.nack(Duration::from_millis(50)).await;
            }
            2 => {
                ledger.open().begin_rejecting(id);
                if delivery.reject("no").await.is_ok() {
                    ledger.open().end_rejecting(id);
                }
            }
            _ => {
                ledger.open().finish(id);
                let _ = delivery.ack().await;
            }
        }
    }
}
