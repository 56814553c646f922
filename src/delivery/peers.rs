//! The other clients of a queue: who leads (`herd`), and what they tell each other (`message`).

mod herd;
mod message;

pub(crate) use herd::{Herd, Mover};
pub(crate) use message::{Message, Moved, Peer};
