//! An offer: its attempts, and when another one is safe.
//!
//! A lost attempt may have run, or may still run. Repeating it is harmless while the element is
//! pending: the member carries its own id, and the script adds it only if absent. The danger is an
//! element that leaves the queue between two attempts. Three rules prevent that:
//!
//! - An element that may become due in between is not offered again unless Redis remembers its id.
//!   Scripts that read pending elements always note their work.
//! - A removal leaves the id behind for a while. Every attempt looks for it unless it runs right
//!   after it was sent. Only first attempts do, so the usual case costs nothing.
//! - No attempt takes effect after the window. Each carries its deadline in Redis's time.
//!
//! The script computes the due time, in `lua/lib/due.lua`, or in `lua/offer_one.lua` for one plain
//! value. An offer that is to be durable runs on a socket of its own and waits there for replicas or
//! the disk; if that wait is lost, the whole attempt is. Several other offers can share their first attempt; see [`Line`].

mod attempts;
mod element;
mod line;
mod many;
mod stored;

pub(crate) use attempts::{Attempts, Failed};
pub(crate) use element::{Due, Element};
pub(crate) use line::Line;
pub(crate) use many::{MOST, store_all};
pub(crate) use stored::{Shortfall, Stored};
