//! The command line.

use std::fmt;
use std::path::{self, PathBuf};
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use redisson_delayed_queue::{Client, ClientBuilder};

use crate::failure::Result;
use crate::queue::names;
use crate::screen::shell::advise_for;
use crate::session::interrupt::unless_interrupted;
use crate::session::profile::without_login;
use crate::session::{self, Session};
use crate::verb;

/// Shows, explains, repairs and migrates Redisson's delayed queues.
///
/// Java services need not change, and no Rust service need run.
#[derive(Debug, Parser)]
#[command(name = "rdq", version, propagate_version = true, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    verb: Verb,
}

/// A command line that was read.
pub(crate) struct Call {
    cli: Cli,
    /// The queues that it names.
    queues: Vec<String>,
}

/// What all verbs understand.
#[derive(Args, Clone)]
#[command(next_help_heading = "Options of all verbs")]
pub(crate) struct Global {
    /// A server of the profile file, or an address: redis://, rediss://, redis+cluster://,
    /// redis+sentinel://. Others see the arguments of a program: give an address with a password in
    /// RDQ_SERVER, or name the server in the profile file.
    ///
    /// Default: the file's default, or redis://127.0.0.1:6379.
    // As redis-cli has it, too.
    #[arg(
        short,
        short_alias = 'u',
        long,
        global = true,
        env = "RDQ_SERVER",
        hide_env_values = true
    )]
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
    /// How long to wait for an answer of a server, and for a script that keeps it busy.
    ///
    /// If one of several masters gives no answer within a third of that, queues and doctor go on without it,
    /// and say so.
    #[arg(
        long,
        global = true,
        env = "RDQ_TIMEOUT",
        value_name = "TIME",
        default_value = "3s",
        value_parser = humantime::parse_duration
    )]
    pub(crate) timeout: Duration,
    /// The profile file. Default: ~/.config/rdq/config.toml.
    #[arg(long, global = true, env = "RDQ_PROFILES", value_name = "FILE")]
    pub(crate) profiles: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    #[command(flatten)]
    Online(Online),
    #[command(flatten)]
    Offline(Offline),
}

/// The verbs that need a server.
#[derive(Debug, Subcommand)]
enum Online {
    Bench(verb::bench::Bench),
    Cancel(verb::cancel::Cancel),
    Dlq(verb::dlq::Dlq),
    Doctor(verb::doctor::Doctor),
    Drain(verb::drain::Drain),
    Export(verb::export::Export),
    Get(verb::get::Get),
    HandBack(verb::hand_back::HandBack),
    Import(verb::import::Import),
    Keys(verb::keys::Keys),
    Leases(verb::leases::Leases),
    Ls(verb::ls::Ls),
    Migrate(verb::migrate::Migrate),
    Offer(verb::offer::Offer),
    Pause(verb::pause::Pause),
    Promote(verb::promote::Promote),
    Quarantine(verb::quarantine::Quarantine),
    Queues(verb::queues::Queues),
    Rate(verb::rate::Rate),
    Repair(verb::repair::Repair),
    Reschedule(verb::reschedule::Reschedule),
    Resume(verb::pause::Resume),
    Serve(verb::serve::Serve),
    Sniff(verb::sniff::Sniff),
    Stats(verb::stats::Stats),
    Tail(verb::tail::Tail),
    Take(verb::take::Take),
    Top(verb::top::Top),
    Transfer(verb::transfer::Transfer),
    Watch(verb::watch::Watch),
}

/// The verbs that need none, and connect to none.
#[derive(Debug, Subcommand)]
enum Offline {
    Completions(verb::completions::Completions),
    Man(verb::man::Man),
    Schema(verb::schema::Schema),
}

impl fmt::Debug for Global {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = self.server.as_deref().map(without_login);
        f.debug_struct("Global")
            .field("server", &server)
            .field("codec", &self.codec)
            .field("schema", &self.schema)
            .field("json", &self.json)
            .field("yes", &self.yes)
            .field("timeout", &self.timeout)
            .field("profiles", &self.profiles)
            .finish()
    }
}

impl Call {
    /// Reads the command line of this process. Ends the process if it is wrong.
    pub(crate) fn parse() -> Self {
        let matches = command().get_matches();
        let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
        advise_for(server_options(&matches, &cli.global));
        Self {
            cli,
            queues: queues(&matches),
        }
    }

    pub(crate) async fn run(self) -> Result {
        let Cli { global, verb } = self.cli;
        match verb {
            // The list of checks needs no server, nor does a payload that is at hand.
            Verb::Online(Online::Doctor(verb)) if verb.is_offline() => verb.run_offline(&global),
            Verb::Online(Online::Sniff(verb)) if verb.is_offline() => verb.run_offline(&global),
            Verb::Online(verb) => verb.run(global, &self.queues).await,
            Verb::Offline(verb) => verb.run(&mut command()),
        }
    }
}

/// The whole command line. Each usage line of a verb that needs a server says how to name it, and the other
/// verbs have no options for one.
fn command() -> clap::Command {
    let mut command = Cli::command();
    // From here on, verbs have the options of all verbs.
    command.build();
    command.mut_subcommands(|verb| match Offline::has_subcommand(verb.get_name()) {
        true => verb.mut_args(|it| {
            let is_general = it.is_global_set();
            it.hide(is_general)
        }),
        false => with_server(verb),
    })
}

/// The same verb. Its usage lines, and those of its own verbs, have the option for the server.
fn with_server(verb: clap::Command) -> clap::Command {
    let mut verb = verb.mut_subcommands(with_server);
    let usage = verb.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let usage = usage.replace("[OPTIONS]", "[--server <SERVER>] [OPTIONS]");
    verb.override_usage(usage)
}

