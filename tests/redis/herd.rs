//! Many clients on one queue: one of them moves what is due, and elements reach whoever waits.

use std::time::Duration;

use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::fixture::{SOON, keys, never_polling, orders_with, push, take_all};
use crate::support::{RedisServer, eventually};

mod fault;

/// Clients of the queue `orders`, each with one caller that takes, and works on each element for a
/// while.
struct Takers {
    taken: mpsc::UnboundedReceiver<(usize, String)>,
    _tasks: JoinSet<()>,
}

impl Takers {
    fn new(queues: impl IntoIterator<Item = DelayedQueue<String>>, work: Duration) -> Self {
        let (sender, taken) = mpsc::unbounded_channel();
        let mut tasks = JoinSet::new();
        for (number, queue) in queues.into_iter().enumerate() {
            let sender = sender.clone();
            tasks.spawn(async move {
                while let Ok(value) = queue.take().await {
                    let _ = sender.send((number, value));
                    sleep(work).await;
                }
            });
        }
        Self {
            taken,
            _tasks: tasks,
        }
    }

    /// The next `count` elements, and which client took each.
    async fn take(&mut self, count: usize) -> Vec<(usize, String)> {
        let mut all = Vec::new();
        while all.len() < count {
            let taken = timeout(SOON, self.taken.recv()).await;
            let taken = taken.unwrap_or_else(|_| panic!("only {} of {count} came", all.len()));
            all.push(taken.expect("the takers live"));
        }
        all
    }
}

async fn several(count: usize, builder: ClientBuilder, url: &str) -> Vec<DelayedQueue<String>> {
    let mut queues = Vec::new();
    for _ in 0..count {
        queues.push(orders_with(builder.clone(), url).await);
    }
    queues
}

/// Only offers, and moves nothing.
async fn producer(redis: &RedisServer) -> DelayedQueue<String> {
    orders_with(Client::builder().transfer(false), &redis.url()).await
}

/// Every client listens to the others.
async fn all_listen(redis: &RedisServer, count: u64) {
    eventually(SOON, "all have subscribed", async || {
        let (_, listeners): (String, u64) =
            redis.run(&["PUBSUB", "NUMSUB", &keys().moved(0)]).await;
        listeners == count
    })
    .await;
}

/// While the client that moves what is due has its hands full, the others get what it moves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn elements_go_to_whoever_is_idle() {
    const WORK: Duration = Duration::from_millis(50);
    const COUNT: usize = 60;
    for pace in [0, 20] {
        let redis = RedisServer::start().await;
        let producer = producer(&redis).await;
        let queues = several(3, Client::builder(), &redis.url()).await;
        let mut takers = Takers::new(queues, WORK);
        all_listen(&redis, 3).await;
        for i in 0..COUNT {
            let delay = Duration::from_millis(100 + pace * i as u64);
            producer.offer(&i.to_string(), delay).await.unwrap();
        }
        let taken = takers.take(COUNT).await;
        for client in 0..3 {
            let share = taken.iter().filter(|(by, _)| *by == client).count();
            assert!(share >= COUNT / 10, "{client} had {share} of {COUNT}");
        }
    }
}

/// What Java moves or pushes comes without a message from any client of this crate.
#[tokio::test]
async fn a_foreign_push_reaches_a_client_that_follows_one_without_takers() {
    let redis = RedisServer::start().await;
    let [leader, follower] = several(2, never_polling(), &redis.url())
        .await
        .try_into()
        .unwrap();
    all_listen(&redis, 2).await;
    for round in 0..20 {
        // The one that takes while nobody else does leads.
        leader.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
        take_all(&leader, 1).await.unwrap();
        let waiting = tokio::spawn({
            let follower = follower.clone();
            async move { follower.poll(SOON).await }
        });
        // Also when it has come to rest.
        sleep(Duration::from_millis(5 * (round % 10))).await;
        push(&redis, &["moved"]).await;
        let taken = waiting.await.unwrap().unwrap();
        assert_eq!(taken.as_deref(), Some("moved"), "round {round}");
    }
}
