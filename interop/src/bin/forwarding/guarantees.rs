//! What becomes of a message that the broker confirms, returns, refuses or does not answer.

use std::time::Duration;

use futures::{FutureExt, future::join_all};
use interop::proxy::Proxy;
use lapin::types::AMQPValue;
use redisson_delayed_queue::{
    Backoff, Client, ConsumerBuilder, DelayedQueue, Event, Events,
    amqp::{Properties, Publisher},
    codec::StringCodec,
};
use testbed::{Broker, until};
use tokio::sync::oneshot;
use tokio::task::block_in_place;
use tokio::time::{sleep, timeout};

use crate::stage::{Stage, offer};

/// Checks each guarantee, and prints its name when it holds.
pub(crate) async fn check(stage: &Stage) {
    an_element_stays_in_redis_until_its_message_is_confirmed(stage).await;
    an_unconfirmed_message_comes_again_with_its_id(stage).await;
    each_message_has_a_fate_of_its_own(stage).await;
    a_message_waits_for_its_exchange(stage).await;
    a_message_that_a_full_queue_refuses_comes_again(stage).await;
    a_message_that_is_too_large_is_a_dead_letter_at_once(stage).await;
    large_headers_are_a_dead_letter_and_harm_no_other_message(stage).await;
    a_dead_connection_is_replaced(stage).await;
    an_outage_of_the_broker_costs_no_attempts(stage).await;
    a_run_that_stops_gives_back_what_waits_for_the_broker(stage).await;
}

async fn an_element_stays_in_redis_until_its_message_is_confirmed(stage: &Stage) {
    const NAME: &str = "confirmed";
    stage.declare(NAME, KEY, &[]).await;
    let queue = stage.queue(NAME).await;
    let publisher = publisher(stage, NAME).await;
    let forwarding = stage.forward(&publisher, quick(&queue));
    // Afterwards there is a channel, so that the next message is sent at once.
    offer(&queue, ["first".to_owned()]).await;
    stage.wait_until_empty(NAME);
    stage.broker.pause();
    offer(&queue, ["second".to_owned()]).await;
    wait_for_one("it is under way", || stage.deliveries(NAME));
    // Long enough for an acknowledgement that does not wait.
    sleep(Duration::from_millis(200)).await;
    assert_eq!(stage.deliveries(NAME), 1);
    stage.broker.resume();
    stage.wait_until_empty(NAME);
    drop(forwarding);
    let received = stage.receive(NAME).await;
    assert_eq!(received["second"].len(), 1);
    assert_eq!(received["second"][0].len(), 52);
    println!("holds: an element stays in Redis until its message is confirmed");
}

async fn an_unconfirmed_message_comes_again_with_its_id(stage: &Stage) {
    const NAME: &str = "unconfirmed";
    stage.declare(NAME, KEY, &[]).await;
    let queue = stage.queue(NAME).await;
    let builder = Publisher::builder(NAME, StringCodec).routing_key(KEY);
    let builder = builder.timeout(Duration::from_millis(300));
    let publisher = builder
        .connect(stage.broker.url())
        .await
        .expect("the broker is there");
    let forwarding = stage.forward(&publisher, quick(&queue));
    // Afterwards there is a channel, as above.
    offer(&queue, ["first".to_owned()]).await;
    stage.wait_until_empty(NAME);
    stage.broker.pause();
    offer(&queue, ["second".to_owned()]).await;
    wait_for_one("it failed once", || stage.attempted(NAME));
    stage.broker.resume();
    stage.wait_until_empty(NAME);
    drop(forwarding);
    let received = stage.receive(NAME).await;
    assert_eq!(received["first"].len(), 1);
    let ids = &received["second"];
    assert!(ids.len() >= 2, "{ids:?}");
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    println!("holds: an unconfirmed message comes again with its id");
}

async fn each_message_has_a_fate_of_its_own(stage: &Stage) {
    const NAME: &str = "mixed";
    stage.declare(NAME, KEY, &[]).await;
    let queue = stage.queue(NAME).await;
    let builder = Publisher::builder(NAME, StringCodec);
    let builder = builder.routing_key_by(|value: &String| value[..1].to_owned());
    let publisher = builder
        .connect(stage.broker.url())
        .await
        .expect("the broker is there");
    // `k` is bound, `x` is not.
    let values = |key: char| (100..400).map(move |i| format!("{key}{i}"));
    let mixed = values('k').zip(values('x')).flat_map(|(k, x)| [k, x]);
    offer(&queue, mixed).await;
    let _forwarding = stage.forward(&publisher, quick(&queue).delivery_limit(1));
    stage.wait_until_empty(NAME);
    let received = stage.receive(NAME).await;
    let expected: Vec<String> = values('k').collect();
    assert_eq!(received.into_keys().collect::<Vec<_>>(), expected);
    assert_eq!(stage.dead(NAME), values('x').collect::<Vec<_>>());
    println!("holds: each message has a fate of its own, routable or not");
}

