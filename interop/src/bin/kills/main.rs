//! How often an element comes twice because its consumer was killed, by the round-trip time to
//! Redis.
//!
//! ```text
//! kills --caller PATH [--how take|take_many] [--with OPTION] [--kills N] [--rate N,...] [--rtt MS,...]
//! ```
//!
//! A process takes one element after the other and says each on its stdout as soon as it has it. It
//! is killed at a random moment, another goes on, and so forth. An element that two of them have
//! said came twice; one that none has said is lost. So many elements become due in a second, or, at
//! a rate of 0, more than a process can take. A proxy before Redis delays each direction by half of
//! the round-trip time.

use std::{
    collections::{HashMap, hash_map::Entry},
    env,
    path::PathBuf,
    process::ExitCode,
    sync::mpsc::Receiver,
    time::{Duration, Instant},
};

use interop::{caller::Caller, proxy::Proxy};
use supply::Supply;
use testbed::Server;

mod supply;

/// The error is a sentence that says what is wrong.
type Result<T, E = String> = std::result::Result<T, E>;

struct Arguments {
    caller: PathBuf,
    how: String,
    /// Another option for the consumer, such as `at-most-once=yes`.
    with: Option<String>,
    kills: usize,
    rates: Vec<f64>,
    rtts: Vec<f64>,
}

/// The processes of one distance and rate, one after the other.
struct Series<'a> {
    arguments: &'a Arguments,
    distance: Proxy,
    supply: Supply,
    /// For each element, the process that printed it first, and when.
    said: HashMap<usize, (usize, Instant)>,
    /// For each element that came twice, the process that had printed it first, and when.
    again: Vec<(usize, Instant)>,
    /// When the processes were killed, in order.
    killed: Vec<Instant>,
}

fn main() -> ExitCode {
    match Arguments::parse(env::args().skip(1)).and_then(|it| measure(&it)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kills: {error}");
            ExitCode::FAILURE
        }
    }
}

impl Arguments {
    fn parse(words: impl Iterator<Item = String>) -> Result<Self> {
        let words: Vec<String> = words.collect();
        let mut options: HashMap<&str, &str> = HashMap::new();
        for pair in words.chunks(2) {
            let [name, value] = pair else {
                return Err(USAGE.into());
            };
            options.insert(name, value);
        }
        let option = |name, default| options.get(name).copied().unwrap_or(default);
        let numbers = |list: &str| list.split(',').map(str::parse).collect::<Result<_, _>>();
        Ok(Self {
            caller: options.get("--caller").ok_or(USAGE)?.into(),
            how: option("--how", "take").to_owned(),
            with: options.get("--with").map(|&it| it.to_owned()),
            kills: option("--kills", "300").parse().map_err(|_| USAGE)?,
            rates: numbers(option("--rate", "500,0")).map_err(|_| USAGE)?,
            rtts: numbers(option("--rtt", "0,2.3,11")).map_err(|_| USAGE)?,
        })
    }
}

fn measure(arguments: &Arguments) -> Result<()> {
    println!(
        "| `{}`, RTT | kills | elements | came twice | a kill | of 10,000 | longest from hand-over to kill | lost |",
        arguments.how
    );
    println!("|---|---|---|---|---|---|---|---|");
    for rate in &arguments.rates {
        for rtt in &arguments.rtts {
            let server = Server::start();
            let mut series = Series::start(arguments, &server, *rate, *rtt)?;
            for _ in 0..arguments.kills {
                series.run_until_kill()?;
            }
            series.supply.stop();
            series.take_the_rest()?;
            let what = match *rate > 0.0 {
                true => format!("{rate} a second"),
                false => "a backlog".to_owned(),
            };
            println!("| {what}, {rtt} ms {}", series.row());
        }
    }
    Ok(())
}

