//! An offer: its attempts, and when another one is safe.
//!
//! A lost attempt may have run, or may still run. `docs/internals.md` has the three rules that keep
//! a second attempt from storing the element twice. Scripts that read pending elements always note
//! their work, so their offers may always be repeated. Every attempt looks for settled ids, unless
//! it runs right after it was sent. Only first attempts do, so the usual case costs nothing.
//!
//! The script computes the due time, in `lua/lib/score.lua`, or in `lua/offer_one.lua` for one plain
//! value. An offer that is to be durable runs on a socket of its own and waits there for replicas
//! or the disk; if that wait is lost, the whole attempt is. Several other offers can share their
//! first attempt; see [`Line`].

mod attempts;
mod element;
mod line;
mod stored;

pub(crate) use attempts::{Attempts, Failed};
pub(crate) use element::Element;
pub(crate) use line::Line;
pub(crate) use stored::{Shortfall, Stored};

/// The most elements that one script stores. With more, it would hold up other clients of Redis.
pub(crate) const MOST: usize = 500;
