//! All calls at once, at random, through the same faults: what is accounted for is what comes.

use std::ops::AddAssign;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{BlockingQueue, End, IfPending, Placed, Selector, Ticket};
use tokio::time::{Instant, timeout};

use super::*;
use crate::fixture::orders_with;

/// How often a value must come at least, and may come at the most.
#[derive(Clone, Copy, Debug, Default)]
struct Due {
    least: i64,
    most: i64,
}

const ONCE: Due = Due { least: 1, most: 1 };
const MAYBE: Due = Due { least: 0, most: 1 };
const MAYBE_GONE: Due = Due { least: -1, most: 0 };
const GONE: Due = Due {
    least: -1,
    most: -1,
};

impl AddAssign for Due {
    fn add_assign(&mut self, other: Self) {
        self.least += other.least;
        self.most += other.most;
    }
}

type Ledger = HashMap<String, Due>;

/// Offers in every way there is, and changes its mind about what it has offered.
struct Producer {
    queue: DelayedQueue<String>,
    number: usize,
    count: usize,
    ledger: Ledger,
    pending: Vec<(String, Ticket)>,
    /// A key of its own, and what was offered under it last; nothing once that is in doubt.
    key: Option<(String, String)>,
}

impl Producer {
    async fn run(mut self, done: Arc<AtomicBool>, accepted: Arc<AtomicUsize>) -> Ledger {
        while !done.load(Relaxed) {
            match rand::random_range(0..9) {
                0 => self.offer().await,
                1 => self.offer_all().await,
                2 => self.offer_unique().await,
                3 => self.offer_keyed().await,
                4 => self.replace().await,
                5 => self.cancel().await,
                6 => self.reschedule().await,
                7 => self.cancel_all().await,
                _ => self.offer_and_forget().await,
            }
            accepted.fetch_add(1, Relaxed);
        }
        self.ledger
    }

    fn value(&mut self) -> String {
        self.count += 1;
        format!("{}-{}", self.number, self.count)
    }

    fn note(&mut self, value: &str, due: Due) {
        *self.ledger.entry(value.to_owned()).or_default() += due;
    }

    fn offered(&mut self, value: String, offered: Result<Ticket, Error>) {
        match offered {
            Ok(ticket) => {
                self.note(&value, ONCE);
                self.pending.push((value, ticket));
            }
            Err(Error::OutcomeUnknown { ticket, .. }) => {
                self.note(&value, MAYBE);
                self.pending.push((value, ticket));
            }
            Err(error) => assert!(!error.may_have_changed_redis(), "{error:?}"),
        }
    }

    async fn offer(&mut self) {
        let value = self.value();
        let offered = match rand::random() {
            true => self.queue.offer(&value, delay()).await,
            false => {
                let never = std::time::SystemTime::now() + Duration::from_secs(3_600);
                self.queue.offer_expiring(&value, delay(), never).await
            }
        };
        self.offered(value, offered);
    }

    async fn offer_and_forget(&mut self) {
        let value = self.value();
        let offer = self.queue.offer(&value, delay());
        match timeout(a_moment(), offer).await {
            Ok(offered) => self.offered(value, offered),
            Err(_) => self.note(&value, MAYBE),
        }
    }

    async fn offer_all(&mut self) {
        let values: Vec<String> = (0..5).map(|_| self.value()).collect();
        let items = values.iter().map(|value| (value, delay()));
        match self.queue.offer_all(items).await {
            Ok(tickets) => {
                for (value, ticket) in values.into_iter().zip(tickets) {
                    self.offered(value, Ok(ticket));
                }
            }
            // All are in one chunk.
            Err(Error::OfferedInPart {
                stored, unknown, ..
            }) => {
                assert!(stored.is_empty());
                for (value, ticket) in values.into_iter().zip(unknown) {
                    self.note(&value, MAYBE);
                    self.pending.push((value, ticket));
                }
            }
            Err(error) => assert!(!error.may_have_changed_redis(), "{error:?}"),
        }
    }

    async fn offer_unique(&mut self) {
        let value = self.value();
        let if_pending = [IfPending::Keep, IfPending::Replace][rand::random_range(0..2)];
        let placed = self.queue.offer_unique(&value, delay(), if_pending).await;
        if let Ok(placed) = &placed {
            assert!(matches!(placed, Placed::Offered(_)), "{placed:?}");
        }
        self.offered(value, placed.map(Placed::into_ticket));
    }

