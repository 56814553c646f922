//! The values that the bench writes and reads.

use std::collections::BTreeMap;

use redisson_codec::java::JavaObject;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, JavaObject, PartialEq, Serialize)]
#[java(class = "com.example.orders.SimpleOrder", serial_version_uid = 1)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Order {
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
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Status {
    New,
    Paid,
    Shipped,
    Cancelled,
}

/// An order with ten fields.
pub(crate) fn order() -> Order {
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

/// Many orders, which differ.
pub(crate) fn orders() -> Vec<Order> {
    let orders = (0..200).map(|i| Order {
        order_id: format!("ORD-{i}"),
        user_id: 1_000_000 * i,
        price: 0.25 * i as f64 + 0.99,
        coupon_id: (i % 3 == 0).then_some(i),
        ..order()
    });
    orders.collect()
}
