//! Queues whose names differ only by braces: they share all keys but the target.

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, Event, NameMapper};

use crate::fixture::{all_events, client_with, next_event};
use crate::support::RedisServer;

/// [G1] Java mixes their elements up without a word.
#[tokio::test]
async fn two_names_with_the_same_keys_are_reported_when_the_second_is_opened() {
    let redis = RedisServer::start().await;
    for (first, second) in [("orders", "{orders}"), ("{orders}", "orders")] {
        let client = client_with(Client::builder(), &redis.url()).await;
        let mut events = client.events();
        let open = |name| client.delayed_queue(name, StringCodec).unwrap();
        let _first = open(first);
        let _other = open("{orders}:paid");
        let _again = open(first);
        assert!(all_events(&mut events).is_empty());
        let _second = open(second);
        let event = next_event(&mut events).await;
        let Event::SharedKeys { queue, other, .. } = &event else {
            panic!("{event:?}");
        };
        assert_eq!((queue.as_str(), other.as_str()), (second, first));
        // Once: it is open already.
        let _again = open(second);
        assert!(all_events(&mut events).is_empty());
    }
}

#[tokio::test]
async fn a_name_that_is_no_longer_open_is_not_reported() {
    let redis = RedisServer::start().await;
    let client = client_with(Client::builder(), &redis.url()).await;
    let mut events = client.events();
    drop(client.delayed_queue("orders", StringCodec).unwrap());
    let _braced = client.delayed_queue("{orders}", StringCodec).unwrap();
    assert!(all_events(&mut events).is_empty());
}

#[tokio::test]
async fn shared_keys_are_reported_by_the_names_that_the_user_gave() {
    let redis = RedisServer::start().await;
    let mapped = Client::builder().name_mapper(Surrounding);
    let client = client_with(mapped, &redis.url()).await;
    let mut events = client.events();
    let _bare = client.delayed_queue("bare", StringCodec).unwrap();
    let _braced = client.delayed_queue("braced", StringCodec).unwrap();
    let event = next_event(&mut events).await;
    let Event::SharedKeys { queue, other, .. } = &event else {
        panic!("{event:?}");
    };
    assert_eq!((queue.as_str(), other.as_str()), ("braced", "bare"));
}

/// Maps two names to twins.
struct Surrounding;

impl NameMapper for Surrounding {
    fn map(&self, name: &str) -> String {
        name.replace("bare", "shop").replace("braced", "{shop}")
    }

    fn unmap(&self, mapped: &str) -> String {
        mapped.replace("{shop}", "braced").replace("shop", "bare")
    }
}
