//! A queue under another name.

use super::*;
use crate::fixture::client_with;
use crate::support::eventually;

/// [F3] In Redisson what is not yet due stays behind, and arrives under the old name.
#[tokio::test]
async fn a_renamed_queue_is_delivered_on_time_under_the_new_name() {
    let redis = RedisServer::start().await;
    let consumer = client_with(never_polling(), &redis.url()).await;
    let new: DelayedQueue<String> = consumer.delayed_queue("new", StringCodec).unwrap();
    let builder = never_polling().transfer(false);
    let old = orders_with(builder, &redis.url()).await;
    let waiting = tokio::spawn({
        let new = new.clone();
        async move { take_all(&new, 3).await }
    });
    old.destination().offer(&"due".to_owned()).await.unwrap();
    let soon = Duration::from_millis(300);
    old.offer(&"soon".to_owned(), soon).await.unwrap();
    let ticket = old.offer(&"never".to_owned(), LONG).await.unwrap();
    old.offer(&"later".to_owned(), soon * 2).await.unwrap();
    assert!(old.object().expire(LONG).await.unwrap());

    assert!(old.object().rename("new").await.unwrap());
    assert!(!old.object().exists().await.unwrap());
    assert!(new.cancel(&ticket).await.unwrap());
    let left = new.object().remaining_ttl().await.unwrap().unwrap();
    assert!(left <= LONG && left > LONG / 2);
    assert_eq!(waiting.await.unwrap().unwrap(), ["due", "soon", "later"]);
    // Nothing is left to rename.
    assert!(!old.object().rename("new").await.unwrap());
    assert!(!old.object().rename_if_absent("other").await.unwrap());
}

/// The note of what the clock showed outlasts the elements.
#[tokio::test]
async fn a_name_whose_elements_have_all_gone_is_free() {
    let redis = RedisServer::start().await;
    let client = client_with(Client::builder(), &redis.url()).await;
    let [old, new]: [DelayedQueue<String>; 2] =
        ["orders", "new"].map(|name| client.delayed_queue(name, StringCodec).unwrap());
    for queue in [&old, &new] {
        let value = "gone".to_owned();
        queue.offer(&value, Duration::ZERO).await.unwrap();
        assert_eq!(take_all(queue, 1).await.unwrap(), ["gone"]);
    }
    let exists = async |key: &str| -> bool {
        let mut connection = redis.connection().await;
        connection.exists(key).await.unwrap()
    };
    eventually(SOON, "its lease ends", async || {
        !exists(keys("new").leases()).await
    })
    .await;
    assert!(exists(keys("new").clock()).await);
    old.offer(&"later".to_owned(), LONG).await.unwrap();
    assert!(old.object().rename_if_absent("new").await.unwrap());
    assert_eq!(new.pending().len().await.unwrap(), 1);
}

/// A mover in any language sleeps until the message says otherwise.
#[tokio::test]
async fn the_next_due_time_is_published_once_under_the_new_name_only() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    let client = redis::Client::open(redis.url()).unwrap();
    let mut messages = client.get_async_pubsub().await.unwrap();
    for name in ["orders", "new", "copy"] {
        messages.subscribe(keys(name).channel()).await.unwrap();
    }
    let mut connection = redis.connection().await;
    let scores = [
        (4e15 + 0.5, "4000000000000001"),
        (4.6e18, "9007199254740992"),
        (-7.0, "0"),
    ];
    for (score, message) in scores {
        let () = connection
            .zadd(keys("orders").timeouts(), "member", score)
            .await
            .unwrap();
        let () = connection
            .zadd(keys("orders").timeouts(), "later member", score + 9e15)
            .await
            .unwrap();
        assert!(queue.object().copy_replacing("copy").await.unwrap());
        assert!(queue.object().rename("new").await.unwrap());
        assert!(!queue.object().rename("new").await.unwrap());
        let mut expected: BTreeSet<String> = BTreeSet::new();
        for name in ["copy", "new"] {
            let heard = messages.on_message().next().await.unwrap();
            assert_eq!(heard.get_channel_name(), keys(name).channel());
            expected.insert(heard.get_payload().unwrap());
        }
        assert_eq!(expected, [message.to_owned()].into());
    }
    // Without a next due time there is nothing to say.
    let () = connection.rpush("orders", "due").await.unwrap();
    assert!(queue.object().rename("new").await.unwrap());
    let () = connection
        .publish(keys("new").channel(), "end")
        .await
        .unwrap();
    let last = messages.on_message().next().await.unwrap();
    assert_eq!(last.get_payload::<String>().unwrap(), "end");
}

