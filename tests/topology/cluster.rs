//! A real cluster, which fails over and moves slots.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::{NameError, QueueKeys};
use redisson_delayed_queue::{Client, Durability, Error, Event, Master, Offer, Side};
use testbed::{Cluster, eventually};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::fixture::{LONG, SHORT, blocking, client, connect, keep_offering, queue, take_each};

/// Names whose slots belong to different masters of three.
fn names() -> Vec<String> {
    (0..12).map(|it| format!("orders-{it}")).collect()
}

/// The addresses of all nodes.
fn seeds(cluster: &Cluster) -> Vec<String> {
    let nodes = cluster.nodes();
    nodes
        .iter()
        .map(|it| format!("redis+cluster://{}", it.address()))
        .collect()
}

#[tokio::test]
async fn queues_on_all_masters_are_offered_to_transferred_and_taken_from() {
    let cluster = Cluster::without_replicas();
    for address in [seeds(&cluster), vec![seeds(&cluster)[1].clone()]] {
        let client = connect(address).await;
        let mut masters = Vec::new();
        for name in names() {
            let queue = queue(&client, &name);
            queue.offer(&name, SHORT).await.unwrap();
            let taken = timeout(LONG, queue.take()).await.unwrap().unwrap();
            assert_eq!(taken, name);
            masters.push(cluster.master_of(&name).port());
        }
        masters.sort_unstable();
        masters.dedup();
        assert_eq!(masters.len(), 3);
        client.shutdown().await.unwrap();
    }
}

#[tokio::test]
async fn each_master_answers_commands_about_its_own_queues() {
    let cluster = Cluster::without_replicas();
    let client = connect(seeds(&cluster)).await;
    let addresses: HashSet<_> = client.masters().iter().map(Master::address).collect();
    assert_eq!(addresses.len(), 3);
    for name in names() {
        let master = client.master_of(&name).unwrap();
        assert!(addresses.contains(&master.address()), "{name}");
        // Another master would answer MOVED.
        let len: u64 = master.query(redis::cmd("LLEN").arg(&name)).await.unwrap();
        assert_eq!(len, 0);
    }
    let crossing = client.master_of("a{b").map(|_| ());
    assert!(matches!(crossing, Err(Error::Name(_))), "{crossing:?}");
}

#[tokio::test]
async fn the_slot_of_a_queue_is_the_servers() {
    let cluster = Cluster::without_replicas();
    for name in ["orders", "{a}b", "a{b}c", "späti", "x{y}z{w}"] {
        let keys = QueueKeys::new(name).unwrap();
        assert_eq!(keys.slot(), cluster.slot_of(name), "{name}");
    }
}

#[tokio::test]
async fn names_whose_keys_lie_in_several_slots_are_refused_with_one_that_would_work() {
    let cluster = Cluster::without_replicas();
    let client = connect(seeds(&cluster)).await;
    for name in ["a{b", "a}b", "{}q", "{a", "a}", "a{}b"] {
        let error = client.delayed_queue::<String, _>(name, StringCodec);
        let Err(Error::Name(source)) = error else {
            panic!("{name}: {error:?}");
        };
        assert!(
            matches!(source, NameError::CrossesSlots { .. }),
            "{source:?}"
        );
        let better = name.replace(['{', '}'], "");
        assert!(
            source.to_string().contains(&format!("{better:?}")),
            "{source}"
        );
        assert!(
            client
                .delayed_queue::<String, _>(better, StringCodec)
                .is_ok()
        );
    }
}

/// A client that was told nothing of a cluster would try again and again.
#[tokio::test]
async fn a_client_of_a_single_server_says_at_once_that_it_is_a_node_of_a_cluster() {
    let cluster = Cluster::without_replicas();
    let (here, there) = (cluster.master_of("orders-0"), cluster.masters());
    let other = there.iter().find(|it| it.port() != here.port()).unwrap();
    let client = connect(other.url()).await;
    let queue = queue(&client, "orders-0");
    let start = Instant::now();
    let error = queue.offer(&"17".to_owned(), SHORT).await.unwrap_err();
    assert!(!error.may_have_changed_redis());
    let text = format!(
        "{error}: {:?}",
        std::error::Error::source(&error).map(ToString::to_string)
    );
    assert!(text.contains("redis+cluster://"), "{text}");
    let taken = timeout(LONG, queue.take()).await.unwrap();
    assert!(matches!(taken, Err(Error::Refused { .. })), "{taken:?}");
    println!("said after {:?}", start.elapsed());
}

