//! Offers of which one at most is pending in the whole queue, whoever offered it.

use futures::future::join_all;

use super::*;

/// As Java writes its members, in both layouts.
const JAVA: &[u8] = b"\x08randomId\x01\0\0\0\0\0\0\0a";
const OLD_JAVA: &[u8] = b"\x3f\xe0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0a";

/// In a short queue and in one that is searched page by page.
#[tokio::test]
async fn an_equal_element_of_anybody_is_kept() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let a = "a".to_owned();
    for fillers in [0, 2_500] {
        for java in [JAVA, OLD_JAVA] {
            for queue in both(&queue) {
                queue.pending().clear().await.unwrap();
                let filler = |i: u32| (format!("filler {i}"), LONG);
                queue.offer_all((0..fillers).map(filler)).await.unwrap();
                schedule(&redis, &[(java, 4e12)]).await;
                queue.offer_all((0..fillers).map(filler)).await.unwrap();
                let before = Contents::of(&redis).await;
                for _ in 0..2 {
                    let kept = queue.offer_with(&a, keeping()).await.unwrap();
                    assert_eq!(kept.outcome, Outcome::Kept);
                    assert_eq!(kept.ticket.as_bytes(), java);
                    assert_eq!(Contents::of(&redis).await, before);
                }
                let other = queue.offer_with(&"b".to_owned(), keeping()).await;
                assert_eq!(other.unwrap().outcome, Outcome::Added);
            }
        }
    }
}

/// Also that of every other kind of offer of this crate.
#[tokio::test]
async fn an_equal_element_of_any_offer_is_kept() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let expires_at = SystemTime::now() + LONG * 9;
    for combination in Combination::all(expires_at) {
        let queue = queue.clone().with_listing(combination.listing);
        queue.pending().clear().await.unwrap();
        let a = "a".to_owned();
        let pending = queue.offer_with(&a, combination.offer(LONG)).await;
        let pending = pending.unwrap();
        let again = queue.offer_with(&a, keeping()).await.unwrap();
        assert_eq!(again, kept(&pending), "{combination:?}");
    }
}

/// What was found once is found again without a search.
#[tokio::test]
async fn an_unlisted_handle_searches_once_for_what_it_keeps() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await.with_listing(Listing::Unlisted);
    let a = "a".to_owned();
    queue.offer_with(&a, keeping()).await.unwrap();
    queue.pending().clear().await.unwrap();
    let fillers = (0..2_500).map(|i| (format!("filler {i}"), LONG));
    queue.offer_all(fillers).await.unwrap();
    schedule(&redis, &[(JAVA, 4e12)]).await;
    queue.offer_with(&a, keeping()).await.unwrap();
    for if_pending in [Keep, Replace, Keep] {
        let before = redis.command_count(&["evalsha"]).await;
        let offer = keeping().if_pending(if_pending);
        queue.offer_with(&a, offer).await.unwrap();
        let scripts = redis.command_count(&["evalsha"]).await - before;
        assert_eq!(scripts, 1, "{if_pending:?}");
    }
    // Somebody else takes it out: then the next call looks for another.
    let ticket = queue.offer_with(&a, keeping()).await.unwrap().ticket;
    queue.cancel(&ticket).await.unwrap();
    let plain = queue.offer(&a, LONG).await.unwrap();
    let found = queue.offer_with(&a, keeping()).await.unwrap();
    assert_eq!((found.outcome, found.ticket), (Outcome::Kept, plain));
}

/// An entry that is listed and not scheduled, as old versions of Redisson left some, never comes.
#[tokio::test]
async fn a_ghost_in_the_ordering_list_is_not_kept() {
    let redis = RedisServer::start().await;
    let queue = offering(&redis).await;
    let mut connection = redis.connection().await;
    for fillers in [0, 1_500] {
        queue.pending().clear().await.unwrap();
        let ghosts = [JAVA, OLD_JAVA];
        let () = connection.rpush(keys().ordering(), &ghosts).await.unwrap();
        let fillers = (0..fillers).map(|i| (format!("filler {i}"), LONG));
        let fillers = queue.offer_all(fillers).await.unwrap();
        let added = queue.offer_with(&"a".to_owned(), keeping()).await.unwrap();
        assert_eq!(added.outcome, Outcome::Added);
        let contents = Contents::of(&redis).await;
        assert_eq!(contents.ordering.len(), fillers.len() + 1);
        assert_eq!(contents.timeouts.len(), fillers.len() + 1);
        let last = contents.ordering.last().unwrap();
        assert_eq!(last, added.ticket.as_bytes());
    }
}

/// One at most, however many ask at once, and all are told of the same one.
#[tokio::test]
async fn many_that_keep_at_once_leave_one_element_pending() {
    let redis = RedisServer::start().await;
    let url = redis.url();
    let queues = join_all((0..6).map(|_| orders_with(Client::builder().transfer(false), &url)));
    let queues = queues.await;
    for listing in [Listing::Listed, Listing::Unlisted] {
        for others in [0, 1_500] {
            queues[0].pending().clear().await.unwrap();
            let fillers = (0..others).map(|i| (format!("filler {i}"), LONG));
            queues[0].offer_all(fillers).await.unwrap();
            let a = "a".to_owned();
            let calls = queues.iter().map(async |queue| {
                let queue = queue.clone().with_listing(listing);
                queue.offer_with(&a, keeping()).await.unwrap()
            });
            let offered = join_all(calls).await;
            let added = offered.iter().filter(|it| it.outcome == Outcome::Added);
            assert_eq!(added.count(), 1, "{offered:?}");
            assert!(offered.iter().all(|it| it.ticket == offered[0].ticket));
            let contents = Contents::of(&redis).await;
            assert_eq!(contents.timeouts.len(), others + 1);
        }
    }
}

fn keeping() -> Offer {
    Offer::after(LONG).unique_in_queue()
}
