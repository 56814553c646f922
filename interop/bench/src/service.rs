//! A process that is measured: it makes the calls of one Rust library that a line on stdin asks
//! for, and replies with one line on stdout. `interop/README.md` holds the commands.

use std::{
    collections::HashMap,
    error::Error,
    io::{self, BufRead, Write},
    str::{FromStr, Split},
    time::Duration,
};

use consumption::Consumption;
use load::{Rate, Seen};
use tokio::runtime::Runtime;

pub(crate) mod apalis;
pub(crate) mod consumption;
pub(crate) mod load;
pub(crate) mod own;
pub(crate) mod redissun;
pub(crate) mod sharded;
mod tally;

pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A connection of the library to one Redis.
pub(crate) trait Connection {
    type Queue: Queue;

    /// Opens a delayed queue; this process transfers for it from now on.
    fn open(&self, name: &str) -> Outcome<Self::Queue>;
}

/// A delayed queue of the library, with the queue that it delivers to. What the library cannot do
/// is unsupported.
pub(crate) trait Queue: Clone + Send + Sync + 'static {
    fn offer(&self, value: String, delay: Duration) -> impl Future<Output = Outcome<()>> + Send;

    /// Offers in the fastest way that the library has.
    fn offer_all(
        &self,
        values: Vec<(String, Duration)>,
    ) -> impl Future<Output = Outcome<()>> + Send;

    fn take(&self) -> impl Future<Output = Outcome<String>> + Send {
        async { unsupported() }
    }

    /// Takes up to `max` elements in one call; says how many.
    fn take_many(&self, _max: usize) -> impl Future<Output = Outcome<usize>> + Send {
        async { unsupported() }
    }

    /// Takes and acknowledges.
    fn consume(&self, _work: Consumption) -> impl Future<Output = Outcome<Rate>> + Send {
        async { unsupported() }
    }

    /// Handles what comes to any of these queues, up to so much at a time, until so much was handled.
    fn work(
        _queues: Vec<Self>,
        _concurrency: usize,
        _count: usize,
    ) -> impl Future<Output = Outcome<Seen>> + Send {
        async { unsupported() }
    }

    /// Makes the call of that name about a pending element.
    fn call(
        &self,
        _call: &str,
        _member: Vec<u8>,
        _value: String,
    ) -> impl Future<Output = Outcome<()>> + Send {
        async { unsupported() }
    }
}

/// What the driver takes for a library that lacks something.
fn unsupported<T>() -> Outcome<T> {
    Err("unsupported".into())
}

/// Serves until `exit`, or until stdin ends.
pub(crate) fn serve<C: Connection>(
    runtime: &Runtime,
    version: &str,
    connection: &C,
) -> Outcome<()> {
    let mut queues = HashMap::new();
    let mut replies = io::stdout();
    writeln!(replies, "ready {version}")?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line == "exit" {
            writeln!(replies, "ok")?;
            break;
        }
        let reply = runtime.block_on(reply(connection, &mut queues, &line));
        let reply = reply.unwrap_or_else(|error| format!("err {error}").replace('\n', " "));
        writeln!(replies, "{reply}")?;
    }
    Ok(())
}

async fn reply<C: Connection>(
    connection: &C,
    queues: &mut HashMap<String, C::Queue>,
    line: &str,
) -> Outcome<String> {
    let mut words = line.split(' ');
    let command = word(&mut words)?;
    let name = word(&mut words)?;
    match command {
        "close" => {
            queues.remove(name);
            return Ok("ok".to_owned());
        }
        "open-many" => {
            open_many(connection, queues, name, number(&mut words)?)?;
            return Ok("ok".to_owned());
        }
        "work" => {
            open_many(connection, queues, name, number(&mut words)?)?;
            let all = queues.values().cloned().collect();
            let seen = C::Queue::work(all, number(&mut words)?, number(&mut words)?).await?;
            return seen.reply();
        }
        "wait-many" => {
            for queue in queues.values() {
                load::start_waiting(queue, 1);
            }
            return Ok("ok".to_owned());
        }
        _ => {}
    }
    if !queues.contains_key(name) {
        queues.insert(name.to_owned(), connection.open(name)?);
    }
    run(&queues[name], command, &mut words).await
}

/// Opens queues with these names: the prefix and a number.
fn open_many<C: Connection>(
    connection: &C,
    queues: &mut HashMap<String, C::Queue>,
    prefix: &str,
    count: usize,
) -> Outcome<()> {
    for i in 0..count {
        let name = format!("{prefix}{i}");
        queues.insert(name.clone(), connection.open(&name)?);
    }
    Ok(())
}

async fn run(queue: &impl Queue, command: &str, words: &mut Split<'_, char>) -> Outcome<String> {
    match command {
        "open" => Ok("ok".to_owned()),
        "offer" => {
            let (window, tasks) = (millis(words)?, number(words)?);
            load::offer(queue, window, tasks, delays(words)?).await
        }
        "offer-all" => load::offer_all(queue, number(words)?, delays(words)?).await,
        "offer-one" => load::offer_one(queue, number(words)?).await,
        "take" => {
            let queue = queue.clone();
            let take = move || {
                let queue = queue.clone();
                async move { queue.take().await.map(drop) }
            };
            let (count, tasks) = (number(words)?, number(words)?);
            load::repeat(count, tasks, millis(words)?, take)
                .await?
                .reply()
        }
        "take-many" => {
            // These libraries have one way to.
            word(words)?;
            let (count, limit) = (number(words)?, number(words)?);
            load::take_many(queue, count, limit, millis(words)?).await
        }
        "consume" => queue.consume(Consumption::parse(words)?).await?.reply(),
        "collect" => load::collect(queue, number(words)?, number(words)?).await,
        "deliver" => {
            let (count, tasks, rate) = (number(words)?, number(words)?, number(words)?);
            load::deliver(queue, count, tasks, rate, delays(words)?).await
        }
        "wait" => {
            load::start_waiting(queue, number(words)?);
            Ok("ok".to_owned())
        }
        "each" => load::each(queue, word(words)?, words).await,
        _ => Ok("err unsupported".to_owned()),
    }
}

/// The shortest and the longest of random delays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delays {
    min_ms: u64,
    max_ms: u64,
}

impl Delays {
    fn random(self) -> Duration {
        Duration::from_millis(rand::random_range(self.min_ms..=self.max_ms))
    }
}

fn delays(words: &mut Split<'_, char>) -> Outcome<Delays> {
    Ok(Delays {
        min_ms: number(words)?,
        max_ms: number(words)?,
    })
}

fn word<'a>(words: &mut Split<'a, char>) -> Outcome<&'a str> {
    Ok(words.next().ok_or("a word is missing")?)
}

fn number<T: FromStr>(words: &mut Split<'_, char>) -> Outcome<T> {
    let word = word(words)?;
    word.parse()
        .map_err(|_| format!("not a number: {word}").into())
}

fn millis(words: &mut Split<'_, char>) -> Outcome<Duration> {
    Ok(Duration::from_millis(number(words)?))
}