#[tokio::test]
async fn calls_on_several_queues_span_masters_or_say_that_redis_cannot() {
    let cluster = Cluster::without_replicas();
    let client = connect(seeds(&cluster)).await;
    let queues: Vec<_> = names().iter().map(|it| queue(&client, it)).collect();
    queues[7].offer(&"17".to_owned(), SHORT).await.unwrap();
    let others: Vec<_> = names();
    let others: Vec<&str> = others.iter().skip(1).map(String::as_str).collect();
    let polled = queues[0]
        .destination()
        .poll_from_any(&others, LONG)
        .await
        .unwrap();
    assert_eq!(
        polled.map(|(name, value)| format!("{name} {value}")),
        Some("orders-7 17".to_owned())
    );

    let list = queues[0].destination();
    for refused in [
        list.move_to("orders-1", Side::First, Side::Last, 1)
            .await
            .map(drop),
        list.poll_last_and_offer_first_to("orders-1", Duration::ZERO)
            .await
            .map(drop),
        queues[0]
            .pending()
            .poll_last_and_offer_first_to("orders-1")
            .await
            .map(drop),
        queues[0].object().rename("orders-1").await.map(drop),
        queues[0].object().copy_to("orders-1").await.map(drop),
    ] {
        assert!(
            matches!(&refused, Err(Error::Name(NameError::OtherSlot { other, .. })) if other == "orders-1"),
            "{refused:?}"
        );
    }
    queues[0].offer(&"17".to_owned(), LONG).await.unwrap();
    assert!(queues[0].object().rename("{orders-0}:late").await.unwrap());
}

/// Redis refuses scripts while some of their keys are here and some there.
#[tokio::test]
async fn calls_wait_while_a_slot_moves_and_then_fail_as_not_applied() {
    let cluster = Cluster::without_replicas();
    // Then one of their keys does not exist, and the node that has the others cannot know where it is.
    let forgetful = client().remember_offers(false);
    let impatient = forgetful.retry_window(Duration::from_secs(1));
    let client = impatient.connect(seeds(&cluster)).await.unwrap();
    let mut events = client.events();
    let queue = queue(&client, "orders");
    queue.offer(&"17".to_owned(), LONG).await.unwrap();
    assert_eq!(queue.try_take().await.unwrap(), None);
    let here = cluster.master_of("orders").port();
    let masters = cluster.masters();
    let to = masters.iter().find(|it| it.port() != here).unwrap();
    let moving = cluster.begin_move(cluster.slot_of("orders"), to);

    let start = Instant::now();
    let error = queue.offer(&"18".to_owned(), LONG).await.unwrap_err();
    assert!(
        start.elapsed() >= Duration::from_millis(250),
        "{:?}",
        start.elapsed()
    );
    assert!(matches!(error, Error::Refused { .. }), "{error:?}");
    assert!(!error.may_have_changed_redis());
    let told = async {
        loop {
            if let Some(Event::TransferFailed { error, .. }) = events.next().await {
                return error;
            }
        }
    };
    let told = timeout(LONG, told).await.unwrap();
    assert!(matches!(told, Error::Refused { .. }), "{told:?}");

    while moving.move_keys(100) > 0 {}
    moving.finish();
    let resumed = async {
        loop {
            if let Some(Event::TransferResumed { .. }) = events.next().await {
                return;
            }
        }
    };
    timeout(LONG, resumed).await.expect("the new node moves it");
    queue.offer(&"19".to_owned(), SHORT).await.unwrap();
    assert_eq!(timeout(LONG, queue.take()).await.unwrap().unwrap(), "19");
    assert_eq!(queue.pending().read_all().await.unwrap(), ["17"]);
}

