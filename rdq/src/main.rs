//! `rdq`: shows, explains, repairs and migrates Redisson's delayed queues.
//!
//! - [`cli`]: the command line. Each verb has a file in [`verb`], with its arguments and its work;
//!   those that need more have a room: [`doctor`], [`drain`], [`migrate`], [`repair`], [`schema`],
//!   [`serve`], [`sniff`], [`transfer`], [`watch`].
//! - [`argument`]: what users write. [`screen`]: what they see. [`failure`]: what ends a run, and with
//!   which exit code. [`private_file`]: new files that only their owner can read.
//! - [`session`]: what a verb works with: the client, the codecs, the screen, and whether to ask.
//! - [`queue`]: a queue as a whole. [`element`]: one element. [`payload`]: payloads as people read and
//!   write them.

mod argument;
mod cli;
mod doctor;
mod drain;
mod element;
mod failure;
mod migrate;
mod payload;
mod private_file;
mod queue;
mod repair;
mod schema;
mod screen;
mod serve;
mod session;
mod sniff;
mod transfer;
mod verb;
mod watch;

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    match cli::Call::parse().run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
