//! What a server answers at once, whenever it is asked: errors that each new connection meets again, and
//! reports of changes that were none. It must not set the pace.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use bytes::{Buf, BytesMut};
use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use redis::InfoDict;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Event, Events};
use testbed::Settings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use crate::fixture::{LONG, SOON, client_with, connected, keys, orders, push_to, take_all};
use crate::support::resp::frame_len;
use crate::support::{Proxy, RedisServer};

/// For so long something goes wrong again and again.
const WHILE: Duration = Duration::from_secs(3);

/// How often it may be tried meanwhile: pauses of 10 ms grow to a second, for each of several tasks.
const FEW: usize = 60;

/// A failover, with a consumer that waits and a producer that goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_master_that_becomes_a_replica_is_not_stormed() {
    let redis = RedisServer::start().await;
    let client = connected(&redis.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    assert_eq!(queue.try_take().await.unwrap(), None);
    let mut connection = redis.connection().await;
    let member = b"\x01i\x01\0\0\0\0\0\0\0z";
    let () = redis::pipe()
        .atomic()
        .zadd(keys().timeouts(), member, 1_000)
        .rpush(keys().ordering(), member)
        .cmd("REPLICAOF")
        .arg(&["127.0.0.1", "1"])
        .query_async(&mut connection)
        .await
        .unwrap();
    let before = connections(&redis).await;
    let hasty = Client::builder().retry_window(Duration::ZERO);
    let hasty = client_with(hasty, &redis.url()).await;
    let offered: DelayedQueue<String> = hasty.delayed_queue("orders", StringCodec).unwrap();
    let calls = async {
        loop {
            let calls = (0..8).map(|_| async { offered.offer(&"a".to_owned(), LONG).await });
            assert!(join_all(calls).await.iter().all(Result::is_err));
        }
    };
    tokio::select! {
        () = calls => {}
        () = sleep(WHILE) => {}
    }
    let made = connections(&redis).await - before;
    assert!(made <= 3 * FEW, "{made} connections");
    let told = reported(&mut events);
    assert!(told <= FEW, "{told} events");

    let () = redis.run(&["REPLICAOF", "NO", "ONE"]).await;
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["z"]);
}

/// A proxy whose server is gone accepts whoever comes, and closes.
#[tokio::test]
async fn a_proxy_without_a_server_is_not_stormed() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders(&proxy.url()).await;
    assert_eq!(queue.try_take().await.unwrap(), None);
    let before = proxy.connections();
    redis.kill();
    sleep(WHILE).await;
    let made = proxy.connections() - before;
    assert!(made <= 2 * FEW, "{made} connections");
    redis.restart().await;
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

/// The handshake goes well each time, and nothing else does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_error_that_each_connection_meets_again_makes_a_storm() {
    let errors: [&'static str; 9] = [
        "-READONLY You can't write against a read only replica.\r\n",
        "-LOADING Redis is loading the dataset in memory\r\n",
        "-MASTERDOWN Link with MASTER is down\r\n",
        "-NOPERM this user has no permissions\r\n",
        "-MISCONF Redis is configured to save RDB snapshots\r\n",
        "-OOM command not allowed when used memory > 'maxmemory'.\r\n",
        "-NOAUTH Authentication required.\r\n",
        "garbage\r\n",
        "",
    ];
    let stormed = errors.map(|error| async move {
        let server = Impostor::start(error).await;
        let client = connected(&server.url()).await;
        let mut events = client.events();
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        let taking = async {
            loop {
                let taken = queue.take().await;
                assert!(taken.is_err(), "{taken:?}");
            }
        };
        tokio::select! {
            () = taking => {}
            () = sleep(WHILE) => {}
        }
        let counts = &server.counts;
        let (accepted, asked) = (counts.accepted.load(Relaxed), counts.asked.load(Relaxed));
        let told = reported(&mut events);
        assert!(accepted <= FEW, "{accepted} connections for {error:?}");
        assert!(asked <= 3 * FEW, "{asked} commands for {error:?}");
        assert!(told <= FEW, "{told} events for {error:?}");
    });
    join_all(stormed).await;
}

