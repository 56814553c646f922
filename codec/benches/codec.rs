//! What it costs to write and to read an order, codec by codec, beside `serde_json`.
//!
//! `cargo bench --bench codec`; `docs/performance.md` holds figures.

use std::collections::BTreeMap;
use std::hint::black_box;

use bytes::Bytes;
use criterion::{Criterion, criterion_group, criterion_main};
use redisson_codec::java::JavaObject;
use redisson_codec::{
    Codec, JsonJackson3Codec, JsonJacksonCodec, Kryo5Codec, TypedJsonJacksonCodec,
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, JavaObject, PartialEq, Serialize)]
#[java(class = "com.example.orders.SimpleOrder", serial_version_uid = 1)]
#[serde(rename_all = "camelCase")]
struct Order {
    order_id: String,
    user_id: i64,
    quantity: i32,
    price: f64,
    paid: bool,
    coupon_id: Option<i64>,
    tags: Vec<String>,
    attrs: BTreeMap<String, String>,
    address: Address,
    status: Status,
}

#[derive(Clone, Debug, Deserialize, JavaObject, PartialEq, Serialize)]
#[java(class = "com.example.orders.Address", serial_version_uid = 1)]
struct Address {
    street: String,
    city: String,
    zip: String,
}

#[derive(Clone, Copy, Debug, Deserialize, JavaObject, PartialEq, Serialize)]
#[java(class = "com.example.orders.Status")]
enum Status {
    New,
    Paid,
    Shipped,
    Cancelled,
}

fn order() -> Order {
    Order {
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
        address: Address {
            street: "1 Main St".to_owned(),
            city: "Paris".to_owned(),
            zip: "75001".to_owned(),
        },
        status: Status::Paid,
    }
}

/// The peer: what a service without Java would use.
struct SerdeJson;

impl Codec<Order> for SerdeJson {
    fn encode(&self, order: &Order) -> Result<Bytes, redisson_codec::Error> {
        serde_json::to_vec(order)
            .map(Bytes::from)
            .map_err(|error| redisson_codec::Error::with_source("no json", error))
    }

    fn decode(&self, payload: Bytes) -> Result<Order, redisson_codec::Error> {
        serde_json::from_slice(&payload)
            .map_err(|error| redisson_codec::Error::with_source("no order", error))
    }
}

fn codecs(criterion: &mut Criterion) {
    bench(criterion, "serde_json", SerdeJson);
    bench(
        criterion,
        "TypedJsonJacksonCodec",
        TypedJsonJacksonCodec::<Order>::new(),
    );
    bench(criterion, "Kryo5Codec", Kryo5Codec::<Order>::new());
    bench(
        criterion,
        "JsonJacksonCodec",
        JsonJacksonCodec::<Order>::new(),
    );
    bench(
        criterion,
        "JsonJackson3Codec",
        JsonJackson3Codec::<Order>::new(),
    );
    #[cfg(feature = "serialization")]
    bench(
        criterion,
        "SerializationCodec",
        redisson_codec::SerializationCodec::<Order>::new(),
    );
    #[cfg(feature = "marshalling")]
    bench(
        criterion,
        "MarshallingCodec",
        redisson_codec::MarshallingCodec::<Order>::new(),
    );
    #[cfg(feature = "lz4")]
    bench(
        criterion,
        "Lz4Codec<Kryo5Codec>",
        redisson_codec::Lz4Codec::new(Kryo5Codec::<Order>::new()),
    );
    #[cfg(feature = "snappy")]
    bench(
        criterion,
        "SnappyCodecV2<Kryo5Codec>",
        redisson_codec::SnappyCodecV2::new(Kryo5Codec::<Order>::new()),
    );
    #[cfg(feature = "zstd")]
    bench(
        criterion,
        "ZstdCodec<Kryo5Codec>",
        redisson_codec::ZstdCodec::new(Kryo5Codec::<Order>::new()),
    );
}

fn bench(criterion: &mut Criterion, name: &str, codec: impl Codec<Order>) {
    let order = order();
    let payload = codec.encode(&order).expect("the order has a payload");
    assert_eq!(
        codec.decode(payload.clone()).expect("it is read back"),
        order
    );
    let mut group = criterion.benchmark_group(format!("{name}, {} bytes", payload.len()));
    group.bench_function("encode", |bencher| {
        bencher.iter(|| codec.encode(black_box(&order)));
    });
    group.bench_function("decode", |bencher| {
        bencher.iter(|| codec.decode(black_box(payload.clone())));
    });
    group.finish();
}

criterion_group!(benches, codecs);
criterion_main!(benches);
