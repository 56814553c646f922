//! What every test stands on, proven in `tests`.
//!
//! - `server`: a private Redis that a test may kill, freeze and restart.
//! - `monitor`: what Redis runs, in its order.
//! - `proxy`: a TCP proxy that holds, delays, loses or cuts what passes.
//! - `resp`: where one request or reply ends and the next begins.
//! - `eventually`: waiting for a fact instead of sleeping.

mod eventually;
mod monitor;
mod proxy;
pub(crate) mod resp;
mod server;

pub(crate) use eventually::eventually;
pub(crate) use monitor::Monitor;
pub(crate) use proxy::Proxy;
pub(crate) use server::RedisServer;

mod tests;