impl<'a> Series<'a> {
    fn start(arguments: &'a Arguments, server: &Server, rate: f64, rtt: f64) -> Result<Self> {
        let one_way = Duration::try_from_secs_f64(rtt / 2_000.0).map_err(|_| USAGE)?;
        let distance = Proxy::to(server.port(), one_way);
        Ok(Self {
            arguments,
            distance: distance.map_err(|error| error.to_string())?,
            supply: Supply::start(server.connection(), QUEUE, rate),
            said: HashMap::new(),
            again: Vec::new(),
            killed: Vec::new(),
        })
    }

    fn consumer(&self) -> Result<(Caller, Receiver<String>)> {
        let Arguments {
            caller, how, with, ..
        } = self.arguments;
        let options: Vec<&str> = [LEASE].into_iter().chain(with.as_deref()).collect();
        let caller = Caller::start(caller, &self.distance.url(), &options);
        let caller = caller.map_err(|error| error.to_string())?;
        let replies = caller.begin(&format!("consume {QUEUE} {how}"));
        Ok((caller, replies.ok_or("a process ended by itself")?))
    }

    fn run_until_kill(&mut self) -> Result<()> {
        let (caller, replies) = self.consumer()?;
        let first = replies.recv_timeout(PATIENCE);
        self.note(&first.map_err(|_| "a process took nothing")?)?;
        let kill_at = Instant::now() + rand::random_range(SHORTEST..LONGEST);
        while let Some(left) = kill_at.checked_duration_since(Instant::now()) {
            if let Ok(reply) = replies.recv_timeout(left) {
                self.note(&reply)?;
            }
        }
        let now = Instant::now();
        caller.kill();
        // The process printed this before the kill, and nobody has read it yet.
        self.note_all(&replies)?;
        self.killed.push(now);
        Ok(())
    }

    /// Takes until no element is left, claimed or not.
    fn take_the_rest(&mut self) -> Result<()> {
        let (caller, replies) = self.consumer()?;
        // Elements that killed processes had claimed come once their leases have run out.
        while let Ok(reply) = replies.recv_timeout(QUIET) {
            self.note(&reply)?;
        }
        caller.exit(PATIENCE)?;
        self.note_all(&replies)
    }

    fn note_all(&mut self, replies: &Receiver<String>) -> Result<()> {
        while let Ok(reply) = replies.recv_timeout(PATIENCE) {
            if reply.starts_with("took ") {
                self.note(&reply)?;
            }
        }
        Ok(())
    }

    fn note(&mut self, reply: &str) -> Result<()> {
        let elements = reply.strip_prefix("took ");
        let elements = elements.ok_or_else(|| format!("a process said {reply:?}"))?;
        for element in elements.split(' ') {
            self.note_one(element.parse().map_err(|_| format!("{element} came"))?);
        }
        Ok(())
    }

    fn note_one(&mut self, element: usize) {
        match self.said.entry(element) {
            Entry::Occupied(first) => self.again.push(*first.get()),
            Entry::Vacant(first) => {
                first.insert((self.killed.len(), Instant::now()));
            }
        }
    }

    fn row(&self) -> String {
        let (elements, kills, again) = (self.said.len(), self.killed.len(), self.again.len());
        let windows = self.again.iter().map(|(process, said)| {
            let killed = self.killed.get(*process);
            killed.map_or(Duration::MAX, |it| it.saturating_duration_since(*said))
        });
        format!(
            "| {kills} | {elements} | {again} | {:.2} | {:.1} | {:.1} ms | {} |",
            again as f64 / kills as f64,
            again as f64 * 10_000.0 / elements as f64,
            milliseconds(windows.max().unwrap_or_default()),
            self.supply.pushed() - elements
        )
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

const QUEUE: &str = "orders";
/// So long that no lease runs out under a live process, and short enough to wait for.
const LEASE: &str = "lease=3000";
const QUIET: Duration = Duration::from_secs(6);
const SHORTEST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_millis(120);
const PATIENCE: Duration = Duration::from_secs(30);
const USAGE: &str = "usage: kills --caller PATH [--how take|take_many] [--with OPTION] [--kills N] [--rate N,...] \
     [--rtt MS,...]";