/// Redis reports a key that it no longer tracks as if it had changed. To ask again drops the key of another client,
/// which asks again in its turn.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_for_whom_the_tracking_table_is_too_small_do_not_storm_the_server() {
    let scenes: [(&str, bool, Wait); 4] = [
        ("take", false, |it| async move { it.take().await }.boxed()),
        ("take from a paused queue", true, |it| {
            async move { it.take().await }.boxed()
        }),
        ("move", false, |it| relayed(it).boxed()),
        ("move from a paused queue", true, |it| relayed(it).boxed()),
    ];
    let mut looked = Vec::new();
    for (scene, is_paused, wait) in scenes {
        let redis = RedisServer::with(Settings::new().set("tracking-table-max-keys", "1")).await;
        let names = ["a", "b", "c", "d"];
        let mut queues = Vec::new();
        for name in names {
            let client = connected(&redis.url()).await;
            let queue: DelayedQueue<String> = client.delayed_queue(name, StringCodec).unwrap();
            if is_paused {
                queue.pause().await.unwrap();
            }
            queues.push(queue);
        }
        let start = Instant::now();
        let before = redis.command_count(&LOOKS).await;
        let waiting: Vec<_> = queues
            .iter()
            .cloned()
            .map(|it| tokio::spawn(wait(it)))
            .collect();
        sleep(WHILE).await;
        let looks = redis.command_count(&LOOKS).await - before;
        let each_second = looks as f64 / start.elapsed().as_secs_f64() / names.len() as f64;
        println!("{scene}: {each_second:.0} looks a second for each client");
        looked.push(each_second);

        for (name, queue) in names.into_iter().zip(queues) {
            push_to(&redis, name, &[name]).await;
            if is_paused {
                queue.resume().await.unwrap();
            }
        }
        for (name, taken) in names.into_iter().zip(waiting) {
            assert_eq!(taken.await.unwrap().unwrap(), name, "{scene}");
        }
    }
    assert!(
        looked.iter().all(|it| *it < MANY),
        "{looked:.0?} looks a second"
    );
}

/// So many looks a second are more than a client needs: two tasks of a queue ask for reports, each
/// some 20 times a second in the first seconds, and a report costs 5 of these commands.
const MANY: f64 = 250.;

/// Waits for an element of the queue.
type Wait = fn(DelayedQueue<String>) -> BoxFuture<'static, redisson_delayed_queue::Result<String>>;

/// The scripts that look for something, and what asks for reports.
const LOOKS: [&str; 4] = ["evalsha", "llen", "exists", "hexists"];

async fn relayed(queue: DelayedQueue<String>) -> redisson_delayed_queue::Result<String> {
    let queue = queue.destination();
    let moved = queue
        .poll_last_and_offer_first_to("moved", 3 * SOON)
        .await?;
    Ok(moved.unwrap_or_default())
}

/// Answers the handshake as Redis does, and everything else with one error, or by closing.
struct Impostor {
    port: u16,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    accepted: AtomicUsize,
    /// Commands other than those of the handshake.
    asked: AtomicUsize,
}

impl Impostor {
    async fn start(error: &'static str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let counts = Arc::new(Counts::default());
        tokio::spawn({
            let counts = Arc::clone(&counts);
            async move {
                loop {
                    let (socket, _) = listener.accept().await.unwrap();
                    counts.accepted.fetch_add(1, Relaxed);
                    tokio::spawn(serve(socket, error, Arc::clone(&counts)));
                }
            }
        });
        Self { port, counts }
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }
}

async fn serve(mut socket: TcpStream, error: &str, counts: Arc<Counts>) {
    let mut buffer = BytesMut::new();
    while matches!(socket.read_buf(&mut buffer).await, Ok(1..)) {
        while let Some(length) = frame_len(&buffer) {
            let request = String::from_utf8_lossy(&buffer[..length]).into_owned();
            buffer.advance(length);
            let answer = match request.split("\r\n").nth(2).unwrap_or_default() {
                "HELLO" => "%1\r\n+server\r\n+redis\r\n",
                "CLIENT" => "+OK\r\n",
                "TIME" => "*2\r\n+1700000000\r\n+0\r\n",
                _ => {
                    counts.asked.fetch_add(1, Relaxed);
                    error
                }
            };
            if answer.is_empty() || socket.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

/// How many connections the server has accepted so far.
async fn connections(redis: &RedisServer) -> usize {
    let info: InfoDict = redis.run(&["INFO", "stats"]).await;
    info.get("total_connections_received").unwrap()
}

/// How many events were reported and not yet read, or missed.
fn reported(events: &mut Events) -> usize {
    std::iter::from_fn(|| events.next().now_or_never().flatten())
        .map(|event| match event {
            Event::Missed { count, .. } => count as usize,
            _ => 1,
        })
        .sum()
}