/// A redirect is no retry: the node has done nothing.
#[tokio::test]
async fn a_call_that_is_not_repeated_follows_a_slot_that_has_moved() {
    let cluster = Cluster::without_replicas();
    // One for each kind of offer: what a client has once heard of a move holds for all its calls.
    let mut queues = Vec::new();
    for _ in 0..3 {
        let never = client().retry_window(Duration::ZERO);
        let client = never.connect(seeds(&cluster)).await.unwrap();
        queues.push(queue(&client, "orders"));
    }
    let [plain, durable, large] = queues.try_into().unwrap();
    plain.offer(&"17".to_owned(), LONG).await.unwrap();
    let here = cluster.master_of("orders").port();
    let masters = cluster.masters();
    let to = masters.iter().find(|it| it.port() != here).unwrap();
    cluster.move_slot(cluster.slot_of("orders"), to);
    plain.offer(&"18".to_owned(), LONG).await.unwrap();
    let offer = Offer::after(LONG).durability(Durability::Replicas(1), SHORT);
    let result = durable.offer_with(&"19".to_owned(), offer).await;
    // No master has a replica here.
    assert!(
        matches!(result, Err(Error::NotDurable { .. })),
        "{result:?}"
    );
    large.offer(&"x".repeat(2 << 20), LONG).await.unwrap();
    assert_eq!(plain.pending().len().await.unwrap(), 4);
}

