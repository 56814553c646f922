//! Queues under test, and what Redis holds of them.

use std::io::{self, Write};
use std::process::Command;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use futures::{FutureExt, StreamExt};
use redis::{AsyncCommands, InfoDict};
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{
    Client, ClientBuilder, DelayedQueue, Error, Event, Events, IfPending, Offer, Result,
};
use tokio::time::timeout;

use crate::support::{RedisServer, eventually};

/// Says on stderr that the server is older than `version` and that the rest of the test is left out,
/// and returns whether that is so. `feature` is what it lacks.
#[must_use]
pub(crate) fn lacks(version: (u32, u32), feature: &str) -> bool {
    let is_older = is_older_than(version);
    if is_older {
        let thread = thread::current();
        let test = thread.name().unwrap_or_default();
        let (major, minor) = version;
        // The macros print only with the output of a test that fails.
        let told = writeln!(
            io::stderr(),
            "left out: {test}: {feature} takes Redis {major}.{minor}"
        );
        told.expect("stderr is open");
    }
    is_older
}

/// True if the `redis-server` of the tests is older than this version of Redis.
pub(crate) fn is_older_than(version: (u32, u32)) -> bool {
    static VERSION: OnceLock<(u32, u32)> = OnceLock::new();
    let installed = VERSION.get_or_init(|| {
        let asked = Command::new("redis-server").arg("--version").output();
        let answer = asked.expect("redis-server is on the PATH").stdout;
        let answer = String::from_utf8_lossy(&answer);
        let (_, number) = answer.split_once(" v=").expect("it says its version");
        let mut parts = number
            .split('.')
            .map(|part| part.parse().expect("a number"));
        let mut next = || parts.next().expect("a major and a minor version");
        (next(), next())
    });
    *installed < version
}

/// The rights of the rule in a section of `docs/acl.md`.
pub(crate) fn documented_rights(section: &str) -> Vec<&'static str> {
    let rule = documented_section(section).split("```").nth(1);
    let words = rule.expect("the section has a rule").split_whitespace();
    words.filter(|it| it.starts_with(['~', '&', '+'])).collect()
}

/// A section of `docs/acl.md`.
pub(crate) fn documented_section(heading: &str) -> &'static str {
    let mut sections = include_str!("../../docs/acl.md").split("\n## ");
    let section = sections.find(|it| it.starts_with(heading));
    section.expect("the guide has the section")
}

/// What Redis 6.2 lacks: `redis.acl_check_cmd`.
pub(crate) const RIGHTS_BEFOREHAND: &str = "asking about rights before a script writes";

/// What Redis 6.2 lacks: rules such as `-client|tracking`.
pub(crate) const SUBCOMMAND_RULES: &str = "taking the right to a subcommand";

/// What Redis 6.2 lacks: `INFO commandstats` for subcommands.
pub(crate) const SUBCOMMAND_COUNTS: &str = "counting subcommands";

/// A delay that no test lives to see the end of.
pub(crate) const LONG: Duration = Duration::from_secs(3_600);

/// How long to wait for what must happen; generous, for the machine may be busy.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// Settings under which nothing is found by polling: what arrives, arrives because it was known.
pub(crate) fn never_polling() -> ClientBuilder {
    Client::builder().safety_poll(Duration::from_secs(600))
}

/// Settings under which the queue is looked at all the time, so that what is done over and over shows.
pub(crate) fn looking_often() -> ClientBuilder {
    Client::builder().safety_poll(Duration::from_millis(10))
}

/// A client that gives up neither its connection nor its call while a test acts between two attempts.
pub(crate) fn patient() -> ClientBuilder {
    Client::builder()
        .response_timeout(SOON)
        .retry_window(Duration::from_secs(60))
        .transfer(false)
}

/// Waits until the transfer was tried so many times more. Only while nobody takes or offers.
pub(crate) async fn looked(redis: &RedisServer, times: u64) {
    let before = redis.command_count(&["evalsha"]).await;
    eventually(SOON, "the queue is looked at again", async || {
        redis.command_count(&["evalsha"]).await >= before + times
    })
    .await;
}

