//! Codecs allocate nothing but the payload when they write.

use std::collections::BTreeMap;
use std::fmt::Debug;

use redisson_codec::java::JavaObject;
use redisson_codec::{
    Codec, JsonJackson3Codec, JsonJacksonCodec, Kryo5Codec, SerializationCodec,
    TypedJsonJacksonCodec,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, JavaObject, PartialEq, Serialize)]
#[java(class = "com.example.Order", serial_version_uid = 1)]
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
#[java(class = "com.example.Line", serial_version_uid = 1)]
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
fn allocations<T: Debug + PartialEq>(codec: impl Codec<T>, value: &T) -> u64 {
    let payload = codec.encode(value).expect("it has a payload");
    assert_eq!(codec.decode(payload.clone()).expect("it is read"), *value);
    let counted = allocation_counter::measure(|| {
        assert_eq!(codec.encode(value).ok().as_ref(), Some(&payload));
    });
    counted.count_total
}

#[test]
fn only_the_payload_is_allocated() {
    let order = order();
    for (codec, count) in [
        (
            "TypedJson",
            allocations(TypedJsonJacksonCodec::new(), &order),
        ),
        ("Kryo5", allocations(Kryo5Codec::new(), &order)),
        ("Json", allocations(JsonJacksonCodec::new(), &order)),
        ("Json3", allocations(JsonJackson3Codec::new(), &order)),
    ] {
        assert_eq!(count, 1, "{codec}");
    }
}

/// It keeps a list of what the payload may refer to, and no copy of any value.
#[test]
fn serialization_allocates_nothing_for_a_further_value() {
    let orders = |count| {
        let orders: Vec<Order> = (0..count).map(|_| order()).collect();
        allocations(SerializationCodec::new(), &orders)
    };
    assert_eq!(orders(20), orders(2));
}
