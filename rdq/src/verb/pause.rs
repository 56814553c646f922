//! `rdq pause` and `rdq resume`

use clap::Args;
use serde::Serialize;

use crate::failure::Result;
use crate::session::Session;

/// Hold all Rust clients back: they move and take nothing until resume.
///
/// Java services do not know pauses: they go on moving and taking. The pause outlives this program,
/// and a restart of a durable Redis.
///
/// Redis: one HSETNX.
#[derive(Args, Debug)]
pub(crate) struct Pause {
    /// The queue's name in Redis.
    queue: String,
}

/// End a pause: all Rust clients go on at once.
///
/// Redis: one HDEL.
#[derive(Args, Debug)]
pub(crate) struct Resume {
    /// The queue's name in Redis.
    queue: String,
}

#[derive(Serialize)]
struct State<'a> {
    queue: &'a str,
    paused: bool,
}

impl Pause {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        session.queue(&self.queue)?.pause().await?;
        tell(session, &self.queue, true)
    }
}

impl Resume {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        session.queue(&self.queue)?.resume().await?;
        tell(session, &self.queue, false)
    }
}

fn tell(session: &Session, queue: &str, paused: bool) -> Result {
    let text = match paused {
        true => format!("{queue} is paused for Rust clients; Java's go on"),
        false => format!("{queue} goes on: it is not paused"),
    };
    session.screen.say(&text, &State { queue, paused })
}
