//! Makes any call of this crate, many at a time: one numbered call a line on stdin, one numbered
//! reply a line on stdout.
//!
//! The protocol is written down in this package's `README.md`. Programs of two revisions of this
//! crate meet by it, so it outlives both: a call keeps its name here when the crate renames it.
//! This program uses nothing else of this package, because older revisions lack it.

use std::{
    env,
    error::Error,
    io::{self, BufRead, Write},
    sync::Arc,
    thread,
    time::Duration,
};

use redisson_delayed_queue::{Client, Events, MemberIds};
use tokio::{runtime::Runtime, sync::mpsc, task::JoinSet};

use calls::Caller;

mod arguments;
mod calls;

/// A failure becomes an `err` reply.
type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

fn main() -> Result<()> {
    let mut words = env::args().skip(1);
    let url = words
        .next()
        .ok_or("usage: caller redis://HOST:PORT [OPTION...]")?;
    let options: Vec<String> = words.collect();
    Runtime::new()?.block_on(serve(&url, &options))
}

async fn serve(url: &str, options: &[String]) -> Result<()> {
    let client = connect(url, options).await?;
    if !options.iter().any(|it| it == NO_EVENTS) {
        tokio::spawn(log(client.events()));
    }
    let caller = Arc::new(Caller::new(client.clone()));
    say(&format!("ready {}", calls::names().join(" ")))?;
    let mut lines = lines();
    let mut busy = JoinSet::new();
    while let Some(line) = lines.recv().await {
        if line == "exit" {
            break;
        }
        let caller = Arc::clone(&caller);
        busy.spawn(async move { answer(&caller, &line).await });
        while busy.try_join_next().is_some() {}
    }
    client.shutdown().await?;
    // Every call gets its reply, if only that the client is closed.
    while let Some(ended) = busy.join_next().await {
        ended??;
    }
    say("exit ok")?;
    Ok(())
}

async fn connect(url: &str, options: &[String]) -> Result<Client> {
    let mut builder = Client::builder();
    for option in options {
        builder = match option.split_once('=') {
            Some(("lease", ms)) => builder.claim_lease(Duration::from_millis(ms.parse()?)),
            Some(("ids", "random")) => builder.member_ids(MemberIds::Random),
            Some(("remember", "yes")) => builder.remember_offers(true),
            Some(("at-most-once", "yes")) => builder.at_most_once(true),
            Some(("transfer", "no")) => builder.transfer(false),
            _ if option == NO_EVENTS => builder,
            _ => return Err(format!("no such option: {option}").into()),
        };
    }
    Ok(builder.connect(url).await?)
}

/// Makes the call of one line and writes its reply.
async fn answer(caller: &Caller, line: &str) -> io::Result<()> {
    let (number, call) = line.split_once(' ').unwrap_or((line, ""));
    let tokens: Vec<&str> = call.split(' ').collect();
    let reply = match tokens[..] {
        ["consume", queue, how] => caller.consume(number, queue, how).await,
        [call, queue, ref arguments @ ..] => caller.run(call, queue, arguments).await,
        _ => Err("usage: NUMBER CALL QUEUE ARGUMENT...".into()),
    };
    match reply {
        Ok(rest) if rest.is_empty() => say(&format!("{number} ok")),
        Ok(rest) => say(&format!("{number} ok {rest}")),
        Err(error) => say(&format!("{number} err {}", described(&*error))),
    }
}

/// `sure` if Redis certainly did not change, otherwise `unsure`; and the error with its causes.
fn described(error: &(dyn Error + Send + Sync + 'static)) -> String {
    let known = error.downcast_ref::<redisson_delayed_queue::Error>();
    let unsure = known.is_some_and(|error| error.may_have_changed_redis());
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message.push_str(&format!(": {error}"));
        cause = error.source();
    }
    let message: Vec<&str> = message.split_whitespace().collect();
    let sureness = if unsure { "unsure" } else { "sure" };
    format!("{sureness} {}", message.join(" "))
}

/// The lines of stdin, read by a thread because reading blocks.
fn lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    thread::spawn(move || {
        let mut lines = io::stdin().lock().lines().map_while(io::Result::ok);
        lines.try_for_each(|line| sender.send(line))
    });
    receiver
}

/// Writes unwanted background events to stderr.
async fn log(mut events: Events) {
    while let Some(event) = events.next().await {
        let event = format!("{event:?}");
        let usual = ["Connected", "Disconnected", "Expired", "Missed"];
        if !usual.iter().any(|name| event.starts_with(name)) {
            eprintln!("{event}");
        }
    }
}

/// Writes a line at once, in one piece: what was said before a SIGKILL arrives.
fn say(line: &str) -> io::Result<()> {
    io::stdout()
        .lock()
        .write_all(format!("{line}\n").as_bytes())
}

/// Nothing is written about background events: where servers fail all the time, there are many.
const NO_EVENTS: &str = "events=no";
