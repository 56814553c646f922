//! A simulated Redis a round trip away, in the virtual time of the runtime.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, VecDeque},
    rc::Rc,
    time::Duration,
};

use redisson_delayed_queue::{Client, ClientBuilder};
use sim::Server;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    sync::mpsc,
    task::spawn_local,
    time::{Instant, interval},
};

pub(crate) const ROUND_TRIP: Duration = Duration::from_millis(1);

/// Clones share the server.
#[derive(Clone)]
pub(crate) struct Redis {
    server: Rc<RefCell<Server>>,
    started: Instant,
    /// How many bytes it sends on a connection in a round trip.
    pace: usize,
    connections: Rc<Cell<usize>>,
}

impl Redis {
    pub(crate) fn start() -> Self {
        Self::slow(usize::MAX)
    }

    pub(crate) fn slow(pace: usize) -> Self {
        Self {
            server: Rc::default(),
            started: Instant::now(),
            pace,
            connections: Rc::default(),
        }
    }

    /// Connects a client with these settings.
    pub(crate) async fn client(&self, builder: ClientBuilder) -> Client {
        let (dialled, mut streams) = mpsc::unbounded_channel();
        let redis = self.clone();
        spawn_local(async move {
            while let Some(stream) = streams.recv().await {
                spawn_local(redis.clone().serve(stream));
            }
        });
        let builder = builder.simulated(move |_| {
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
                        server.set_clock(i64::try_from(self.passed().as_micros()).unwrap());
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

    /// Pushes elements `x` onto a list.
    pub(crate) fn push(&self, list: &str, count: usize) {
        let mut server = self.server.borrow_mut();
        let session = server.connect();
        let command = format!(
            "*3\r\n$5\r\nRPUSH\r\n${}\r\n{list}\r\n$1\r\nx\r\n",
            list.len()
        );
        server.receive(session, command.repeat(count).as_bytes());
        server.disconnect(session);
    }

    /// How long it has run.
    pub(crate) fn passed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How many connections there have been.
    pub(crate) fn connections(&self) -> usize {
        self.connections.get()
    }

    /// The commands that came since somebody took them, by name, and how many of each.
    pub(crate) fn take_commands(&self) -> BTreeMap<String, usize> {
        self.server.borrow_mut().take_commands()
    }
}
