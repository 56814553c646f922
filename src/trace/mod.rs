//! The spans of this crate, for `tracing`, and how a trace goes from an offer to a handler. It
//! installs no subscriber.

mod carrier;
mod span;

pub use carrier::TraceCarrier;

pub(crate) use carrier::Carrier;
pub(crate) use span::{handle, note_failure, offer, offer_all, take, take_any, transfer};
