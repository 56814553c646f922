//! `rdq take`

use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use redisson_delayed_queue::redis::{Value, cmd, from_redis_value};
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue};
use tokio::time::Instant;

use crate::argument::length::bounded;
use crate::failure::{Failure, Result};
use crate::payload::Shown;
use crate::screen::number::count_of;
use crate::screen::shell::{command_line, with_command};
use crate::screen::stdout;
use crate::session::Session;

/// Take ready elements out of the target queue, and print their values.
///
/// An element is gone once its line is written, even if it is in a pipe that nobody reads any more: say
/// with --count how many you want, and not with `| head`. Elements that could not be written go back to
/// the head of the queue: nobody reads the pipe, or the disk is full. If stdout is closed or /dev/null,
/// each element would be lost, and only --yes takes them. Ctrl-C gives back what was not printed. A kill
/// between the take and the print loses elements, at most 100.
///
/// Exits with 3 if nothing came. Without --wait, a queue that Redis does not know is an error. An undecodable payload is printed in Base64.
///
/// Redis: a short script for up to 500 elements. No polling while it waits.
#[derive(Args, Debug)]
pub(crate) struct Take {
    /// The queue's name in Redis.
    queue: String,
    /// The most elements to take.
    #[arg(short = 'n', long, default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    count: usize,
    /// How long to wait for them, such as 5s. Default: take what is there.
    #[arg(short, long, value_name = "TIME", value_parser = bounded)]
    wait: Option<Duration>,
    /// Move what is due to the target queue meanwhile, as services do: for a queue that no service
    /// moves. Needs --wait.
    #[arg(long, requires = "wait")]
    transfer: bool,
}

/// How many elements to take at a time, which is how many a kill can lose.
const AT_ONCE: usize = 100;

impl Take {
    /// The settings of the client.
    pub(crate) fn settings(&self) -> ClientBuilder {
        Client::builder().transfer(self.transfer)
    }

    /// True if it waits for elements that are not there yet.
    pub(crate) fn waits(&self) -> bool {
        self.wait.is_some()
    }

    pub(crate) async fn run(&self, session: &Session) -> Result {
        if stdout::is_nowhere() {
            session.confirm("Stdout is closed, or /dev/null. Delete the elements?")?;
        }
        let queue = session.queue(&self.queue)?;
        let payloads = session.payloads(&self.queue)?;
        let mut flow = session.screen.flow(&[]);
        let deadline = Instant::now() + self.wait.unwrap_or_default();
        let mut taken = 0;
        while taken < self.count {
            let wait = deadline.saturating_duration_since(Instant::now());
            let most = AT_ONCE.min(self.count - taken);
            let values = queue.take_many(most, wait).await?;
            if values.is_empty() {
                break;
            }
            for (i, value) in values.iter().enumerate() {
                let shown = Shown::new(&payloads, value);
                let printed = flow.say(&shown.line(), &shown).and_then(|()| flow.flush());
                if printed.is_err() {
                    self.put_back(session, values[i..].to_vec()).await?;
                    return printed;
                }
            }
            taken += values.len();
        }
        match taken {
            0 => {
                self.ensure_master(session).await?;
                let now = session.now(&self.queue).await?;
                Err(nothing(&queue, now, self.transfer).await?)
            }
            _ => Ok(()),
        }
    }

    /// Fails if the server is a replica. Its client goes on looking for the master, and tells nobody.
    async fn ensure_master(&self, session: &Session) -> Result {
        let master = session.client.master_of(&self.queue)?;
        let role: Vec<Value> = master.query(&cmd("ROLE")).await.unwrap_or_default();
        match role.into_iter().next().map(from_redis_value::<String>) {
            Some(Ok(role)) if role == "slave" => Err(Failure::Unfinished(format!(
                "{} is a replica, and takes no writes (READONLY): name the master",
                master.address()
            ))),
            _ => Ok(()),
        }
    }

    /// Puts values back to the head of the target queue, in their order.
    async fn put_back(&self, session: &Session, values: Vec<Bytes>) -> Result {
        let queue = session.queue(&self.queue)?.destination();
        let payloads = values.clone();
        // The command puts each value in front of the one before it.
        let back = async move { queue.add_all_first(payloads.iter().rev()).await };
        let back = session.finish(back).await;
        let screen = session.screen;
        match back {
            Ok(_) => {
                screen.note(&count_of(
                    values.len() as u64,
                    "element was not printed, and is back in the queue",
                    "elements were not printed, and are back in the queue",
                ));
            }
            Err(_) => {
                screen.note("these payloads were not printed, and may not be back in the queue:");
                values
                    .iter()
                    .for_each(|it| screen.note(&STANDARD.encode(it)));
            }
        }
        back?;
        Ok(())
    }
}

/// Why nothing came.
async fn nothing(queue: &DelayedQueue<Bytes>, now: SystemTime, transfers: bool) -> Result<Failure> {
    let name = queue.name();
    let next = queue.pending().next_due().await?;
    Ok(Failure::Nothing(match next {
        _ if queue.is_paused().await? => {
            let resume = command_line(&["resume"], name, &[]);
            with_command(&format!("{name} is paused. This ends it:"), &resume)
        }
        _ if queue.rate_limit().await?.is_some() && queue.destination().len().await? > 0 => {
            let rate = command_line(&["rate"], name, &[]);
            let said = format!("{name} has ready elements, and a rate limit. This shows it:");
            with_command(&said, &rate)
        }
        Some(due) if due <= now && transfers => {
            let doctor = command_line(&["doctor"], name, &[]);
            let said = format!("{name} has due elements, and they were not moved in time:");
            with_command(&said, &doctor)
        }
        Some(due) if due <= now => {
            format!("{name} has due elements, and nobody moves them: --transfer --wait 5s does")
        }
        _ => format!("nothing is due in {name}"),
    }))
}
