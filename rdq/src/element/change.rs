//! Changes elements that the user names, one by one.

use futures::future::{BoxFuture, join_all};
use redisson_delayed_queue::Ticket;
use serde::Serialize;

use crate::argument::input;
use crate::element::find::{Name, find_all};
use crate::element::hex;
use crate::failure::{Failure, Result};
use crate::screen::number::count_of;
use crate::screen::{Screen, json};
use crate::session::Session;

/// How many elements to change at the same time.
const AT_ONCE: usize = 64;

/// How many elements to look for before the first of them is changed.
const PORTION: usize = 1_000;

/// What became of an element.
#[derive(Serialize)]
struct Changed {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ticket: Option<Ticket>,
    /// False if the element is not pending.
    done: bool,
}

/// A change that has not begun: whether the element was pending.
type Change = BoxFuture<'static, redisson_delayed_queue::Result<bool>>;

/// A change of the element with this name. Without a ticket, no pending element has the name.
struct Task {
    id: String,
    ticket: Option<Ticket>,
    change: Option<Change>,
}

/// How many elements were changed, and how many were not pending.
#[derive(Clone, Copy, Default)]
struct Tally {
    done: usize,
    missing: usize,
}

/// Changes the elements with these names, and prints what became of each, `verb` or `not pending`.
/// The name `-` stands for the names on stdin, one a line.
pub(crate) async fn change_all(
    session: &Session,
    queue: &str,
    names: &[String],
    verb: &str,
    change: impl Fn(Ticket) -> Change,
) -> Result {
    // If one of them is wrong, nothing has been changed.
    let parse = |name: String| {
        let wrong = |reason| Failure::usage(format!("{name}: {reason}"));
        name.parse().map_err(wrong)
    };
    let names = input::named(names).await?.into_iter().map(parse);
    let names = names.collect::<Result<Vec<Name>>>()?;
    let mut tally = Tally::default();
    let changed = change_each(session, queue, &names, verb, change, &mut tally).await;
    let changed = match changed {
        // Nobody reads that none of them is pending, and the exit code tells it.
        Err(failure) if failure.is_closed_pipe() && tally.missing == names.len() => Ok(()),
        changed => changed,
    };
    changed.map_err(|failure| {
        failure.after_some(tally.done as u64, |done| {
            let done = count_of(done, "element was", "elements were");
            format!("{done} {verb} before it failed")
        })
    })?;
    match (tally.missing, names.len()) {
        (0, _) => Ok(()),
        (missing, all) => {
            let all = count_of(all as u64, "element is", "elements are");
            Err(Failure::Nothing(format!("{missing} of {all} not pending")))
        }
    }
}

async fn change_each(
    session: &Session,
    queue: &str,
    names: &[Name],
    verb: &str,
    change: impl Fn(Ticket) -> Change,
    tally: &mut Tally,
) -> Result {
    for portion in names.chunks(PORTION) {
        let tickets = find_all(session, queue, portion).await?;
        let mut named = portion.iter().zip(tickets);
        loop {
            let tasks = named.by_ref().take(AT_ONCE);
            let tasks: Vec<_> = tasks
                .map(|(name, ticket)| Task {
                    id: match &ticket {
                        Some(ticket) => hex(ticket.id()),
                        None => name.to_string(),
                    },
                    change: ticket.clone().map(&change),
                    ticket,
                })
                .collect();
            if tasks.is_empty() {
                break;
            }
            let work = run(session.screen, verb.to_owned(), tasks);
            let (Tally { done, missing }, outcome) = session.finish(work).await;
            tally.done += done;
            tally.missing += missing;
            outcome?;
        }
    }
    Ok(())
}

/// Makes these changes, and prints each. Returns the first failure.
async fn run(screen: Screen, verb: String, mut tasks: Vec<Task>) -> (Tally, Result) {
    let changes = tasks.iter_mut().map(|it| it.change.take());
    let changes = changes.map(async |change| match change {
        Some(change) => change.await,
        None => Ok(false),
    });
    let outcomes = join_all(changes).await;
    let mut tally = Tally::default();
    let mut printed = Ok(());
    let mut result = Ok(());
    for (Task { id, ticket, .. }, outcome) in tasks.into_iter().zip(outcomes) {
        let done = match outcome {
            Ok(done) => done,
            Err(error) => {
                if let Some(ticket) = ticket.filter(|_| error.may_have_changed_redis()) {
                    screen.note(&format!("the reply was lost, perhaps {verb}: {ticket}"));
                }
                result = result.and(Err(error.into()));
                continue;
            }
        };
        tally.done += usize::from(done);
        tally.missing += usize::from(!done);
        let text = match done {
            true => format!("{verb} {id}"),
            false => format!("not pending {id}"),
        };
        let changed = Changed { id, ticket, done };
        if printed.is_ok() {
            printed = screen.say(&text, &changed);
        }
        if printed.is_err() {
            // This may be all that is left of an element that was removed.
            match screen.is_json() {
                true => screen.note(&json(&changed)),
                false => screen.note(&text),
            }
        }
    }
    (tally, result.and(printed))
}
