//! Giving elements another due time.

use tokio::time::Instant;

use super::RawQueue;
use crate::error::{Result, Step};
use crate::options::Options;
use crate::payload::check_argument;
use crate::ticket::Ticket;
use crate::wire::script::{self, Reschedule, When};

impl RawQueue {
    /// Makes an element due at that time, or leaves it if that would be later. Says whether it is
    /// pending.
    pub(crate) async fn reschedule(
        &self,
        ticket: &Ticket,
        when: When,
        never_later: bool,
    ) -> Result<bool> {
        let options = &self.session.options;
        let size = ticket.as_bytes().len();
        check_argument(size)?;
        let step = match never_later {
            true => Step::Promote,
            false => Step::Reschedule,
        };
        // The same in every attempt, so a repeated one finds that an earlier one ran.
        let call = rand::random();
        let was_pending = self
            .script_of_size(step, true, size, |connection| async move {
                let reschedule = Reschedule {
                    ticket,
                    when,
                    never_later,
                    clock: options.clock,
                    remember: Options::id_memory(size),
                    call,
                    repeatable: options.repeat_window(size),
                };
                let sent = Instant::now();
                let done = script::reschedule(connection, &self.keys, &reschedule).await?;
                self.session
                    .learn(&self.keys, sent, done.server_us, done.head_due_us);
                Ok(done.was_pending)
            })
            .await
            .map_err(|error| error.of_due(self.session.delay_until(&self.keys, when)))?;
        Ok(was_pending)
    }
}
