//! Scripts of a dropped poll in the worst order: late, twice, and beside others.

use super::*;
use crate::fixture::client_with;

/// What the network delivers late or twice, in the worst order that there is.
#[tokio::test]
async fn a_call_takes_an_element_once_and_after_it_was_undone_not_at_all() {
    let redis = RedisServer::start().await;
    let [withdraw, put_back] = scripts_of_a_dropped_poll(&redis).await;
    let mut connection = redis.connection().await;
    let members = ["a", "b", "c"].map(|it| member(1, it));
    schedule(&redis, &members.clone().map(|it| (it, 9e15))).await;
    let before = Contents::of(&redis).await;
    // Two elements that share an id; the score of the second is not what it was when it was read.
    let (a, b): (&[u8], &[u8]) = (&members[0], &members[1]);
    let score: &[u8] = b"9000000000000000";
    let taking: [&[u8]; 8] = [
        b"16 bytes, a call",
        b"61000",
        a,
        b"id",
        score,
        b,
        b"id",
        b"7",
    ];
    for _ in 0..2 {
        let attempt = call(&withdraw, &taking);
        let taken: Vec<u64> = attempt.invoke_async(&mut connection).await.unwrap();
        assert_eq!(taken, [0]);
        assert_eq!(scheduled(&redis).await, members[1..]);
    }
    // Another call finds it gone.
    let mut other = taking;
    other[0] = b"16 bytes, others";
    let attempt = call(&withdraw, &other);
    let taken: Vec<u64> = attempt.invoke_async(&mut connection).await.unwrap();
    assert!(taken.is_empty());

    let undoing: [&[u8]; 7] = [taking[0], b"61000", b"channel", a, score, b, b"7"];
    for times in [1, 0] {
        let attempt = call(&put_back, &undoing);
        let back: u64 = attempt.invoke_async(&mut connection).await.unwrap();
        assert_eq!(back, times);
        let attempt = call(&withdraw, &taking);
        let taken: Vec<u64> = attempt.invoke_async(&mut connection).await.unwrap();
        assert!(taken.is_empty());
        assert_eq!(Contents::of(&redis).await, before);
    }
}

/// Who tidies the list counts places from its oldest entry, and must not pass over what that moves.
#[tokio::test]
async fn what_is_put_back_in_front_moves_the_place_up_to_which_the_list_is_tidied() {
    let redis = RedisServer::start().await;
    let [_, put_back] = scripts_of_a_dropped_poll(&redis).await;
    let mut connection = redis.connection().await;
    let token = b"16 bytes, a call";
    for (before, after) in [("7", "9"), ("7+", "9+")] {
        for place in [b"\0\0", b"\0\x01"] {
            let taken = [&token[..], place].concat();
            let () = connection
                .zadd(keys().settled(), taken, 9e15)
                .await
                .unwrap();
        }
        let () = connection
            .hset(keys().state(), "untidy", before)
            .await
            .unwrap();
        let (a, b) = (member(1, "a"), member(1, "b"));
        let undoing: [&[u8]; 7] = [token, b"61000", b"channel", &a, b"5", &b, b"6"];
        let back: u64 = call(&put_back, &undoing)
            .invoke_async(&mut connection)
            .await
            .unwrap();
        assert_eq!(back, 2);
        let untidy: String = connection.hget(keys().state(), "untidy").await.unwrap();
        assert_eq!(untidy, after);
    }
}

/// What takes elements out and what puts them back, as the crate sends them. Leaves Redis empty.
async fn scripts_of_a_dropped_poll(redis: &RedisServer) -> [redis::Script; 2] {
    let proxy = Proxy::start(redis.port()).await;
    let client = client_with(Client::builder().transfer(false), &proxy.url()).await;
    let queue: DelayedQueue<String> = client.delayed_queue("orders", StringCodec).unwrap();
    for value in ["known", "dropped"] {
        schedule(redis, &[(member(1, value), 9e15)]).await;
        let gate = proxy.hold_reply_to(value.as_bytes());
        let polling = tokio::spawn({
            let queue = queue.clone();
            async move { queue.pending().poll().await }
        });
        gate.reached().await;
        if value == "known" {
            gate.release();
            polling.await.unwrap().unwrap();
        } else {
            polling.abort();
        }
    }
    eventually(SOON, "what was dropped is back", async || {
        scheduled(redis).await.len() == 1
    })
    .await;
    client.shutdown().await.unwrap();
    let () = redis.run(&["FLUSHALL"]).await;
    ["withdraw", "put_back"].map(|name| redis::Script::new(&proxy.script(name)))
}

/// A script of a withdrawal with these arguments.
fn call<'a>(script: &'a redis::Script, words: &[&[u8]]) -> redis::ScriptInvocation<'a> {
    let names = keys();
    let mut call = script.prepare_invoke();
    call.key(&[names.timeouts(), names.ordering(), names.settled()][..]);
    call.key(&[names.state(), names.keyed(), names.keyed_due()][..]);
    for word in words {
        call.arg(*word);
    }
    call
}
