//! Proofs that the helpers do what tests rely on; those of the proxy are in `proxy::tests`.

use std::time::Duration;

use redis::{AsyncTypedCommands as _, Client};

use super::{
    RedisServer, eventually,
    resp::{expects_reply, frame_len, is_push},
};
use crate::fixture::{SOON, SUBCOMMAND_COUNTS, lacks};

/// Tests prove with this that an idle client is silent.
#[tokio::test]
async fn command_count_adds_up_the_named_commands_only() {
    if lacks((7, 0), SUBCOMMAND_COUNTS) {
        return;
    }
    let server = RedisServer::start().await;
    let mut client = server.connection().await;
    for _ in 0..3 {
        // Sent as INCRBY.
        client.incr("n", 1).await.expect("INCRBY answers");
    }
    client.get("n").await.expect("GET answers");
    let script = redis::Script::new("return redis.call('INCR', KEYS[1])");
    script
        .key("n")
        .invoke_async::<u64>(&mut client)
        .await
        .expect("the script runs");
    assert_eq!(server.command_count(&["incrby"]).await, 3);
    assert_eq!(
        server.command_count(&["incr"]).await,
        1,
        "called by the script"
    );
    assert_eq!(
        server
            .command_count(&["incrby", "incr", "get", "script|load", "zadd"])
            .await,
        6
    );
}

/// The fault must reach the clients under test, of one kind, and not the server.
#[tokio::test]
async fn kill_clients_closes_all_of_one_kind() {
    let server = RedisServer::start().await;
    let client = Client::open(server.url()).expect("the URL is valid");
    let mut subscriber = client.get_async_pubsub().await.expect("Redis accepts");
    subscriber
        .subscribe("channel")
        .await
        .expect("SUBSCRIBE answers");
    let mut normal = server.connection().await;

    assert!(server.kill_clients("normal").await >= 1);
    normal.ping().await.expect_err("the connection was closed");
    subscriber
        .ping::<()>()
        .await
        .expect("a subscriber is of another kind");
    assert_eq!(server.kill_clients("pubsub").await, 1);
    subscriber
        .ping::<()>()
        .await
        .expect_err("the connection was closed");
}

/// A fact that hangs fails like a fact that stays false, and the message names it and the caller.
#[tokio::test]
#[should_panic(expected = "not within 20ms: pigs fly (awaited at ")]
async fn eventually_fails_when_the_fact_hangs() {
    eventually(Duration::from_millis(20), "pigs fly", std::future::pending).await;
}

/// Facts are polled until they hold.
#[tokio::test]
async fn eventually_polls_again() {
    let mut polls = 0;
    eventually(SOON, "the third poll succeeds", async || {
        polls += 1;
        polls == 3
    })
    .await;
    assert_eq!(polls, 3);
}

/// The proxy counts replies, so it must find the end of each kind, and of none that is cut short.
#[test]
fn frames_end_where_redis_ends_them() {
    let frames: [&[u8]; 14] = [
        b"+OK\r\n",
        b"-ERR no\r\n",
        b":-12\r\n",
        b"_\r\n",
        b",1.5\r\n",
        b"$-1\r\n",
        b"$0\r\n\r\n",
        b"$4\r\na\r\nb\r\n",
        b"=7\r\ntxt:a\r\n\r\n",
        b"*-1\r\n",
        b"*2\r\n*1\r\n:1\r\n$-1\r\n",
        b"%1\r\n+k\r\n~1\r\n#t\r\n",
        b">2\r\n$3\r\nfoo\r\n*0\r\n",
        b"|1\r\n+ttl\r\n:3\r\n$1\r\nx\r\n",
    ];
    for frame in frames {
        let more = [frame, b"+next\r\n"].concat();
        assert_eq!(
            frame_len(&more),
            Some(frame.len()),
            "{}",
            frame.escape_ascii()
        );
        for end in 0..frame.len() {
            assert_eq!(
                frame_len(&frame[..end]),
                None,
                "{}",
                frame[..end].escape_ascii()
            );
        }
        assert_eq!(is_push(frame), frame[0] == b'>');
    }
    assert!(expects_reply(b"*2\r\n$7\r\nPUBLISH\r\n$9\r\nSUBSCRIBE\r\n"));
    assert!(!expects_reply(b"*2\r\n$12\r\npunsubscribe\r\n$1\r\na\r\n"));
}
