//! Where in the ordering list an element is, and where it was a moment before.

use super::*;
use crate::fixture::leave;
use crate::support::Monitor;

/// The id only says at which end to begin; one that misleads must not hide its element.
#[tokio::test]
async fn an_element_is_removed_wherever_it_stands_and_whatever_its_id_says() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let values: Vec<String> = (0..150).map(|i| i.to_string()).collect();
    let mut members = members_of(&values);
    // Newest first, so that each id of this crate misleads.
    members[..100].reverse();
    for place in [0, 75, 149] {
        members.insert(place, (Bytes::from(format!("\x10no member {place}")), 8e15));
    }
    schedule(&redis, &members).await;
    let mut tickets: Vec<Ticket> = members
        .iter()
        .filter_map(|(member, _)| Ticket::from_bytes(member.clone()).ok())
        .collect();
    assert_eq!(tickets.len(), 150);
    while !tickets.is_empty() {
        let ticket = tickets.swap_remove(rand::random_range(0..tickets.len()));
        assert!(queue.cancel(&ticket).await.unwrap(), "{ticket:?}");
        assert_eq!(scheduled(&redis).await.len(), tickets.len() + 3);
    }
}

/// [E1] A scan of everything costs 40 ms of Redis's time at a million.
#[tokio::test]
async fn an_element_that_this_crate_offered_is_searched_for_from_the_nearer_end() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let mut tickets = Vec::new();
    for i in 0..20 {
        tickets.push(queue.offer(&i.to_string(), LONG).await.unwrap());
        // Ids of one millisecond tell nothing.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let mut monitor = Monitor::start(&redis).await;
    for (place, count) in [(19, "-1"), (1, "1"), (14, "-1"), (3, "1")] {
        assert!(queue.cancel(&tickets[place]).await.unwrap());
        let commands = monitor.take().await;
        let expected = format!(r#""LREM" "{}" "{count}" "#, keys().ordering());
        assert!(
            commands.iter().any(|line| line.contains(&expected)),
            "{place}: {commands:?}"
        );
    }
    assert_eq!(scheduled(&redis).await.len(), 16);
}

/// Elements leave at the front between the reading of a page and the removal from it.
#[tokio::test]
async fn what_moves_up_after_it_was_read_is_removed_all_the_same() {
    // Within the slack, just beyond it, and further than the page is long.
    for leaving in [60, 150, 1_150] {
        for retain in [false, true] {
            let redis = RedisServer::start().await;
            let proxy = Proxy::start(redis.port()).await;
            let values: Vec<String> = (0..2_500).map(|i| (i % 5).to_string()).collect();
            schedule(&redis, &members_of(&values)).await;
            let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
            let gate = proxy.hold_reply_to(b"LRANGE");
            let removing = tokio::spawn({
                let queue = queue.clone();
                async move {
                    if retain {
                        queue
                            .pending()
                            .retain_all(&strings(["0", "1", "2", "3"]))
                            .await
                    } else {
                        queue.pending().remove_all(&strings(["4"])).await
                    }
                }
            });
            gate.reached().await;
            leave(&redis, leaving).await;
            gate.release();
            let removed = removing.await.unwrap().unwrap();
            assert_eq!(removed, (2_500 - leaving) / 5, "{leaving}");
            let left = scheduled(&redis).await;
            assert_eq!(left.len(), (2_500 - leaving) / 5 * 4);
            assert!(!left.iter().any(|member| member.ends_with(b"4")));
        }
    }
}

/// [C2] Redisson's offers used to leave a second entry of one member, a ghost in the list for ever.
#[tokio::test]
async fn the_ghost_of_an_element_is_removed_with_it() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let members = members_of(&["a", "b"]);
    schedule(&redis, &members).await;
    let mut connection = redis.connection().await;
    let ghost = members[0].0.to_vec();
    let () = connection.rpush(keys().ordering(), ghost).await.unwrap();
    assert_eq!(
        queue.pending().remove_all(&strings(["a"])).await.unwrap(),
        1
    );
    assert_eq!(scheduled(&redis).await, [members[1].0.to_vec()]);
}
