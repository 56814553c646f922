//! A queue as a whole.
//!
//! - [`names`] finds queues, and [`home`] tells two queues with the same keys apart.
//! - [`stats`] counts what is in a queue, and [`listeners`] who listens to it at a server.
//! - [`masters`] are the servers that answer, and [`nodes`] asks replicas, too. [`programs`] listen on a
//!   server.
//! - A [`census`] reads the members of a queue, and [`amend`] changes some, step by step.
//! - A [`record`] is a line of an exported queue. Some are [`printed`] before a deletion.
//!   [`mod@base64`] writes bytes in JSON.
//! - [`letters`] deletes dead letters, and [`lookout`] sees elements become due.
//! - [`types`]: which type each key has, and which key has another.
//! - [`script`] calls the scripts of `lua/`, and [`scored`] reads sorted sets and hashes.

pub(crate) mod amend;
mod base64;
pub(crate) mod census;
pub(crate) mod elsewhere;
pub(crate) mod home;
pub(crate) mod letters;
pub(crate) mod listeners;
pub(crate) mod lookout;
pub(crate) mod masters;
pub(crate) mod names;
pub(crate) mod nodes;
pub(crate) mod printed;
pub(crate) mod programs;
pub(crate) mod record;
pub(crate) mod scored;
pub(crate) mod script;
pub(crate) mod stats;
pub(crate) mod types;
pub(crate) mod unleased;
