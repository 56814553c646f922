//! Many elements in one call.

use super::*;

/// The number tells the caller how many will not come any more.
#[tokio::test]
async fn cancel_all_removes_what_its_tickets_name_and_counts_what_was_scheduled() {
    let redis = RedisServer::start().await;
    let values: Vec<String> = (0..1_300).map(|i| i.to_string()).collect();
    let members = members_of(&values);
    schedule(&redis, &members).await;
    let queue = orders(&redis.url()).await;
    let tickets = tickets_of(&members);
    assert!(queue.cancel(&tickets[40]).await.unwrap());

    // Every second, one of them gone before, all of them named twice, and one that never was.
    let mut named: Vec<&Ticket> = tickets.iter().step_by(2).collect();
    named.extend(named.clone());
    let foreign = Ticket::from_bytes(pack(&MemberId::from(*b"nowhere!"), b"0")).unwrap();
    named.push(&foreign);
    assert_eq!(queue.cancel_all(named.clone()).await.unwrap(), 649);
    assert_eq!(queue.cancel_all(named).await.unwrap(), 0);
    let left: Vec<Vec<u8>> = members
        .iter()
        .skip(1)
        .step_by(2)
        .map(|it| it.0.to_vec())
        .collect();
    assert!(scheduled(&redis).await == left);
}

/// A call about nothing costs nothing; all calls of Redis are counted, also those in scripts.
#[tokio::test]
async fn calls_about_nothing_ask_nothing_of_redis() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    queue.offer(&"a".to_owned(), LONG).await.unwrap();
    let commands = ["llen", "lrange", "evalsha", "zrem"];
    let before = redis.command_count(&commands).await;
    assert_eq!(queue.cancel_all([] as [Ticket; 0]).await.unwrap(), 0);
    assert_eq!(queue.pending().remove_all(&[]).await.unwrap(), 0);
    assert!(queue.pending().contains_all(&[]).await.unwrap());
    assert_eq!(redis.command_count(&commands).await, before);
    assert_eq!(queue.pending().len().await.unwrap(), 1);
}

/// [E2] One script for everything would block Redis for seconds.
#[tokio::test]
async fn the_longer_the_queue_the_fewer_elements_a_script_removes() {
    let redis = RedisServer::start().await;
    let values: Vec<String> = (0..40_000).map(|i| i.to_string()).collect();
    let members = members_of(&values);
    for part in members.chunks(10_000) {
        schedule(&redis, part).await;
    }
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let tickets = tickets_of(&members);
    let middle = &tickets[20_000..20_120];
    assert!(queue.cancel(&tickets[0]).await.unwrap());
    let before = redis.command_count(&["evalsha"]).await;
    assert_eq!(queue.cancel_all(middle).await.unwrap(), 120);
    // 2,000,000 / 40,000 each.
    let scripts = redis.command_count(&["evalsha"]).await - before;
    assert_eq!(scripts, 3);
    assert_eq!(scheduled(&redis).await.len(), 40_000 - 121);
}

/// [F10] As `RDelayedQueue.removeAll(c)`: all that are equal, not the first only; and nothing else.
#[tokio::test]
async fn remove_all_removes_every_equal_element_and_leaves_what_is_no_element() {
    let redis = RedisServer::start().await;
    let values: Vec<String> = (0..2_500).map(|i| (i % 10).to_string()).collect();
    let mut members = members_of(&values);
    for place in [0, 700, 2_400] {
        members.insert(place, (Bytes::from(format!("no member {place}")), 8e15));
    }
    schedule(&redis, &members).await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;

    assert_eq!(
        queue
            .pending()
            .remove_all(&strings(["x", ""]))
            .await
            .unwrap(),
        0
    );
    let gone = strings(["3", "7", "x"]);
    assert_eq!(queue.pending().remove_all(&gone).await.unwrap(), 500);
    assert_eq!(queue.pending().remove_all(&gone).await.unwrap(), 0);
    let left: Vec<Vec<u8>> = members
        .iter()
        .filter(|(member, _)| !member.ends_with(b"\x003") && !member.ends_with(b"\x007"))
        .map(|(member, _)| member.to_vec())
        .collect();
    assert_eq!(left.len(), 2_003);
    assert!(scheduled(&redis).await == left);
}

