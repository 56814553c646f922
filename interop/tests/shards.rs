//! Which shard of a queue has a key: Java and Rust must agree, or a key is pending twice.

use interop::{
    peer::{Peer, Reply},
    value,
};
use redisson_delayed_queue::Shards;
use testbed::Server;

#[test]
fn java_and_rust_give_every_key_to_the_same_shard() {
    let redis = Server::start();
    let mut java = Peer::java("4.7.0", &redis.url());
    let names: [Vec<String>; 4] = [
        (0..2).map(|i| format!("orders:{i}")).collect(),
        (0..8).map(|i| format!("orders:{i}")).collect(),
        (0..33).map(|i| format!("orders:{i}")).collect(),
        ["заказы", "注文", "bestellungen-ü", "🚚"]
            .map(str::to_owned)
            .into(),
    ];
    for names in names {
        let shards = Shards::new(&names).expect("the names are distinct");
        let keys: Vec<Vec<u8>> = keys().collect();
        let line = |key| format!("shard {} {}", value::encode(key), names.join(" "));
        let replies = java.send_all(&keys.iter().map(line).collect::<Vec<_>>());
        for (key, reply) in keys.iter().zip(replies) {
            let shard = shards.shard_of(key).to_owned();
            assert_eq!(reply, Reply::Ok(shard), "{:?}", key.escape_ascii());
        }
    }
    java.exit();
}

/// Texts in several scripts, long ones, and bytes that are no text.
fn keys() -> impl Iterator<Item = Vec<u8>> {
    let words = ["", "customer ", "заказ ", "注文 ", "Bestellung Ü ", "🚚"];
    let texts = (0..2_000).map(move |i| format!("{}{i}", words[i % words.len()]).into_bytes());
    let bytes = (0..=255).map(|byte| vec![byte, 0, byte]);
    let long = (0..20).map(|i| "ключ".repeat(i * 17).into_bytes());
    texts.chain(bytes).chain(long)
}

/// A user copies the snippet, so it must be what the test above has run.
#[test]
fn the_guide_shows_the_java_code_that_is_tested() {
    let guide = include_str!("../../docs/sharded.md");
    let tested = include_str!("../java/src/main/java/interop/Shards.java");
    let (_, methods) = tested
        .split_once("private Shards() {}\n\n")
        .expect("a constructor");
    let methods = methods.trim_end().strip_suffix('}').expect("a class ends");
    let lines = methods
        .lines()
        .map(|line| line.strip_prefix("    ").unwrap_or(line));
    let shown: Vec<&str> = lines.collect();
    assert!(guide.contains(&shown.join("\n")), "{shown:#?}");
}
