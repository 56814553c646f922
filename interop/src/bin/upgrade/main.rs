//! Two revisions of this crate side by side on one queue, as during a rolling upgrade.
//!
//! `tests/upgrade.sh` builds a caller of each revision and runs this:
//!
//! ```text
//! upgrade --old PATH --new PATH [--seconds N] [--seed N] [--only cells|load]
//! ```
//!
//! - [`cells`]: for each call a small scenario in which one revision sees what the other did.
//! - [`load`]: random calls of several processes, of which one after the other is killed or shut
//!   down and started again, as the same revision or the other. Each element has to be accounted for.

use std::{collections::HashMap, env, path::PathBuf, process::ExitCode, time::Duration};

use fleet::Programs;

mod cells;
mod fleet;
mod keyspace;
mod ledger;
mod load;
mod roles;

/// The error is a sentence that says what is wrong.
type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("upgrade: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let mut options: HashMap<&str, &str> = HashMap::new();
    for pair in words.chunks(2) {
        let [name, value] = pair else {
            return Err(USAGE.into());
        };
        options.insert(name, value);
    }
    let program = |name| options.get(name).map(PathBuf::from).ok_or(USAGE);
    let programs = Programs {
        old: program("--old")?,
        new: program("--new")?,
    };
    let seconds = number(&options, "--seconds")?.unwrap_or(60);
    let seed = number(&options, "--seed")?.unwrap_or_else(rand::random);
    let only = options.get("--only").copied();
    if only.is_none_or(|only| only == "cells") {
        cells::run(&programs)?;
    }
    if only.is_none_or(|only| only == "load") {
        load::run(&programs, Duration::from_secs(seconds), seed)
            .map_err(|error| format!("{error}\nrun it again with --seed {seed}"))?;
    }
    Ok(())
}

fn number(options: &HashMap<&str, &str>, name: &str) -> Result<Option<u64>> {
    let value = options.get(name).map(|value| value.parse());
    value.transpose().map_err(|_| USAGE.into())
}

const USAGE: &str =
    "usage: upgrade --old PATH --new PATH [--seconds N] [--seed N] [--only cells|load]";