/// [F1] In Redisson what was not retained is delivered all the same.
#[tokio::test]
async fn what_retain_all_does_not_retain_is_never_delivered() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    for value in ["a", "b", "a", "c"] {
        queue
            .offer(&value.to_owned(), Duration::ZERO)
            .await
            .unwrap();
    }
    assert_eq!(
        queue
            .pending()
            .retain_all(&strings(["a", "x"]))
            .await
            .unwrap(),
        2
    );
    assert_eq!(
        queue
            .pending()
            .retain_all(&strings(["a", "x"]))
            .await
            .unwrap(),
        0
    );
    assert_eq!(scheduled(&redis).await.len(), 2);
    let mover = orders(&redis.url()).await;
    assert_eq!(take_all(&mover, 2).await.unwrap(), ["a", "a"]);
    let more = mover.poll(Duration::from_millis(200)).await.unwrap();
    assert_eq!(more, None);
    assert!(Contents::of(&redis).await.is_empty());
}

/// Retaining a tenth of several pages: the rest leaves from both keys, in whatever order it is due.
#[tokio::test]
async fn retain_all_keeps_what_it_names_in_order_and_what_is_no_element() {
    let redis = RedisServer::start().await;
    let values: Vec<String> = (0..2_500).map(|i| (i % 10).to_string()).collect();
    let mut members = members_of(&values);
    members.insert(1_200, (Bytes::from_static(b"no member"), 8e15));
    schedule(&redis, &members).await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let kept = strings(["3"]);
    assert_eq!(queue.pending().retain_all(&kept).await.unwrap(), 2_250);
    let left = scheduled(&redis).await;
    assert_eq!(left.len(), 251);
    assert!(left.iter().any(|it| it == b"no member"));
    assert_eq!(queue.pending().read_all().await.unwrap(), vec!["3"; 250]);
}

/// As `RDelayedQueue.retainAll` of an empty collection.
#[tokio::test]
async fn retaining_nothing_clears_the_queue() {
    let redis = RedisServer::start().await;
    schedule(&redis, &members_of(&["a", "b", "c"])).await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    queue.destination().offer(&"due".to_owned()).await.unwrap();
    assert_eq!(queue.pending().retain_all(&[]).await.unwrap(), 3);
    assert!(scheduled(&redis).await.is_empty());
    assert_eq!(Contents::of(&redis).await.target, ["due"]);
    assert_eq!(queue.pending().retain_all(&[]).await.unwrap(), 0);
}

/// As `RDelayedQueue.containsAll`: each of them, in whatever number and on whatever page.
#[tokio::test]
async fn contains_all_is_true_only_if_each_is_there() {
    let redis = RedisServer::start().await;
    let values: Vec<String> = (0..2_500).map(|i| i.to_string()).collect();
    schedule(&redis, &members_of(&values)).await;
    let queue = orders(&redis.url()).await;
    assert!(queue.pending().contains_all(&values).await.unwrap());
    let some = strings(["2499", "0", "1200", "0"]);
    assert!(queue.pending().contains_all(&some).await.unwrap());
    let others = strings(["2499", "0", "2500"]);
    assert!(!queue.pending().contains_all(&others).await.unwrap());
    queue.pending().clear().await.unwrap();
    assert!(!queue.pending().contains_all(&some).await.unwrap());
    assert!(queue.pending().contains_all(&[]).await.unwrap());
}

/// Several callers at once remove and count each element once, among those who offer and take.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_that_remove_at_once_each_element_is_counted_by_one() {
    let redis = RedisServer::start().await;
    let values: Vec<String> = (0..3_000).map(|i| (i % 3).to_string()).collect();
    let members = members_of(&values);
    schedule(&redis, &members).await;
    let queue = orders(&redis.url()).await;
    let other = orders(&redis.url()).await;
    let tickets = tickets_of(&members);
    let (zeros, ones) = (strings(["0"]), strings(["1"]));
    let passing = async {
        for i in 0..300 {
            let delay = Duration::from_millis(i % 20);
            let value = format!("passes {i}");
            other.offer(&value, delay).await.unwrap();
        }
        take_all(&other, 300).await.unwrap().len()
    };
    let (pending, pending_of_other) = (queue.pending(), other.pending());
    let (a, b, c, d, passed) = tokio::join!(
        pending.remove_all(&zeros),
        pending_of_other.remove_all(&zeros),
        other.cancel_all(&tickets[1_500..]),
        pending.remove_all(&ones),
        passing,
    );
    let removed = a.unwrap() + b.unwrap() + c.unwrap() + d.unwrap();
    // What is left: the twos of the older half.
    assert_eq!((removed, passed), (2_500, 300));
    assert_eq!(queue.pending().read_all().await.unwrap(), vec!["2"; 500]);
    assert_eq!(scheduled(&redis).await.len(), 500);
}
