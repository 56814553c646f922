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
/// Redis: one HEXISTS and one HDEL.
#[derive(Args, Debug)]
pub(crate) struct Resume {
    /// The queue's name in Redis.
    queue: String,
}

#[derive(Serialize)]
struct State<'a> {
    queue: &'a str,
    paused: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    was_paused: Option<bool>,
}

impl Pause {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        session.queue(&self.queue)?.pause().await?;
        tell(session, &self.queue, true, None)
    }
}

impl Resume {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let queue = session.queue(&self.queue)?;
        let was_paused = queue.is_paused().await?;
        queue.resume().await?;
        tell(session, &self.queue, false, Some(was_paused))
    }
}

fn tell(session: &Session, queue: &str, paused: bool, was_paused: Option<bool>) -> Result {
    let text = match (paused, was_paused) {
        (true, _) => format!("{queue} is paused for Rust clients; Java's go on"),
        (false, Some(false)) => format!("{queue} was not paused"),
        (false, _) => format!("{queue} goes on: it is not paused any more"),
    };
    let state = State {
        queue,
        paused,
        was_paused,
    };
    session.screen.say(&text, &state)
}
