//! The calls that a sequence is made of, as tables.

use std::{
    cell::RefCell,
    time::{Duration, SystemTime},
};

use interop::{
    peer::Reply,
    value::{decode, encode},
};
use redisson_delayed_queue::{DelayedQueue, IfPending, Offer, Outcome, Result, Ticket};
use tokio::runtime::Runtime;

use crate::ledger::Offered;

/// What a call was given.
pub(crate) struct Pick {
    /// A value that nobody has offered yet.
    pub(crate) fresh: String,
    pub(crate) delay: Duration,
    /// Something that was offered at some time, if anything was.
    pub(crate) known: Option<Offered>,
    /// Everything else that was offered so far, or is offered by the other language meanwhile.
    pub(crate) others: Vec<String>,
}

/// What a call did.
#[derive(Debug)]
pub(crate) enum Done {
    Cleared,
    Nothing,
    /// The fresh value was offered.
    Offered(Option<Ticket>),
    /// These values were offered, one of them maybe for another time.
    OfferedAll(Vec<(String, Ticket)>),
    /// The known value was removed.
    Removed,
    /// The fresh value was offered in the place of this one.
    Replaced(String, Ticket),
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

/// What the reply to a line means.
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
    // What was offered last under the only key, by this language alone.
    let keyed = RefCell::new(String::new());
    vec![
        rust(40, "offer", async |q, pick| {
            let offered = q.offer(&pick.fresh, pick.delay).await;
            offered.map(|ticket| Done::Offered(Some(ticket)))
        }),
        rust(6, "offer_with, at", async |q, pick| {
            let offered = q.offer_with(&pick.fresh, SystemTime::now() + pick.delay);
            Ok(Done::Offered(Some(offered.await?.ticket)))
        }),
        rust(6, "offer_with, expiring", async |q, pick| {
            let expires_at = SystemTime::now() + 10 * crate::LONG;
            let offer = Offer::after(pick.delay).expires_at(expires_at);
            let offered = q.offer_with(&pick.fresh, offer).await?;
            Ok(Done::Offered(Some(offered.ticket)))
        }),
        rust(8, "offer_all", async |q, pick| {
            let values = pick.fresh_ones();
            let offers = values.iter().zip([pick.delay, Duration::ZERO]);
            let offered = q.offer_all(offers).await?.into_iter();
            let offered = values.into_iter().zip(offered.map(|it| it.ticket));
            Ok(Done::OfferedAll(offered.collect()))
        }),
        rust(6, "offer_with, keyed by value", async |q, pick| {
            let offer = Offer::after(pick.delay).keyed_by_value();
            let offer = offer.if_pending(IfPending::Replace);
            let first = q.offer_with(&pick.fresh, offer.clone()).await?;
            // Whatever becomes of it meanwhile.
            let again = q.offer_with(&pick.fresh, offer).await?;
            Ok(match again.outcome {
                Outcome::Rescheduled => Done::Offered(Some(first.ticket)),
                _ => Done::OfferedAll(vec![
                    (pick.fresh.clone(), first.ticket),
                    (pick.fresh.clone(), again.ticket),
                ]),
            })
        }),
        rust(
            6,
            "offer_with, under a key, replacing",
            async move |q, pick| {
                let offer = Offer::after(pick.delay).key("key");
                let offer = offer.if_pending(IfPending::Replace);
                let offered = q.offer_with(&pick.fresh, offer).await?;
                let before = keyed.replace(pick.fresh.clone());
                Ok(match offered.outcome {
                    Outcome::Replaced => Done::Replaced(before, offered.ticket),
                    _ => Done::Offered(Some(offered.ticket)),
                })
            },
        ),
        rust(4, "offer_with, under a key, keeping", async |q, pick| {
            let offer = Offer::after(pick.delay).key("kept");
            let offered = q.offer_with(&pick.fresh, offer).await?;
            Ok(match offered.outcome {
                Outcome::Kept => Done::Nothing,
                _ => Done::Offered(Some(offered.ticket)),
            })
        }),
        unique_in_queue(10, "offer_with, unique, replacing", IfPending::Replace),
        unique_in_queue(6, "offer_with, unique, keeping", IfPending::Keep),
        rust(4, "retain_all", async |q, pick| {
            let removed_count = q.pending().retain_all(&pick.others).await?;
            assert!(removed_count <= 1, "{removed_count} of {:?}", pick.known);
            Ok(removed(removed_count == 1))
        }),
        rust(4, "cancel_all", async |q, pick| match ticket(pick) {
            Some(ticket) => q.cancel_all([ticket]).await.map(|count| removed(count > 0)),
            None => Ok(Done::Nothing),
        }),
        rust(6, "iter, and cancel", async |q, _| {
            let mut entries = q.pending().iter();
            while let Some(entry) = entries.next().await.transpose()? {
                if q.cancel(&entry.ticket).await? {
                    return Ok(taken([entry.value]));
                }
            }
            Ok(Done::Nothing)
        }),
        rust(6, "pending.peek_next, and reschedule", async |q, pick| {
            if let Some(entry) = q.pending().peek_next().await? {
                q.reschedule(&entry.ticket, pick.delay).await?;
            }
            Ok(Done::Nothing)
        }),
        rust(10, "remove", async |q, pick| match &pick.known {
            Some(known) => q.pending().remove(&known.value).await.map(removed),
            None => Ok(Done::Nothing),
        }),
        rust(10, "cancel", async |q, pick| match ticket(pick) {
            Some(ticket) => q.cancel(ticket).await.map(removed),
            None => Ok(Done::Nothing),
        }),
        rust(5, "remove_all", async |q, pick| match &pick.known {
            Some(known) => {
                let values = [known.value.clone(), "nobody".to_owned()];
                q.pending()
                    .remove_all(&values)
                    .await
                    .map(|count| removed(count > 0))
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
        rust(8, "pending.poll", async |q, _| {
            q.pending().poll().await.map(taken)
        }),
        rust(4, "pending.poll_many", async |q, _| {
            q.pending().poll_many(3).await.map(taken)
        }),
        rust(4, "poll_last_and_offer_first_to", async |q, _| {
            q.pending()
                .poll_last_and_offer_first_to(q.name())
                .await
                .map(nothing)
        }),
        rust(10, "try_take", async |q, _| q.try_take().await.map(taken)),
        rust(4, "try_take_last", async |q, _| {
            q.destination().try_take_last().await.map(taken)
        }),
        rust(4, "drain_to", async |q, _| {
            q.destination().drain_to(3).await.map(taken)
        }),
        rust(1, "clear", async |q, _| {
            q.pending().clear().await.map(|()| Done::Cleared)
        }),
    ]
}

impl Pick {
    /// Values that a call may offer which offers several.
    fn fresh_ones(&self) -> [String; 2] {
        [self.fresh.clone(), format!("{}-too", self.fresh)]
    }

    /// All values that a call may offer.
    pub(crate) fn offerable(&self) -> impl Iterator<Item = String> {
        let known = self.known.iter().map(|it| it.value.clone());
        self.fresh_ones().into_iter().chain(known)
    }
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

/// Offers the known value, of which one stays pending.
fn unique_in_queue(weight: u32, name: &'static str, if_pending: IfPending) -> RustCall {
    rust(weight, name, async move |q, pick| {
        let Some(known) = &pick.known else {
            return Ok(Done::Nothing);
        };
        let offer = Offer::after(pick.delay).unique_in_queue();
        let offer = offer.if_pending(if_pending);
        let offered = q.offer_with(&known.value, offer).await?;
        Ok(match offered.outcome {
            Outcome::Added => Done::OfferedAll(vec![(known.value.clone(), offered.ticket)]),
            _ => Done::Nothing,
        })
    })
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

/// The call changes nothing, whatever it answers.
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
