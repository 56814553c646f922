//! What the command line says.

use std::{env, path::PathBuf, time::Duration};

use crate::{
    Result,
    faults::{self, Fault},
};

pub(crate) struct Arguments {
    pub(crate) faults: Vec<Box<dyn Fault>>,
    /// How long each fault goes on, instead of so many rounds.
    pub(crate) duration: Option<Duration>,
    pub(crate) seed: u64,
    /// What a busy machine may add to a stall.
    pub(crate) margin: Duration,
    /// The program that makes the calls of Rust processes.
    pub(crate) caller: PathBuf,
    /// Whether Redisson alone produces and consumes.
    pub(crate) is_redisson: bool,
    /// Whether a Java producer and a Java consumer join, where the fault leaves them alone.
    pub(crate) with_java: bool,
}

impl Arguments {
    pub(crate) fn of_process() -> Result<Self> {
        let mut words = env::args().skip(1);
        let mut names = Vec::new();
        let mut seconds = None;
        let mut minutes = 30;
        let mut arguments = Self {
            faults: Vec::new(),
            duration: None,
            seed: rand::random_range(0..1_000_000),
            margin: Duration::ZERO,
            caller: beside_this_program("caller")?,
            is_redisson: false,
            with_java: false,
        };
        while let Some(word) = words.next() {
            if !word.starts_with("--") {
                names.push(word);
                continue;
            }
            let value = words.next().ok_or(USAGE)?;
            match word.as_str() {
                "--seconds" => seconds = Some(number(&value)?),
                "--minutes" => minutes = number(&value)?,
                "--seed" => arguments.seed = number(&value)?,
                "--margin" => arguments.margin = Duration::from_millis(number(&value)?),
                "--caller" => arguments.caller = value.into(),
                "--peer" if value == "redisson" => arguments.is_redisson = true,
                "--java" if value == "yes" => arguments.with_java = true,
                _ => return Err(USAGE.into()),
            }
        }
        arguments.duration = seconds.map(Duration::from_secs);
        match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [] | ["all"] => arguments.faults = faults::all(),
            ["short"] => {
                arguments.faults = faults::named(SHORT)?;
                arguments.duration = arguments.duration.or(Some(SHORT_DURATION));
            }
            ["soak"] => {
                arguments.faults = faults::soak();
                let each = minutes * 60 / arguments.faults.len() as u64;
                arguments.duration = Some(Duration::from_secs(each));
            }
            ref names => arguments.faults = faults::named(names)?,
        }
        Ok(arguments)
    }
}

/// Cargo puts all programs of a package into one directory.
fn beside_this_program(name: &str) -> Result<PathBuf> {
    let this = env::current_exe().map_err(|error| error.to_string())?;
    Ok(this.with_file_name(name))
}

fn number(value: &str) -> Result<u64> {
    value.parse().map_err(|_| USAGE.to_owned())
}

/// Those that tell most in little time.
const SHORT: &[&str] = &[
    "restart",
    "kill-delivery",
    "black-hole",
    "sentinel-planned",
    "cluster-kill",
];
const SHORT_DURATION: Duration = Duration::from_secs(2);
const USAGE: &str = "usage: faults [FAULT...|all|short|soak] [--seconds N] [--seed N] [--minutes N] [--margin MS] \
     [--peer redisson] [--java yes] [--caller PATH]";
