//! Forwarding due elements to RabbitMQ, or another broker that speaks AMQP 0-9-1 (feature `amqp`).
//!
//! A [`Publisher`] is a handler of a [`Consumer`](crate::Consumer): it publishes each element to an
//! exchange, and the consumer acknowledges the element in Redis after the broker has confirmed the
//! message. Whichever side dies, nothing is lost, if queues are durable and Redis keeps its writes. A
//! message may come twice, with the same message id; [docs/forwarding.md](crate::guide::forwarding)
//! says when.
//!
//! # Examples
//!
//! ```no_run
//! use redisson_delayed_queue::amqp::{Properties, Publisher};
//! use redisson_delayed_queue::codec::StringCodec;
//! use redisson_delayed_queue::DelayedQueue;
//!
//! # async fn run(
//! #     orders: DelayedQueue<String>, stop: impl Future<Output = ()> + Send + 'static,
//! # ) -> Result<(), Box<dyn std::error::Error>> {
//! let publisher = Publisher::builder("orders", StringCodec)
//!     .routing_key_by(|order: &String| format!("due.{}", order.len()))
//!     .properties_by(|_| Properties::new().content_type("text/plain"))
//!     .connect("amqp://127.0.0.1:5672/%2f")
//!     .await?;
//! orders.consumer().build()?.run(16, publisher.handler()).until(stop).await;
//! # Ok(()) }
//! ```

mod builder;
mod confirm_channel;
mod error;
mod link;
mod message;
mod outage;
mod properties;
mod publisher;

pub use builder::PublisherBuilder;
pub use error::Error;
pub use properties::Properties;
pub use publisher::Publisher;
