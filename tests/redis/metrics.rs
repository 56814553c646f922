//! What a client records through the facade `metrics`, as an exporter to Prometheus shows it.

use std::sync::{Arc, RwLock};
use std::time::Duration;

use ::metrics::{LocalRecorderGuard, set_default_local_recorder};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use redisson_delayed_queue::metrics::{ALL, Kind, PREFIX, SECONDS};
use redisson_delayed_queue::packed::{MemberId, pack};
use redisson_delayed_queue::{Client, DelayedQueue, IfPending};

use crate::fixture::{
    LONG, SOON, keys, looking_often, offer_expired, orders, orders_with, push, schedule, server_ms,
    take_all, under,
};
use crate::support::{RedisServer, eventually};

mod consumer;
mod documented;
mod gated;
mod many;

use gated::Gated;

/// The recorder of one test.
struct Recorder {
    handle: PrometheusHandle,
    gate: Arc<RwLock<()>>,
    /// The thread of the test records with it while this lives. A client keeps the recorder that it found.
    _guard: LocalRecorderGuard<'static>,
}

impl Recorder {
    fn install() -> Self {
        let buckets = Matcher::Prefix(PREFIX.to_owned());
        let recorder = PrometheusBuilder::new()
            .set_buckets_for_metric(buckets, &SECONDS)
            .unwrap()
            .build_recorder();
        let handle = recorder.handle();
        let gate = Arc::default();
        // It is one a test, and has to outlive the guard.
        let recorder = Box::leak(Box::new(Gated::new(recorder, Arc::clone(&gate))));
        Self {
            handle,
            gate,
            _guard: set_default_local_recorder(recorder),
        }
    }

    /// The sum of all values of the metric `name`, without the prefix. None if there is no such metric.
    fn value(&self, name: &str) -> Option<f64> {
        let scrape = {
            let _closed = self.gate.write().unwrap();
            self.handle.render()
        };
        let values: Vec<f64> = scrape
            .lines()
            .filter_map(|line| {
                let (series, value) = line.strip_prefix(PREFIX)?.rsplit_once(' ')?;
                let (metric, _) = series.split_once('{')?;
                (metric == name).then(|| value.parse().unwrap())
            })
            .collect();
        (!values.is_empty()).then(|| values.iter().sum())
    }

    /// Waits until the metric has this value, and the others theirs.
    async fn shows(&self, values: &[(&str, f64)]) {
        for (name, value) in values {
            let shown = async || self.value(name) == Some(*value);
            let what = format!("{name} is {value}, not {:?}", self.value(name));
            eventually(SOON, &what, shown).await;
        }
    }
}

/// Redis answers an offer only when it is stored, and what is moved is moved once.
#[tokio::test]
async fn each_element_counts_once_when_it_is_offered_moved_and_taken() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let soon = Duration::from_millis(20);
    queue.offer(&"1".to_owned(), soon).await.unwrap();
    let offers = ["2", "3"].map(|value| (value.to_owned(), soon));
    queue.offer_all(offers).await.unwrap();
    let keyed = under("key", soon, IfPending::Replace);
    queue.offer_with(&"4".to_owned(), keyed).await.unwrap();
    take_all(&queue, 4).await.unwrap();
    recorder
        .shows(&[
            ("added_messages_total", 4.0),
            ("transferred_messages_total", 4.0),
            ("lateness_seconds_count", 4.0),
            ("polled_messages_total", 4.0),
            ("pending_messages", 0.0),
            ("ready_messages", 0.0),
        ])
        .await;
    assert!(recorder.value("transfer_duration_seconds_count") >= Some(1.0));
    assert!(recorder.value("claim_duration_seconds_count") >= Some(1.0));
}

/// An offer that moves a pending element, or leaves it, adds none.
#[tokio::test]
async fn an_offer_that_finds_its_element_pending_counts_only_if_it_stores_another() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    for (value, if_pending) in [
        ("1", IfPending::Keep),
        ("2", IfPending::Keep),
        ("1", IfPending::Replace),
        ("3", IfPending::Replace),
    ] {
        let offer = under("key", LONG, if_pending);
        queue.offer_with(&value.to_owned(), offer).await.unwrap();
    }
    assert_eq!(recorder.value("added_messages_total"), Some(2.0));
    recorder.shows(&[("pending_messages", 1.0)]).await;
}

/// The lateness is measured by Redis, from the due time to the move.
#[tokio::test]
async fn an_overdue_element_shows_how_late_it_is() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let due = server_ms(&redis).await as f64 - 60_000.0;
    let member = |id| pack(&MemberId::from([id; 16]), b"late");
    schedule(&redis, &[(member(1), due), (member(2), due - 1_000.0)]).await;
    let queue = orders(&redis.url()).await;
    take_all(&queue, 2).await.unwrap();
    recorder.shows(&[("lateness_seconds_count", 2.0)]).await;
    let sum = recorder.value("lateness_seconds_sum").unwrap();
    assert!(
        (121.0..121.0 + 2.0 * SOON.as_secs_f64()).contains(&sum),
        "{sum}"
    );
}