/// The options by which a command line names its server, for other runs from any folder.
fn server_options(matches: &ArgMatches, global: &Global) -> Vec<String> {
    let is_said = |id| matches.value_source(id) == Some(ValueSource::CommandLine);
    let mut options = Vec::new();
    if let Some(file) = global.profiles.as_ref().filter(|_| is_said("profiles")) {
        let file = path::absolute(file).unwrap_or_else(|_| file.clone());
        options.extend(["--profiles".to_owned(), file.display().to_string()]);
    }
    if let Some(server) = global.server.as_ref().filter(|_| is_said("server")) {
        // The name of a profile has no login.
        let server = match server.contains("://") {
            true => without_login(server),
            false => server.clone(),
        };
        options.extend(["--server".to_owned(), server]);
    }
    options
}

/// The queues that a command line names. Each verb calls its argument so.
fn queues(matches: &ArgMatches) -> Vec<String> {
    if let Some((_, verb)) = matches.subcommand() {
        return queues(verb);
    }
    let named = |id| matches.try_get_many::<String>(id).ok().flatten();
    let named = ["queue", "queues"].into_iter().filter_map(named);
    named.flatten().cloned().collect()
}

impl Online {
    async fn run(self, global: Global, queues: &[String]) -> Result {
        let session = unless_interrupted(Session::connect_with(global, self.settings())).await?;
        let work = async {
            if !self.takes_new_names() {
                names::ensure_known(&session.client, queues).await?;
            }
            self.work(&session).await
        };
        let done = match self.ends_in_order() {
            true => work.await,
            false => unless_interrupted(work).await,
        };
        // The session gives back what a verb has claimed, even after Ctrl-C. A second Ctrl-C ends that, too.
        let closed = unless_interrupted(session.close()).await;
        // The first failure is the one to report.
        done.and(closed)
    }

    /// The settings of the verb's client. Most clients move no elements.
    fn settings(&self) -> ClientBuilder {
        let settings = match self {
            Self::Bench(_) => verb::bench::Bench::settings(),
            Self::Take(verb) => verb.settings(),
            // A standing mover has a name of its own.
            Self::Transfer(verb) => return verb.settings(),
            _ => Client::builder().transfer(false),
        };
        settings.client_name(session::NAME)
    }

    /// True if the queue need not be there: the verb makes it, or waits for its first element. Doctor
    /// examines the queues that are there, and says which are not.
    fn takes_new_names(&self) -> bool {
        match self {
            Self::Bench(_)
            | Self::Doctor(_)
            | Self::Import(_)
            | Self::Offer(_)
            | Self::Transfer(_) => true,
            Self::Repair(verb) => verb.is_undo(),
            Self::Take(verb) => verb.waits(),
            _ => false,
        }
    }

    /// True if the verb itself notices that the run is interrupted, and has something to do then.
    fn ends_in_order(&self) -> bool {
        matches!(self, Self::Bench(_) | Self::Serve(_) | Self::Transfer(_))
    }

    async fn work(&self, session: &Session) -> Result {
        match self {
            Self::Bench(verb) => verb.run(session).await,
            Self::Cancel(verb) => verb.run(session).await,
            Self::Dlq(verb) => verb.run(session).await,
            Self::Doctor(verb) => verb.run(session).await,
            Self::Drain(verb) => verb.run(session).await,
            Self::Export(verb) => verb.run(session).await,
            Self::Get(verb) => verb.run(session).await,
            Self::HandBack(verb) => verb.run(session).await,
            Self::Import(verb) => verb.run(session).await,
            Self::Keys(verb) => verb.run(session).await,
            Self::Leases(verb) => verb.run(session).await,
            Self::Ls(verb) => verb.run(session).await,
            Self::Migrate(verb) => verb.run(session).await,
            Self::Offer(verb) => verb.run(session).await,
            Self::Pause(verb) => verb.run(session).await,
            Self::Promote(verb) => verb.run(session).await,
            Self::Quarantine(verb) => verb.run(session).await,
            Self::Queues(verb) => verb.run(session).await,
            Self::Rate(verb) => verb.run(session).await,
            Self::Repair(verb) => verb.run(session).await,
            Self::Reschedule(verb) => verb.run(session).await,
            Self::Resume(verb) => verb.run(session).await,
            Self::Serve(verb) => verb.run(session).await,
            Self::Sniff(verb) => verb.run(session).await,
            Self::Stats(verb) => verb.run(session).await,
            Self::Tail(verb) => verb.run(session).await,
            Self::Take(verb) => verb.run(session).await,
            Self::Top(verb) => verb.run(session).await,
            Self::Transfer(verb) => verb.run(session).await,
            Self::Watch(verb) => verb.run(session).await,
        }
    }
}

impl Offline {
    fn run(self, cli: &mut clap::Command) -> Result {
        match self {
            Self::Completions(verb) => verb.run(cli),
            Self::Man(verb) => verb.run(cli),
            Self::Schema(verb) => verb.run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use clap::Parser;

    use super::Cli;

    #[test]
    fn no_two_arguments_contradict_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn no_text_for_logs_has_the_password_of_the_address() {
        let cli = ["rdq", "queues", "--server", "redis://user:s3cr@t@host:6379"];
        let text = format!("{:?}", Cli::parse_from(cli));
        assert!(text.contains("redis://host:6379"), "{text}");
        assert!(!text.contains("s3cr") && !text.contains("user"), "{text}");
    }
}
