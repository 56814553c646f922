//! Losing replies and connections.

use redis::{AsyncTypedCommands as _, Client, PushKind};
use tokio::task::JoinSet;

use super::{SOON, assert_silent, clients, connect, raw, start, subscribe};
use crate::support::eventually;

/// A client must notice a connection that nobody will ever close.
#[tokio::test]
async fn stranded_connections_stay_silent_and_open_until_cut() {
    let (server, proxy) = start().await;
    let (mut old, closed) = (connect(&proxy).await, connect(&proxy).await);
    proxy.strand();
    let mut new = connect(&proxy).await;
    drop(closed);
    assert_silent(old.ping()).await;
    new.ping().await.expect("a new connection works");
    eventually(
        SOON,
        "Redis knows all three and the asking client",
        async || clients(&server).await == 4,
    )
    .await;

    proxy.cut();
    for client in [&mut old, &mut new] {
        assert!(
            client
                .ping()
                .await
                .expect_err("the connection was cut")
                .is_unrecoverable_error()
        );
    }
    assert_eq!(proxy.connections(), 3);
    connect(&proxy)
        .await
        .ping()
        .await
        .expect("a connection after the cut works");
}

/// The lost reply must be the one that was meant, whatever else is on its way on the same socket.
#[tokio::test]
async fn cut_after_request_loses_the_reply_to_an_executed_request() {
    let (server, proxy) = start().await;
    proxy.cut_after_request(b"lost", 2);
    for round in 1..=2_isize {
        let (client, mut pushes) = subscribe(&proxy).await;
        let (mut one, mut two, mut three) = (client.clone(), client.clone(), client.clone());
        let mut publish = client.clone();
        let (before, published, lost, behind) = tokio::join!(
            one.incr("before", 1),
            publish.publish("channel", "hint"),
            two.incr("lost", 1),
            three.incr("behind", 1),
        );
        assert_eq!(before.expect("earlier replies are delivered"), round);
        assert_eq!(published.expect("earlier replies are delivered"), 1);
        assert!(
            lost.expect_err("the reply is lost")
                .is_unrecoverable_error()
        );
        behind.expect_err("the connection is closed");
        assert_eq!(
            pushes
                .recv()
                .await
                .expect("earlier pushes are delivered")
                .kind,
            PushKind::Message
        );
        assert_eq!(
            raw(&server, "lost").await,
            Some(round.to_string()),
            "executed"
        );
        assert_eq!(raw(&server, "behind").await, None, "not forwarded");
        assert_eq!(proxy.lost_replies(), round.unsigned_abs());
    }
    assert_eq!(
        connect(&proxy)
            .await
            .incr("lost", 1)
            .await
            .expect("the fault is used up"),
        3
    );
}

/// Replies that Redis gave before the lost one are not collateral, even while the client is still writing.
#[tokio::test(flavor = "multi_thread")]
async fn cut_after_request_delivers_all_earlier_replies_of_a_burst() {
    let (server, proxy) = start().await;
    let client = connect(&proxy).await;
    proxy.cut_after_request(b"key-20", 1);
    let mut burst = JoinSet::new();
    for n in 0..200 {
        let mut client = client.clone();
        burst.spawn(async move { client.incr(format!("key-{n}"), 1).await });
    }
    let answered = burst
        .join_all()
        .await
        .iter()
        .filter(|reply| reply.is_ok())
        .count();
    let executed = server
        .connection()
        .await
        .keys("key-*")
        .await
        .expect("KEYS answers");
    assert_eq!(answered + 1, executed.len());
}

/// Clients must see through the proxy that Redis has died, is down, or is back.
#[tokio::test]
async fn proxy_passes_on_that_redis_closed() {
    let (server, proxy) = start().await;
    let mut client = connect(&proxy).await;
    proxy.hold_replies(true);
    server.kill();
    assert_silent(client.ping()).await;
    proxy.hold_replies(false);
    assert!(
        client
            .ping()
            .await
            .expect_err("Redis is gone")
            .is_unrecoverable_error()
    );
    let down = Client::open(proxy.url()).expect("the URL is valid");
    down.get_multiplexed_async_connection()
        .await
        .map(drop)
        .expect_err("Redis is down");
    server.restart().await;
    let mut client = connect(&proxy).await;
    client.ping().await.expect("Redis is back");
    drop(proxy);
    assert!(
        client
            .ping()
            .await
            .expect_err("the proxy is gone")
            .is_unrecoverable_error()
    );
}
