//! Servers that are not there, are no Redis, or take no writes.

use super::*;

/// A wrong address must show at once, not as a consumer that waits for ever.
#[tokio::test]
async fn a_closed_port_is_a_connect_error_at_once() {
    // Bound, so that nobody else listens there, and not listening.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = socket.local_addr().unwrap().to_string();
    let url = format!("redis://user:secret@{address}/");
    let patient = Client::builder()
        .connect_timeout(Duration::from_secs(60))
        .retry_window(Duration::from_secs(60));
    let refused = timeout(SOON, patient.connect(url)).await.unwrap();
    let error = refused.unwrap_err();
    assert!(matches!(error, Error::Connect { .. }), "{error:?}");
    assert_harmless(&error);
    // Of several servers an operator must know which, and nobody the password.
    let message = format!("cannot connect to redis at {address}: nothing listens there");
    assert_eq!(error.to_string(), message);
    assert!(!format!("{error:?}").contains("secret"));
    assert!(error.is_transient());
}

/// An error of configuration, found before anything is sent.
#[tokio::test]
async fn an_address_that_is_none_is_an_error_of_the_settings() {
    let no_scheme = "127.0.0.1:6379";
    for url in [
        "",
        "orders",
        "https://127.0.0.1/",
        no_scheme,
        "redis://127.0.0.1:port/",
    ] {
        let error = Client::connect(url).await.unwrap_err();
        assert!(matches!(error, Error::Settings { .. }), "{error:?}");
        assert!(error.to_string().contains("redis://"), "{error}");
        assert_harmless(&error);
    }
}

/// A firewall that swallows, a web server, and a Redis before 6.0.
#[tokio::test]
async fn a_server_that_does_not_answer_as_redis_6_is_a_connect_error() {
    let answers: [(&[u8], &str); 4] = [
        (b"", "no answer came in time"),
        (
            b"HTTP/1.1 400 Bad Request\r\n\r\n",
            "the server there is not redis",
        ),
        // To each command of the handshake.
        (
            b"-BUSY Redis is busy running a script.\r\n-BUSY Redis is busy running a script.\r\n\
              -BUSY Redis is busy running a script.\r\n",
            "a script keeps it busy",
        ),
        (
            b"-ERR unknown command\r\n-ERR unknown command\r\n-ERR unknown command\r\n",
            "a redis before 6.0",
        ),
    ];
    for (answer, reason) in answers {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let url = format!("redis://{address}/");
        let server = tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                let mut request = [0; 1024];
                while matches!(socket.read(&mut request).await, Ok(1..)) {
                    let _ = socket.write_all(answer).await;
                }
            }
        });
        let hasty = Client::builder().connect_timeout(Duration::from_millis(500));
        let refused = timeout(SOON, hasty.connect(url)).await.unwrap();
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::Connect { .. }), "{error:?}");
        let message = error.to_string();
        assert!(message.contains(&address), "{message}");
        assert!(message.contains(reason), "{message}: {error:?}");
        assert_harmless(&error);
        server.abort();
    }
}

/// A full Redis must be able to drain, or it stays full; and memory comes back.
#[tokio::test]
async fn without_memory_offers_are_refused_and_deliveries_go_on() {
    let redis = RedisServer::start().await;
    let client = looking_often().connect(redis.url()).await.unwrap();
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    looked(&redis, 1).await;
    set_memory(&redis, "1").await;
    let error = queue.offer(&"a".to_owned(), LONG).await.unwrap_err();
    assert!(
        matches!(
            error,
            Error::Refused {
                step: Step::Offer,
                ..
            }
        ),
        "{error:?}"
    );
    assert_harmless(&error);
    assert!(error.is_transient());
    assert_eq!(snapshot(&redis).await, BTreeMap::new());

    // Whatever frees memory goes on: what is due is moved and taken, the rest can be cancelled.
    set_memory(&redis, "0").await;
    let ticket = queue.offer(&"b".to_owned(), LONG).await.unwrap();
    let due = *b"\x01i\x01\0\0\0\0\0\0\0c";
    pause_and_schedule(&redis, &due).await;
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["c"]);
    assert!(queue.cancel(&ticket).await.unwrap());
    let told = all_events(&mut events);
    assert!(told.is_empty(), "{told:?}");

    set_memory(&redis, "0").await;
    queue.offer(&"d".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["d"]);
    eventually(SOON, "nothing is left", async || {
        Contents::of(&redis).await.is_empty()
    })
    .await;
}

/// [A9] What nobody can read must not hold up the rest, also when there is no memory to set it aside.
#[tokio::test]
async fn without_memory_an_unreadable_member_is_quarantined() {
    let redis = RedisServer::start().await;
    let client = looking_often().connect(redis.url()).await.unwrap();
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    pause_and_schedule(&redis, b"\x7fno member").await;
    let event = next_event(&mut events).await;
    assert!(matches!(event, Event::Quarantined { .. }), "{event:?}");
    set_memory(&redis, "0").await;
    let contents = Contents::of(&redis).await;
    assert!(contents.is_empty(), "{contents:?}");
    assert_eq!(contents.quarantine, [b"\x7fno member"]);
    drop(queue);
}

