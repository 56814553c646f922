//! What consumers need of a queue.

use std::sync::Arc;
use std::time::Duration;

use super::RawQueue;
use crate::delivery::intake::{Intake, Mode, Terms};
use crate::error::{Error, Result};
use crate::side::Side;
use crate::wire::keys::{NameError, QueueKeys};
use crate::wire::script::Consumption;

impl RawQueue {
    /// An intake whose elements callers acknowledge. Its worker runs until the intake is closed.
    pub(crate) fn consume(
        &self,
        lease: Duration,
        most_ahead: usize,
        consumption: Arc<Consumption>,
    ) -> Result<Arc<Intake>> {
        let intake = Arc::new(Intake::new(self.session.options.offer_window()));
        self.sides.add_consumer(&intake);
        // Only now: a shutdown closes what was added before.
        self.session.ensure_open()?;
        let terms = Terms {
            side: Side::First,
            lease,
            most_ahead,
            mode: Mode::Consume(consumption),
        };
        self.start_worker(Arc::clone(&intake), terms);
        Ok(intake)
    }

    /// The keys of the dead-letter queue that users call `name`. Without a name they are those of
    /// this queue's own, in the same slot of a cluster.
    pub(crate) fn dead_letters(&self, name: Option<&str>) -> Result<QueueKeys> {
        let keys = match name {
            Some(name) => self.partner(name)?,
            None => {
                let mapper = &self.session.options.name_mapper;
                mapper.keys_in_redis(self.keys.default_dead_letters())?
            }
        };
        if keys.target() == self.keys.target() {
            let name = self.name().to_owned();
            return Err(Error::Name(NameError::OwnDeadLetters { name }));
        }
        Ok(keys)
    }
}