    async fn offer_keyed(&mut self) {
        let value = self.value();
        let (key, before) = match self.key.take() {
            Some((key, before)) => (key, Some(before)),
            None => (value.clone(), None),
        };
        let offer = self
            .queue
            .offer_keyed(&key, &value, delay(), IfPending::Replace);
        match offer.await {
            Ok(placed) => {
                self.note(&value, ONCE);
                match (&placed, before) {
                    (Placed::Offered(_), _) => {}
                    (Placed::Replaced(_), Some(before)) => self.note(&before, GONE),
                    other => panic!("{other:?}"),
                }
                self.key = Some((key, value));
            }
            Err(Error::OutcomeUnknown { .. }) => {
                self.note(&value, MAYBE);
                if let Some(before) = before {
                    self.note(&before, MAYBE_GONE);
                }
            }
            Err(error) => {
                assert!(!error.may_have_changed_redis(), "{error:?}");
                self.key = before.map(|before| (key, before));
            }
        }
    }

    async fn replace(&mut self) {
        let Some((value, _)) = self.pending.pop() else {
            return;
        };
        match self.queue.replace(&value, delay()).await {
            Ok(Placed::Replaced(ticket)) => self.pending.push((value, ticket)),
            other => self.offered(value, other.map(Placed::into_ticket)),
        }
    }

    async fn cancel(&mut self) {
        let Some((value, ticket)) = self.pending.pop() else {
            return;
        };
        match self.queue.cancel(&ticket).await {
            Ok(true) => self.note(&value, GONE),
            Ok(false) => {}
            Err(error) if error.may_have_changed_redis() => self.note(&value, MAYBE_GONE),
            Err(_) => {}
        }
    }

    async fn cancel_all(&mut self) {
        let some = self.pending.split_off(self.pending.len().saturating_sub(3));
        let tickets = some.iter().map(|(_, ticket)| ticket);
        // It does not say which.
        let due = match self.queue.cancel_all(tickets).await {
            Ok(count) if count == some.len() => GONE,
            Ok(0) => Due::default(),
            Ok(_) => MAYBE_GONE,
            Err(error) if error.may_have_changed_redis() => MAYBE_GONE,
            Err(_) => Due::default(),
        };
        for (value, _) in some {
            self.note(&value, due);
        }
    }

    async fn reschedule(&mut self) {
        let Some((_, ticket)) = self.pending.last() else {
            return;
        };
        let change = async {
            match rand::random() {
                true => self.queue.promote(ticket).await,
                false => self.queue.reschedule(ticket, delay()).await,
            }
        };
        let _ = timeout(a_moment(), change).await;
    }
}

/// Where a consumer takes from.
#[derive(Clone)]
struct Sources {
    queue: DelayedQueue<String>,
    first: BlockingQueue<String>,
    second: BlockingQueue<String>,
    both: Selector<String>,
}

impl Sources {
    fn of(client: &Client) -> Self {
        let open = |name| client.blocking_queue(name, StringCodec).unwrap();
        let (first, second) = (open("orders"), open("others"));
        Self {
            queue: client.delayed_queue("orders", StringCodec).unwrap(),
            both: Selector::new([first.clone(), second.clone()]),
            first,
            second,
        }
    }

    /// Takes in one of many ways, and gives up at any moment.
    async fn take(&self) -> Result<Vec<String>, Error> {
        let patience = Duration::from_millis(30);
        let unnamed = |named: Vec<(String, String)>| named.into_iter().map(|(_, value)| value);
        let take = async {
            Ok(match rand::random_range(0..10) {
                0 => self
                    .both
                    .take_many(20, patience)
                    .await
                    .map(unnamed)?
                    .collect(),
                1 => unnamed(self.both.poll(patience).await?.into_iter().collect()).collect(),
                2 => self.first.drain_to(20).await?,
                3 => self.second.drain_to(20).await?,
                4 => self.first.poll_last(patience).await?.into_iter().collect(),
                5 => self.second.take_many(3, patience).await?,
                6 => self.first.poll_last_many(3).await?,
                7 => {
                    let any = self.first.poll_from_any(["others"], patience).await?;
                    any.map(|(_, value)| value).into_iter().collect()
                }
                8 => self.queue.poll_undue_many(3).await?,
                _ => self.queue.poll_undue().await?.into_iter().collect(),
            })
        };
        match rand::random_range(0..3) {
            0 => timeout(a_moment(), take).await.unwrap_or(Ok(Vec::new())),
            _ => take.await,
        }
    }

