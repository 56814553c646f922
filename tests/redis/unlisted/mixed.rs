//! Queues in which some elements are listed and some are not, as while one is changed over.

use super::*;

/// Asserts that the ordering list holds what is in the timeout set, and nothing that is unlisted.
async fn assert_lists_nothing_else(redis: &RedisServer) {
    let contents = Contents::of(redis).await;
    for member in &contents.ordering {
        assert_eq!(member[0], 16, "{member:x?}");
        assert!(contents.timeouts.iter().any(|it| it.0 == *member));
    }
    let listed = contents.timeouts.iter().filter(|it| it.0[0] == 16);
    assert_eq!(listed.count(), contents.ordering.len());
}

/// What such a call has placed is found without a search, until it has left in whatever way.
#[tokio::test]
async fn a_replacement_knows_what_the_last_has_placed_until_that_is_gone() {
    let redis = RedisServer::start().await;
    // Only its own calls send scripts.
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let queue = queue.with_listing(Listing::Unlisted);
    let a = "a".to_owned();
    let fillers = (0..3_000).map(|i| (format!("filler {i}"), LONG));
    queue.offer_all(fillers).await.unwrap();
    queue.offer_with(&a, replacing(LONG * 2)).await.unwrap();
    for _ in 0..3 {
        let before = redis.command_count(&["evalsha"]).await;
        let placed = queue.offer_with(&a, replacing(LONG * 2)).await.unwrap();
        assert_eq!(placed.outcome, Outcome::Replaced, "{placed:?}");
        assert_eq!(redis.command_count(&["evalsha"]).await, before + 1);
    }
    assert!(queue.pending().remove(&a).await.unwrap());
    let _mover = orders_with(Client::builder(), &redis.url()).await;
    let placed = queue
        .offer_with(&a, replacing(Duration::ZERO))
        .await
        .unwrap();
    assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
    let placed = queue.offer_with(&a, replacing(LONG)).await.unwrap();
    assert_eq!(placed.outcome, Outcome::Added, "{placed:?}");
    queue.pending().clear().await.unwrap();
    queue.offer(&a, LONG).await.unwrap();
    let placed = queue.offer_with(&a, replacing(LONG)).await.unwrap();
    assert_eq!(placed.outcome, Outcome::Replaced, "{placed:?}");
    assert_eq!(queue.pending().len().await.unwrap(), 1);
}

/// While a queue is changed over, all of its members leave both keys, also when they are taken out by the other
/// kind of handle.
#[tokio::test]
async fn what_one_kind_of_handle_offered_the_other_takes_out_of_both_keys() {
    let redis = RedisServer::start().await;
    let unlisted = unlisted(Client::builder(), &redis).await;
    let listed = unlisted.clone().with_listing(Listing::Listed);
    let mut tickets = Vec::new();
    for i in 0..40 {
        let queue = if i % 2 == 0 { &listed } else { &unlisted };
        let delay = LONG + Duration::from_secs(i * 7 % 40);
        tickets.push(queue.offer(&(i % 20).to_string(), delay).await.unwrap());
    }
    let mut left = 40;
    for (i, ticket) in tickets.iter().enumerate() {
        let other = if i % 2 == 0 { &unlisted } else { &listed };
        match i % 5 {
            0 => left -= usize::from(other.cancel(ticket).await.unwrap()),
            1 => left -= other.cancel_all([ticket]).await.unwrap(),
            2 => {
                left -= usize::from(
                    unlisted
                        .pending()
                        .remove(&(i % 20).to_string())
                        .await
                        .unwrap(),
                )
            }
            3 => assert!(other.reschedule(ticket, LONG).await.is_ok()),
            _ => left -= unlisted.pending().poll_many(2).await.unwrap().len(),
        }
        assert_lists_nothing_else(&redis).await;
        assert_eq!(unlisted.pending().len().await.unwrap(), left);
    }
    left -= unlisted
        .pending()
        .retain_all(&["none".to_owned()])
        .await
        .unwrap();
    assert_eq!(left, 0);
    assert!(Contents::of(&redis).await.is_empty());
}
