//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::failure::Result;
use crate::session::Session;
use crate::verb;

/// Shows, explains, repairs and migrates Redisson's delayed queues.
///
/// Java services need not change, and no Rust service need run.
#[derive(Debug, Parser)]
#[command(name = "rdq", version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    verb: Verb,
}

/// What all verbs understand.
#[derive(Args, Clone, Debug)]
pub(crate) struct Global {
    /// A server of the profile file, or an address: redis://, rediss://, redis+cluster://,
    /// redis+sentinel://.
    ///
    /// Default: the file's default, or redis://127.0.0.1:6379.
    #[arg(short, long, global = true, env = "RDQ_SERVER", hide_env_values = true)]
    pub(crate) server: Option<String>,
    /// The codec of the values, such as kryo5, json or lz4:string. Default: guess.
    #[arg(short, long, global = true, env = "RDQ_CODEC")]
    pub(crate) codec: Option<String>,
    /// A schema file with the Java classes of the values.
    #[arg(long, global = true, env = "RDQ_SCHEMA", value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// Print lines of JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Do not ask before something that cannot be taken back.
    #[arg(short, long, global = true)]
    pub(crate) yes: bool,
    /// The profile file. Default: ~/.config/rdq/config.toml.
    #[arg(long, global = true, env = "RDQ_PROFILES", value_name = "FILE")]
    pub(crate) profiles: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Queues(verb::queues::Queues),
    Stats(verb::stats::Stats),
}

impl Cli {
    pub(crate) async fn run(self) -> Result {
        let session = Session::connect(self.global).await?;
        let done = match self.verb {
            Verb::Queues(verb) => verb.run(&session).await,
            Verb::Stats(verb) => verb.run(&session).await,
        };
        // The first failure is the one to report.
        done.and(session.close().await)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn no_two_arguments_contradict_each_other() {
        Cli::command().debug_assert();
    }
}