async fn a_message_waits_for_its_exchange(stage: &Stage) {
    const NAME: &str = "missing";
    let queue = stage.queue(NAME).await;
    let publisher = publisher(stage, NAME).await;
    offer(&queue, ["a".to_owned()]).await;
    let consumer = quick(&queue).delivery_limit(u16::MAX);
    let _forwarding = stage.forward(&publisher, consumer);
    wait_for_one("it is refused", || stage.attempted(NAME));
    // In between the exchange routes it to no queue.
    stage.declare(NAME, KEY, &[]).await;
    stage.wait_until_empty(NAME);
    assert_eq!(stage.receive(NAME).await["a"].len(), 1);
    println!("holds: a message waits for its exchange and its queue");
}

async fn a_message_that_a_full_queue_refuses_comes_again(stage: &Stage) {
    const NAME: &str = "full";
    let limits = [
        ("x-max-length", AMQPValue::LongInt(1)),
        ("x-overflow", AMQPValue::LongString("reject-publish".into())),
    ];
    stage.declare(NAME, KEY, &limits).await;
    let queue = stage.queue(NAME).await;
    let publisher = publisher(stage, NAME).await;
    let values: Vec<String> = (0..5).map(|i| i.to_string()).collect();
    offer(&queue, values.clone()).await;
    let consumer = quick(&queue).delivery_limit(u16::MAX);
    let _forwarding = stage.forward(&publisher, consumer);
    let mut received = Vec::new();
    while received.len() < values.len() {
        received.extend(stage.receive(NAME).await.into_keys());
        sleep(Duration::from_millis(10)).await;
    }
    received.sort();
    assert_eq!(received, values);
    stage.wait_until_empty(NAME);
    println!("holds: a message that a full queue refuses comes again");
}

async fn a_message_that_is_too_large_is_a_dead_letter_at_once(stage: &Stage) {
    const NAME: &str = "large";
    stage.declare(NAME, KEY, &[]).await;
    let queue = stage.queue(NAME).await;
    let publisher = publisher(stage, NAME).await;
    let large = "x".repeat(Broker::MAX_MESSAGE + 1);
    offer(&queue, [large.clone(), "small".to_owned()]).await;
    let _forwarding = stage.forward(&publisher, quick(&queue).delivery_limit(u16::MAX));
    stage.wait_until_empty(NAME);
    assert_eq!(stage.dead(NAME), [large]);
    assert_eq!(stage.receive(NAME).await["small"].len(), 1);
    println!("holds: a message that is too large is a dead letter at once");
}

/// The broker would close the connection, and every message under way would lose an attempt.
async fn large_headers_are_a_dead_letter_and_harm_no_other_message(stage: &Stage) {
    const NAME: &str = "headers";
    stage.declare(NAME, KEY, &[]).await;
    let queue = stage.queue(NAME).await;
    let builder = Publisher::builder(NAME, StringCodec).routing_key(KEY);
    let builder = builder.properties_by(|value: &String| match value.as_str() {
        "large" => Properties::new().header("note", "x".repeat(200_000)),
        _ => Properties::new(),
    });
    let publisher = builder
        .connect(stage.broker.url())
        .await
        .expect("the broker is there");
    let small: Vec<String> = (100..120).map(|it| it.to_string()).collect();
    let all = ["large".to_owned()].into_iter().chain(small.clone());
    offer(&queue, all).await;
    let _forwarding = stage.forward(&publisher, quick(&queue).delivery_limit(1));
    stage.wait_until_empty(NAME);
    assert_eq!(stage.dead(NAME), ["large"]);
    let received = stage.receive(NAME).await;
    assert_eq!(received.into_keys().collect::<Vec<_>>(), small);
    println!("holds: large headers are a dead letter, and harm no other message");
}

async fn a_dead_connection_is_replaced(stage: &Stage) {
    const NAME: &str = "silent";
    stage.declare(NAME, KEY, &[]).await;
    let queue = stage.queue(NAME).await;
    let proxy = Proxy::to(stage.broker.port(), Duration::ZERO).expect("a free port");
    let builder = Publisher::builder(NAME, StringCodec).routing_key(KEY);
    // A second, so that heartbeats are missed soon.
    let url = format!("{}?heartbeat=1", stage.broker.url_at(proxy.port()));
    let publisher = builder.connect(url).await.expect("the broker is there");
    let _forwarding = stage.forward(&publisher, quick(&queue).delivery_limit(u16::MAX));
    offer(&queue, ["first".to_owned()]).await;
    stage.wait_until_empty(NAME);
    // Nobody hears that anything is wrong with this connection.
    proxy.swallow();
    offer(&queue, ["second".to_owned()]).await;
    wait_for_one("the connection is given up", || stage.attempted(NAME));
    proxy.stop_swallowing();
    stage.wait_until_empty(NAME);
    assert!(stage.receive(NAME).await.contains_key("second"));
    println!("holds: a dead connection is replaced");
}

