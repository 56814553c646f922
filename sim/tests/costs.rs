//! What many calls cost, with a Redis a round trip away in virtual time.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
    time::Duration,
};

use futures::future::try_join_all;
use redisson_delayed_queue::{Client, Selector, codec::StringCodec};
use sim::Server;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    sync::mpsc,
    task::{LocalSet, spawn_local},
    time::{Instant, interval},
};

const ROUND_TRIP: Duration = Duration::from_millis(1);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A simulated Redis. Clones share it.
#[derive(Clone)]
struct Redis {
    server: Rc<RefCell<Server>>,
    started: Instant,
    /// How many bytes it sends on a connection in a round trip.
    pace: usize,
    connections: Rc<Cell<usize>>,
}

impl Redis {
    fn start(pace: usize) -> Self {
        Self {
            server: Rc::default(),
            started: Instant::now(),
            pace,
            connections: Rc::default(),
        }
    }

    /// A client of it.
    async fn client(&self) -> Client {
        let (dialled, mut streams) = mpsc::unbounded_channel();
        let redis = self.clone();
        spawn_local(async move {
            while let Some(stream) = streams.recv().await {
                spawn_local(redis.clone().serve(stream));
            }
        });
        let builder = Client::builder()
            .response_timeout(RESPONSE_TIMEOUT)
            .safety_poll(Duration::from_secs(3_600))
            .simulated(move |_| {
                let (near, far) = duplex(1 << 20);
                dialled.send(far).unwrap();
                async { Ok(near) }
            });
        builder.connect("redis://redis").await.unwrap()
    }

    /// Runs what comes on a stream at once, and sends the answers within a round trip.
    async fn serve(self, mut stream: DuplexStream) {
        let mut ticks = interval(ROUND_TRIP);
        let session = self.server.borrow_mut().connect();
        self.connections.update(|it| it + 1);
        let mut answers = VecDeque::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            tokio::select! {
                size = stream.read(&mut buffer) => match size.unwrap() {
                    0 => break,
                    size => {
                        let mut server = self.server.borrow_mut();
                        server.set_clock(i64::try_from(self.started.elapsed().as_micros()).unwrap());
                        server.receive(session, &buffer[..size]);
                    }
                },
                _ = ticks.tick() => {
                    answers.extend(self.server.borrow_mut().take_output(session));
                    let size = answers.len().min(self.pace);
                    let sent: Vec<u8> = answers.drain(..size).collect();
                    stream.write_all(&sent).await.unwrap();
                }
            }
        }
        self.server.borrow_mut().disconnect(session);
    }

    /// Pushes elements onto a list.
    fn push(&self, list: &str, count: usize) {
        let mut server = self.server.borrow_mut();
        let session = server.connect();
        let command = format!(
            "*3\r\n$5\r\nRPUSH\r\n${}\r\n{list}\r\n$1\r\nx\r\n",
            list.len()
        );
        server.receive(session, command.repeat(count).as_bytes());
        server.disconnect(session);
    }
}

/// One claim for each element would make a loop as slow as the network.
#[tokio::test(start_paused = true)]
async fn a_loop_over_several_queues_is_served_ahead() {
    for batch in [1, 10] {
        let tasks = LocalSet::new();
        let (scripts, time) = tasks.run_until(scripts_of_loop(batch)).await;
        assert!(scripts < LOOPS / 2, "{scripts} scripts for {LOOPS} calls");
        let calls = u32::try_from(LOOPS).unwrap();
        assert!(time < ROUND_TRIP * calls / 4, "{LOOPS} calls took {time:?}");
    }
}

const LOOPS: usize = 200;

/// How many scripts that many calls need, each for a batch, over three full queues, and how long they take.
async fn scripts_of_loop(batch: usize) -> (usize, Duration) {
    let redis = Redis::start(usize::MAX);
    let names = ["a", "b", "c"];
    for name in names {
        redis.push(name, LOOPS * batch);
    }
    let client = redis.client().await;
    let queues = names.map(|it| client.blocking_queue(it, StringCodec).unwrap());
    let selector: Selector<String> = Selector::new(queues);
    let began = Instant::now();
    let mut taken = 0;
    while taken < LOOPS * batch {
        let wait = 100 * ROUND_TRIP;
        taken += match batch {
            1 => selector.poll(wait).await.unwrap().into_iter().count(),
            _ => selector.take_many(batch, wait).await.unwrap().len(),
        };
    }
    let time = began.elapsed();
    let scripts = redis.server.borrow_mut().take_ran().len();
    client.shutdown().await.unwrap();
    (scripts, time)
}

/// A client sends something for each queue as soon as it is connected. If it gave the connection up before it has all
/// answers, it would send all of it again over the next one, without end.
#[tokio::test(start_paused = true)]
async fn many_queues_are_served_over_one_slow_connection() {
    const QUEUES: usize = 100;
    let serve = async {
        let redis = Redis::start(4);
        let client = redis.client().await;
        let mut takes = Vec::new();
        for number in 0..QUEUES {
            let name = format!("queue-{number}");
            redis.push(&name, 1);
            let queue = client
                .delayed_queue::<String, _>(name, StringCodec)
                .unwrap();
            takes.push(async move { queue.take().await });
        }
        try_join_all(takes).await.unwrap();
        client.shutdown().await.unwrap();
        assert_eq!(redis.connections.get(), 3);
        redis.started.elapsed()
    };
    let time = LocalSet::new().run_until(serve).await;
    assert!(time > 3 * RESPONSE_TIMEOUT, "nothing was slow: {time:?}");
}
