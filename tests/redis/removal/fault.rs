//! Removals whose replies are lost, and ones that are refused.

use super::*;

/// [C5] Without it the caller cannot know whether the element will come.
#[tokio::test]
async fn a_cancel_whose_reply_is_lost_is_repeated_and_true() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = loaded(&proxy).await;
    for (value, lost) in [("precious 1", 1), ("precious 2", 3)] {
        let ticket = queue.offer(&value.to_owned(), LONG).await.unwrap();
        let before = proxy.lost_replies();
        proxy.cut_after_request(b"precious", lost);
        assert!(queue.cancel(&ticket).await.unwrap());
        assert_eq!(proxy.lost_replies(), before + lost);
        assert!(scheduled(&redis).await.is_empty());

        // Another call is another call.
        proxy.cut_after_request(b"precious", 1);
        assert!(!queue.cancel(&ticket).await.unwrap());
        assert_eq!(proxy.lost_replies(), before + lost + 1);
    }
}

/// [C5] In Redisson the repeated `remove` finds and removes the next that is equal.
#[tokio::test]
async fn a_remove_whose_reply_is_lost_removes_one_of_two_equal_elements() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = loaded(&proxy).await;
    let value = "equal".to_owned();
    for _ in 0..2 {
        queue.offer(&value, LONG).await.unwrap();
    }
    proxy.cut_after_request(b"rdq1_settled", 2);
    assert!(queue.pending().remove(&value).await.unwrap());
    assert_eq!(proxy.lost_replies(), 2);
    assert_eq!(scheduled(&redis).await.len(), 1);
}

/// The search is repeated as well, and each of the scripts.
#[tokio::test]
async fn removals_of_many_count_each_element_once_whatever_replies_are_lost() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = loaded(&proxy).await;
    let values: Vec<String> = (0..1_200).map(|i| (i % 4).to_string()).collect();
    let members = members_of(&values);
    schedule(&redis, &members).await;
    let mut lost = 0;
    let mut lose = |times| {
        proxy.cut_after_request(b"rdq1_settled", times);
        lost += times;
        lost
    };

    let expected = lose(2);
    assert_eq!(
        queue.pending().remove_all(&strings(["0"])).await.unwrap(),
        300
    );
    assert_eq!(proxy.lost_replies(), expected);
    let expected = lose(2);
    assert_eq!(
        queue
            .pending()
            .retain_all(&strings(["1", "2"]))
            .await
            .unwrap(),
        300
    );
    assert_eq!(proxy.lost_replies(), expected);
    let expected = lose(3);
    let tickets = tickets_of(&members);
    assert_eq!(queue.cancel_all(tickets).await.unwrap(), 600);
    assert_eq!(proxy.lost_replies(), expected);
    assert!(scheduled(&redis).await.is_empty());
}

/// Who asks for no retries must learn that the outcome is open.
#[tokio::test]
async fn without_a_retry_window_a_removal_whose_reply_is_lost_is_lost() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let builder = Client::builder().retry_window(Duration::ZERO);
    let queue = orders_with(builder, &proxy.url()).await;
    let ticket = queue.offer(&"precious".to_owned(), LONG).await.unwrap();
    assert!(!queue.pending().remove(&"other".to_owned()).await.unwrap());
    proxy.cut_after_request(b"precious", 1);
    let error = queue.cancel(&ticket).await.unwrap_err();
    let Error::Lost { step, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(step, Step::Cancel);
    assert!(error.may_have_changed_redis());
}

