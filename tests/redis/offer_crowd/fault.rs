//! What becomes of a crowd when the connection, Redis or the client goes.

use super::*;
use crate::fixture::connected;

/// [B5] Each goes on by itself, as if it had been alone.
#[tokio::test]
async fn a_group_whose_reply_is_lost_is_retried_without_a_second_copy() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    proxy.cut_after_request(b"value 77.", 2);
    let offers = offer_at_once(&queue, 100, LONG).await;
    assert_eq!(proxy.lost_replies(), 2);
    for offered in offers {
        offered.unwrap();
    }
    let pending = pending(&redis).await;
    assert_eq!(pending.len(), 101);
    assert!(pending.values().all(|times| *times == 1), "{pending:?}");
}

/// Each may be retried or not by its own delay, and has its own ticket.
#[tokio::test]
async fn those_of_a_lost_group_that_may_not_be_retried_have_unknown_outcomes() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    proxy.cut_after_request(b"value 77.", 1);
    let offer = async |i: usize| {
        let delay = if i % 2 == 1 {
            Duration::from_secs(4)
        } else {
            LONG
        };
        queue.offer(&format!("value {i}."), delay).await
    };
    let offers = timeout(SOON, join_all((0..100).map(offer))).await.unwrap();
    assert_eq!(proxy.lost_replies(), 1);
    let mut unknown = 0;
    for (i, offered) in offers.into_iter().enumerate() {
        match offered {
            Ok(_) => {}
            Err(Error::OutcomeUnknown { ticket, .. }) if i % 2 == 1 => {
                assert!(
                    ticket
                        .as_bytes()
                        .ends_with(format!("value {i}.").as_bytes())
                );
                // The ticket settles it: here it had been applied.
                assert!(queue.cancel(&ticket).await.unwrap());
                unknown += 1;
            }
            Err(error) => panic!("{i}: {error:?}"),
        }
    }
    // All but the few that had been sent alone.
    assert!((40..=50).contains(&unknown), "{unknown}");
    assert_eq!(pending(&redis).await.len(), 101 - unknown);
}

/// The ids of a group are remembered as those of single offers are.
#[tokio::test]
async fn a_remembered_group_of_short_delays_is_delivered_once() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let producer = orders_with(Client::builder().remember_offers(true), &proxy.url()).await;
    let consumer = orders(&redis.url()).await;
    producer.offer(&"warm".to_owned(), LONG).await.unwrap();
    proxy.cut_after_request(b"value 77.", 2);
    let offers = offer_at_once(&producer, 100, Duration::ZERO);
    let (offers, taken) = tokio::join!(offers, take_all(&consumer, 100));
    for offered in offers {
        offered.unwrap();
    }
    assert_eq!(proxy.lost_replies(), 2);
    let taken: HashSet<String> = taken.unwrap().into_iter().collect();
    assert_eq!(taken.len(), 100);
    let rest = consumer.poll(Duration::from_millis(300)).await.unwrap();
    assert_eq!(rest, None);
}

/// What was given up must not be stored behind the callers' backs.
#[tokio::test]
async fn a_group_that_arrives_after_the_retry_window_writes_nothing() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let window = Duration::from_millis(300);
    let builder = Client::builder()
        .transfer(false)
        .response_timeout(window)
        .retry_window(window);
    let queue = orders_with(builder, &proxy.url()).await;
    queue.offer(&"warm".to_owned(), LONG).await.unwrap();
    proxy.hold_requests(true);
    for offered in offer_at_once(&queue, 50, LONG).await {
        let error = offered.unwrap_err();
        assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error:?}");
    }
    tokio::time::sleep(window * 2).await;
    proxy.hold_requests(false);
    // The proxy delivers what it held back at once, so half a second of silence is ample.
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(pending(&redis).await.len(), 1);
}

