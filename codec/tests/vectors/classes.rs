//! The Java classes of `com.example.orders` that the vectors hold.
//!
//! Fields stand in the order of the Java class, which is not the order of the payload.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SimpleOrder {
    order_id: Option<String>,
    user_id: i64,
    quantity: i32,
    price: f64,
    paid: bool,
    coupon_id: Option<i64>,
    tags: Option<Vec<Option<String>>>,
    attrs: Option<BTreeMap<String, String>>,
    address: Option<Address>,
    status: Option<Status>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderRecord {
    order_id: Option<String>,
    user_id: i64,
    quantity: i32,
    price: f64,
    paid: bool,
    tags: Option<Vec<String>>,
    address: Option<Address>,
    status: Option<Status>,
    nullable_int: Option<i32>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Address {
    street: Option<String>,
    city: Option<String>,
    zip: Option<String>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Status {
    Paid,
    Shipped,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Node {
    name: String,
    left: Option<Box<Node>>,
    right: Option<Box<Node>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shadow {
    event_id: String,
    version: i64,
    amount: String,
    zone: i32,
    #[serde(rename = "Zeta")]
    zeta: String,
    alpha: String,
    #[serde(rename = "_under")]
    under: String,
    is_active: bool,
    #[serde(rename = "URL")]
    url: String,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Cyrillic {
    #[serde(rename = "имя")]
    name: String,
    b: i32,
}