async fn an_outage_of_the_broker_costs_no_attempts(stage: &Stage) {
    const NAME: &str = "outage";
    stage.declare(NAME, KEY, &[]).await;
    let queue = stage.queue(NAME).await;
    let publisher = publisher(stage, NAME).await;
    stop_the_broker(stage, &publisher).await;
    let _forwarding = stage.forward(&publisher, quick(&queue).delivery_limit(1));
    let values: Vec<String> = (0..20).map(|i| i.to_string()).collect();
    join_all(values.chunks(10).map(|it| offer(&queue, it.to_vec()))).await;
    block_in_place(|| stage.broker.restart());
    stage.wait_until_empty(NAME);
    assert_eq!(stage.dead(NAME), [""; 0]);
    assert_eq!(stage.receive(NAME).await.len(), values.len());
    println!("holds: an outage of the broker costs no attempts");
}

async fn a_run_that_stops_gives_back_what_waits_for_the_broker(stage: &Stage) {
    const NAME: &str = "stopped";
    stage.declare(NAME, KEY, &[]).await;
    let client = Client::connect(stage.redis.url()).await.expect("a client");
    let mut events = client.events();
    let queue = client.delayed_queue(NAME, StringCodec).expect("a queue");
    let publisher = publisher(stage, NAME).await;
    let values: Vec<String> = (10..30).map(|i| i.to_string()).collect();
    stop_the_broker(stage, &publisher).await;
    for is_dropped in [false, true] {
        offer(&queue, values.clone()).await;
        // A single attempt, so that one that counts makes a dead letter.
        let consumer = quick(&queue).delivery_limit(1).build().expect("a consumer");
        let (stop, stopped) = oneshot::channel::<()>();
        let run = consumer.run(32, publisher.handler());
        let run = run.until(stopped.map(drop)).into_future();
        let run = tokio::spawn(run);
        let count = values.len() * (1 + usize::from(is_dropped));
        let wait = || {
            until("all wait for the broker", || {
                let waiting = stage.leases(NAME);
                (waiting == count).then_some(()).ok_or(waiting.to_string())
            });
        };
        block_in_place(wait);
        if is_dropped {
            run.abort();
            let _ = run.await;
        } else {
            wait_for_outage(&mut events).await;
            // At once, not after the grace period.
            stop.send(()).expect("it runs");
            let ended = timeout(Duration::from_secs(20), run).await;
            ended.expect("it ends").expect("it does not panic");
        }
        let wait = || {
            until("all are given back", || match stage.leases(NAME) {
                0 => Ok(()),
                left => Err(left.to_string()),
            });
        };
        block_in_place(wait);
    }
    assert_eq!(stage.dead(NAME), [""; 0]);
    while let Some(Some(event)) = events.next().now_or_never() {
        let is_again = matches!(event, Event::BrokerUnreachable { .. });
        assert!(!is_again, "the outage is reported once");
    }
    block_in_place(|| stage.broker.restart());
    let _forwarding = stage.forward(&publisher, quick(&queue).delivery_limit(1));
    stage.wait_until_empty(NAME);
    assert_eq!(stage.dead(NAME), [""; 0]);
    let received = stage.receive(NAME).await;
    assert_eq!(received.values().map(Vec::len).sum::<usize>(), 40);
    println!("holds: a run that stops gives back what waits for the broker");
}

async fn publisher(stage: &Stage, exchange: &str) -> Publisher<String> {
    let builder = Publisher::builder(exchange, StringCodec).routing_key(KEY);
    builder
        .connect(stage.broker.url())
        .await
        .expect("the broker is there")
}

/// Stops the broker, and waits until the publisher knows it.
///
/// Each message that it sends before that loses an attempt. So a scout, from a queue of its own, goes first.
async fn stop_the_broker(stage: &Stage, publisher: &Publisher<String>) {
    let client = Client::connect(stage.redis.url()).await.expect("a client");
    let mut events = client.events();
    let queue = client.delayed_queue("scout", StringCodec).expect("a queue");
    block_in_place(|| stage.broker.kill());
    let _forwarding = stage.forward(publisher, quick(&queue).delivery_limit(u16::MAX));
    offer(&queue, ["scout".to_owned()]).await;
    wait_for_outage(&mut events).await;
}

/// Waits until a client has said that the broker is away.
async fn wait_for_outage(events: &mut Events) {
    let unreachable = async {
        while let Some(event) = events.next().await {
            if matches!(event, Event::BrokerUnreachable { .. }) {
                return;
            }
        }
    };
    let told = timeout(Duration::from_secs(20), unreachable).await;
    told.expect("the client says that the broker is away");
}

/// A consumer that tries again at once.
fn quick(queue: &DelayedQueue<String>) -> ConsumerBuilder<String> {
    let soon = Duration::from_millis(20);
    queue.consumer().backoff(Backoff::fixed(soon))
}

fn wait_for_one(what: &str, count: impl Fn() -> usize) {
    block_in_place(|| {
        until(what, || match count() {
            1 => Ok(()),
            other => Err(other.to_string()),
        });
    });
}

const KEY: &str = "k";
