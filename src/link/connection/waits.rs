//! Waiting until replicas or the disk have what a connection wrote.

use std::mem;
use std::sync::Mutex;
use std::time::Duration;

use redis::{Cmd, RedisResult};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::failure::hung_up;
use super::socket::Connection;
use crate::link::durability::{Acknowledged, Durability};
use crate::sync::lock;

/// The callers who wait for the writes of one connection.
///
/// `WAIT` concerns everything that its connection wrote before, so callers share one. While it
/// waits, Redis reads nothing from that connection. So it waits a short time and then again: an
/// offer that wants less than others, or comes later, is not held up by them.
///
/// A task sends it, because a caller may stop polling at any moment.
#[derive(Debug)]
pub(crate) struct Waits {
    /// The runtime that drives the socket.
    runtime: Handle,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// True while a task serves the callers.
    is_served: bool,
    /// Callers whose writes no command waits for yet.
    arrived: Vec<Caller>,
}

#[derive(Debug)]
struct Caller {
    wanted: Durability,
    until: Instant,
    answer: oneshot::Sender<RedisResult<Acknowledged>>,
}

impl Waits {
    /// How long one command waits at most.
    const LONGEST: Duration = Duration::from_millis(50);
    /// How much later the command may end. An idle Redis looks at its clock ten times a second (`hz`).
    const LATENESS: Duration = Duration::from_millis(100);

    /// Call this on the runtime that drives the socket.
    pub(super) fn new() -> Self {
        Self {
            runtime: Handle::current(),
            state: Mutex::default(),
        }
    }

    /// Waits until the writes of `connection`, to which this belongs, are as durable as `wanted`, or
    /// until `until`.
    pub(super) async fn wait(
        &self,
        connection: &Connection,
        wanted: Durability,
        until: Instant,
    ) -> RedisResult<Acknowledged> {
        let (answer, answered) = oneshot::channel();
        let is_served = {
            let mut state = lock(&self.state);
            state.arrived.push(Caller {
                wanted,
                until,
                answer,
            });
            mem::replace(&mut state.is_served, true)
        };
        if !is_served {
            self.runtime.spawn(serve(connection.clone()));
        }
        // Only a runtime that ends gives no answer.
        answered.await.unwrap_or_else(|_| Err(hung_up()))
    }

    /// Moves the callers who have arrived to the others. False if nobody waits: then the task must
    /// end.
    fn next(&self, callers: &mut Vec<Caller>) -> bool {
        let mut state = lock(&self.state);
        callers.append(&mut state.arrived);
        callers.retain(|it| !it.answer.is_closed());
        state.is_served = !callers.is_empty();
        state.is_served
    }
}

/// Serves all callers of a connection until none is left.
async fn serve(mut connection: Connection) {
    let usual = connection.response_timeout();
    connection.set_response_timeout(usual + Waits::LONGEST + Waits::LATENESS);
    let mut callers = Vec::new();
    while connection.waits().next(&mut callers) {
        let (disk, memory) = callers.drain(..).partition(|it| it.wanted.needs_aof());
        for group in [memory, disk] {
            callers.extend(serve_group(&mut connection, group).await);
        }
    }
}

/// Waits once for callers who want the same kind of durability. Returns those who must wait on.
async fn serve_group(connection: &mut Connection, group: Vec<Caller>) -> Vec<Caller> {
    let wanted = group
        .iter()
        .map(|it| it.wanted)
        .min_by_key(|it| it.replicas());
    let until = group.iter().map(|it| it.until).min();
    let (Some(wanted), Some(until)) = (wanted, until) else {
        return group;
    };
    let patience = until.saturating_duration_since(Instant::now());
    let reply = send(connection, wanted, patience.min(Waits::LONGEST)).await;
    let now = Instant::now();
    let mut unserved = Vec::new();
    for caller in group {
        let waits_on = reply
            .as_ref()
            .is_ok_and(|got| !got.meets(caller.wanted) && now < caller.until);
        if waits_on {
            unserved.push(caller);
        } else {
            // The caller may have gone.
            let _ = caller.answer.send(reply.clone());
        }
    }
    unserved
}

async fn send(
    connection: &mut Connection,
    wanted: Durability,
    patience: Duration,
) -> RedisResult<Acknowledged> {
    // Redis waits for ever if it is told to wait for 0 ms.
    let millis = patience.as_millis().max(1) as u64;
    let mut command = Cmd::new();
    if !wanted.needs_aof() {
        command.arg("WAIT").arg(wanted.replicas()).arg(millis);
        let replicas = command.query_async(connection).await?;
        return Ok(Acknowledged {
            replicas,
            master_aof: false,
        });
    }
    command.arg("WAITAOF").arg(1);
    command.arg(wanted.replicas()).arg(millis);
    let (local, replicas): (u8, usize) = command.query_async(connection).await?;
    Ok(Acknowledged {
        replicas,
        master_aof: local > 0,
    })
}
