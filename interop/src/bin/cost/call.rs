//! The calls of this crate, as a table.

use std::time::Duration;

use redisson_delayed_queue::{DelayedQueue, Result, Ticket};
use tokio::runtime::Runtime;

/// A call that finds one pending element.
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) run: Run,
}

/// Makes a call.
type Run = Box<dyn Fn(&Runtime, &DelayedQueue<String>, &Sample) -> Result<()>>;

/// An element that a call will find.
pub(crate) struct Sample {
    value: String,
    ticket: Ticket,
}

pub(crate) fn calls() -> Vec<Call> {
    vec![
        call("contains", async |q, it| {
            q.contains(&it.value).await.map(drop)
        }),
        call("remove", async |q, it| q.remove(&it.value).await.map(drop)),
        call("reschedule", async |q, it| {
            q.reschedule(&it.ticket, DAY).await.map(drop)
        }),
        call("replace", async |q, it| {
            q.replace(&it.value, DAY).await.map(drop)
        }),
        call("cancel", async |q, it| q.cancel(&it.ticket).await.map(drop)),
    ]
}

fn call<F>(name: &'static str, call: F) -> Call
where
    F: AsyncFn(&DelayedQueue<String>, &Sample) -> Result<()> + 'static,
{
    let run = move |runtime: &Runtime, queue: &DelayedQueue<String>, sample: &Sample| {
        runtime.block_on(call(queue, sample))
    };
    Call {
        name,
        run: Box::new(run),
    }
}

impl Sample {
    pub(crate) async fn offer(queue: &DelayedQueue<String>, value: String) -> Result<Self> {
        let ticket = queue.offer(&value, DAY).await?;
        Ok(Self { value, ticket })
    }
}

const DAY: Duration = Duration::from_secs(86_400);
