//! A key of the queue that somebody uses for something else.

use futures::future::join_all;

use super::*;

/// [A10] Redisson stalls and retries every five seconds; so must we, but tell, and move nothing twice.
#[tokio::test]
async fn a_key_of_another_type_stops_the_transfer_whole_until_it_is_gone() {
    let keys = keys();
    // No transfer touches the settled ids, nor deliveries while no lease has run out.
    let untouched = [keys.settled(), keys.deliveries()];
    for key in all_keys(&keys)
        .into_iter()
        .filter(|key| !untouched.contains(key))
    {
        let redis = RedisServer::start().await;
        let mut connection = redis.connection().await;
        let members = [
            (&b"\x01i\x01\0\0\0\0\0\0\0a"[..], 1_000.0),
            (&b"\x01no member"[..], 2_000.0),
            (&b"\x01i\x01\0\0\0\0\0\0\0b"[..], 3_000.0),
        ];
        schedule(&redis, &members).await;
        let () = connection.del(key).await.unwrap();
        let () = connection.set(key, "something else").await.unwrap();
        let before = snapshot(&redis).await;

        let client = looking_often().connect(redis.url()).await.unwrap();
        let mut events = client.events();
        let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
        let Event::TransferFailed {
            queue: name, error, ..
        } = next_event(&mut events).await
        else {
            panic!("the transfer fails first");
        };
        assert_eq!(name, "orders");
        assert_wrong_type(&error, Step::Transfer, key);
        looked(&redis, 20).await;
        assert_eq!(snapshot(&redis).await, before, "{key}");
        let told = all_events(&mut events);
        assert!(told.is_empty(), "told once, and then {told:?}");

        let () = connection.del(key).await.unwrap();
        if key == keys.timeouts() {
            let () = connection.del(keys.ordering()).await.unwrap();
            schedule(&redis, &members).await;
        }
        assert_eq!(take_all(&queue, 2).await.unwrap(), ["a", "b"]);
        looked(&redis, 10).await;
        assert_eq!(queue.try_take().await.unwrap(), None);
        eventually(SOON, "nothing is left", async || {
            Contents::of(&redis).await.is_empty()
        })
        .await;
        assert_eq!(Contents::of(&redis).await.quarantine.len(), 1);
        let told = all_events(&mut events);
        assert!(
            matches!(
                told[..],
                [Event::TransferResumed { .. }, Event::Quarantined { .. }]
            ),
            "{told:?}"
        );
    }
}

/// Whatever key it is: no call waits for ever, or writes over what is there.
#[tokio::test]
async fn every_call_that_needs_a_key_of_another_type_names_it_and_leaves_it_alone() {
    let keys = keys();
    // Calls write a clock of their own over what is there.
    for (key, _) in keys.types().filter(|it| it.0 != keys.clock()) {
        join_all(LISTINGS.map(|listing| assert_named(key, listing))).await;
    }
}

async fn assert_named(key: &str, listing: Listing) {
    let redis = RedisServer::start().await;
    let client = client_with(Client::builder().transfer(false), &redis.url()).await;
    let handles = Handles::new(&client, listing, "orders").occupy(key);
    let made = timeout(SOON * 3, handles.every_call_about_elements()).await;
    let made = made.unwrap_or_else(|_| panic!("a call waits for {key}"));
    for (call, result) in made {
        let Err(error) = result else {
            continue;
        };
        let is_named = error.to_string().contains(&format!("key {key}"));
        let is_wrong_type = matches!(error, Error::WrongType { .. });
        assert!(is_named && is_wrong_type, "{call}: {error:?}");
    }
}

/// [A10] Offering needs the target's name only, so a producer is not stopped by what stands there.
#[tokio::test]
async fn an_offer_stands_while_the_target_holds_another_type() {
    let redis = RedisServer::start().await;
    let mut connection = redis.connection().await;
    let () = connection.set("orders", "something else").await.unwrap();
    let queue = orders_with(looking_often(), &redis.url()).await;
    let ticket = queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    looked(&redis, 20).await;
    let member = ticket.as_bytes().to_vec();
    let ordering: Vec<Vec<u8>> = connection.lrange(keys().ordering(), 0, -1).await.unwrap();
    assert_eq!(ordering, std::slice::from_ref(&member));
    let timeouts: Vec<Vec<u8>> = connection.zrange(keys().timeouts(), 0, -1).await.unwrap();
    assert_eq!(timeouts, [member]);
    let held: String = connection.get("orders").await.unwrap();
    assert_eq!(held, "something else");

    let () = connection.del("orders").await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

/// [A10] A consumer that waits is told, and the next call waits for the cause to pass.
#[tokio::test]
async fn a_waiting_take_is_told_that_the_target_holds_another_type() {
    let redis = RedisServer::start().await;
    let mut connection = redis.connection().await;
    let queue = orders(&redis.url()).await;
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { queue.take().await }
    });
    eventually(SOON, "the consumer has looked", async || {
        redis.command_count(&["lrange"]).await > 0
    })
    .await;
    let () = connection.set("orders", "something else").await.unwrap();
    let error = timeout(SOON, waiting).await.unwrap().unwrap().unwrap_err();
    assert_wrong_type(&error, Step::Claim, "orders");

    let () = connection.del("orders").await.unwrap();
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

/// Whoever reads the message must know which key to look at.
#[track_caller]
fn assert_wrong_type(error: &Error, during: Step, key: &str) {
    assert!(
        matches!(error, Error::WrongType { step, .. } if *step == during),
        "{error:?}"
    );
    assert_harmless(error);
    assert!(error.to_string().contains(key), "{key} is not in: {error}");
}

/// Every key that a script touches.
fn all_keys(keys: &QueueKeys) -> [&str; 7] {
    [
        keys.target(),
        keys.deliveries(),
        keys.ordering(),
        keys.timeouts(),
        keys.leases(),
        keys.quarantine(),
        keys.settled(),
    ]
}

/// A round without callers works, and says nothing about the claims that fail.
#[tokio::test]
async fn only_what_failed_says_that_it_works_again() {
    let redis = RedisServer::start().await;
    let client = client_with(Client::builder().transfer(false), &redis.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let consumer = queue.consumer().build().unwrap();
    let mut connection = redis.connection().await;
    let () = connection
        .set(keys().retries(), "something else")
        .await
        .unwrap();
    for _ in 0..8 {
        let error = consumer.recv().await.unwrap_err();
        assert_wrong_type(&error, Step::Claim, keys().retries());
    }
    let told = all_events(&mut events);
    assert!(matches!(told[..], [Event::Degraded { .. }]), "{told:?}");
    let () = connection.del(keys().retries()).await.unwrap();
    push(&redis, &["a"]).await;
    let delivery = consumer.poll(SOON).await.unwrap().expect("it is due");
    delivery.ack().await.unwrap();
    let told = all_events(&mut events);
    assert!(matches!(told[..], [Event::Recovered { .. }]), "{told:?}");
}
