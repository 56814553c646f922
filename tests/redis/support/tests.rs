//! Proofs that the helpers do what tests rely on; those of the proxy are in `proxy::tests`.

use std::{path::Path, time::Duration};

use redis::{AsyncTypedCommands as _, Client};
use tokio::{net::TcpStream, time::timeout};

use super::{
    RedisServer, eventually,
    resp::{expects_reply, frame_len, is_push},
};
use crate::fixture::{SOON, SUBCOMMAND_COUNTS, lacks};

/// What a failing test leaves behind would slow down all others.
#[tokio::test]
async fn dropped_server_leaves_no_process_and_no_directory() {
    for paused in [false, true] {
        let server = RedisServer::start().await;
        let (port, dir) = (server.port(), directory(&server).await);
        assert!(Path::new(&dir).exists());
        if paused {
            server.pause();
        }
        drop(server);
        assert!(
            TcpStream::connect(("127.0.0.1", port)).await.is_err(),
            "paused: {paused}"
        );
        assert!(!Path::new(&dir).exists(), "paused: {paused}");
    }
}

/// Tests run side by side and may use the same key names.
#[tokio::test]
async fn servers_are_private() {
    let (one, other) = tokio::join!(RedisServer::start(), RedisServer::start());
    one.connection()
        .await
        .set("key", "one")
        .await
        .expect("SET answers");
    assert_eq!(value(&other, "key").await, None);
    assert_ne!(directory(&one).await, directory(&other).await);
}

/// Arguments that Redis refuses must not look like a taken port.
#[tokio::test]
#[should_panic(expected = "no-such-option")]
async fn refused_argument_fails_with_the_reason() {
    RedisServer::start_with(&["--no-such-option", "1"]).await;
}

/// A crash is told to nobody, and the same address serves again what was on disk.
#[tokio::test]
async fn killed_server_restarts_at_its_address_with_what_was_on_disk() {
    let mut server =
        RedisServer::start_with(&["--appendonly", "yes", "--appendfsync", "always"]).await;
    let url = server.url();
    let mut client = server.connection().await;
    client.set("key", "kept").await.expect("SET answers");

    server.kill9();
    client.ping().await.expect_err("the process is gone");
    Client::open(url.clone())
        .expect("the URL is valid")
        .get_multiplexed_async_connection()
        .await
        .map(drop)
        .expect_err("nothing listens");

    server.restart().await;
    assert_eq!(server.url(), url);
    assert_eq!(value(&server, "key").await.as_deref(), Some("kept"));
    // A running server is killed first.
    server.restart().await;
    assert_eq!(value(&server, "key").await.as_deref(), Some("kept"));
}

/// A frozen process looks like a slow network: nothing is refused, and what was sent runs later.
#[tokio::test]
async fn paused_server_executes_only_after_resume() {
    let server = RedisServer::start().await;
    let mut client = server.connection().await;
    server.pause();
    timeout(Duration::from_millis(200), client.incr("n", 1))
        .await
        .expect_err("nothing is answered");
    TcpStream::connect(("127.0.0.1", server.port()))
        .await
        .expect("the kernel still accepts");
    server.resume();
    eventually(SOON, "the abandoned INCR runs", async || {
        value(&server, "n").await.as_deref() == Some("1")
    })
    .await;
}

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

async fn value(server: &RedisServer, key: &str) -> Option<String> {
    server
        .connection()
        .await
        .get(key)
        .await
        .expect("GET answers")
}

async fn directory(server: &RedisServer) -> String {
    let mut config: Vec<String> = redis::cmd("CONFIG")
        .arg(&["GET", "dir"])
        .query_async(&mut server.connection().await)
        .await
        .expect("CONFIG GET answers");
    config.pop().expect("a name and a value")
}
