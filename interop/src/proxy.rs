//! A proxy that makes the network before a server slow, silent or unfair.

use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{
            AtomicBool, AtomicU64,
            Ordering::{Relaxed, SeqCst},
        },
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

/// A proxy before a Redis or a broker. It delivers what either side sends in order and however the sender has
/// ended, unless it is told to swallow it. It lasts as long as this process.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    /// How long each direction takes.
    one_way: Duration,
    /// The most by which replies are late on top, in milliseconds.
    late_ms: AtomicU64,
    swallows: AtomicBool,
    pairs: Mutex<Vec<Arc<Pair>>>,
}

/// A connection of a client, and its own to Redis.
#[derive(Debug)]
struct Pair {
    client: TcpStream,
    server: TcpStream,
    /// Whether the client has subscribed to a channel.
    subscribes: AtomicBool,
    /// Whether something of it was swallowed.
    is_broken: AtomicBool,
    is_over: AtomicBool,
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    ToServer,
    ToClient,
}

impl Proxy {
    /// Listens before the server on `port`, `one_way` from it.
    ///
    /// # Errors
    ///
    /// If the system has no free port.
    pub fn to(port: u16, one_way: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let near = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            one_way,
            ..Shared::default()
        });
        let ours = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // Without a Redis the client finds its connection closed.
                let _ = connect(client, port, &ours);
            }
        });
        Ok(Self { port: near, shared })
    }

    /// The port to give to clients.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL to give to clients of Redis.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Makes every reply late by a random time up to `most`, and leaves messages on time: what
    /// comes on the sockets of subscribers is not delayed.
    pub fn delay_replies(&self, most: Duration) {
        self.shared.late_ms.store(most.as_millis() as u64, Relaxed);
    }

    /// Swallows everything that either side sends, until [`stop_swallowing`](Self::stop_swallowing).
    /// Connecting works, and nobody hears that anything is wrong.
    pub fn swallow(&self) {
        self.shared.swallows.store(true, SeqCst);
    }

    /// Lets everything through again, and cuts the connections of which something was swallowed, as
    /// the other end does when it gets a segment out of order.
    pub fn stop_swallowing(&self) {
        self.shared.swallows.store(false, SeqCst);
        let pairs = self.shared.pairs.lock().expect(NO_PANIC);
        for pair in pairs.iter().filter(|it| it.is_broken.load(SeqCst)) {
            pair.cut();
        }
    }
}

fn connect(client: TcpStream, port: u16, shared: &Arc<Shared>) -> io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    for socket in [&client, &server] {
        socket.set_nodelay(true)?;
    }
    let pair = Arc::new(Pair {
        client,
        server,
        subscribes: AtomicBool::default(),
        is_broken: AtomicBool::default(),
        is_over: AtomicBool::default(),
    });
    let mut pairs = shared.pairs.lock().expect(NO_PANIC);
    pairs.retain(|it| !it.is_over.load(Relaxed));
    pairs.push(Arc::clone(&pair));
    drop(pairs);
    carry(Direction::ToServer, &pair, shared)?;
    carry(Direction::ToClient, &pair, shared)
}

/// Copies from one socket to the other, and passes on the end of the stream.
fn carry(direction: Direction, pair: &Arc<Pair>, shared: &Arc<Shared>) -> io::Result<()> {
    let (from, to) = match direction {
        Direction::ToServer => (&pair.client, &pair.server),
        Direction::ToClient => (&pair.server, &pair.client),
    };
    let (mut from, mut to) = (from.try_clone()?, to.try_clone()?);
    let (sender, receiver) = mpsc::channel::<(Instant, Vec<u8>)>();
    let (pair, shared) = (Arc::clone(pair), Arc::clone(shared));
    let writing = Arc::clone(&pair);
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            let bytes = &buffer[..length];
            if direction == Direction::ToServer && contains(bytes, b"SUBSCRIBE") {
                pair.subscribes.store(true, Relaxed);
            }
            if shared.swallows.load(SeqCst) {
                pair.is_broken.store(true, SeqCst);
                continue;
            }
            if pair.is_broken.load(SeqCst) {
                pair.cut();
                break;
            }
            let passes_at = Instant::now() + shared.one_way + shared.lateness(direction, &pair);
            if sender.send((passes_at, bytes.to_vec())).is_err() {
                break;
            }
        }
    });
    thread::spawn(move || {
        for (passes_at, bytes) in receiver {
            thread::sleep(passes_at.saturating_duration_since(Instant::now()));
            if to.write_all(&bytes).is_err() {
                break;
            }
        }
        // The other side may have closed.
        let _ = to.shutdown(Shutdown::Write);
        writing.is_over.store(true, Relaxed);
    });
    Ok(())
}

impl Shared {
    fn lateness(&self, direction: Direction, pair: &Pair) -> Duration {
        match self.late_ms.load(Relaxed) {
            most @ 1.. if direction == Direction::ToClient && !pair.subscribes.load(Relaxed) => {
                Duration::from_millis(rand::random_range(0..=most))
            }
            _ => Duration::ZERO,
        }
    }
}

impl Pair {
    fn cut(&self) {
        // Either may be closed already.
        let _ = self.client.shutdown(Shutdown::Both);
        let _ = self.server.shutdown(Shutdown::Both);
    }
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|it| it == word)
}

const NO_PANIC: &str = "nothing panics while this is locked";
