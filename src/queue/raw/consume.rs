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
        let window = self.session.options.offer_window();
        let intake = Arc::new(Intake::new(window, Arc::clone(self.meter())));
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
            None => self.own_dead_letters()?,
        };
        if keys.target() == self.keys.target() {
            let name = self.name().to_owned();
            return Err(Error::Name(NameError::OwnDeadLetters { name }));
        }
        Ok(keys)
    }

    /// The keys of this queue's own dead letters. Programs with the same name mapper, also in Java, reach
    /// them by the name that the keys show, and they lie in the slot of the queue.
    fn own_dead_letters(&self) -> Result<QueueKeys, NameError> {
        let mapper = &self.session.options.name_mapper;
        let in_redis = self.keys.default_dead_letters();
        let name = match self.keys.target().contains('{') {
            true => format!("{}-dead", self.name()),
            false => in_redis.clone(),
        };
        let keys = mapper.keys(&name)?;
        match keys.slot() == self.keys.slot() {
            true => Ok(keys),
            // The mapper puts braces before those of the name.
            false => mapper.keys_in_redis(in_redis),
        }
    }
}