/// Waits until takers of the only client have asked Redis to be told of changes, of so many queues.
pub(crate) async fn wait_for_hints(redis: &RedisServer, queues: u64) {
    eventually(SOON, "takers wait for hints", async || {
        tracked_keys(redis).await == queues
    })
    .await;
}

/// How many keys Redis watches for its clients.
pub(crate) async fn tracked_keys(redis: &RedisServer) -> u64 {
    let info: InfoDict = redis.run(&["INFO", "stats"]).await;
    info.get("tracking_total_keys")
        .expect("Redis counts what it tracks")
}

/// Asserts that a call takes `wait`, and that it adds no second to that. One of many tries is
/// enough for the latter, for the machine may be busy.
pub(crate) async fn assert_waits(wait: Duration, mut call: impl AsyncFnMut()) {
    let mut longer = Vec::new();
    while longer.len() < 10 {
        let start = Instant::now();
        call().await;
        let waited = start.elapsed();
        assert!(waited >= wait, "{waited:?} of {wait:?}");
        if waited < wait + Duration::from_secs(1) {
            return;
        }
        longer.push(waited);
    }
    panic!("{longer:?} instead of {wait:?}");
}

/// Connects with the default settings and opens the queue `orders` of strings.
pub(crate) async fn orders(url: &str) -> DelayedQueue<String> {
    orders_with(Client::builder(), url).await
}

/// Connects with these settings and opens the queue `orders` of strings.
pub(crate) async fn orders_with(builder: ClientBuilder, url: &str) -> DelayedQueue<String> {
    client_with(builder, url)
        .await
        .delayed_queue("orders", StringCodec)
        .expect("the name is valid")
}

/// Connects with the default settings, as [`client_with`] does.
pub(crate) async fn connected(url: &str) -> Client {
    client_with(Client::builder(), url).await
}

/// Connects with these settings, and again while a busy machine takes longer than the client waits.
pub(crate) async fn client_with(builder: ClientBuilder, url: &str) -> Client {
    let start = Instant::now();
    loop {
        match builder.clone().connect(url).await {
            Err(Error::Connect { source, .. }) if source.is_timeout() && start.elapsed() < SOON => {
            }
            connected => return connected.expect("the server runs"),
        }
    }
}

/// An offer of which one at most is pending under this key.
pub(crate) fn under(key: impl AsRef<[u8]>, delay: Duration, if_pending: IfPending) -> Offer {
    Offer::after(delay).key(key).if_pending(if_pending)
}

/// An offer whose value is its key.
pub(crate) fn by_value(delay: Duration, if_pending: IfPending) -> Offer {
    Offer::after(delay).keyed_by_value().if_pending(if_pending)
}

/// An offer that takes the place of an equal element, whoever offered that.
pub(crate) fn replacing(delay: Duration) -> Offer {
    let offer = Offer::after(delay).unique_in_queue();
    offer.if_pending(IfPending::Replace)
}

/// An offer whose element expires.
pub(crate) fn expiring(delay: Duration, expires_at: SystemTime) -> Offer {
    Offer::after(delay).expires_at(expires_at)
}

/// Makes an offer whose element expires soon, and waits until it has expired.
pub(crate) async fn offer_expired<T>(offer: impl AsyncFn(Offer) -> Result<T>) -> Result<()> {
    let mut life = Duration::from_millis(200);
    loop {
        let expires_at = SystemTime::now() + life;
        match offer(expiring(Duration::from_millis(1), expires_at)).await {
            // The machine stood still for that long.
            Err(Error::ExpiresBeforeDue) if life < SOON => life *= 2,
            Err(error) => return Err(error),
            Ok(_) => {
                let expires = expires_at + Duration::from_millis(10);
                eventually(2 * SOON, "it expires", async || SystemTime::now() > expires).await;
                return Ok(());
            }
        }
    }
}

