//! Changes whose replies are lost, late attempts, and calls that are refused.

use super::*;

/// The first attempt was done, so the second must neither say no nor set the time anew.
#[tokio::test]
async fn a_reschedule_whose_reply_is_lost_has_the_effect_and_answer_of_the_first_attempt() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    let other = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let precious = "precious".to_owned();
    let ticket = queue.offer(&precious, LONG).await.unwrap();
    assert!(queue.reschedule(&ticket, LONG).await.unwrap());
    for cancelling in [false, true] {
        proxy.cut_after_request(b"precious", 2);
        let meddling = async {
            eventually(SOON, "the first attempt is done", async || {
                let hours = (score_of(&redis, &ticket).await - now_ms()) / 3_600_000.0;
                (1.9..2.1).contains(&hours)
            })
            .await;
            // What others do in between stands.
            if cancelling {
                assert!(other.cancel(&ticket).await.unwrap());
            } else {
                assert!(other.reschedule(&ticket, LONG * 9).await.unwrap());
            }
        };
        let (rescheduled, ()) = tokio::join!(queue.reschedule(&ticket, LONG * 2), meddling);
        assert!(rescheduled.unwrap());
        if cancelling {
            assert!(scheduled(&redis).await.is_empty());
        } else {
            let hours = (score_of(&redis, &ticket).await - now_ms()) / 3_600_000.0;
            assert!((8.9..9.1).contains(&hours), "{hours}");
        }
    }
    assert_eq!(proxy.lost_replies(), 4);
    assert!(!queue.reschedule(&ticket, LONG).await.unwrap());
}

/// A repeated promotion finds the element delivered, by itself.
#[tokio::test]
async fn a_promotion_whose_reply_is_lost_is_true_also_when_the_element_was_delivered() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    let consumer = orders(&redis.url()).await;
    let precious = "precious".to_owned();
    let first = queue.offer(&precious, LONG).await.unwrap();
    assert!(queue.promote(&first).await.unwrap());
    assert_eq!(take_all(&consumer, 1).await.unwrap(), ["precious"]);
    let ticket = queue.offer(&precious, LONG).await.unwrap();
    proxy.cut_after_request(b"precious", 3);
    let (promoted, taken) = tokio::join!(queue.promote(&ticket), take_all(&consumer, 1));
    assert!(promoted.unwrap());
    assert_eq!(taken.unwrap(), ["precious"]);
    assert_eq!(proxy.lost_replies(), 3);
    assert!(!queue.promote(&ticket).await.unwrap());
}

/// An offer with a long delay is retried without being remembered, for it cannot become due
/// meanwhile; promoted it does, and must not be offered a second time.
#[tokio::test]
async fn an_element_that_was_promoted_is_not_brought_back_by_a_retry_in_flight() {
    for delay in [Duration::ZERO, Duration::from_millis(50)] {
        let redis = RedisServer::start().await;
        let proxy = Proxy::start(redis.port()).await;
        let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
        let other = orders(&redis.url()).await;
        queue.offer(&"warm".to_owned(), LONG * 9).await.unwrap();
        proxy.cut_after_request(b"precious", 1);
        let precious = "precious".to_owned();
        let delivery = async {
            eventually(SOON, "the offer is applied", async || {
                Contents::of(&redis).await.timeouts.len() == 2
            })
            .await;
            let head = Contents::of(&redis).await.timeouts.swap_remove(0).0;
            let ticket = Ticket::from_bytes(head).unwrap();
            assert!(other.reschedule(&ticket, delay).await.unwrap());
            take_all(&other, 1).await.unwrap()
        };
        let (offered, taken) = tokio::join!(queue.offer(&precious, LONG), delivery);
        offered.unwrap();
        assert_eq!(taken, ["precious"]);
        assert_eq!(proxy.lost_replies(), 1);
        let again = other.poll(Duration::from_millis(300)).await.unwrap();
        assert_eq!(again, None);
        assert_eq!(scheduled(&redis).await.len(), 1, "the warm-up");
    }
}

/// Ids are remembered only where it is needed, or a queue whose elements are put off all the time
/// would fill Redis with them.
#[tokio::test]
async fn putting_off_for_long_remembers_the_call_and_not_the_id() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let ticket = queue.offer(&"a".to_owned(), LONG).await.unwrap();
    let mut connection = redis.connection().await;
    let settled = keys();
    let settled = settled.settled();
    assert!(queue.reschedule(&ticket, LONG).await.unwrap());
    let remembered: Vec<(Vec<u8>, f64)> =
        connection.zrange_withscores(settled, 0, -1).await.unwrap();
    let [(call, over)] = &remembered[..] else {
        panic!("one call: {remembered:?}");
    };
    assert!(call.starts_with(ticket.id()) && call.len() == 32);
    assert!(*over < now_ms() + 10_000.0);
    let ttl: i64 = connection.pttl(settled).await.unwrap();
    assert!((0..=9_000).contains(&ttl), "{ttl}");

    let soon = Duration::from_secs(60);
    assert!(queue.reschedule(&ticket, soon).await.unwrap());
    let over: f64 = connection.zscore(settled, ticket.id()).await.unwrap();
    assert!(over > score_of(&redis, &ticket).await);
    let ttl: i64 = connection.pttl(settled).await.unwrap();
    assert!((55_000..=61_000).contains(&ttl), "{ttl}");
}

/// The test and its Redis have one clock.
fn now_ms() -> f64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    now.as_millis() as f64
}