/// The driver's error does not say where the slot is, and nothing else tells the client.
#[tokio::test]
async fn a_call_of_several_commands_follows_a_slot_that_has_moved() {
    let cluster = Cluster::without_replicas();
    let client = client().transfer(false).connect(seeds(&cluster));
    let queue = queue(&client.await.unwrap(), "orders");
    queue.offer(&"17".to_owned(), LONG).await.unwrap();
    let here = cluster.master_of("orders").port();
    let masters = cluster.masters();
    let to = masters.iter().find(|it| it.port() != here).unwrap();
    cluster.move_slot(cluster.slot_of("orders"), to);
    assert_eq!(queue.object().remaining_ttl().await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_whose_slot_moves_under_load_loses_nothing() {
    let cluster = Cluster::without_replicas();
    let client = connect(seeds(&cluster)).await;
    let queue = queue(&client, "orders");
    let (stop, stopped) = oneshot::channel();
    let offering = tokio::spawn(keep_offering(
        queue.clone(),
        Offer::after(SHORT),
        "load",
        stopped,
    ));
    let cluster = blocking(move || {
        for _ in 0..3 {
            let here = cluster.master_of("orders").port();
            let masters = cluster.masters();
            let to = masters.iter().find(|it| it.port() != here).unwrap();
            cluster.move_slot(cluster.slot_of("orders"), to);
        }
        cluster
    })
    .await;
    stop.send(()).unwrap();
    let offered = offering.await.unwrap();
    assert!(!offered.is_empty());
    let again = take_each(&queue, offered).await;
    assert!(again.is_empty(), "{again:?}");
    drop(cluster);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_taker_that_waits_gets_what_comes_after_a_planned_failover() {
    let cluster = Cluster::start();
    let client = connect(seeds(&cluster)).await;
    let queue = queue(&client, "orders");
    let taker = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take().await }
    });
    let cluster = blocking(move || {
        cluster.failover("orders");
        cluster
    })
    .await;
    let start = Instant::now();
    queue.offer(&"17".to_owned(), SHORT).await.unwrap();
    let taken = timeout(LONG, taker).await.unwrap().unwrap().unwrap();
    assert_eq!(taken, "17");
    println!("taken {:?} after the failover", start.elapsed());
    drop(cluster);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_whose_master_dies_goes_on_at_the_replica() {
    let cluster = Cluster::start();
    let client = connect(seeds(&cluster)).await;
    let queue = queue(&client, "orders");
    queue
        .offer(&"before".to_owned(), Duration::from_secs(3))
        .await
        .unwrap();
    let taker = tokio::spawn({
        let queue = queue.clone();
        async move {
            let first = queue.take().await.unwrap();
            (first, queue.take().await.unwrap())
        }
    });
    let cluster = blocking(move || {
        // What is not copied yet would be lost.
        let replica = cluster.replica_of("orders");
        testbed::until("the replica has the element", || {
            match replica.run(&["DBSIZE"]) {
                0 => Err("it has none".to_owned()),
                _ => Ok(()),
            }
        });
        cluster.kill_master_of("orders");
        cluster.wait_until_ok();
        cluster
    })
    .await;
    let start = Instant::now();
    queue
        .offer(&"after".to_owned(), Duration::from_secs(4))
        .await
        .unwrap();
    let taken = timeout(LONG, taker).await.unwrap().unwrap();
    assert_eq!(taken, ("before".to_owned(), "after".to_owned()));
    println!("both taken {:?} after the failover", start.elapsed());
    drop(cluster);
}

#[tokio::test]
async fn a_seed_that_is_down_or_empty_does_no_harm() {
    let cluster = Cluster::without_replicas();
    let mut seeds = vec!["redis+cluster://127.0.0.1:1".to_owned()];
    seeds.extend(self::seeds(&cluster));
    let client = connect(seeds).await;
    queue(&client, "orders")
        .offer(&"17".to_owned(), LONG)
        .await
        .unwrap();

    let empty = cluster.add_node();
    let mut seeds = vec![format!("redis+cluster://{}", empty.address())];
    seeds.extend(self::seeds(&cluster));
    let client = connect(seeds).await;
    queue(&client, "orders")
        .offer(&"17".to_owned(), LONG)
        .await
        .unwrap();
    let pending = queue(&client, "orders").pending().len().await.unwrap();
    assert_eq!(pending, 2);
}

/// The masters that answer see no working cluster, and the one that hangs has the same to say.
#[tokio::test]
async fn a_master_that_hangs_keeps_no_client_from_a_cluster_that_is_down() {
    let cluster = Cluster::without_replicas();
    let masters = cluster.masters();
    masters[2].pause();
    for master in &masters[..2] {
        eventually("the cluster is down", || {
            let asked: redis::RedisResult<()> = master.try_run(&["GET", "any"]);
            let code = asked.err().and_then(|it| it.code().map(str::to_owned));
            code.as_deref() == Some("CLUSTERDOWN")
        });
    }
    let client = Client::builder().connect_timeout(LONG);
    let connected = timeout(LONG * 3 / 4, client.connect(seeds(&cluster))).await;
    let client = connected.expect("it does not wait so long").unwrap();
    assert_eq!(client.masters().len(), 3);
}

#[tokio::test]
async fn an_address_of_a_cluster_that_is_none_says_so() {
    let server = testbed::Server::start();
    let error = Client::connect(format!("redis+cluster://{}", server.address())).await;
    let Err(error @ Error::Connect { .. }) = error else {
        panic!("{error:?}");
    };
    assert!(
        error.to_string().contains("no node of a cluster"),
        "{error}"
    );
}

/// The nodes that are left have enough to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_nodes_that_are_left_are_asked_for_the_slots_now_and_then() {
    let cluster = Cluster::without_replicas();
    let client = connect(seeds(&cluster)).await;
    let queue = queue(&client, "orders");
    queue.offer(&"17".to_owned(), LONG).await.unwrap();
    let (cluster, dead) = blocking(move || {
        let dead = cluster.kill_master_of("orders");
        (cluster, dead)
    })
    .await;
    let left: Vec<_> = cluster
        .nodes()
        .into_iter()
        .filter(|it| it.port() != dead.port())
        .collect();
    let connections = || -> u64 {
        let count = |it: &testbed::Server| it.info("stats", "total_connections_received");
        let counts = left.iter().map(|it| count(it).unwrap().unwrap());
        counts.map(|it| it.parse::<u64>().unwrap()).sum()
    };
    // Until they agree that one of them is dead, they talk to each other.
    sleep(Duration::from_secs(3)).await;
    let before = connections();
    sleep(Duration::from_secs(5)).await;
    let made = connections() - before;
    println!("{made} connections in 5 s");
    // Each round asks both, and takes a quarter of a second or longer.
    assert!(made <= 45, "{made}");
    assert!(made > 0);
}
