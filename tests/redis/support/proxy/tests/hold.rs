//! Holding, delaying and releasing.

use std::time::Duration;

use futures::future::join_all;
use redis::{AsyncTypedCommands as _, Client, PushKind};
use tokio::time::Instant;

use super::{SOON, assert_silent, clients, connect, raw, start, subscribe};
use crate::support::{eventually, proxy::shared::Jitter};

/// The command was executed and the client does not know; replies keep their order.
#[tokio::test]
async fn held_replies_are_delivered_in_order_after_release() {
    let (server, proxy) = start().await;
    let mut client = connect(&proxy).await;
    proxy.hold_replies(true);
    let held = async {
        let (mut one, mut two, mut three) = (client.clone(), client.clone(), client.clone());
        tokio::join!(one.incr("n", 1), two.incr("n", 1), three.incr("n", 1))
    };
    let release = async {
        eventually(SOON, "all three are executed", async || {
            raw(&server, "n").await.as_deref() == Some("3")
        })
        .await;
        proxy.hold_replies(false);
    };
    let ((one, two, three), ()) = tokio::join!(held, release);
    assert_eq!(
        [one, two, three].map(|n| n.expect("the reply was only held")),
        [1, 2, 3]
    );
    client
        .ping()
        .await
        .expect("the connection is as good as new");
}

/// Latency is per reply, not per byte, and ends when the test says so.
#[tokio::test]
async fn delayed_replies_arrive_late_but_in_parallel() {
    let (_server, proxy) = start().await;
    let client = connect(&proxy).await;
    let delay = Duration::from_millis(300);
    proxy.delay_replies(delay);
    let begin = Instant::now();
    // So many that one after the other they would outlast any pause of a busy machine.
    let pings = (0..100).map(|_| {
        let mut client = client.clone();
        async move { client.ping().await }
    });
    for answer in join_all(pings).await {
        answer.expect("late replies are replies");
    }
    assert!(
        (delay..delay * 100).contains(&begin.elapsed()),
        "{:?}",
        begin.elapsed()
    );

    proxy.delay_replies(Duration::ZERO);
    eventually(SOON, "a reply is not delayed", async || {
        let begin = Instant::now();
        client.clone().ping().await.expect("PING answers");
        begin.elapsed() < delay
    })
    .await;
}

/// A failure found with a seed must be found again with it.
#[tokio::test]
async fn jitter_follows_from_the_seed_and_delays_replies() {
    let max = Duration::from_millis(20);
    let delays = |seed| {
        (0..20)
            .map(|index| Jitter { max, seed }.of_frame(0, index))
            .collect::<Vec<_>>()
    };
    assert_eq!(delays(7), delays(7));
    assert_ne!(delays(7), delays(8));
    assert!(delays(7).iter().all(|delay| *delay <= max));

    let (_server, proxy) = start().await;
    let mut client = connect(&proxy).await;
    proxy.jitter_replies(max, 7);
    let begin = Instant::now();
    for _ in 0..20 {
        client.ping().await.expect("PING answers");
    }
    // Twenty draws of ten milliseconds on average; the seed makes the outcome certain.
    assert!(begin.elapsed() > max * 5, "{:?}", begin.elapsed());
}

/// A command can run long after its client gave up on it.
#[tokio::test]
async fn held_requests_are_executed_after_their_client_has_gone() {
    let (server, proxy) = start().await;
    let (mut client, pushes) = subscribe(&proxy).await;
    proxy.hold_requests(true);
    assert_silent(client.incr("n", 1)).await;
    drop((client, pushes));
    // What Redis sends to the closed socket must not take the held request with it.
    for _ in 0..5 {
        let receivers = server.connection().await.publish("channel", "hint").await;
        assert_eq!(
            receivers.expect("PUBLISH answers"),
            1,
            "the close is held as well"
        );
    }
    assert_eq!(raw(&server, "n").await, None);
    proxy.hold_requests(false);
    eventually(SOON, "the late INCR runs", async || {
        raw(&server, "n").await.as_deref() == Some("1")
    })
    .await;
    eventually(SOON, "Redis is told of the close", async || {
        clients(&server).await == 1
    })
    .await;
}

/// While the network is gone nothing fails and nothing moves, for old connections and for new ones.
#[tokio::test]
async fn black_hole_stops_both_directions_until_it_is_lifted() {
    let (server, proxy) = start().await;
    let mut client = connect(&proxy).await;
    proxy.hold_replies(true);
    assert_silent(client.incr("n", 1)).await;
    proxy.black_hole(true);
    proxy.hold_replies(false);
    assert_silent(client.incr("n", 1)).await;
    assert_silent(
        Client::open(proxy.url())
            .expect("the URL is valid")
            .get_multiplexed_async_connection(),
    )
    .await;
    assert_eq!(proxy.connections(), 2, "a hole accepts");
    eventually(
        SOON,
        "Redis knows the old and the asking client",
        async || clients(&server).await == 2,
    )
    .await;
    assert_eq!(
        raw(&server, "n").await.as_deref(),
        Some("1"),
        "only the request from before the hole"
    );

    proxy.black_hole(false);
    assert_eq!(
        client
            .incr("n", 1)
            .await
            .expect("the connection has survived"),
        3
    );
    connect(&proxy)
        .await
        .ping()
        .await
        .expect("new connections work again");
}

/// A test can act between the execution of a command and the client's knowledge of it.
#[tokio::test]
async fn gate_holds_one_reply_and_what_follows_it() {
    let (server, proxy) = start().await;
    let (mut client, mut pushes) = subscribe(&proxy).await;
    let mut other = connect(&proxy).await;
    let gate = proxy.hold_reply_to(b"INCR");
    let mut behind = client.clone();
    let test = async {
        gate.reached().await;
        assert_eq!(raw(&server, "n").await.as_deref(), Some("1"), "executed");
        assert_eq!(
            other
                .publish("channel", "hint")
                .await
                .expect("other connections flow"),
            1
        );
        assert_silent(behind.ping()).await;
        assert!(pushes.is_empty(), "a push waits behind the reply");
        gate.release();
    };
    let (n, ()) = tokio::join!(client.incr("n", 1), test);
    assert_eq!(n.expect("the reply was only held"), 1);
    assert_eq!(
        pushes.recv().await.expect("the push was only held").kind,
        PushKind::Message
    );
    assert_eq!(
        client
            .incr("n", 1)
            .await
            .expect("the gate was for one reply"),
        2
    );

    drop(proxy.hold_reply_to(b"INCR"));
    assert_eq!(
        client.incr("n", 1).await.expect("a dropped gate is open"),
        3
    );
}
