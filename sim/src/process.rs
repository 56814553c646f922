//! A process with a client: a runtime of its own, whose time stands still unless the world runs it.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use redisson_delayed_queue::{Client, DelayedQueue, codec::LongCodec};
use tokio::{
    runtime::{Builder, Runtime},
    time::{Instant, sleep, sleep_until},
};

use crate::{
    ledger::Ledger,
    pipe::{End, Pipe},
};

/// A process. When it is dropped, all its tasks are, wherever they wait.
#[derive(Debug)]
pub(crate) struct Process {
    runtime: Runtime,
    started: Instant,
    ran_ms: u64,
    dialled: Dialled,
}

/// The streams that a process has opened and the network has not seen.
type Dialled = Arc<Mutex<Vec<Pipe>>>;

impl Process {
    /// Starts one that offers so many elements and gets whatever is due, until it dies.
    pub(crate) fn start(ledger: &Ledger, offers: u32) -> Self {
        let runtime = Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        let runtime = runtime.expect("a runtime without a driver for sockets starts");
        let dialled = Dialled::default();
        let work = work(Arc::clone(&dialled), ledger.clone(), offers);
        let started = runtime.block_on(async {
            tokio::spawn(work);
            Instant::now()
        });
        Self {
            runtime,
            started,
            ran_ms: 0,
            dialled,
        }
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
    pub(crate) fn take_dialled(&self) -> Vec<Pipe> {
        std::mem::take(&mut *self.dialled.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn work(dialled: Dialled, ledger: Ledger, offers: u32) {
    let connect = move || {
        let pipe = Pipe::default();
        let end = pipe.end();
        dialled
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(pipe);
        async move { io::Result::<End>::Ok(end) }
    };
    // Without that, an offer is only sent again while its element cannot have been delivered.
    let remembers = rand::random();
    let client = loop {
        let builder = Client::builder()
            .simulated(connect.clone())
            .claim_lease(LEASE)
            .remember_offers(remembers)
            .retry_window(Duration::from_secs(1))
            .response_timeout(Duration::from_millis(500))
            .connect_timeout(Duration::from_millis(500));
        match builder.connect("redis://redis/").await {
            Ok(client) => break client,
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
    };
    let queue = |name| client.delayed_queue::<i64, _>(name, LongCodec);
    let (Ok(taken), Ok(consumed)) = (queue("taken"), queue("consumed")) else {
        unreachable!("these are names")
    };
    tokio::join!(
        offer(&taken, &ledger, offers),
        offer(&consumed, &ledger, offers),
        take(&taken, &ledger),
        consume(&consumed, &ledger),
    );
}

/// How long elements are leased.
const LEASE: Duration = Duration::from_secs(2);

async fn offer(queue: &DelayedQueue<i64>, ledger: &Ledger, count: u32) {
    for _ in 0..count {
        sleep(Duration::from_millis(rand::random_range(0..200))).await;
        let delay: u64 = match rand::random_range(0..3) {
            0 => 0,
            1 => rand::random_range(1..100),
            _ => rand::random_range(100..3_000),
        };
        let id = ledger.open().offer(delay as i64 * 1_000);
        if queue.offer(&id, Duration::from_millis(delay)).await.is_ok() {
            ledger.open().acknowledge(id);
        }
    }
}

async fn take(queue: &DelayedQueue<i64>, ledger: &Ledger) {
    loop {
        match queue.take().await {
            Ok(id) => ledger.open().take(id),
            Err(_) => sleep(Duration::from_millis(10)).await,
        }
    }
}

async fn consume(queue: &DelayedQueue<i64>, ledger: &Ledger) {
    let consumer = queue.consumer().visibility(LEASE).delivery_limit(u16::MAX);
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
        let handling = Duration::from_millis(rand::random_range(0..20));
        let is_handled = rand::random_range(0..10) > 0;
        sleep(handling).await;
        if !is_handled {
            let _ = delivery.nack(Duration::from_millis(50)).await;
        } else {
            ledger.open().finish(id);
            let _ = delivery.ack().await;
        }
    }
}
