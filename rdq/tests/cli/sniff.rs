//! `rdq sniff`

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use bytes::Bytes;
use redisson_delayed_queue::codec::{ByteArrayCodec, CATALOG, Values};
use redisson_delayed_queue::{Client, DelayedQueue};
use serde_json::json;
use testbed::{Program, Server};

use crate::rdq::{Run, command, done, json, run};
use crate::vectors;

/// Nobody listens there.
const NOWHERE: &str = "redis://127.0.0.1:1";

async fn queue(url: &str, name: &str) -> DelayedQueue<Bytes> {
    let client = Client::builder().transfer(false);
    let client = client.connect(url).await.unwrap();
    client.delayed_queue(name, ByteArrayCodec).unwrap()
}

/// One order, by each codec of real Redisson that wrote one.
#[test]
fn the_codec_of_a_payload_by_redisson_is_named_without_a_server() {
    let mut orders = vectors::all();
    orders.retain(|it| it.id == "pojo.simple");
    let mut named = 0;
    for entry in CATALOG {
        let java = entry.redisson;
        let Some(vector) = orders.iter().find(|it| it.codec == java) else {
            continue;
        };
        named += 1;
        // Two codecs write what others write.
        let codec = match (java, entry.values) {
            ("JsonJackson3Codec", _) => "json-jackson".to_owned(),
            ("LZ4CodecV2", _) => "lz4:kryo5".to_owned(),
            (_, Values::Frame(_)) => format!("{}:kryo5", entry.short),
            _ => entry.short.to_owned(),
        };
        let schema = vectors::path("vectors/schema.json");
        let args = ["sniff", "--hex", &vector.payload_hex, "--schema", &schema];
        // The oldest Redisson of the vectors had another default inside a frame.
        let [said] = json(NOWHERE, &args).try_into().unwrap();
        let found = said["codec"].as_str().unwrap();
        assert_eq!(
            found.replace("marshalling", codec.rsplit(':').next().unwrap()),
            codec
        );
        let value = said["value"].to_string();
        assert!(value.contains("orderId"), "{java}: {said}");
    }
    assert_eq!(named, 14);
}

#[tokio::test]
async fn one_element_of_a_queue_is_named_by_its_ticket_or_id() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    let text = Bytes::from_static(b"{\"orderId\":17}");
    let hour = Duration::from_secs(3_600);
    let ticket = orders.offer(&text, hour).await.unwrap();
    let other = Bytes::from_static(b"\x28\xb5\x2f\xfd");
    orders.offer(&other, hour).await.unwrap();
    let id: String = ticket.id().iter().map(|it| format!("{it:02x}")).collect();
    for name in [ticket.to_string(), id] {
        let [said] = json(&url, &["sniff", "orders", &name]).try_into().unwrap();
        assert_eq!(
            (&said["codec"], &said["bytes"]),
            (&json!("json"), &json!(14))
        );
    }
    assert_eq!(run(&url, &["sniff", "orders", "ffffffff"]).code, 3);
}

#[test]
fn a_class_that_is_not_described_is_named() {
    let vector = vectors::of("Kryo5Codec", "pojo.simple");
    let said = done(NOWHERE, &["sniff", "--hex", &vector.payload_hex]);
    let first = said.lines().next().unwrap();
    assert!(first.starts_with("kryo5: not read: "), "{said}");
    assert!(first.contains("com.example.orders.SimpleOrder"), "{said}");
    assert!(said.contains("or bytes, which reads it too"), "{said}");
}

#[test]
fn payloads_come_from_stdin_and_in_base64_too() {
    let mut sniff = command(NOWHERE, &["sniff", "--file", "-"]);
    sniff.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut sniff = Program::start(sniff.stderr(Stdio::piped()));
    let mut stdin = sniff.stdin.take().unwrap();
    stdin.write_all(br#"{"id":17}"#).unwrap();
    drop(stdin);
    let piped = Run::of(sniff.output());
    assert!(piped.stdout.starts_with("json: {\"id\":17}"), "{piped:?}");

    // The order of bytes in a JVM's own serialization, as people paste it from a log.
    let pasted = done(NOWHERE, &["sniff", "--base64", "rO0ABXQACG9yZGVyLTE3"]);
    assert!(
        pasted.starts_with("serialization: \"order-17\""),
        "{pasted}"
    );

    assert_eq!(run(NOWHERE, &["sniff", "--hex", "xyz"]).code, 2);
    assert_eq!(run(NOWHERE, &["sniff"]).code, 2);
    assert_eq!(run(NOWHERE, &["sniff", "orders", "--hex", "00"]).code, 2);
}

#[tokio::test]
async fn the_payloads_of_a_queue_are_counted_by_codec() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let order = vectors::of("Kryo5Codec", "pojo.simple").payload();
    let text = vectors::of("JsonJacksonCodec", "pojo.simple").payload();
    for _ in 0..3 {
        orders
            .offer(&order, Duration::from_secs(3_600))
            .await
            .unwrap();
    }
    orders.destination().offer(&text).await.unwrap();

    let counts = json(&server.url(), &["sniff", "orders"]);
    let [kryo, jackson] = counts.try_into().unwrap();
    assert_eq!(kryo["codec"], "kryo5");
    assert_eq!([&kryo["payloads"], &kryo["read"]], [&json!(3), &json!(0)]);
    assert!(
        kryo["error"].as_str().unwrap().contains("SimpleOrder"),
        "{kryo}"
    );
    assert_eq!(jackson["codec"], "json-jackson");
    assert_eq!(jackson["payloads"], 1);

    // With the classes, the advice is complete.
    let schema = vectors::path("vectors/schema.json");
    let said = run(&server.url(), &["sniff", "orders", "--schema", &schema]);
    assert!(
        said.stdout.contains("kryo5                3     3  {"),
        "{said:?}"
    );
    let advice = "[server.NAME.queue.orders]\ncodec = \"kryo5\"\n";
    assert!(said.stderr.contains(advice), "{said:?}");

    let few = json(&server.url(), &["sniff", "orders", "-n", "1"]);
    assert!(few.iter().all(|it| it["payloads"] == 1), "{few:?}");
    assert_eq!(run(&server.url(), &["sniff", "nothing"]).code, 3);
}

/// Texts and small numbers of cbor look like texts, and its objects do not.
#[test]
fn payloads_that_one_codec_reads_are_no_mixture() {
    let server = Server::start();
    let url = server.url();
    let offer = |value: &str, codec: &str| {
        let codec = ["--codec", codec, "--delay", "1h"];
        done(&url, &[&["offer", "orders", value], &codec[..]].concat());
    };
    let finds_mixture = || {
        let found = run(&url, &["doctor", "orders", "--json"]).stdout;
        found.contains("\"check\":\"codecs\"")
    };
    for value in ["\"hello\"", "0", "{\"order\":1.5}"] {
        offer(value, "cbor");
    }
    assert!(!finds_mixture());
    offer("\"hello\"", "kryo5");
    assert!(finds_mixture());
}