    /// Moves elements around, and holds them up for a moment.
    async fn stir(&self) {
        let patience = Duration::from_millis(10);
        let stir = async {
            match rand::random_range(0..7) {
                0 => drop(
                    self.first
                        .poll_last_and_offer_first_to("others", patience)
                        .await,
                ),
                1 => drop(
                    self.second
                        .poll_last_and_offer_first_to("orders", patience)
                        .await,
                ),
                2 => drop(self.first.move_to("others", End::First, End::Last, 3).await),
                3 => drop(
                    self.second
                        .move_to("orders", End::Last, End::First, 3)
                        .await,
                ),
                4 => drop(self.queue.poll_last_and_offer_first_to("others").await),
                5 => drop(self.queue.pause().await),
                _ => drop(self.queue.resume().await),
            }
        };
        let _ = timeout(a_moment(), stir).await;
        let _ = self.queue.resume().await;
    }
}

/// [B8] Whatever is called, dropped, frozen, cut and killed: nothing is lost and nothing comes twice, and both
/// keys of what is not yet due hold the same members at every moment.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_calls_at_random_through_all_faults_conserve_all_elements() {
    let mut redis =
        RedisServer::start_with(&["--appendonly", "yes", "--appendfsync", "always"]).await;
    let patience = Duration::from_millis(100);
    let builder = || {
        Client::builder()
            .connect_timeout(patience)
            .response_timeout(patience)
    };
    let (done, accepted) = (Arc::new(AtomicBool::default()), Arc::default());
    let producers = produce_all(&redis, builder(), &done, &accepted).await;
    let mut consumers = JoinSet::new();
    for _ in 0..2 {
        let client = builder().connect(redis.url()).await.unwrap();
        let (sources, done) = (Sources::of(&client), Arc::clone(&done));
        consumers.spawn(async move {
            let mut taken = Vec::new();
            while !done.load(Relaxed) {
                if let Ok(values) = sources.take().await {
                    taken.extend(values);
                }
                if rand::random_range(0..4) == 0 {
                    sources.stir().await;
                }
            }
            taken
        });
    }

    for _ in 0..faults() {
        sleep(Duration::from_millis(rand::random_range(0..60))).await;
        match rand::random_range(0..10) {
            0 => {
                redis.kill9();
                sleep(Duration::from_millis(rand::random_range(0..60))).await;
                redis.restart().await;
            }
            1..4 => drop(redis.kill_clients("normal").await),
            4..6 => {
                redis.pause();
                sleep(patience.mul_f64(rand::random_range(0.2..2.5))).await;
                redis.resume();
            }
            6 => {
                let mut connection = redis.connection().await;
                let () = redis::cmd("SCRIPT")
                    .arg("FLUSH")
                    .query_async(&mut connection)
                    .await
                    .unwrap();
            }
            _ => {
                let enough: usize = accepted.load(Relaxed) + 20;
                eventually(SOON, "offers go on", async || {
                    accepted.load(Relaxed) >= enough
                })
                .await;
            }
        }
        assert_keys_agree(&redis).await;
    }
    done.store(true, Relaxed);
    assert_accounted_for(&redis, producers, consumers).await;
}

/// Clients are shut down while their calls are under way, and others take over.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdowns_in_the_middle_of_all_calls_conserve_all_elements() {
    let redis = RedisServer::start().await;
    let (done, accepted) = (Arc::new(AtomicBool::default()), Arc::default());
    let producers = produce_all(&redis, Client::builder(), &done, &accepted).await;
    let mut consumers = JoinSet::new();
    for _ in 0..2 {
        let (url, done) = (redis.url(), Arc::clone(&done));
        consumers.spawn(async move {
            let mut taken = Vec::new();
            while !done.load(Relaxed) {
                let client = Client::connect(&*url).await.unwrap();
                let sources = Sources::of(&client);
                let take = async {
                    loop {
                        match sources.take().await {
                            Ok(values) => taken.extend(values),
                            Err(Error::Closed) => break,
                            Err(error) => panic!("{error:?}"),
                        }
                        if rand::random_range(0..4) == 0 {
                            sources.stir().await;
                        }
                    }
                };
                let shutdown = async {
                    sleep(Duration::from_micros(rand::random_range(0..100_000))).await;
                    client.shutdown().await
                };
                let ((), shut_down) = tokio::join!(take, shutdown);
                shut_down.unwrap();
            }
            taken
        });
    }
    for _ in 0..faults() {
        sleep(Duration::from_millis(50)).await;
        assert_keys_agree(&redis).await;
    }
    done.store(true, Relaxed);
    assert_accounted_for(&redis, producers, consumers).await;
}

