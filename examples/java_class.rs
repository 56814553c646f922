//! Offers and takes objects of a Java class with Kryo 5, the codec that Redisson uses if none is
//! chosen. Java reads and writes the same queue without a change:
//!
//! ```java
//! package com.example;
//!
//! public class Parcel { public String street; public int grams; }
//!
//! RBlockingQueue<Parcel> target = redisson.getBlockingQueue("example-parcels");
//! RDelayedQueue<Parcel> queue = redisson.getDelayedQueue(target);
//! ```
//!
//! ```sh
//! cargo run --example java_class
//! ```
//!
//! Uses the Redis of `REDIS_URL`, or the one on this machine.

use std::time::Duration;

use redisson_delayed_queue::codec::Kryo5Codec;
use redisson_delayed_queue::java::JavaObject;
use redisson_delayed_queue::{Client, DelayedQueue, Result};

#[derive(Debug, JavaObject)]
#[java(class = "com.example.Parcel")]
struct Parcel {
    /// Every Java reference may be null.
    street: Option<String>,
    grams: i32,
}

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());
    let client = Client::connect(url).await?;
    let parcels: DelayedQueue<Parcel> =
        client.delayed_queue("example-parcels", Kryo5Codec::new())?;
    let parcel = Parcel {
        street: Some("1 Main St".to_owned()),
        grams: 850,
    };
    parcels.offer(&parcel, Duration::from_secs(1)).await?;
    println!("{:?}", parcels.take().await?);
    client.shutdown().await
}
