//! Names of queues that a mapper translates: which keys calls reach, and which names they show.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use redis::AsyncCommands;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::keys::{NameError, QueueKeys};
use redisson_delayed_queue::{
    BlockingQueue, Client, ClientBuilder, DelayedQueue, Error, Event, Listing, NameMapper,
    PrefixMapper, Selector, ShardTicket, Shards, Side,
};

use crate::calls::Handles;
use crate::fixture::{
    LONG, SOON, all_events, allow, client_with, looked, looking_often, service_url,
};
use crate::support::RedisServer;

mod shown;

/// The server refuses every key and every channel that is not a mapped one.
#[tokio::test]
async fn every_call_reaches_the_keys_of_the_mapped_name_and_no_others() {
    let redis = RedisServer::start().await;
    let mapped = ["~shop:*", "~*{shop:*}*", "&*:{shop:*}", "+@all"];
    let client = client_with(prefixed(), &service(&redis, &mapped).await).await;
    let mut events = client.events();
    let handles = Handles::new(&client, Listing::Listed, "shop:orders");
    for (call, result) in handles.every_call().await {
        if let Err(error) = result {
            panic!("{call}: {error:?}");
        }
    }
    looked(&redis, 3).await;
    let mut told = all_events(&mut events);
    told.retain(|it| !matches!(it, Event::DeadLettered { .. }));
    assert!(told.is_empty(), "{told:?}");
}

/// The server refuses every key, and the errors are for people who know no mapped name.
#[tokio::test]
async fn every_error_of_a_call_shows_the_name_that_the_user_gave() {
    let redis = RedisServer::start().await;
    let client = client_with(prefixed(), &service(&redis, &["&*", "+@all"]).await).await;
    let handles = Handles::new(&client, Listing::Listed, "shop:orders");
    for (call, result) in handles.every_call().await {
        let message = result.expect_err(call).to_string();
        let queues: &[&str] = match call {
            call if call.contains("sharded") => &["orders", "other"],
            _ => &["orders"],
        };
        let names_it = queues
            .iter()
            .any(|it| message.ends_with(&format!(" on queue {it}")));
        assert!(names_it, "{call}: {message}");
    }
}

#[tokio::test]
async fn calls_that_take_a_second_name_write_to_the_keys_of_its_mapped_name() {
    let redis = RedisServer::start().await;
    let client = client_with(prefixed().transfer(false), &redis.url()).await;
    let queue = orders(&client);
    let (due, pending, object) = (queue.destination(), queue.pending(), queue.object());
    let a = "a".to_owned();

    queue.offer(&a, LONG).await.unwrap();
    assert_keys(&redis, &[ordering("orders"), timeouts("orders")]).await;
    assert!(object.copy_to("other").await.unwrap());
    let copied = ["orders", "other"].map(|it| [ordering(it), timeouts(it)]);
    assert_keys(&redis, &copied.concat()).await;
    assert!(object.delete().await.unwrap());
    let others = [ordering("other"), timeouts("other")];
    assert_keys(&redis, &others).await;
    assert!(
        open(&client, "other")
            .object()
            .rename("orders")
            .await
            .unwrap()
    );
    assert_keys(&redis, &[ordering("orders"), timeouts("orders")]).await;

    let moved = pending.poll_last_and_offer_first_to("other").await.unwrap();
    assert_eq!(moved.as_ref(), Some(&a));
    assert_list(&redis, "shop:other").await;
    due.offer(&a).await.unwrap();
    let moved = due.take_last_and_offer_first_to("other").await.unwrap();
    assert_eq!(moved, a);
    assert_list(&redis, "shop:other").await;
    due.offer(&a).await.unwrap();
    let moved = due.poll_last_and_offer_first_to("other", SOON).await;
    assert_eq!(moved.unwrap().as_ref(), Some(&a));
    assert_list(&redis, "shop:other").await;
    due.offer(&a).await.unwrap();
    let moved = due.move_to("other", Side::First, Side::Last, 1).await;
    assert_eq!(moved.unwrap(), 1);
    assert_list(&redis, "shop:other").await;
    // A queue that is moved to itself is known by its mapped name, too.
    due.add_all([&a, &a]).await.unwrap();
    let moved = due.move_to("orders", Side::First, Side::Last, 9).await;
    assert_eq!(moved.unwrap(), 2);
}