/// Starts three producers, each with a client of its own.
async fn produce_all(
    redis: &RedisServer,
    builder: ClientBuilder,
    done: &Arc<AtomicBool>,
    accepted: &Arc<AtomicUsize>,
) -> JoinSet<Ledger> {
    let mut producers = JoinSet::new();
    for number in 0..3 {
        let builder = builder.clone().remember_offers(true).transfer(false);
        let producer = Producer {
            queue: orders_with(builder, &redis.url()).await,
            number,
            count: 0,
            ledger: Ledger::new(),
            pending: Vec::new(),
            key: None,
        };
        producers.spawn(producer.run(Arc::clone(done), Arc::clone(accepted)));
    }
    producers
}

/// Takes what is left, and asserts that each value came as often as it should.
async fn assert_accounted_for(
    redis: &RedisServer,
    mut producers: JoinSet<Ledger>,
    mut consumers: JoinSet<Vec<String>>,
) {
    let mut ledger = Ledger::new();
    while let Some(of_one) = producers.join_next().await {
        ledger.extend(of_one.unwrap());
    }
    let mut taken: HashMap<String, i64> = HashMap::new();
    while let Some(of_one) = consumers.join_next().await {
        for value in of_one.unwrap() {
            *taken.entry(value).or_default() += 1;
        }
    }

    // What was taken in vain is put back a while later.
    let client = Client::connect(redis.url()).await.unwrap();
    let last = Sources::of(&client);
    last.queue.resume().await.unwrap();
    let (deadline, mut quiet) = (Instant::now() + SOON, 0);
    while quiet < 10 && Instant::now() < deadline {
        let values = last.both.take_many(100, Duration::from_millis(50)).await;
        let values = values.unwrap();
        let is_all = ledger
            .iter()
            .all(|(value, due)| taken.get(value).copied().unwrap_or(0) >= due.least);
        quiet = if values.is_empty() && is_all && Contents::of(redis).await.is_empty() {
            quiet + 1
        } else {
            0
        };
        for (_, value) in values {
            *taken.entry(value).or_default() += 1;
        }
    }
    let wrong: Vec<_> = ledger
        .iter()
        .map(|(value, due)| (value, due, taken.get(value).copied().unwrap_or(0)))
        .filter(|(_, due, came)| !(due.least..=due.most).contains(came))
        .collect();
    assert!(wrong.is_empty(), "of {}: {wrong:?}", ledger.len());
    let invented: Vec<_> = taken
        .keys()
        .filter(|it| !ledger.contains_key(*it))
        .collect();
    assert!(invented.is_empty(), "{invented:?}");
    let contents = Contents::of(redis).await;
    assert!(contents.is_empty(), "{contents:?}");
}

async fn assert_keys_agree(redis: &RedisServer) {
    let contents = Contents::of(redis).await;
    let ordering: HashSet<_> = contents.ordering.iter().collect();
    assert_eq!(
        ordering.len(),
        contents.ordering.len(),
        "an entry is there twice"
    );
    let timeouts: HashSet<_> = contents.timeouts.iter().map(|(member, _)| member).collect();
    assert_eq!(ordering, timeouts);
    // What is pending under a key stands in one of them, or is gone.
    let keys = QueueKeys::new("orders").unwrap();
    let mut connection = redis.connection().await;
    let (keyed, due): (usize, usize) = redis::pipe()
        .atomic()
        .hlen(keys.keyed())
        .zcard(keys.keyed_due())
        .query_async(&mut connection)
        .await
        .unwrap();
    assert_eq!(keyed, due);
}

fn delay() -> Duration {
    Duration::from_millis(rand::random_range(0..300))
}

fn a_moment() -> Duration {
    Duration::from_micros(rand::random_range(0..5_000))
}
