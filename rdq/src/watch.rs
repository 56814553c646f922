//! The live dashboards: `rdq watch` shows one queue, `rdq top` all queues.
//!
//! The screen comes about in three steps. Only the first touches Redis, and only the last touches the
//! terminal:
//!
//! - [`reading`] asks Redis about one queue, with [`upcoming`]; [`survey`] asks about all queues. [`work`] says when to ask.
//! - [`board`] and [`table`] turn the readings into what the screen shows. [`flow`], [`lateness`] and
//!   [`listening`] remember earlier readings, and [`trouble`] remembers since when readings fail.
//!   [`app`] holds them, and knows what keys do. None of these has a clock: time is an argument.
//! - [`view`] draws it.
//!
//! [`terminal`] takes the terminal and gives it back, and [`run`] is the loop around all of them.

mod app;
mod board;
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