#[tokio::test]
async fn handles_and_the_results_of_many_queues_show_the_names_that_the_user_gave() {
    let redis = RedisServer::start().await;
    let client = client_with(prefixed(), &redis.url()).await;
    let orders = orders(&client);
    let refunds: BlockingQueue<String> = client.blocking_queue("refunds", StringCodec).unwrap();
    assert_eq!((orders.name(), refunds.name()), ("orders", "refunds"));
    assert_eq!(orders.destination().name(), "orders");
    let selector = Selector::new([orders.clone().into(), refunds.clone()]);
    let shown = [
        format!("{orders:?}"),
        format!("{refunds:?}"),
        format!("{:?}", orders.pending()),
        format!("{:?}", orders.object()),
        format!("{:?}", orders.stream()),
        format!("{:?}", orders.pending().iter()),
        format!("{:?}", refunds.iter()),
        format!("{selector:?}"),
    ];
    for shown in shown {
        assert!(shown.contains("\"orders\"") || shown.contains("\"refunds\""));
        assert!(!shown.contains("shop:"), "{shown}");
    }

    let named = |value: &str| ("refunds".to_owned(), value.to_owned());
    let values = ["a", "b", "c", "d", "e"].map(str::to_owned);
    refunds.add_all(&values).await.unwrap();
    assert_eq!(selector.take().await.unwrap(), named("a"));
    let many = selector.take_many(1, SOON).await.unwrap();
    assert_eq!(many, [named("b")]);
    let target = orders.destination();
    let any = target.poll_from_any(["refunds"], SOON).await.unwrap();
    assert_eq!(any, Some(named("c")));
    let any = target.poll_last_from_any(["refunds"], SOON).await.unwrap();
    assert_eq!(any, Some(named("e")));
    let next = selector.stream().next().await.unwrap();
    assert_eq!(next.unwrap(), named("d"));
}

/// A ticket goes to other processes, which map the name of its shard themselves.
#[tokio::test]
async fn the_shards_of_a_queue_have_mapped_names_and_tickets_show_those_of_the_user() {
    let redis = RedisServer::start().await;
    let client = client_with(prefixed().transfer(false), &redis.url()).await;
    let shards = Shards::new(["north", "south"]).unwrap();
    let queue = client.sharded_queue(shards, StringCodec).unwrap();
    let a = "a".to_owned();
    let tickets = [
        queue.offer(&a, LONG).await.unwrap(),
        queue.offer(&a, LONG).await.unwrap(),
    ];
    let names: BTreeSet<&str> = tickets.iter().map(ShardTicket::queue).collect();
    assert_eq!(names, ["north", "south"].into());
    let keys = ["north", "south"].map(|it| [ordering(it), timeouts(it)]);
    assert_keys(&redis, &keys.concat()).await;
    for ticket in tickets {
        let sent: ShardTicket = ticket.to_string().parse().unwrap();
        assert!(queue.cancel(&sent).await.unwrap());
    }
}

/// Two services on one Redis, each with queues of the same names.
#[tokio::test]
async fn clients_with_different_mappers_share_no_queue_and_those_with_one_mapper_do() {
    let redis = RedisServer::start().await;
    let shared: Arc<dyn NameMapper> = Arc::new(PrefixMapper::new("shop:"));
    let builder = Client::builder().name_mapper(shared);
    let one = orders(&client_with(builder.clone(), &redis.url()).await);
    let same = orders(&client_with(builder, &redis.url()).await);
    let plain = Client::builder();
    let mapped = open(&client_with(plain, &redis.url()).await, "shop:orders");
    let other = Client::builder().name_mapper(PrefixMapper::new("bank:"));
    let other = orders(&client_with(other, &redis.url()).await);
    one.offer(&"a".to_owned(), LONG).await.unwrap();
    assert_eq!(same.pending().len().await.unwrap(), 1);
    assert_eq!(mapped.pending().len().await.unwrap(), 1);
    assert_eq!(other.pending().len().await.unwrap(), 0);
}

