//! `rdq offer`

use redisson_delayed_queue::DelayedQueue;
use redisson_delayed_queue::keys::QueueKeys;
use testbed::Server;

use crate::rdq::{done, fed, json, queue, run};

/// The members of the timeout set with their scores.
fn stored(server: &Server) -> Vec<(Vec<u8>, f64)> {
    let keys = QueueKeys::new("orders").unwrap();
    server.run(&["ZRANGE", keys.timeouts(), "0", "-1", "WITHSCORES"])
}

/// The payload of a member with an id of 16 bytes.
fn payload(member: &[u8]) -> &[u8] {
    assert_eq!(member[0], 16);
    &member[25..]
}

async fn pending(orders: &DelayedQueue<String>) -> Vec<String> {
    orders.pending().read_all().await.unwrap()
}

#[tokio::test]
async fn a_value_is_stored_as_its_codec_writes_it() {
    let server = Server::start();
    let url = server.url();
    let ticket = done(
        &url,
        &[
            "offer", "orders", "\"17\"", "--codec", "kryo5", "--delay", "1h",
        ],
    );
    let [(member, score)] = stored(&server).try_into().unwrap();
    // Kryo: the class of texts, and the text with the highest bit of its last character set.
    assert_eq!(payload(&member), b"\x031\xb7");
    let (seconds, _): (f64, u64) = server.run(&["TIME"]);
    let ahead = score / 1_000.0 - seconds;
    assert!((3_500.0..3_601.0).contains(&ahead), "{ahead}");
    let [shown] = json(&url, &["get", "orders", ticket.trim()])
        .try_into()
        .unwrap();
    assert_eq!(shown["value"], "17");

    // Twice the same ticket: it is the element's, not the value's.
    done(&url, &["cancel", "orders", ticket.trim()]);
    done(
        &url,
        &[
            "offer",
            "orders",
            "17",
            "--codec",
            "long",
            "--at",
            "2100-01-01T12:00:00Z",
        ],
    );
    let [(member, score)] = stored(&server).try_into().unwrap();
    assert_eq!((payload(&member), score), (&b"17"[..], 4_102_488_000_000.0));
}

#[tokio::test]
async fn stdin_is_a_value_or_a_payload() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    let args = ["offer", "orders", "-", "--codec", "string", "--delay", "1h"];
    assert_eq!(
        fed(&url, &args, "\"a\nb\"\n").code,
        2,
        "JSON has no such text"
    );
    assert_eq!(fed(&url, &args, "\n \"a b\"\n").code, 0);
    let args = ["offer", "orders", "-", "--raw", "--delay", "1h"];
    assert_eq!(fed(&url, &args, "as it is\n").code, 0);
    done(
        &url,
        &["offer", "orders", "YmFzZSA2NA==", "--raw", "--delay", "1h"],
    );
    assert_eq!(pending(&orders).await, ["a b", "as it is\n", "base 64"]);
    assert_eq!(
        run(&url, &["offer", "orders", "?", "--raw", "--delay", "1h"]).code,
        2
    );
}

#[tokio::test]
async fn a_key_allows_one_pending_element() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    let offer = |value: &str, more: &[&str]| {
        let args = [
            "offer", "orders", value, "--codec", "string", "--delay", "1h",
        ];
        json(&url, &[&args[..], more].concat())[0].clone()
    };
    let first = offer("\"a\"", &["--key", "17"]);
    assert_eq!(first["outcome"], "added");
    let kept = offer("\"b\"", &["--key", "17"]);
    assert_eq!(
        (&kept["outcome"], &kept["ticket"]),
        (&"kept".into(), &first["ticket"])
    );
    assert_eq!(pending(&orders).await, ["a"]);
    let replaced = offer("\"b\"", &["--key", "17", "--if-pending", "replace"]);
    assert_eq!(replaced["outcome"], "replaced");
    let moved = offer("\"b\"", &["--key", "17", "--if-pending", "replace"]);
    assert_eq!(moved["outcome"], "rescheduled");
    assert_eq!(offer("\"b\"", &["--unique"])["outcome"], "kept");
    assert_eq!(offer("\"c\"", &["--key-by-value"])["outcome"], "added");
    assert_eq!(offer("\"c\"", &["--key-by-value"])["outcome"], "kept");
    assert_eq!(pending(&orders).await, ["b", "c"]);
}

#[tokio::test]
async fn an_element_may_expire_and_be_unlisted() {
    let server = Server::start();
    let url = server.url();
    let args = [
        "offer",
        "orders",
        "1",
        "--codec",
        "long",
        "--delay",
        "1h",
        "--unlisted",
    ];
    done(
        &url,
        &[&args[..], &["--expires-at", "2100-01-01T12:00:00Z"]].concat(),
    );
    let [row] = json(&url, &["ls", "orders"]).try_into().unwrap();
    assert_eq!(row["listed"], false);
    assert_eq!(row["expires_ms"], 4_102_488_000_000_u64);
    let late = run(&url, &[&args[..], &["--expires-in", "30m"]].concat());
    assert_eq!(late.code, 2, "{late:?}");
    assert!(late.stderr.contains("expire before it is due"), "{late:?}");
}

#[tokio::test]
async fn each_line_is_a_value_and_a_wrong_one_ends_the_offers() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    let args = [
        "offer", "orders", "--lines", "--codec", "string", "--delay", "1h",
    ];
    let mut lines: Vec<_> = (0..1_200).map(|i| format!("\"v{i}\"")).collect();
    let offered = fed(&url, &args, &lines.join("\n"));
    assert_eq!(offered.code, 0, "{offered:?}");
    assert_eq!(offered.stdout.lines().count(), 1_200);
    let expected: Vec<_> = (0..1_200).map(|i| format!("v{i}")).collect();
    assert_eq!(pending(&orders).await, expected);

    orders.pending().clear().await.unwrap();
    lines[700] = "\"nonsense".to_owned();
    let offered = fed(&url, &args, &lines.join("\n"));
    assert_eq!(offered.code, 1, "{offered:?}");
    assert!(offered.stderr.contains("700 lines were"), "{offered:?}");
    assert!(offered.stderr.contains("line 701: "), "{offered:?}");
    assert_eq!(offered.stdout.lines().count(), 700);
    assert_eq!(pending(&orders).await, expected[..700]);
}

#[tokio::test]
async fn an_offer_says_when_and_how() {
    let server = Server::start();
    let url = server.url();
    for args in [
        &["offer", "orders", "1", "--codec", "long"][..],
        &["offer", "orders", "1", "--delay", "1h"],
        &[
            "offer", "orders", "1", "--codec", "long", "--delay", "1h", "--at", "now",
        ],
        &["offer", "orders", "--delay", "1h"],
        &["offer", "", "1", "--codec", "long", "--delay", "soon"],
    ] {
        let run = run(&url, args);
        assert_eq!(run.code, 2, "{args:?}: {run:?}");
    }
    assert_eq!(server.run::<usize>(&["DBSIZE"]), 0);
}
