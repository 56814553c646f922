//! A consumer that handles one element after the other and says what it does.
//!
//! Each line on stdout begins with the time in unix microseconds:
//!
//! | Line | Meaning |
//! |---|---|
//! | `asked` | it asks for the next element |
//! | `began ELEMENT FENCE` | it has the element; the fence is 0 if there is none |
//! | `handled` | the work on that element is done |
//! | `wrote`, `refused` | the store took its write, or has seen a higher fence |
//! | `acked`, `nacked` | Redis has confirmed the end of the delivery |
//! | `late` | the lease was over: another consumer has the element, or had it |
//! | `unclear REASON` | Redis may not have heard of the end of the delivery |
//! | `at` | it is to be killed now |
//!
//! It ends in good order when its stdin is closed.

use std::{io, time::Duration};

use futures::future::join;
use redisson_delayed_queue::{Client, Consumer, Delivery, Error, Processing, codec::StringCodec};
use tokio::{runtime::Runtime, time::sleep};

use crate::{
    QUEUE, Result,
    fuse::{Fuse, await_death},
    process::say,
    step::Step,
    store::Store,
};

/// What a consumer is told on its command line.
#[derive(Clone)]
pub(crate) struct Orders {
    pub(crate) url: String,
    /// Where it is killed.
    pub(crate) step: Step,
    /// The number of the pass at which it is killed there, from 1. 0 for never.
    pub(crate) pass: usize,
    pub(crate) mode: Mode,
    pub(crate) visibility: Duration,
    /// How long an element is worked on.
    pub(crate) work: Duration,
    /// Whether it leases elements ahead.
    pub(crate) prefetches: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Mode {
    Parallel,
    Sequential,
    ByKey,
}

struct Worker {
    orders: Orders,
    client: Client,
    fuse: Fuse,
    /// Where it writes, if its elements have fences.
    store: Option<Store>,
}

pub(crate) fn run(orders: Orders) -> Result<()> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let consumed = runtime.block_on(consume(orders));
    consumed.map_err(|error| error.to_string())
}

async fn consume(orders: Orders) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::connect(&orders.url).await?;
    let consumer = consumer(&client, &orders)?;
    let store = match orders.mode {
        Mode::Parallel => None,
        Mode::Sequential | Mode::ByKey => Some(Store::open(&orders.url)?),
    };
    let mut worker = Worker {
        fuse: Fuse::new(orders.step, orders.pass),
        client: client.clone(),
        orders,
        store,
    };
    let mut stopped = tokio::task::spawn_blocking(|| io::copy(&mut io::stdin(), &mut io::sink()));
    loop {
        say("asked");
        let delivery = tokio::select! {
            delivery = worker.fuse.during(Step::BeforeClaim, consumer.recv()) => delivery,
            _ = &mut stopped => break,
        };
        match delivery {
            Ok(delivery) => worker.handle(delivery).await?,
            // Redis is away.
            Err(_) => sleep(PAUSE).await,
        }
    }
    Ok(client.shutdown().await?)
}

fn consumer(client: &Client, orders: &Orders) -> redisson_delayed_queue::Result<Consumer<String>> {
    let queue = client.delayed_queue(QUEUE, StringCodec)?;
    let mode = orders.mode;
    let mut consumer = queue
        .consumer()
        .visibility(orders.visibility)
        .delivery_limit(ATTEMPTS)
        .processing(match mode {
            Mode::Parallel => Processing::parallel(),
            Mode::Sequential => Processing::sequential(),
            Mode::ByKey => {
                Processing::by_key(move |value: &String| mode.group_of(value).to_owned())
            }
        });
    if !orders.prefetches {
        consumer = consumer.prefetch(0);
    }
    consumer.build()
}

impl Worker {
    /// An error ends the process.
    async fn handle(&mut self, delivery: Delivery<String>) -> Result<()> {
        let element = delivery.value().clone();
        let fence = delivery.fence().unwrap_or_default();
        say(&format!("began {element} {fence}"));
        self.fuse.stop_at(Step::AfterClaim).await;
        sleep(self.orders.work / 2).await;
        self.fuse.stop_at(Step::InHandler).await;
        if self.orders.step == Step::DuringNack && delivery.attempt() == 1 {
            let nack = delivery.nack(RETRY);
            say_end("nacked", self.fuse.during(Step::DuringNack, nack).await);
            return Ok(());
        }
        if self.orders.step == Step::DuringExtend {
            let extension = delivery.extend(self.orders.visibility);
            let extended = self.fuse.during(Step::DuringExtend, extension).await;
            if matches!(extended, Err(Error::Late { .. })) {
                say("late");
                return Ok(());
            }
        }
        sleep(self.orders.work / 2).await;
        if let Some(store) = &mut self.store {
            let group = self.orders.mode.group_of(&element);
            let is_written = store.write(group, &element, fence)?;
            say(if is_written { "wrote" } else { "refused" });
        }
        say("handled");
        self.fuse.stop_at(Step::BeforeAck).await;
        let ack = delivery.ack();
        if self.fuse.burns_down_at(Step::DuringShutdown) {
            let (acked, _) = await_death(join(ack, self.client.shutdown())).await;
            say_end("acked", acked);
            return Ok(());
        }
        say_end("acked", self.fuse.during(Step::AfterAckSent, ack).await);
        Ok(())
    }
}

fn say_end(done: &str, ended: redisson_delayed_queue::Result<()>) {
    match ended {
        Ok(()) => say(done),
        Err(Error::Late { .. }) => say("late"),
        Err(error) => say(&format!("unclear {error}")),
    }
}

impl Orders {
    /// As [`words`](Self::words) wrote them, without the first one.
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        let [url, step, pass, mode, visibility, work, prefetches] = words else {
            return Err("a consumer needs seven words".into());
        };
        let number = |word: &str| word.parse().map_err(|_| format!("{word} is no number"));
        Ok(Self {
            url: (*url).to_owned(),
            step: Step::named(step)?,
            pass: number(pass)? as usize,
            mode: Mode::named(mode)?,
            visibility: Duration::from_millis(number(visibility)?),
            work: Duration::from_millis(number(work)?),
            prefetches: *prefetches == "yes",
        })
    }

    /// The words of its command line.
    pub(crate) fn words(&self) -> Vec<String> {
        vec![
            "consume".to_owned(),
            self.url.clone(),
            self.step.name().to_owned(),
            self.pass.to_string(),
            self.mode.name().to_owned(),
            self.visibility.as_millis().to_string(),
            self.work.as_millis().to_string(),
            (if self.prefetches { "yes" } else { "no" }).to_owned(),
        ]
    }
}

impl Mode {
    const ALL: [Self; 3] = [Self::Parallel, Self::Sequential, Self::ByKey];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Parallel => "parallel",
            Self::Sequential => "sequential",
            Self::ByKey => "by-key",
        }
    }

    /// Elements "key:number" of one group are handled one at a time.
    pub(crate) fn group_of(self, element: &str) -> &str {
        match self {
            Self::Parallel => element,
            Self::Sequential => "all",
            Self::ByKey => element.split(':').next().unwrap_or_default(),
        }
    }

    fn named(name: &str) -> Result<Self> {
        let mode = Self::ALL.into_iter().find(|it| it.name() == name);
        mode.ok_or_else(|| format!("no such mode: {name}"))
    }
}

/// What killed processes have leased ahead loses an attempt, so the usual limit would bury some of it.
const ATTEMPTS: u16 = 100;
/// Until a nacked element comes again.
const RETRY: Duration = Duration::from_millis(20);
/// Before it asks Redis again after an error.
const PAUSE: Duration = Duration::from_millis(10);
