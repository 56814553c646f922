//! Changes elements that the user names, one by one.

use std::fmt::Display;

use futures::stream::{self, StreamExt, TryStreamExt};
use redisson_delayed_queue::Ticket;
use serde::Serialize;

use crate::argument::input;
use crate::element::find::{Name, find_all};
use crate::element::hex;
use crate::failure::{Failure, Result};
use crate::session::Session;

/// How many elements to change at the same time.
const AT_ONCE: usize = 16;

/// How many elements to look for before the first of them is changed.
const PORTION: usize = 1_000;

/// What became of an element.
#[derive(Serialize)]
struct Changed<'a> {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ticket: Option<&'a Ticket>,
    /// False if the element is not pending.
    done: bool,
}

/// Changes the elements with these names, and prints what became of each, `verb` or `not pending`.
/// The name `-` stands for the names on stdin, one a line.
pub(crate) async fn change_all(
    session: &Session,
    queue: &str,
    names: &[String],
    verb: impl Display,
    change: impl AsyncFn(&Ticket) -> redisson_delayed_queue::Result<bool>,
) -> Result {
    let names = read(names).await?;
    let mut missing = 0;
    for portion in names.chunks(PORTION) {
        let tickets = find_all(session, queue, portion).await?;
        let changes = stream::iter(&tickets).map(async |ticket| match ticket {
            Some(ticket) => change(ticket).await,
            None => Ok(false),
        });
        let mut named = portion.iter().zip(&tickets);
        let mut changes = changes.buffered(AT_ONCE);
        while let Some(done) = changes.try_next().await? {
            let Some((name, ticket)) = named.next() else {
                break;
            };
            let id = match ticket {
                Some(ticket) => hex(ticket.id()),
                None => name.to_string(),
            };
            missing += usize::from(!done);
            let text = match done {
                true => format!("{verb} {id}"),
                false => format!("not pending {id}"),
            };
            let ticket = ticket.as_ref();
            session.screen.say(&text, &Changed { id, ticket, done })?;
        }
    }
    match (missing, names.len()) {
        (0, _) => Ok(()),
        (missing, all) => {
            let reason = format!("{missing} of {all} elements are not pending");
            Err(Failure::Nothing(reason))
        }
    }
}

/// The names, and those on stdin. If one of them is wrong, nothing has been changed.
async fn read(names: &[String]) -> Result<Vec<Name>> {
    let mut read = Vec::new();
    for name in names {
        match &**name {
            "-" => read.extend(input::lines().try_collect::<Vec<_>>().await?),
            _ => read.push(name.clone()),
        }
    }
    let parse = |name: String| {
        let wrong = |reason| Failure::usage(format!("{name}: {reason}"));
        name.trim().parse().map_err(wrong)
    };
    read.into_iter().map(parse).collect()
}