/// Commands run after they were given up, connections go, and the network is away for a while.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cuts_and_freezes_double_nothing_and_every_offer_ends() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let patience = Duration::from_millis(60);
    let builder = Client::builder()
        .transfer(false)
        .response_timeout(patience)
        .retry_window(Duration::from_millis(700));
    let queue = orders_with(builder, &proxy.url()).await;
    let offers = tokio::spawn(async move {
        let mut offers = Vec::new();
        for round in 0..12 {
            // Some are retried after a lost reply, and some are not.
            let delay = if round % 2 == 0 { LONG } else { patience * 10 };
            offers.extend(offer_at_once(&queue, 150, delay).await);
        }
        offers
    });
    let mut faults = 0;
    while !offers.is_finished() {
        tokio::time::sleep(Duration::from_millis(rand::random_range(1..30))).await;
        match faults % 3 {
            0 => proxy.cut(),
            1 => {
                redis.pause();
                tokio::time::sleep(patience.mul_f64(rand::random_range(0.2..1.5))).await;
                redis.resume();
            }
            _ => {
                proxy.hold_requests(true);
                tokio::time::sleep(patience.mul_f64(rand::random_range(0.2..1.5))).await;
                proxy.hold_requests(false);
            }
        }
        faults += 1;
    }
    let offers = offers.await.unwrap();
    // What is still on its way comes in the window or not at all.
    tokio::time::sleep(Duration::from_millis(1_000)).await;
    assert_told_the_truth(&redis, &offers).await;
    assert!(offers.iter().any(Result::is_ok), "{faults} faults");
}

/// What stands in line when the client ends is not sent, and its caller is told so.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shutdown_with_a_full_line_leaves_nobody_waiting() {
    let redis = RedisServer::start().await;
    let mut ends = HashSet::new();
    let mut all = Vec::new();
    for round in 0..30 {
        let client = connected(&redis.url()).await;
        let queue = client.delayed_queue("orders", StringCodec).unwrap();
        let mut tasks = JoinSet::new();
        for task in 0..300 {
            let queue = queue.clone();
            tasks.spawn(async move {
                let mut offers = Vec::new();
                for i in 0..20 {
                    let offered = queue.offer(&format!("{task}-{i}"), LONG).await;
                    let failed = offered.is_err();
                    offers.push(offered);
                    if failed {
                        break;
                    }
                }
                offers
            });
        }
        tokio::time::sleep(Duration::from_micros(round * 400)).await;
        timeout(SOON, client.shutdown()).await.unwrap().unwrap();
        let offers = timeout(SOON, tasks.join_all()).await.expect("none hangs");
        all.extend(offers.into_iter().flatten());
    }
    for offered in &all {
        ends.insert(match offered {
            Ok(_) => "stored",
            Err(Error::Closed) => "closed",
            Err(error) => panic!("{error:?}"),
        });
    }
    assert_eq!(ends.len(), 2, "{ends:?}");
    assert_eq!(assert_told_the_truth(&redis, &all).await, 0);
}

/// The task that sends is one of the client, and its runtime may go before those of its callers.
#[test]
fn callers_on_another_runtime_are_told_when_that_of_the_client_goes() {
    let runtime = || {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap()
    };
    let (of_client, of_callers) = (runtime(), runtime());
    let redis = of_callers.block_on(RedisServer::start());
    let queue = of_client.block_on(orders(&redis.url()));
    let mut tasks = JoinSet::new();
    for task in 0..100 {
        let queue = queue.clone();
        let offers = async move {
            for i in 0.. {
                let offered = queue.offer(&format!("{task}-{i}"), LONG).await;
                if let Err(error) = offered {
                    return error;
                }
            }
            unreachable!("it ends with an error");
        };
        tasks.spawn_on(offers, of_callers.handle());
    }
    std::thread::sleep(Duration::from_millis(100));
    of_client.shutdown_background();
    let errors = of_callers
        .block_on(async { timeout(SOON, tasks.join_all()).await })
        .expect("none hangs");
    for error in errors {
        assert!(
            matches!(error, Error::Closed | Error::OutcomeUnknown { .. }),
            "{error:?}"
        );
    }
}
