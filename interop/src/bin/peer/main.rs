//! Runs this crate by one command a line on stdin and one reply a line on stdout.
//!
//! The protocol is written down in this package's `README.md`.

use std::{
    collections::HashMap,
    error::Error,
    io::{self, Write},
};

use interop::value;
use redisson_delayed_queue::{Client, Events, Shards};
use tokio::runtime::Runtime;

use handle::{Access, Handle};
use settings::Settings;

mod handle;
mod settings;

/// The queues that are open, by the caller's names.
struct Peer {
    /// The client that transfers for its queues.
    transferring: Client,
    /// The client that does not.
    idle: Client,
    handles: HashMap<String, Handle>,
}

/// A reply other than `err`. `ok` has the tokens that follow it.
enum Answer {
    Nil,
    Ok(String),
}

/// A failure becomes the message of `err`.
type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let settings = Settings::of_process()?;
    // The tasks of the clients run on the runtime's threads while this one waits for commands.
    let runtime = Runtime::new()?;
    let mut peer = runtime.block_on(Peer::connect(&settings))?;
    say("ready rust")?;
    for line in io::stdin().lines() {
        let line = line?;
        if line == "exit" {
            break;
        }
        say(&text(runtime.block_on(peer.reply(&line))))?;
    }
    runtime.block_on(peer.shutdown())?;
    say("ok")?;
    Ok(())
}

impl Peer {
    async fn connect(settings: &Settings) -> Result<Self> {
        let transferring = settings.connect(true).await?;
        tokio::spawn(log(transferring.events()));
        let idle = settings.connect(false).await?;
        Ok(Self {
            transferring,
            idle,
            handles: HashMap::new(),
        })
    }

    async fn reply(&mut self, line: &str) -> Result<Answer> {
        let tokens: Vec<&str> = line.split(' ').collect();
        if tokens.contains(&"") {
            return Err(format!("an empty token: {line}").into());
        }
        let (client, access) = match tokens[0] {
            "open" => (&self.transferring, Access::Full),
            "open-offering" => (&self.idle, Access::Full),
            "open-target" => (&self.idle, Access::Target),
            "shard" => return shard(&tokens[1..]),
            _ => return self.run(&tokens).await,
        };
        let [_, handle, name, codec] = tokens[..] else {
            return Err(format!("usage: {} H NAME CODEC", tokens[0]).into());
        };
        let name = name.replace("%20", " ");
        let opened = Handle::open(client, access, &name, codec)?;
        self.handles.insert(handle.to_owned(), opened);
        Ok(Answer::Ok(String::new()))
    }

    async fn run(&self, tokens: &[&str]) -> Result<Answer> {
        let [command, handle, arguments @ ..] = tokens else {
            return Err(format!("no such command: {}", tokens[0]).into());
        };
        let opened = self.handles.get(*handle);
        let opened = opened.ok_or_else(|| format!("no open handle: {handle}"))?;
        opened.run(command, arguments).await
    }

    async fn shutdown(&self) -> Result<()> {
        self.transferring.shutdown().await?;
        Ok(self.idle.shutdown().await?)
    }
}

/// Which of the names has the key.
fn shard(tokens: &[&str]) -> Result<Answer> {
    let [key, names @ ..] = tokens else {
        return Err("usage: shard VALUE NAME...".into());
    };
    let key = value::decode(key).ok_or_else(|| format!("not a VALUE: {key}"))?;
    let shards = Shards::new(names.iter().copied())?;
    Ok(Answer::Ok(shards.shard_of(key).to_owned()))
}

/// Writes to stderr what happens in the background, which is shown when a scenario fails.
async fn log(mut events: Events) {
    while let Some(event) = events.next().await {
        eprintln!("{event:?}");
    }
}

/// The line of a reply.
fn text(reply: Result<Answer>) -> String {
    match reply {
        Ok(Answer::Nil) => "nil".to_owned(),
        Ok(Answer::Ok(rest)) if rest.is_empty() => "ok".to_owned(),
        Ok(Answer::Ok(rest)) => format!("ok {rest}"),
        Err(error) => {
            let mut message = error.to_string();
            let mut cause = error.source();
            while let Some(error) = cause {
                message.push_str(&format!(": {error}"));
                cause = error.source();
            }
            format!(
                "err {}",
                message.split_whitespace().collect::<Vec<_>>().join(" ")
            )
        }
    }
}

fn say(line: &str) -> io::Result<()> {
    // One write a line, whatever the buffering of stdout.
    io::stdout().write_all(format!("{line}\n").as_bytes())
}
