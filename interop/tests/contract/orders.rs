//! An order that Rust holds as a struct and Java as an object: through a queue, there and back.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use interop::oracle::Oracle;
use redisson_delayed_queue::codec::{
    CborJacksonCodec, Codec, JsonJackson3Codec, JsonJacksonCodec, Kryo5Codec, Lz4Codec, Lz4CodecV2,
    MarshallingCodec, MsgPackJacksonCodec, SerializationCodec, SmileJacksonCodec, SnappyCodec,
    SnappyCodecV2, TypedJsonJacksonCodec, ZstdCodec,
};
use redisson_delayed_queue::java::JavaObject;
use redisson_delayed_queue::{Client, DelayedQueue};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use crate::stage::Stage;

/// With each codec that the version has: Java reads, finds and removes the order that Rust offers
/// as its own, and Rust that of Java.
pub(crate) fn pass(version: &'static str) {
    let mut scene = Scene::new(version);
    scene.pass("Kryo5Codec", Kryo5Codec::<SimpleOrder>::new());
    scene.pass(
        "Kryo5Codec(references)",
        Kryo5Codec::<SimpleOrder>::new().references(true),
    );
    scene.pass("JsonJacksonCodec", JsonJacksonCodec::<SimpleOrder>::new());
    // The constructor of `Address` that takes its fields.
    let json = JsonJackson3Codec::<SimpleOrder>::new();
    let address = "com.example.orders.Address";
    let json = json.creator(address, ["street", "city", "zip"]);
    scene.pass("JsonJackson3Codec", json);
    scene.pass("CborJacksonCodec", CborJacksonCodec::<SimpleOrder>::new());
    scene.pass(
        "MsgPackJacksonCodec",
        MsgPackJacksonCodec::<SimpleOrder>::new(),
    );
    scene.pass("SmileJacksonCodec", SmileJacksonCodec::<SimpleOrder>::new());
    scene.pass(
        "TypedJsonJacksonCodec(com.example.orders.SimpleOrder)",
        TypedJsonJacksonCodec::<SimpleOrder>::new(),
    );
    scene.pass(
        "SerializationCodec",
        SerializationCodec::<SimpleOrder>::new(),
    );
    scene.pass("MarshallingCodec", MarshallingCodec::<SimpleOrder>::new());
    let kryo5 = Kryo5Codec::<SimpleOrder>::new;
    scene.pass("LZ4Codec", Lz4Codec::new(kryo5()));
    scene.pass("LZ4CodecV2", Lz4CodecV2::new(kryo5()));
    scene.pass("SnappyCodec", SnappyCodec::new(kryo5()));
    scene.pass("SnappyCodecV2", SnappyCodecV2::new(kryo5()));
    scene.pass("ZStdCodec", ZstdCodec::new(kryo5()));
    assert!(scene.passed >= FEWEST, "only {} codecs", scene.passed);
}

struct Scene {
    runtime: Runtime,
    client: Client,
    stage: Stage,
    /// Knows which codecs the version has, and which of them write in one way only.
    oracle: Oracle,
    passed: usize,
}

impl Scene {
    fn new(version: &'static str) -> Self {
        let runtime = Runtime::new().expect("a runtime starts");
        let stage = Stage::new(version);
        let client = runtime.block_on(Client::connect(stage.url()));
        Self {
            client: client.expect("redis runs"),
            oracle: Oracle::start(version),
            passed: 0,
            runtime,
            stage,
        }
    }

    fn pass(&mut self, name: &str, codec: impl Codec<SimpleOrder>) {
        let Ok(by_java) = self.oracle.encode(name, ORDER) else {
            return;
        };
        let what = format!("{name} of {}", self.stage.version);
        let by_rust = codec
            .encode(&order())
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        self.passed += 1;
        let queue = format!("orders-{name}");
        let rust: DelayedQueue<SimpleOrder> = self
            .client
            .delayed_queue(&queue, codec)
            .expect("the name is valid");
        let java = &mut self.stage.java;
        java.open_offering(&queue, &queue, name);
        let object = format!("@{ORDER}");

        self.runtime.block_on(async {
            // There and back.
            java.offer_object(&queue, Duration::ZERO, &object);
            let taken = rust.poll(PATIENCE).await;
            let taken = taken.unwrap_or_else(|error| panic!("{what}: {error:?}"));
            assert_eq!(taken, Some(order()), "{what}");
            rust.offer(&order(), Duration::ZERO).await.expect("offered");
            let taken = java.poll(&queue, PATIENCE).map(|taken| taken.value);
            // Java writes again what it read.
            assert_eq!(taken.as_deref(), Some(&*by_java), "{what}");

            // Found by value, where there is one way to write it.
            if compresses(name) {
                return;
            }
            assert_eq!(by_rust, by_java, "{what}");
            rust.offer(&order(), LONG).await.expect("offered");
            assert!(java.contains_object(&queue, &object), "{what}");
            assert!(java.remove_object(&queue, &object), "{what}");
            assert!(
                rust.pending().is_empty().await.expect("redis runs"),
                "{what}"
            );
            java.offer_object(&queue, LONG, &object);
            assert!(
                rust.pending().contains(&order()).await.expect("redis runs"),
                "{what}"
            );
            assert!(
                rust.pending().remove(&order()).await.expect("redis runs"),
                "{what}"
            );
            assert_eq!(java.size(&queue), 0, "{what}");
        });
    }
}

/// Each compressor writes in its own way.
fn compresses(codec: &str) -> bool {
    ["LZ4", "Snappy", "ZStd"]
        .iter()
        .any(|it| codec.starts_with(it))
}

/// The class of `interop/java/src/main/java/com/example/orders/SimpleOrder.java`.
#[derive(Clone, Debug, Deserialize, JavaObject, PartialEq, Serialize)]
#[java(class = "com.example.orders.SimpleOrder", serial_version_uid = 1)]
#[serde(rename_all = "camelCase")]
struct SimpleOrder {
    order_id: String,
    user_id: i64,
    quantity: i32,
    price: f64,
    paid: bool,
    coupon_id: Option<i64>,
    tags: Vec<String>,
    attrs: BTreeMap<String, String>,
    address: Option<Address>,
    status: Status,
}

#[derive(Clone, Debug, Deserialize, JavaObject, PartialEq, Serialize)]
#[java(class = "com.example.orders.Address", serial_version_uid = 1)]
struct Address {
    street: String,
    city: String,
    zip: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, JavaObject, PartialEq, Serialize)]
#[java(class = "com.example.orders.Status")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Status {
    New,
    Paid,
    Shipped,
    Cancelled,
}

/// What Java makes for [`ORDER`].
fn order() -> SimpleOrder {
    SimpleOrder {
        order_id: "ORD-1".to_owned(),
        user_id: 42,
        quantity: 3,
        price: 19.99,
        paid: true,
        coupon_id: Some(77),
        tags: ["vip", "gift"].map(str::to_owned).into(),
        attrs: [("channel", "web"), ("lang", "fr")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into(),
        address: Some(Address {
            street: "1 Main St".to_owned(),
            city: "Paris".to_owned(),
            zip: Some("75001".to_owned()),
        }),
        status: Status::Paid,
    }
}

const ORDER: &str = "pojo.simple";
/// Which the oldest version has.
const FEWEST: usize = 11;
/// So long that nothing becomes due during a test.
const LONG: Duration = Duration::from_secs(3_600);
const PATIENCE: Duration = Duration::from_secs(5);