/// A hundred elements in one run are a hundred samples.
#[tokio::test]
async fn each_moved_element_is_a_sample_of_the_lateness() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let offers = (0..1_500).map(|it| (it.to_string(), Duration::ZERO));
    queue.offer_all(offers).await.unwrap();
    recorder
        .shows(&[
            ("transferred_messages_total", 1_500.0),
            ("lateness_seconds_count", 1_500.0),
            ("ready_messages", 1_500.0),
        ])
        .await;
}

#[tokio::test]
async fn a_malformed_member_counts_as_quarantined() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let due = server_ms(&redis).await as f64;
    let _queue = orders(&redis.url()).await;
    recorder.shows(&[("quarantined_messages_total", 0.0)]).await;
    schedule(&redis, &[("\x08no member", due), ("\x08neither", due)]).await;
    recorder.shows(&[("quarantined_messages_total", 2.0)]).await;
}

#[tokio::test]
async fn an_element_that_expired_counts_as_expired_and_not_as_moved() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let held_back = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let value = "1".to_owned();
    let offered = offer_expired(async |offer| held_back.offer_with(&value, offer).await).await;
    offered.unwrap();
    let _queue = orders(&redis.url()).await;
    recorder
        .shows(&[
            ("expired_messages_total", 1.0),
            ("transferred_messages_total", 0.0),
            ("lateness_seconds_count", 0.0),
        ])
        .await;
}

#[tokio::test]
async fn a_killed_connection_counts_when_it_is_replaced() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    queue.offer(&"1".to_owned(), Duration::ZERO).await.unwrap();
    take_all(&queue, 1).await.unwrap();
    let reconnected = "reconnected_connections_total";
    assert_eq!(recorder.value(reconnected), Some(0.0));
    // It need not listen yet.
    eventually(SOON, "its subscription is killed", async || {
        redis.kill_clients("pubsub").await == 1
    })
    .await;
    recorder.shows(&[(reconnected, 1.0)]).await;
    // Those for calls and for deliveries. The next call makes its own.
    redis.kill_clients("normal").await;
    eventually(SOON, "both are made again", async || {
        let _ = queue.pending().len().await;
        recorder.value(reconnected) == Some(3.0)
    })
    .await;
}

#[tokio::test]
async fn a_paused_queue_says_so_and_keeps_the_last_count_of_what_is_ready() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let queue = orders_with(looking_often(), &redis.url()).await;
    push(&redis, &["1", "2"]).await;
    recorder
        .shows(&[("ready_messages", 2.0), ("paused", 0.0)])
        .await;
    queue.pause().await.unwrap();
    recorder.shows(&[("paused", 1.0)]).await;
    queue.offer(&"3".to_owned(), Duration::ZERO).await.unwrap();
    recorder
        .shows(&[("pending_messages", 1.0), ("ready_messages", 2.0)])
        .await;
    queue.resume().await.unwrap();
    recorder
        .shows(&[("paused", 0.0), ("ready_messages", 3.0)])
        .await;
}

/// A stalled queue has failed runs, or none at all.
#[tokio::test]
async fn a_transfer_that_redis_refuses_counts_as_failed() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let () = redis.run(&["SET", "orders", "no list"]).await;
    let queue: DelayedQueue<String> = orders(&redis.url()).await;
    queue.offer(&"1".to_owned(), Duration::ZERO).await.unwrap();
    eventually(SOON, "a run fails", async || {
        recorder.value("failed_transfers_total") >= Some(1.0)
    })
    .await;
    assert_eq!(recorder.value("transferred_messages_total"), Some(0.0));
    assert_eq!(keys().target(), "orders");
}

#[tokio::test]
async fn every_metric_is_described_and_labelled_as_listed() {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    queue.offer(&"1".to_owned(), Duration::ZERO).await.unwrap();
    take_all(&queue, 1).await.unwrap();
    let scrape = recorder.handle.render();
    for metric in ALL {
        let kind = match metric.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            _ => "histogram",
        };
        let name = metric.name;
        assert!(
            scrape.contains(&format!("# TYPE {name} {kind}\n")),
            "{name}"
        );
        let help = format!("# HELP {name} {}\n", metric.meaning);
        assert!(scrape.contains(&help), "{name}: {scrape}");
        let samples = scrape.lines().filter(|it| it.starts_with(name));
        for (sample, label) in samples.flat_map(|it| metric.labels.iter().map(move |l| (it, l))) {
            assert!(sample.contains(&format!("{label}=\"")), "{sample}");
        }
    }
    let is_known = |line: &&str| !ALL.iter().any(|it| line.contains(it.name));
    assert_eq!(
        scrape.lines().filter(|it| !it.is_empty()).find(is_known),
        None
    );
}