/// After a failover the old master is one; the offer that reaches it must not be taken for stored.
#[tokio::test]
async fn a_replica_that_takes_no_writes_is_refused() {
    let master = RedisServer::start().await;
    let origin = format!("127.0.0.1 {}", master.port());
    let replica = RedisServer::with(Settings::new().set("replicaof", &origin)).await;
    eventually(SOON, "the replica has the master's data", async || {
        let info: String = replica.run(&["INFO", "replication"]).await;
        info.contains("master_link_status:up")
    })
    .await;
    let due = [(&b"\x01i\x01\0\0\0\0\0\0\0z"[..], 1_000.0)];
    schedule(&master, &due).await;
    eventually(SOON, "the replica has the due element", async || {
        Contents::of(&replica).await.timeouts.len() == 1
    })
    .await;
    let before = snapshot(&master).await;
    let hasty = looking_often().retry_window(Duration::from_millis(200));
    let proxy = Proxy::start(replica.port()).await;
    let client = hasty.connect(proxy.url()).await.unwrap();
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let error = queue.offer(&"a".to_owned(), LONG).await.unwrap_err();
    assert!(
        matches!(
            error,
            Error::Refused {
                step: Step::Offer,
                ..
            }
        ),
        "{error:?}"
    );
    assert_harmless(&error);
    assert_eq!(snapshot(&master).await, before);
    // By now the address may lead to the new master, so each refusal is a reason to connect anew.
    assert!(proxy.connections() > 3, "{}", proxy.connections());
    let mut event = next_event(&mut events).await;
    if matches!(event, Event::Replica { .. }) {
        event = next_event(&mut events).await;
    }
    assert!(
        matches!(
            event,
            Event::TransferFailed {
                error: Error::Refused { .. },
                ..
            }
        ),
        "{event:?}"
    );

    // It is promoted.
    let () = replica.run(&["REPLICAOF", "NO", "ONE"]).await;
    queue.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 2).await.unwrap(), ["z", "a"]);
    let event = next_event(&mut events).await;
    assert!(matches!(event, Event::TransferResumed { .. }), "{event:?}");
}

/// Behind one address that leads to the master, the connections to a former one may stay open.
#[tokio::test]
async fn a_former_master_that_misses_the_new_one_is_left() {
    let (former, next) = (RedisServer::start().await, RedisServer::start().await);
    let proxy = Proxy::start(former.port()).await;
    let queue = orders(&proxy.url()).await;
    queue.offer(&"a".to_owned(), LONG).await.unwrap();
    let () = redis::pipe()
        .cmd("CONFIG")
        .arg(&["SET", "replica-serve-stale-data", "no"])
        .cmd("REPLICAOF")
        .arg(&["127.0.0.1", "1"])
        .query_async(&mut former.connection().await)
        .await
        .unwrap();
    proxy.lead_to(next.port());
    queue.offer(&"b".to_owned(), Duration::ZERO).await.unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["b"]);
    assert_eq!(queue.pending().len().await.unwrap(), 0);
}

/// After a failover the new master has no replicas for a moment.
#[tokio::test]
async fn an_offer_waits_while_a_master_may_not_write_without_replicas() {
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    let need_replicas = async |count: &str| {
        let command = ["CONFIG", "SET", "min-replicas-to-write", count];
        let () = redis.run(&command).await;
    };
    need_replicas("1").await;
    let offering = tokio::spawn({
        let queue = queue.clone();
        async move { queue.offer(&"a".to_owned(), Duration::ZERO).await }
    });
    eventually(SOON, "the offer is refused twice", async || {
        // Redis 6.2 counts what a script meets as an error of the script.
        let code = if is_older_than((7, 0)) {
            "ERR"
        } else {
            "NOREPLICAS"
        };
        refusals(&redis, code).await >= 2
    })
    .await;
    assert!(!offering.is_finished());
    need_replicas("0").await;
    offering.await.unwrap().unwrap();
    assert_eq!(take_all(&queue, 1).await.unwrap(), ["a"]);
}

/// How often the server answered with an error of this code.
async fn refusals(redis: &RedisServer, code: &str) -> u64 {
    let stats: String = redis.run(&["INFO", "errorstats"]).await;
    let count = stats
        .lines()
        .find_map(|line| line.strip_prefix("errorstat_")?.strip_prefix(code))
        .and_then(|it| it.strip_prefix(":count="));
    count.map_or(0, |it| it.trim().parse().unwrap())
}

/// Schedules a member that is due, and leaves no memory to move it, in one step.
async fn pause_and_schedule(redis: &RedisServer, member: &[u8]) {
    let mut pipe = redis::pipe();
    pipe.atomic()
        .zadd(keys().timeouts(), member, 1_000)
        .rpush(keys().ordering(), member)
        .cmd("CONFIG")
        .arg(&["SET", "maxmemory", "1"]);
    let () = pipe
        .exec_async(&mut redis.connection().await)
        .await
        .expect("the transaction is executed");
}