/// Takes `count` elements, each within [`SOON`].
pub(crate) async fn take_all(queue: &DelayedQueue<String>, count: usize) -> Result<Vec<String>> {
    let mut taken = Vec::new();
    while taken.len() < count {
        match queue.poll(SOON).await? {
            Some(value) => taken.push(value),
            None => panic!("only {} of {count} elements came", taken.len()),
        }
    }
    Ok(taken)
}

/// Gives the user `service` these rights and no other.
pub(crate) async fn allow(redis: &RedisServer, rules: &[&str]) {
    // Redis 6.2 gives new users all channels.
    let user = [
        "SETUSER",
        "service",
        "reset",
        "resetchannels",
        "on",
        ">secret",
    ];
    let () = redis.run(&[&["ACL"], &user[..], rules].concat()).await;
}

/// The URL for the user `service`.
pub(crate) fn service_url(redis: &RedisServer) -> String {
    redis.url().replace("redis://", "redis://service:secret@")
}

/// With `"1"`, no more memory; with `"0"`, any.
pub(crate) async fn set_memory(redis: &RedisServer, limit: &str) {
    let () = redis.run(&["CONFIG", "SET", "maxmemory", limit]).await;
}

/// The keys of the queue `orders`.
pub(crate) fn keys() -> QueueKeys {
    QueueKeys::new("orders").expect("the name is valid")
}

/// Redis's clock, in whole milliseconds that have passed.
pub(crate) async fn server_ms(redis: &RedisServer) -> i64 {
    let (seconds, us): (i64, i64) = redis.run(&["TIME"]).await;
    seconds * 1_000 + us / 1_000
}

/// Puts payloads into the target queue of `orders`, as a Java client does.
pub(crate) async fn push<P: AsRef<str>>(redis: &RedisServer, payloads: &[P]) {
    push_to(redis, "orders", payloads).await;
}

/// Puts payloads into a target queue, as a Java client does.
pub(crate) async fn push_to<P: AsRef<str>>(redis: &RedisServer, name: &str, payloads: &[P]) {
    let payloads: Vec<&str> = payloads.iter().map(AsRef::as_ref).collect();
    let () = redis
        .connection()
        .await
        .rpush(name, payloads)
        .await
        .expect("it is a list");
}

/// What is published on the channel of the queue `orders` from now on.
pub(crate) async fn subscribe(
    redis: &RedisServer,
) -> impl futures::Stream<Item = String> + Unpin + use<> {
    let client = redis::Client::open(redis.url()).expect("the address is valid");
    let mut subscription = client.get_async_pubsub().await.expect("Redis accepts");
    let subscribed = subscription.subscribe(keys().channel()).await;
    subscribed.expect("Redis accepts");
    let messages = subscription.into_on_message();
    Box::pin(messages.map(|message| message.get_payload().expect("it is text")))
}

/// What is reported next, but for the connection.
pub(crate) async fn next_event(events: &mut Events) -> Event {
    let find = async {
        loop {
            match events.next().await.expect("the client lives") {
                event if is_of_connection(&event) => {}
                event => return event,
            }
        }
    };
    timeout(SOON, find).await.expect("something is reported")
}

/// Waits for an event that is `wanted`, and passes the others over.
pub(crate) async fn until(events: &mut Events, wanted: impl Fn(&Event) -> bool) {
    let search = async { while !wanted(&events.next().await.expect("the client goes on")) {} };
    timeout(SOON, search).await.expect("it is reported");
}

/// What was reported and not yet read, but for the connection.
pub(crate) fn all_events(events: &mut Events) -> Vec<Event> {
    std::iter::from_fn(|| events.next().now_or_never().flatten())
        .filter(|event| !is_of_connection(event))
        .collect()
}

/// True if the event says that a connection is lost or made.
fn is_of_connection(event: &Event) -> bool {
    match event {
        Event::Connected { .. } | Event::Disconnected { .. } => true,
        Event::Degraded { queue, .. } | Event::Recovered { queue, .. } => queue.is_none(),
        _ => false,
    }
}

