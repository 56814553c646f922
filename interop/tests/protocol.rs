//! The protocol that peers of both languages speak.

use std::panic::{AssertUnwindSafe, catch_unwind};

use interop::peer::{Peer, Reply};
use testbed::Server;

/// Otherwise a scenario could pass in one language for a reason that has nothing to do with its
/// queue.
#[test]
fn peers_of_both_languages_answer_alike() {
    let (redis_of_rust, redis_of_java) = (Server::start(), Server::start());
    let mut rust = Peer::rust(env!("CARGO_BIN_EXE_peer"), &redis_of_rust.url());
    let mut java = Peer::java("4.7.0", &redis_of_java.url());
    for (line, expected) in LINES {
        assert_eq!(shape(rust.send(line)), *expected, "Rust to {line:?}");
        assert_eq!(shape(java.send(line)), *expected, "Java to {line:?}");
    }
    rust.exit();
    java.exit();
}

/// The tables of `tests/parity` rest on what these print.
#[test]
fn a_call_reaches_any_method_of_redisson() {
    let redis = Server::start();
    let mut java = Peer::java("4.7.0", &redis.url());
    for (line, expected) in CALLS {
        assert_eq!(shape(java.send(line)), *expected, "{line:?}");
    }
    java.exit();
}

/// A failed scenario says how a process ended, which tells a crash from a kill.
#[test]
fn the_failure_of_a_peer_that_ended_says_how() {
    let redis = Server::start();
    let mut rust = Peer::rust(env!("CARGO_BIN_EXE_peer"), &redis.url());
    assert_eq!(rust.send("exit"), Reply::Ok(String::new()));
    let failure = catch_unwind(AssertUnwindSafe(|| rust.send("size q")));
    let failure = failure.expect_err("nobody is there to reply");
    let message: &String = failure.downcast_ref().expect("a panic with a text");
    assert!(message.contains("\nprocess: exit status: 0\n"), "{message}");
}

/// The reply with a `T` in place of a time, and without the message of an error: that is each
/// language's own.
fn shape(reply: Reply) -> String {
    match reply {
        Reply::Err(_) => "err".to_owned(),
        Reply::Nil => "nil".to_owned(),
        Reply::Ok(rest) => {
            let is_time = |text: &str| text.len() == 16 && text.parse::<u64>().is_ok();
            let token = |token: &str| match token.split_once(':') {
                Some((time, value)) if is_time(time) => format!(" T:{value}"),
                _ if is_time(token) => " T".to_owned(),
                _ if token.is_empty() => String::new(),
                _ => format!(" {token}"),
            };
            let tokens: String = rest.split(' ').map(token).collect();
            format!("ok{tokens}")
        }
    }
}

/// What is sent to both, and what both reply.
const LINES: &[(&str, &str)] = &[
    // Lines that are no commands.
    ("", "err"),
    ("nonsense", "err"),
    ("nonsense h", "err"),
    ("size unknown", "err"),
    ("open q orders", "err"),
    ("open q orders NoCodec", "err"),
    ("open q orders json more", "err"),
    ("open  q orders json", "err"),
    ("size q", "err"),
    // A handle to the target only.
    ("open-target t plain string", "ok"),
    ("offer t 0 =x", "err"),
    ("offer-many t 1 0 p 1", "err"),
    ("size t", "err"),
    ("destroy t", "err"),
    ("poll t 0", "nil"),
    ("poll t 999", "err"),
    ("poll t -1000", "err"),
    ("drain t 0", "ok 0"),
    ("target-offer t =a", "ok"),
    ("target-offer t x62", "ok"),
    ("target-size t", "ok 2"),
    ("take t", "ok T x61"),
    ("drain t 0", "ok 1 T:x62"),
    ("drain t 1", "err"),
    // Values.
    ("open q orders json", "ok"),
    (
        r#"offer q 60000 ={"unknown":1,"quantity":2,"id":"A"}"#,
        "ok",
    ),
    ("size q", "ok 1"),
    (
        r#"contains q ={"id":"A","quantity":2,"amountCents":0}"#,
        "ok true",
    ),
    (r#"contains q ={"id":"A"}"#, "ok false"),
    (
        "peek q",
        "ok x7b22616d6f756e7443656e7473223a302c226964223a2241222c227175616e74697479223a327d",
    ),
    ("offer q 60000 =null", "err"),
    ("offer q 60000 ={", "err"),
    ("offer q 60000 {}", "err"),
    ("offer q 60000 x7b7", "err"),
    ("offer q -1 ={}", "err"),
    ("offer q 60000", "err"),
    ("remove q ={}", "ok false"),
    ("clear q", "ok"),
    ("peek q", "nil"),
    ("read-all q", "ok 0"),
    ("open l longs long", "ok"),
    ("offer l 60000 =9223372036854775808", "err"),
    ("offer l 60000 =-1", "ok"),
    ("remove l =-1", "ok true"),
    // Offers without a transfer, which stay where they are.
    ("open-offering m many bytes", "ok"),
    ("offer-many m 3 0 p 7", "ok"),
    ("poll m 1000", "nil"),
    ("size m", "ok 3"),
    // Names of a sharded queue.
    ("shard =a only", "ok only"),
    ("shard xd0b9 a:0 a:1 a:2", "ok a:0"),
    ("shard =a", "err"),
    ("shard a b", "err"),
    ("shard", "err"),
    // A handle's name can be used again.
    ("open m other bytes", "ok"),
    ("size m", "ok 0"),
];

/// Calls of Java's methods, and the replies.
const CALLS: &[(&str, &str)] = &[
    ("open-target t orders string", "ok"),
    ("call t delayed size", "err"),
    ("open-offering q orders string", "ok"),
    ("call q", "err"),
    ("call q other size", "err"),
    ("call q deque nonsense", "err"),
    ("call q deque size 1", "err"),
    ("call q delayed offer =a 100 SECONDS", "ok"),
    ("call q delayed offer =b 100 SECONDS", "ok"),
    ("call q delayed add =b", "err"),
    ("call q delayed readAll", "ok [x61,x62]"),
    ("call q delayed iterator", "ok [x61,x62]"),
    ("call q delayed toArray", "ok [x61,x62]"),
    ("call q delayed removeAll [=b,=c]", "ok true"),
    ("call q delayed poll", "ok x61"),
    ("call q delayed poll", "nil"),
    ("call q delayed poll 3", "ok []"),
    ("call q deque addFirst (=c,=)", "ok 2"),
    ("call q deque addAll [=d,=e]", "ok true"),
    ("call q deque readAll", "ok [x,x63,x64,x65]"),
    ("call q deque move >last,first,more", "ok x65"),
    ("call q queue pollFromAny 1 SECONDS (:more)", "ok x"),
    ("call q deque expire 100000ms", "ok true"),
    ("call q deque expire 4102444800000unix", "ok true"),
    ("call q deque getExpireTime", "ok 4102444800000"),
    ("call q queue drainTo [] 1", "ok [x63]"),
    ("call q queue rename :less", "ok"),
];
