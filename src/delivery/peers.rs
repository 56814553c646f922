//! The other clients of a queue: who leads among them, and what they tell each other.

mod herd;
mod message;

pub(crate) use herd::{Herd, Mover};
pub(crate) use message::{Message, Peer};