/// The due times of what is scheduled in the queue `orders`, the earliest first.
pub(crate) async fn scores(redis: &RedisServer) -> Vec<i64> {
    let contents = Contents::of(redis).await;
    contents.timeouts.iter().map(|it| it.1 as i64).collect()
}

/// Deletes the quarantine of the queue `orders`, as a person does who has looked at it.
pub(crate) async fn delete_quarantine(redis: &RedisServer) {
    let () = redis
        .connection()
        .await
        .del(keys().quarantine())
        .await
        .expect("Redis deletes");
}

/// The oldest elements leave, as another client's `poll()` takes them.
pub(crate) async fn leave(redis: &RedisServer, count: usize) {
    let mut connection = redis.connection().await;
    let left: Vec<Vec<u8>> = connection
        .lpop(keys().ordering(), count.try_into().ok())
        .await
        .expect("the list is long enough");
    let () = connection
        .zrem(keys().timeouts(), left)
        .await
        .expect("the key is a sorted set");
}

/// Writes members of the queue `orders` with these scores, as another client would; nothing is published.
pub(crate) async fn schedule<M: AsRef<[u8]>>(redis: &RedisServer, members: &[(M, f64)]) {
    let keys = keys();
    let mut pipe = redis::pipe();
    pipe.atomic();
    for (member, score) in members {
        pipe.zadd(keys.timeouts(), member.as_ref(), score).ignore();
        pipe.rpush(keys.ordering(), member.as_ref()).ignore();
    }
    let () = pipe
        .query_async(&mut redis.connection().await)
        .await
        .expect("the keys hold what they should");
}

/// What Redis holds of the queue `orders`, without the crate's help.
#[derive(Debug, PartialEq)]
pub(crate) struct Contents {
    /// The payloads in the target queue.
    pub(crate) target: Vec<String>,
    /// The members of the ordering list.
    pub(crate) ordering: Vec<Vec<u8>>,
    /// The members of the timeout set with their scores.
    pub(crate) timeouts: Vec<(Vec<u8>, f64)>,
    /// The members of the quarantine.
    pub(crate) quarantine: Vec<Vec<u8>>,
    /// How many elements are claimed.
    pub(crate) leases: usize,
}

impl Contents {
    /// Reads all keys of the queue in one transaction.
    pub(crate) async fn of(redis: &RedisServer) -> Self {
        let keys = keys();
        let mut connection = redis.connection().await;
        let (target, ordering, timeouts, quarantine, leases) = redis::pipe()
            .atomic()
            .cmd("LRANGE")
            .arg(keys.target())
            .arg(0)
            .arg(-1)
            .cmd("LRANGE")
            .arg(keys.ordering())
            .arg(0)
            .arg(-1)
            .cmd("ZRANGE")
            .arg(keys.timeouts())
            .arg(0)
            .arg(-1)
            .arg("WITHSCORES")
            .cmd("ZRANGE")
            .arg(keys.quarantine())
            .arg(0)
            .arg(-1)
            .cmd("ZCARD")
            .arg(keys.leases())
            .query_async(&mut connection)
            .await
            .expect("the keys hold what they should");
        Self {
            target,
            ordering,
            timeouts,
            quarantine,
            leases,
        }
    }

    /// True if nothing is left of the queue.
    pub(crate) fn is_empty(&self) -> bool {
        self.target.is_empty()
            && self.ordering.is_empty()
            && self.timeouts.is_empty()
            && self.leases == 0
    }
}

/// Leases `payload` to a client that is gone, at this place of a claim. The lease ended long ago, those of later claims
/// later.
pub(crate) fn abandon(pipeline: &mut redis::Pipeline, claim: u8, place: u16, payload: &str) {
    let place = [&[7; 15][..], &[claim], &place.to_be_bytes()].concat();
    let origin = [&place[..], &1_u64.to_be_bytes()].concat();
    pipeline
        .hset(keys().deliveries(), &origin, payload)
        .ignore();
    pipeline.zadd(keys().leases(), origin, claim).ignore();
}
