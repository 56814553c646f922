//! The calls that a sequence is made of, as tables.

use std::time::Duration;

use interop::{
    peer::Reply,
    value::{decode, encode},
};
use redisson_delayed_queue::{DelayedQueue, Result, Ticket};
use tokio::runtime::Runtime;

use crate::ledger::Offered;

/// What a call was given.
pub(crate) struct Pick {
    /// A value that nobody has offered yet.
    pub(crate) fresh: String,
    pub(crate) delay: Duration,
    /// Something that was offered at some time, if anything was.
    pub(crate) known: Option<Offered>,
}

/// What a call did.
#[derive(Debug)]
pub(crate) enum Done {
    Cleared,
    Nothing,
    /// The fresh value was offered.
    Offered(Option<Ticket>),
    /// The known value was removed.
    Removed,
    /// These values left the queue.
    Taken(Vec<String>),
}

/// A line for the Java peer.
pub(crate) struct JavaCall {
    pub(crate) weight: u32,
    /// With `{name}`, `{fresh}`, `{delay}` and `{known}` to be filled in.
    line: &'static str,
    effect: Effect,
}

/// What the reply to a line tells.
#[derive(Clone, Copy)]
enum Effect {
    Clears,
    /// From one place of the queue to another.
    Moves,
    Offers,
    /// The known value, if the reply says so.
    Removes,
    /// The values of the reply.
    Takes,
}

/// A call of this crate.
pub(crate) struct RustCall {
    pub(crate) weight: u32,
    pub(crate) name: &'static str,
    pub(crate) run: Run,
}

/// Makes a call.
type Run = Box<dyn Fn(&Runtime, &DelayedQueue<String>, &Pick) -> Done>;

/// `retainAll` is not among them: it leaves in the set what it takes out of the list, which the
/// tables of `tests/parity` show.
pub(crate) fn of_java() -> Vec<JavaCall> {
    use Effect::{Clears, Moves, Offers, Removes, Takes};
    vec![
        java(40, "offer q {delay} {fresh}", Offers),
        java(10, "remove q {known}", Removes),
        java(5, "call q delayed removeAll [{known},=nobody]", Removes),
        java(8, "call q delayed poll", Takes),
        java(4, "call q delayed poll 3", Takes),
        java(4, "call q delayed pollLastAndOfferFirstTo :{name}", Moves),
        java(8, "call q queue poll", Takes),
        java(4, "call q deque pollLast", Takes),
        java(4, "call q deque drainTo [] 3", Takes),
        java(1, "clear q", Clears),
    ]
}

pub(crate) fn of_rust() -> Vec<RustCall> {
    vec![
        rust(40, "offer", async |q, pick| {
            let offered = q.offer(&pick.fresh, pick.delay).await;
            offered.map(|ticket| Done::Offered(Some(ticket)))
        }),
        rust(10, "remove", async |q, pick| match &pick.known {
            Some(known) => q.remove(&known.value).await.map(removed),
            None => Ok(Done::Nothing),
        }),
        rust(10, "cancel", async |q, pick| match ticket(pick) {
            Some(ticket) => q.cancel(ticket).await.map(removed),
            None => Ok(Done::Nothing),
        }),
        rust(5, "remove_all", async |q, pick| match &pick.known {
            Some(known) => {
                let values = [known.value.clone(), "nobody".to_owned()];
                q.remove_all(&values).await.map(|count| removed(count > 0))
            }
            None => Ok(Done::Nothing),
        }),
        rust(8, "reschedule", async |q, pick| match ticket(pick) {
            Some(ticket) => q.reschedule(ticket, pick.delay).await.map(nothing),
            None => Ok(Done::Nothing),
        }),
        rust(4, "promote", async |q, pick| match ticket(pick) {
            Some(ticket) => q.promote(ticket).await.map(nothing),
            None => Ok(Done::Nothing),
        }),
        rust(8, "poll_undue", async |q, _| {
            q.poll_undue().await.map(taken)
        }),
        rust(4, "poll_undue_many", async |q, _| {
            q.poll_undue_many(3).await.map(taken)
        }),
        rust(4, "poll_last_and_offer_first_to", async |q, _| {
            q.poll_last_and_offer_first_to(q.name()).await.map(nothing)
        }),
        rust(10, "try_take", async |q, _| q.try_take().await.map(taken)),
        rust(4, "try_take_last", async |q, _| {
            q.destination().try_take_last().await.map(taken)
        }),
        rust(4, "drain_to", async |q, _| q.drain_to(3).await.map(taken)),
        rust(1, "clear", async |q, _| {
            q.clear().await.map(|()| Done::Cleared)
        }),
    ]
}

impl JavaCall {
    pub(crate) fn line(&self, name: &str, pick: &Pick) -> String {
        let known = pick.known.as_ref().map_or("nobody", |it| &it.value);
        self.line
            .replace("{name}", name)
            .replace("{fresh}", &encode(&pick.fresh))
            .replace("{delay}", &pick.delay.as_millis().to_string())
            .replace("{known}", &encode(known))
    }

    pub(crate) fn done(&self, reply: Reply) -> Done {
        let told = match reply {
            Reply::Err(message) => panic!("{}: {message}", self.line),
            Reply::Nil => return Done::Nothing,
            Reply::Ok(told) => told,
        };
        match self.effect {
            Effect::Clears => Done::Cleared,
            Effect::Moves => Done::Nothing,
            Effect::Offers => Done::Offered(None),
            Effect::Removes => removed(told == "true"),
            Effect::Takes => Done::Taken(values(&told)),
        }
    }
}

fn java(weight: u32, line: &'static str, effect: Effect) -> JavaCall {
    JavaCall {
        weight,
        line,
        effect,
    }
}

fn rust<F>(weight: u32, name: &'static str, call: F) -> RustCall
where
    F: AsyncFn(&DelayedQueue<String>, &Pick) -> Result<Done> + 'static,
{
    let run = move |runtime: &Runtime, queue: &DelayedQueue<String>, pick: &Pick| {
        let done = runtime.block_on(call(queue, pick));
        done.unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    RustCall {
        weight,
        name,
        run: Box::new(run),
    }
}

fn ticket(pick: &Pick) -> Option<&Ticket> {
    pick.known.as_ref()?.ticket.as_ref()
}

fn removed(is_removed: bool) -> Done {
    match is_removed {
        true => Done::Removed,
        false => Done::Nothing,
    }
}

/// Whatever the answer was, every element is still there.
fn nothing<T>(_answer: T) -> Done {
    Done::Nothing
}

fn taken(values: impl IntoIterator<Item = String>) -> Done {
    Done::Taken(values.into_iter().collect())
}

/// The values in a reply, which is one or a list of them.
fn values(told: &str) -> Vec<String> {
    let inner = told.trim_start_matches('[').trim_end_matches(']');
    let text = |token| {
        let value = decode(token).unwrap_or_else(|| panic!("not a VALUE: {token:?}"));
        String::from_utf8(value).expect("payloads are text")
    };
    inner.split_terminator(',').map(text).collect()
}
