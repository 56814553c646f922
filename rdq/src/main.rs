//! `rdq`: shows, explains, repairs and migrates Redisson's delayed queues.
//!
//! - [`cli`]: the command line. Each verb has a file in [`verb`], with its arguments and its work.
//! - [`profile`]: the file that names servers and their codecs.
//! - [`session`]: what a verb works with: the client, the codecs, the screen, and whether to ask.
//! - [`interrupt`] ends a verb when the user or the system asks for it.
//! - [`element`]: one element, as it is shown. [`find`] finds it by its ticket or its id, and
//!   [`place`] tells where else it stands; [`change`] changes elements, [`list`] lists them.
//! - [`drain`] takes elements out as lines of JSON, [`line`] reads such a line, and [`offering`]
//!   offers many values.
//! - [`moment`] and [`when`]: times as users write them. [`input`]: what they give on stdin.
//! - [`names`] finds queues, and [`stats`] counts what is in one.
//! - [`backup`]: the lines of an exported queue. [`scored`] reads sorted sets and hashes.
//! - [`lookout`] sees elements become due. [`transfer`] is a mover of its own.
//! - [`doctor`] finds out what is wrong. A [`census`] reads the members of a queue.
//! - [`repair`] puts members right. Both it and [`migrate`] [`amend`] the queue step by step.
//! - [`payload`]: payloads as people read and write them.
//! - [`sniff`]: which codec wrote a payload; [`schema`]: Java classes, from their class files.
//! - [`screen`]: tables for people, lines of JSON for scripts.
//! - [`digest`] gives short names to bytes, [`progress`] counts long work, [`script`] calls the scripts
//!   of `lua/`.
//! - [`watch`]: the live dashboards.
//! - [`serve`]: the web dashboard.
//! - [`failure`]: what ends a run, and with which exit code.

mod amend;
mod backup;
mod census;
mod change;
mod cli;
mod digest;
mod doctor;
mod drain;
mod element;
mod failure;
mod find;
mod input;
mod interrupt;
mod line;
mod list;
mod lookout;
mod migrate;
mod moment;
mod names;
mod offering;
mod payload;
mod place;
mod profile;
mod progress;
mod repair;
mod schema;
mod scored;
mod screen;
mod script;
mod serve;
mod session;
mod sniff;
mod stats;
mod transfer;
mod verb;
mod watch;
mod when;

use std::process::ExitCode;

use clap::Parser;

#[tokio::main]
async fn main() -> ExitCode {
    match cli::Cli::parse().run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
