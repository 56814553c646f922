//! The live dashboards: `rdq watch` shows one queue, `rdq top` all queues.
//!
//! What is on the screen comes about in three steps. Only the first touches Redis, and only the last
//! the terminal:
//!
//! - [`reading`] asks Redis about one queue, with [`upcoming`] and [`clients`]; [`survey`] asks about
//!   all queues. [`work`] says when.
//! - [`board`] and [`table`] turn what was read into what is to be shown. [`flow`], [`lateness`] and
//!   [`listening`] remember what was read before, [`trouble`] since when nothing is. [`app`] holds
//!   them, and knows what keys do. None of these has a clock: time is an argument.
//! - [`view`] draws that.
//!
//! [`terminal`] takes the terminal and gives it back, and [`run`] is the loop around all of them.

mod app;
mod board;
mod clients;
mod column;
pub(crate) mod flow;
pub(crate) mod lateness;
mod listening;
pub(crate) mod reading;
pub(crate) mod run;
pub(crate) mod survey;
mod table;
mod terminal;
mod trouble;
mod upcoming;
mod view;
mod work;
