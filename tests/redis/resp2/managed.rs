//! A managed service: a proxy that knows few commands and allows few connections.

use super::*;

/// A service without `HELLO`, without `CLIENT` but `SETNAME`, without `CONFIG` and without `SCRIPT`, for so many
/// connections.
async fn service(redis: &RedisServer, connections: usize) -> Proxy {
    let proxy = Proxy::start(redis.port()).await;
    proxy.pass(&["CLIENT", "SETNAME"]);
    for command in ["HELLO", "CLIENT", "CONFIG", "SCRIPT"] {
        proxy.refuse(&[command], UNKNOWN);
    }
    proxy.limit_connections(connections);
    proxy
}

#[tokio::test]
async fn everything_works_behind_a_service_that_knows_few_commands() {
    let redis = RedisServer::start().await;
    // Three, one for large payloads, and room for some that come while their predecessors are still open.
    let proxy = service(&redis, 6).await;
    let client = client_with(polling(), &proxy.url()).await;
    let mut events = client.events();
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    let bills = use_all(&redis, &client, &queue).await;
    let told: Vec<_> = all_events(&mut events).iter().map(name_of).collect();
    assert_eq!(told, ["resp3"]);

    let consumer = bills.consumer().build().unwrap();
    bills.offer(&"a".to_owned(), Duration::ZERO).await.unwrap();
    let delivery = consumer.poll(SOON).await.unwrap().expect("it comes");
    assert_eq!(delivery.value(), "a");
    delivery.ack().await.unwrap();

    // The server has kept the scripts, so nothing is sent twice any more.
    let before = redis.command_count(&["eval"]).await;
    for _ in 0..20 {
        bills.offer(&"b".to_owned(), Duration::ZERO).await.unwrap();
        assert_eq!(take_all(&bills, 1).await.unwrap(), ["b"]);
    }
    assert_eq!(redis.command_count(&["eval"]).await, before);
}

/// Three, and room for one that comes while its predecessor is still open. What is large has one more.
#[tokio::test]
async fn four_connections_are_enough_for_all_but_large_payloads() {
    let redis = RedisServer::start().await;
    let proxy = service(&redis, 4).await;
    let queue = listening(polling(), &redis, &proxy.url()).await;
    let other = producer(&redis).await;
    for from in [&queue, &other] {
        from.offer(&"a".to_owned(), Duration::from_millis(20))
            .await
            .unwrap();
        assert_eq!(queue.take().await.unwrap(), "a");
    }
}
