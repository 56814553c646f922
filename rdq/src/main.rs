//! `rdq`: shows, explains, repairs and migrates Redisson's delayed queues.
//!
//! - [`cli`]: the command line. Each verb has a file in [`verb`], with its arguments and its work.
//! - [`profile`]: the file that names servers and their codecs.
//! - [`session`]: what a verb works with: the client, the codecs, the screen, and whether to ask.
//! - [`names`] finds queues, and [`stats`] counts what is in one.
//! - [`payload`]: payloads as people read and write them.
//! - [`screen`]: tables for people, lines of JSON for scripts.
//! - [`failure`]: what ends a run, and with which exit code.

mod cli;
mod failure;
mod names;
mod payload;
mod profile;
mod screen;
mod session;
mod stats;
mod verb;

use std::process::ExitCode;

use clap::Parser;

#[tokio::main]
async fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let done = tokio::select! {
        done = cli.run() => done,
        _ = tokio::signal::ctrl_c() => Err(failure::Failure::Interrupted),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