/// Any one key of the new name is in the way, and then nothing is changed.
#[tokio::test]
async fn what_is_in_the_way_is_replaced_only_when_that_was_asked_for() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    for (kind, name) in KINDS.into_iter().filter(|(kind, _)| *kind != "settled") {
        fill(&redis, "orders", "value").await;
        fill_only(&redis, "new", kind).await;
        let before = (held(&redis, "orders").await, held(&redis, "new").await);
        assert!(
            !queue.object().rename_if_absent("new").await.unwrap(),
            "{kind}"
        );
        assert!(!queue.object().copy_to("new").await.unwrap(), "{kind}");
        let after = (held(&redis, "orders").await, held(&redis, "new").await);
        assert_eq!(after, before, "{kind}");
        let () = on(&redis, &["DEL"], name(&keys("new"))).await;
    }
    // The ids that keep late attempts out are no queue.
    fill_only(&redis, "new", "settled").await;
    assert!(queue.object().copy_to("new").await.unwrap());
    assert_eq!(held(&redis, "new").await.len(), 8);
}

/// What is replaced by nothing would be lost by a slip of the pen.
#[tokio::test]
async fn nothing_replaces_nothing_and_a_queue_never_replaces_itself() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    fill(&redis, "new", "value").await;
    let new = held(&redis, "new").await;
    for kind in ["deliveries", "leases", "settled"] {
        assert!(!queue.object().rename("new").await.unwrap());
        assert!(!queue.object().rename_if_absent("unused").await.unwrap());
        assert!(!queue.object().copy_replacing("new").await.unwrap());
        assert!(!queue.object().copy_to("unused").await.unwrap());
        assert_eq!(held(&redis, "new").await, new);
        // Neither is taken along, so with these alone there is nothing still.
        fill_only(&redis, "orders", kind).await;
    }
    fill(&redis, "orders", "value").await;
    let before = held(&redis, "orders").await;
    assert!(queue.object().rename("orders").await.unwrap());
    assert!(!queue.object().rename_if_absent("orders").await.unwrap());
    assert!(queue.object().copy_replacing("orders").await.unwrap());
    assert!(!queue.object().copy_to("orders").await.unwrap());
    assert_eq!(held(&redis, "orders").await, before);

    for result in [
        queue.object().rename("").await,
        queue.object().rename_if_absent("").await,
        queue.object().copy_to("").await,
        queue.object().copy_replacing("").await,
    ] {
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Name(NameError::Empty)), "{error:?}");
    }
    assert_eq!(held(&redis, "orders").await, before);
}

/// `orders` and `{orders}` have all keys but one in common, so what is in the way is the queue itself.
#[tokio::test]
async fn a_name_that_differs_in_braces_only_replaces_nothing() {
    let redis = RedisServer::start().await;
    let queue = orders_with(Client::builder().transfer(false), &redis.url()).await;
    fill(&redis, "orders", "value").await;
    let before = held(&redis, "orders").await;
    for result in [
        queue.object().rename("{orders}").await,
        queue.object().rename_if_absent("{orders}").await,
        queue.object().copy_to("{orders}").await,
        queue.object().copy_replacing("{orders}").await,
    ] {
        let error = result.unwrap_err();
        assert!(
            matches!(&error, Error::Name(NameError::SharesKeys { name }) if name == "{orders}"),
            "{error:?}"
        );
        assert!(!error.may_have_changed_redis());
        assert_eq!(held(&redis, "orders").await, before);
    }
}

/// Repeated, it would overwrite what was written since.
#[tokio::test]
async fn a_lost_reply_is_not_repeated_and_says_that_redis_may_have_changed() {
    let redis = RedisServer::start().await;
    let proxy = Proxy::start(redis.port()).await;
    let queue = orders_with(Client::builder().transfer(false), &proxy.url()).await;
    // From now on Redis knows the script.
    assert!(!queue.object().rename("new").await.unwrap());
    fill(&redis, "orders", "value").await;
    for (command, step) in [("COPY", Step::Copy), ("RENAME", Step::Rename)] {
        proxy.cut_after_request(command.as_bytes(), 1);
        let error = match step {
            Step::Copy => queue.object().copy_replacing("new").await,
            _ => queue.object().rename("new").await,
        }
        .unwrap_err();
        assert!(
            matches!(error, Error::Lost { step: it, .. } if it == step),
            "{error:?}"
        );
        assert!(error.may_have_changed_redis());
    }
    assert_eq!(
        names(&held(&redis, "orders").await),
        ["deliveries", "leases", "settled"]
    );
    assert_eq!(held(&redis, "new").await.len(), 10);
}

/// The copy is a queue of its own: what happens to one does not happen to the other.
#[tokio::test]
async fn a_copy_delivers_every_element_once_more() {
    let redis = RedisServer::start().await;
    let client = client_with(never_polling(), &redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let copy: DelayedQueue<String> = client.delayed_queue("copy", StringCodec).unwrap();
    let delay = Duration::from_millis(300);
    queue.offer(&"soon".to_owned(), delay).await.unwrap();
    let ticket = queue.offer(&"later".to_owned(), LONG).await.unwrap();
    assert!(queue.object().copy_to("copy").await.unwrap());
    assert!(queue.cancel(&ticket).await.unwrap());
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["soon"]);
    assert_eq!(take_all(&copy, 1).await.unwrap(), ["soon"]);
    assert!(queue.pending().is_empty().await.unwrap());
    assert_eq!(copy.pending().read_all().await.unwrap(), ["later"]);
    assert!(copy.cancel(&ticket).await.unwrap());
}
