//! Connections that fail at the first words, and what an operator reads of it.

use std::collections::BTreeSet;

use super::*;

/// Each of these was taken for a sentinel, an old Redis or a closed port.
#[tokio::test]
async fn a_connection_that_is_refused_for_a_known_reason_says_which() {
    let redis = RedisServer::start().await;
    let address = format!("127.0.0.1:{}", redis.port());
    let no_database = Client::connect(format!("{}99", redis.url())).await;
    assert_reason(no_database, &address, "no database with that number");

    let no_socket = Client::connect("redis+unix:///no/such/socket").await;
    assert_reason(
        no_socket,
        "/no/such/socket",
        "there is no socket at that path",
    );

    let node = RedisServer::with(Settings::new().set("cluster-enabled", "yes")).await;
    let second = Client::connect(format!("{}1", node.url())).await;
    // Nodes of Valkey 9 may have more databases, and have one unless they are told.
    let text = second.as_ref().unwrap_err().to_string();
    let valkey = "no database with that number";
    let reason = if text.contains(valkey) {
        valkey
    } else {
        "only database 0"
    };
    assert_reason(second, &format!("127.0.0.1:{}", node.port()), reason);
}

/// A right is missing, which another Redis would not mend.
#[tokio::test]
async fn a_user_who_may_not_select_the_database_is_denied() {
    let redis = RedisServer::start().await;
    allow(&redis, &["~*", "&*", "+@all", "-select"]).await;
    let client = Client::connect(service_url(&redis)).await;
    assert!(client.is_ok(), "{client:?}");
    let error = Client::connect(format!("{}3", service_url(&redis))).await;
    let error = error.unwrap_err();
    assert!(
        matches!(
            error,
            Error::Denied {
                step: Step::Connect,
                ..
            }
        ),
        "{error:?}"
    );
    assert_harmless(&error);
}

/// A service talks to many queues, and often to several servers.
#[tokio::test]
async fn the_error_of_a_call_names_the_server_and_the_queue() {
    let redis = RedisServer::start().await;
    allow(&redis, &["~other", "&*", "+@all"]).await;
    let client = Client::connect(service_url(&redis)).await.unwrap();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let (value, equal) = ("a".to_owned(), ["a".to_owned()]);
    let ticket = Ticket::from_bytes(&b"\x01i\x01\0\0\0\0\0\0\0a"[..]).unwrap();
    let target = queue.destination();
    let calls = [
        queue.offer(&value, LONG).await.map(drop),
        queue.offer_all([(&value, LONG)]).await.map(drop),
        queue.offer_with(&value, replacing(LONG)).await.map(drop),
        queue.cancel(&ticket).await.map(drop),
        queue.reschedule(&ticket, LONG).await.map(drop),
        queue.take().await.map(drop),
        queue.destination().poll_many(1).await.map(drop),
        queue.destination().drain_to(1).await.map(drop),
        queue.pending().poll().await.map(drop),
        queue.pending().len().await.map(drop),
        queue.pending().peek().await.map(drop),
        target.offer(&value).await,
        target.retain_all(&equal).await.map(drop),
    ];
    let suffix = " on queue orders";
    let prefix = format!("redis at 127.0.0.1:{} denied ", redis.port());
    for error in calls.map(Result::unwrap_err) {
        let message = error.to_string();
        assert!(message.starts_with(&prefix), "{message}");
        assert!(message.ends_with(suffix), "{message}");
        assert_harmless(&error);
    }
}

/// Offers go nowhere and consumers wait, and each by itself says little of why.
#[tokio::test]
async fn a_replica_and_a_node_of_a_cluster_are_events() {
    let redis = RedisServer::start().await;
    let client = looking_often().connect(redis.url()).await.unwrap();
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    looked(&redis, 1).await;
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
    assert_eq!(all_events(&mut events).len(), 0);
    let () = redis.run(&["REPLICAOF", "127.0.0.1", "1"]).await;
    redis.kill_clients("normal").await;
    let server = told_of(&mut events, |event| match event {
        Event::Replica { server, .. } => Some(server),
        _ => None,
    })
    .await;
    assert_eq!(server, format!("127.0.0.1:{}", redis.port()));

    let node = RedisServer::with(Settings::new().set("cluster-enabled", "yes")).await;
    let client = Client::connect(node.url()).await.unwrap();
    let server = told_of(&mut client.events(), |event| match event {
        Event::Cluster { server, .. } => Some(server),
        _ => None,
    })
    .await;
    assert_eq!(server, format!("127.0.0.1:{}", node.port()));
}

