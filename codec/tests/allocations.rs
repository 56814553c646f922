//! Codecs allocate nothing but the payload when they write.

use std::collections::BTreeMap;

use redisson_codec::java::JavaObject;
use redisson_codec::{
    Codec, JsonJackson3Codec, JsonJacksonCodec, Kryo5Codec, TypedJsonJacksonCodec,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, JavaObject, PartialEq, Serialize)]
#[java(class = "com.example.Order")]
struct Order {
    id: String,
    user_id: i64,
    price: f64,
    coupon: Option<i64>,
    tags: Vec<String>,
    #[java(type = "java.util.TreeMap<java.lang.String, java.lang.Long>")]
    counts: BTreeMap<String, i64>,
    #[java(type = "long[]")]
    stops: Vec<i64>,
    lines: Vec<Line>,
    status: Status,
}

#[derive(Debug, Deserialize, JavaObject, PartialEq, Serialize)]
#[java(class = "com.example.Line")]
struct Line {
    article: String,
    count: i32,
}

#[derive(Debug, Deserialize, JavaObject, PartialEq, Serialize)]
#[java(class = "com.example.Status")]
enum Status {
    New,
    Paid,
}

fn order() -> Order {
    let line = |article: &str| Line {
        article: article.to_owned(),
        count: 3,
    };
    Order {
        id: "A-1".to_owned(),
        user_id: 42,
        price: 19.99,
        coupon: Some(7),
        tags: vec!["vip".to_owned(), "gift".to_owned()],
        counts: [("a".to_owned(), 1)].into(),
        stops: vec![1, 2],
        lines: vec![line("bread"), line("milk")],
        status: Status::Paid,
    }
}

/// The first payload may cost more: what is found out about the class stays.
fn allocations(codec: impl Codec<Order>) -> u64 {
    let order = order();
    let payload = codec.encode(&order).expect("it has a payload");
    assert_eq!(codec.decode(payload.clone()).expect("it is read"), order);
    let counted = allocation_counter::measure(|| {
        assert_eq!(codec.encode(&order).ok().as_ref(), Some(&payload));
    });
    counted.count_total
}

#[test]
fn only_the_payload_is_allocated() {
    for (codec, count) in [
        ("TypedJson", allocations(TypedJsonJacksonCodec::new())),
        ("Kryo5", allocations(Kryo5Codec::new())),
        ("Json", allocations(JsonJacksonCodec::new())),
        ("Json3", allocations(JsonJackson3Codec::new())),
    ] {
        assert_eq!(count, 1, "{codec}");
    }
}
