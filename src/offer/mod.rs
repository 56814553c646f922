//! An offer: its attempts, and when another one is safe.
//!
//! An attempt whose reply was lost may have run, or may yet run. Sending it again is harmless while
//! the element is pending, for the member carries its own id and is added only if absent. What
//! could go wrong is that the element leaves the queue between two attempts, and three rules see to
//! that:
//!
//! - An element that may become due in between is not offered again, unless Redis remembers its id.
//!   The scripts that look at what is pending note what they did in any case.
//! - A removal leaves the id behind for a while, and every attempt that does not run at once after
//!   it was sent looks for it. Only a first attempt can run at once, so the usual case pays
//!   nothing.
//! - After the window no attempt takes effect: each says until when it may run, by Redis's clock.
//!
//! First attempts at several offers may be one attempt, which keeps the rules of each of them; see
//! [`Line`].

mod attempt;
mod element;
mod line;
mod many;

pub(crate) use attempt::{Failed, Offer};
pub(crate) use element::{Due, Element};
pub(crate) use line::Line;
pub(crate) use many::offer_all;
