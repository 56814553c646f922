//! The object that the `json` codec carries: the Rust twin of `java/…/Order.java`.

use serde::{Deserialize, Serialize};

/// An order. What the text leaves out is as in a new Java object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Order {
    /// Identifies the order.
    pub id: Option<String>,
    /// Who ordered.
    pub customer: Option<String>,
    /// The price in a hundredth of a currency.
    pub amount_cents: i64,
    /// How many were ordered.
    pub quantity: i32,
    /// Words about the order.
    pub tags: Option<Vec<String>>,
}