/// People who look at `CLIENT LIST` want to know whose connections those are.
#[tokio::test]
async fn connections_are_named_after_their_purpose_if_the_user_may_name_them() {
    if lacks((7, 0), SUBCOMMAND_RULES) {
        return;
    }
    let redis = RedisServer::start().await;
    let client = Client::connect(redis.url()).await.unwrap();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let large = "x".repeat(2 << 20);
    eventually(SOON, "all four are named", async || {
        queue.offer(&large, LONG).await.unwrap();
        names(&redis).await
            == [
                "",
                "rdq:calls",
                "rdq:delivery",
                "rdq:large",
                "rdq:subscription",
            ]
            .map(str::to_owned)
            .into()
    })
    .await;
    client.shutdown().await.unwrap();

    allow(&redis, &["~*", "&*", "+@all", "-client|setname"]).await;
    let client = Client::connect(service_url(&redis)).await.unwrap();
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
    eventually(SOON, "none is named", async || {
        names(&redis).await == [String::new()].into()
    })
    .await;
    let told = all_events(&mut events);
    assert!(told.is_empty(), "{told:?}");
}

/// On a server of many services, `rdq:calls` does not say whose connection that is.
#[tokio::test]
async fn connections_have_the_name_of_the_client_before_their_purpose() {
    let redis = RedisServer::start().await;
    let builder = Client::builder().client_name("orders-service");
    let client = client_with(builder, &redis.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let large = "x".repeat(2 << 20);
    let expected = ["calls", "delivery", "large", "subscription"];
    let mut expected: BTreeSet<_> = expected.map(|it| format!("orders-service:{it}")).into();
    expected.insert(String::new());
    eventually(SOON, "all four are named", async || {
        queue.offer(&large, LONG).await.unwrap();
        names(&redis).await == expected
    })
    .await;
    redis.kill_clients("normal").await;
    redis.kill_clients("pubsub").await;
    eventually(SOON, "the new connections are named, too", async || {
        queue.offer(&large, LONG).await.unwrap();
        queue.pending().len().await.unwrap();
        names(&redis).await == expected
    })
    .await;
}

/// Redis refuses such a name, and the connections would have none.
#[tokio::test]
async fn a_client_name_that_redis_would_refuse_is_refused_before_connecting() {
    let redis = RedisServer::start().await;
    let connections = redis.command_count(&["hello"]).await;
    for name in ["", "orders service", "orders\n", "d\u{e9}lais", "a\u{7f}"] {
        let refused = Client::builder().client_name(name);
        let error = refused.connect(redis.url()).await.unwrap_err();
        assert!(
            matches!(&error, Error::ClientName { name: shown } if shown == name),
            "{error:?}"
        );
        assert!(error.to_string().contains(&format!("{name:?}")), "{error}");
        assert_harmless(&error);
    }
    assert_eq!(redis.command_count(&["hello"]).await, connections);
    let accepted = Client::builder().client_name("!~name#1");
    let _client = accepted.connect(redis.url()).await.unwrap();
    assert!(names(&redis).await.contains("!~name#1:calls"));
}

#[track_caller]
fn assert_reason(refused: Result<Client>, address: &str, reason: &str) {
    let error = refused.unwrap_err();
    assert!(matches!(error, Error::Connect { .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.contains(address), "{message}");
    assert!(message.contains(reason), "{message}: {error:?}");
    assert_harmless(&error);
}

/// What `wanted` makes of the first event that it wants.
async fn told_of(events: &mut Events, wanted: impl Fn(Event) -> Option<String>) -> String {
    let search = async {
        loop {
            let event = events.next().await.expect("the client goes on");
            if let Some(found) = wanted(event) {
                return found;
            }
        }
    };
    timeout(SOON, search).await.expect("it is reported")
}

/// The names of all connections.
async fn names(redis: &RedisServer) -> BTreeSet<String> {
    let list: String = redis.run(&["CLIENT", "LIST"]).await;
    let fields = list.split_whitespace();
    let names = fields.filter_map(|field| field.strip_prefix("name="));
    names.map(str::to_owned).collect()
}