/// An attempt to offer that comes late must not bring back what was removed by its value.
#[tokio::test]
async fn an_element_that_is_sifted_out_is_not_brought_back_by_a_retry_in_flight() {
    for retain in [false, true] {
        let redis = RedisServer::start().await;
        let proxy = Proxy::start(redis.port()).await;
        let queue = loaded(&proxy).await;
        let other = orders(&redis.url()).await;
        let precious = "precious".to_owned();
        proxy.cut_after_request(b"precious", 1);
        let removal = async {
            eventually(SOON, "the offer is applied", async || {
                let removed = if retain {
                    other.pending().retain_all(&strings(["other"])).await
                } else {
                    other
                        .pending()
                        .remove_all(std::slice::from_ref(&precious))
                        .await
                };
                removed.unwrap() == 1
            })
            .await;
        };
        let (offered, ()) = tokio::join!(queue.offer(&precious, LONG), removal);
        offered.unwrap();
        assert_eq!(proxy.lost_replies(), 1);
        assert!(scheduled(&redis).await.is_empty());
    }
}

/// What was removed before the fault is not forgotten: the caller hears how many.
#[tokio::test]
async fn a_removal_of_many_that_stops_halfway_says_how_many_it_removed() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = loaded(&proxy).await;
    let values = vec!["equal"; 1_200];
    let members = members_of(&values);
    schedule(&redis, &members).await;
    for sifting in [true, false] {
        let gate = proxy.hold_reply_to(b"rdq1_settled");
        let removing = tokio::spawn({
            let (queue, tickets) = (queue.clone(), tickets_of(&members));
            async move {
                if sifting {
                    queue.pending().remove_all(&strings(["equal"])).await
                } else {
                    queue.cancel_all(tickets).await
                }
            }
        });
        gate.reached().await;
        let left = scheduled(&redis).await.len();
        let mut connection = redis.connection().await;
        let () = connection
            .set(keys().settled(), "something else")
            .await
            .unwrap();
        gate.release();
        let error = removing.await.unwrap().unwrap_err();
        assert!(error.may_have_changed_redis());
        let Error::Unfinished {
            done: removed,
            source,
            ..
        } = error
        else {
            panic!("{error:?}");
        };
        assert!(matches!(*source, Error::WrongType { .. }), "{source:?}");
        // The first page is short. Tickets are cancelled from the oldest on, which the first run has
        // left.
        assert_eq!(scheduled(&redis).await.len(), left);
        if sifting {
            assert_eq!((removed, left), (4, 1_196));
        } else {
            assert_eq!((removed, left), (500, 696));
        }
        let () = connection.del(keys().settled()).await.unwrap();
    }
    assert_eq!(
        queue
            .pending()
            .remove_all(&strings(["equal"]))
            .await
            .unwrap(),
        696
    );
}

/// A caller that gives up leaves some of them, in both keys or in none.
#[tokio::test]
async fn a_dropped_removal_of_many_leaves_each_element_in_both_keys_or_in_none() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let values: Vec<String> = (0..3_000).map(|i| (i % 10).to_string()).collect();
    let members = members_of(&values);
    schedule(&redis, &members).await;
    let tickets = tickets_of(&members);
    for i in 0..40 {
        let patience = Duration::from_micros(i * 50);
        let some = strings(["1", "2"]);
        let _ = tokio::time::timeout(patience, queue.pending().remove_all(&some)).await;
        let kept = strings(["3", "4", "5"]);
        let _ = tokio::time::timeout(patience, queue.pending().retain_all(&kept)).await;
        let _ = tokio::time::timeout(patience, queue.cancel_all(&tickets[..600])).await;
        scheduled(&redis).await;
    }
    queue.cancel_all(&tickets).await.unwrap();
    assert!(scheduled(&redis).await.is_empty());
}

/// A queue whose client moves nothing and has loaded the scripts, whose text contains names of keys.
async fn loaded(proxy: &Proxy) -> DelayedQueue<String> {
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    let value = "warm".to_owned();
    for _ in 0..2 {
        queue.offer(&value, LONG).await.unwrap();
    }
    assert!(queue.pending().remove(&value).await.unwrap());
    let values = std::slice::from_ref(&value);
    assert_eq!(queue.pending().remove_all(values).await.unwrap(), 1);
    queue
}
