//! Errors and events about queues with a mapped name.

use std::time::{SystemTime, UNIX_EPOCH};

use redisson_delayed_queue::{Event, Events};
use tokio::time::timeout;

use super::*;
use crate::fixture::{expiring, server_ms};
use crate::support::{Proxy, eventually};

/// A key is what it is in Redis, where somebody must look for it.
#[tokio::test]
async fn a_key_of_another_type_is_named_by_its_key_on_the_queue_of_the_user() {
    let redis = RedisServer::start().await;
    let client = client_with(prefixed(), &redis.url()).await;
    let queue = orders(&client);
    let () = redis
        .connection()
        .await
        .set("shop:orders", "text")
        .await
        .unwrap();
    let plain = queue.destination().len().await;
    let script = queue.destination().retain_all(&[]).await;
    let taken = queue.take().await;
    for error in [plain.unwrap_err(), script.unwrap_err(), taken.unwrap_err()] {
        let Error::WrongType {
            queue: on, detail, ..
        } = &error
        else {
            panic!("{error:?}");
        };
        assert_eq!(on.as_deref(), Some("orders"));
        assert!(detail.contains("shop:orders"), "{detail}");
    }
}

#[tokio::test]
async fn names_that_share_keys_and_lost_replies_show_the_name_that_the_user_gave() {
    struct Braces;
    impl NameMapper for Braces {
        fn map(&self, name: &str) -> String {
            name.replace("plain", "shop").replace("braced", "{shop}")
        }

        fn unmap(&self, mapped: &str) -> String {
            mapped.replace("{shop}", "braced").replace("shop", "plain")
        }
    }
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let client = client_with(Client::builder().name_mapper(Braces), &redis.url()).await;
    let shared = open(&client, "plain").object().rename("braced").await;
    let Err(Error::Name(NameError::SharesKeys { name })) = shared else {
        panic!("{shared:?}");
    };
    assert_eq!(name, "braced");

    let impatient = prefixed()
        .transfer(false)
        .response_timeout(Duration::from_millis(100))
        .retry_window(Duration::ZERO);
    let client = client_with(impatient, &proxy.url()).await;
    let queue = orders(&client);
    queue.pending().len().await.unwrap();
    proxy.hold_replies(true);
    let offered = queue.offer(&"a".to_owned(), Duration::ZERO).await;
    let Err(Error::OutcomeUnknown { queue: on, .. }) = offered else {
        panic!("{offered:?}");
    };
    assert_eq!(on.as_deref(), Some("orders"));
}

#[tokio::test]
async fn every_event_of_a_queue_shows_the_name_that_the_user_gave() {
    let redis = RedisServer::start().await;
    let keys = mapped("orders");
    let mut connection = redis.connection().await;
    // It is no member.
    let () = connection.zadd(keys.timeouts(), "none", 1).await.unwrap();
    let client = client_with(prefixed(), &redis.url()).await;
    let mut events = client.events();
    let queue = orders(&client);
    let quarantined = |event: &Event| match event {
        Event::Quarantined { queue, .. } => Some(queue.clone()),
        _ => None,
    };
    assert_eq!(name_in(&mut events, quarantined).await, "orders");

    queue.pause().await.unwrap();
    let soon = SystemTime::now() + Duration::from_millis(100);
    let expires = expiring(Duration::ZERO, soon);
    queue.offer_with(&"a".to_owned(), expires).await.unwrap();
    let soon = soon.duration_since(UNIX_EPOCH).unwrap().as_millis() as i64;
    eventually(SOON, "the element expires", async || {
        server_ms(&redis).await > soon
    })
    .await;
    queue.resume().await.unwrap();
    let expired = |event: &Event| match event {
        Event::Expired { queue, .. } => Some(queue.clone()),
        _ => None,
    };
    assert_eq!(name_in(&mut events, expired).await, "orders");

    let () = connection.del(keys.timeouts()).await.unwrap();
    let () = connection.set(keys.timeouts(), "text").await.unwrap();
    let failed = |event: &Event| match event {
        Event::TransferFailed { queue, .. } => Some(queue.clone()),
        _ => None,
    };
    assert_eq!(name_in(&mut events, failed).await, "orders");
    let () = connection.del(keys.timeouts()).await.unwrap();
    let resumed = |event: &Event| match event {
        Event::TransferResumed { queue, .. } => Some(queue.clone()),
        _ => None,
    };
    assert_eq!(name_in(&mut events, resumed).await, "orders");
}

/// A key of another type at the place of the target queue refuses every claim.
#[tokio::test]
async fn consumers_that_wait_are_reported_under_the_name_that_the_user_gave() {
    let redis = RedisServer::start().await;
    let mut connection = redis.connection().await;
    let () = connection.set("shop:orders", "text").await.unwrap();
    let client = client_with(prefixed().transfer(false), &redis.url()).await;
    let mut events = client.events();
    let queue = orders(&client);
    assert!(queue.take().await.is_err());
    let degraded = |event: &Event| match event {
        Event::Degraded { queue, .. } => queue.clone(),
        _ => None,
    };
    assert_eq!(name_in(&mut events, degraded).await, "orders");
    let () = connection.del("shop:orders").await.unwrap();
    queue.destination().offer(&"a".to_owned()).await.unwrap();
    assert_eq!(queue.take().await.unwrap(), "a");
    let recovered = |event: &Event| match event {
        Event::Recovered { queue, .. } => queue.clone(),
        _ => None,
    };
    assert_eq!(name_in(&mut events, recovered).await, "orders");
}

#[cfg(feature = "periodic")]
#[tokio::test]
async fn every_event_of_a_periodic_offer_shows_the_name_that_the_user_gave() {
    let redis = RedisServer::start().await;
    let keys = mapped("orders");
    let mut connection = redis.connection().await;
    let () = connection.hset(keys.periodic(), "bad", "?").await.unwrap();
    let () = connection
        .zadd(keys.periodic_due(), "bad", 1_000)
        .await
        .unwrap();
    let client = client_with(prefixed(), &redis.url()).await;
    let mut events = client.events();
    let _queue = orders(&client);
    let unreadable = |event: &Event| match event {
        Event::ScheduleUnreadable { queue, .. } => Some(queue.clone()),
        _ => None,
    };
    assert_eq!(name_in(&mut events, unreadable).await, "orders");
    let () = connection.del(keys.periodic()).await.unwrap();
    let () = connection.set(keys.periodic(), "text").await.unwrap();
    let failed = |event: &Event| match event {
        Event::ScheduleFailed { queue, .. } => Some(queue.clone()),
        _ => None,
    };
    assert_eq!(name_in(&mut events, failed).await, "orders");
}

#[tokio::test]
async fn a_refused_subscription_shows_the_name_that_the_user_gave() {
    let redis = RedisServer::start().await;
    let url = service(&redis, &["~*", "resetchannels", "+@all"]).await;
    let client = client_with(prefixed(), &url).await;
    let mut events = client.events();
    let _queue = orders(&client);
    let refused = |event: &Event| match event {
        Event::SubscriptionRefused { queue, .. } => Some(queue.clone()),
        _ => None,
    };
    assert_eq!(name_in(&mut events, refused).await, "orders");
}

/// The queue of the first event that `wanted` knows.
async fn name_in(events: &mut Events, wanted: impl Fn(&Event) -> Option<String>) -> String {
    let search = async {
        loop {
            let event = events.next().await.expect("the client goes on");
            if let Some(name) = wanted(&event) {
                return name;
            }
        }
    };
    let found = timeout(SOON, search).await;
    found.expect("it is reported")
}