#[tokio::test]
async fn an_empty_name_is_refused_before_and_after_it_is_mapped() {
    struct Nothing;
    impl NameMapper for Nothing {
        fn map(&self, _name: &str) -> String {
            String::new()
        }

        fn unmap(&self, mapped: &str) -> String {
            mapped.to_owned()
        }
    }
    let redis = RedisServer::start().await;
    let prefixed = client_with(prefixed(), &redis.url()).await;
    let nothing = Client::builder().name_mapper(Nothing);
    let nothing = client_with(nothing, &redis.url()).await;
    for (client, name) in [(&prefixed, ""), (&nothing, "orders")] {
        let refused = client.delayed_queue::<String, _>(name, StringCodec);
        assert!(matches!(refused, Err(Error::Name(NameError::Empty))));
    }
    let renamed = orders(&prefixed).object().rename("").await;
    assert!(matches!(renamed, Err(Error::Name(NameError::Empty))));
}

/// Like a file system that does not tell upper from lower case.
#[tokio::test]
async fn names_with_one_result_are_one_queue_that_shows_the_unmapped_name() {
    struct LowerCase;
    impl NameMapper for LowerCase {
        fn map(&self, name: &str) -> String {
            name.to_lowercase()
        }

        fn unmap(&self, mapped: &str) -> String {
            mapped.to_owned()
        }
    }
    let redis = RedisServer::start().await;
    let builder = Client::builder().name_mapper(LowerCase);
    let client = client_with(builder, &redis.url()).await;
    let (upper, lower) = (open(&client, "Orders"), open(&client, "orders"));
    assert_eq!((upper.name(), lower.name()), ("orders", "orders"));
    upper.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(lower.take().await.unwrap(), "a");
}

#[tokio::test]
async fn a_mapper_that_panics_does_so_in_the_call_and_harms_nothing_else() {
    struct Panics;
    impl NameMapper for Panics {
        fn map(&self, name: &str) -> String {
            assert_ne!(name, "bad", "no such queue");
            format!("shop:{name}")
        }

        fn unmap(&self, mapped: &str) -> String {
            assert_ne!(mapped, "shop:worse", "no such queue");
            mapped.replace("shop:", "")
        }
    }
    let redis = RedisServer::start().await;
    let builder = Client::builder().name_mapper(Panics);
    let client = client_with(builder, &redis.url()).await;
    let queue = orders(&client);
    for name in ["bad", "worse"] {
        let opened = AssertUnwindSafe(|| open(&client, name));
        assert!(catch_unwind(opened).is_err(), "{name}");
        let (object, name) = (queue.object(), name.to_owned());
        let renamed = tokio::spawn(async move { object.rename(&name).await });
        assert!(renamed.await.unwrap_err().is_panic());
    }
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(queue.take().await.unwrap(), "a");
    open(&client, "better");
}

/// Settings with the mapper under test.
fn prefixed() -> ClientBuilder {
    looking_often().name_mapper(PrefixMapper::new("shop:"))
}

fn orders(client: &Client) -> DelayedQueue<String> {
    open(client, "orders")
}

fn open(client: &Client, name: &str) -> DelayedQueue<String> {
    client.delayed_queue(name, StringCodec).unwrap()
}

/// The address for a user with these rights.
async fn service(redis: &RedisServer, rules: &[&str]) -> String {
    allow(redis, rules).await;
    service_url(redis)
}

fn ordering(name: &str) -> String {
    mapped(name).ordering().to_owned()
}

fn timeouts(name: &str) -> String {
    mapped(name).timeouts().to_owned()
}

/// The keys of the queue that users call `name`.
fn mapped(name: &str) -> QueueKeys {
    QueueKeys::new(format!("shop:{name}")).unwrap()
}

/// Asserts that Redis has these keys and no others.
async fn assert_keys(redis: &RedisServer, expected: &[String]) {
    let keys: BTreeSet<String> = redis.connection().await.keys("*").await.unwrap();
    assert_eq!(keys, expected.iter().cloned().collect());
}

/// Asserts that this list has one element, which it removes, and that no other list has one.
async fn assert_list(redis: &RedisServer, key: &str) {
    let mut connection = redis.connection().await;
    let keys: BTreeSet<String> = connection.keys("*").await.unwrap();
    let lists = keys.iter().filter(|it| !it.starts_with("rdq1_"));
    assert_eq!(lists.collect::<Vec<_>>(), [key]);
    let popped: Option<String> = connection.lpop(key, None).await.unwrap();
    assert_eq!(popped.as_deref(), Some("a"));
}
