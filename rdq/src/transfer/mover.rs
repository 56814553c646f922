//! The queues that are moved.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use redisson_delayed_queue::DelayedQueue;
use tokio::time::sleep;

use super::Report;
use crate::failure::{Failure, Result};
use crate::queue::names;
use crate::session::Session;

/// The queues that are moved. The client moves each as long as it is here.
pub(crate) struct Mover<'a> {
    session: &'a Session,
    queues: BTreeMap<String, DelayedQueue<Bytes>>,
}

impl<'a> Mover<'a> {
    pub(crate) fn new(session: &'a Session) -> Self {
        Self {
            session,
            queues: BTreeMap::new(),
        }
    }

    /// Moves the elements of this queue from now on. False if it does so already.
    pub(crate) fn add(&mut self, name: &str) -> Result<bool> {
        if self.queues.contains_key(name) {
            return Ok(false);
        }
        let queue = self.session.queue(name)?;
        self.queues.insert(name.to_owned(), queue);
        Ok(true)
    }

    /// Finds queues again and again, and adds those that are new. Ends with an error that no waiting
    /// mends.
    ///
    /// # Redis
    ///
    /// As [`names::find`], each `every`.
    pub(crate) async fn find(&mut self, every: Duration, report: Report) -> Result {
        loop {
            match names::find(&self.session.client).await {
                Ok(names) => {
                    for name in names {
                        match self.add(&name) {
                            Ok(true) => report.say("queue", Some(&name), "moves its elements")?,
                            Ok(false) => {}
                            // Such a name takes a cluster in several slots, and has no elements there.
                            Err(failure) => {
                                report.say("skipped", Some(&name), &failure.to_string())?
                            }
                        }
                    }
                }
                Err(Failure::Queue(error)) => {
                    report.say("search failed", None, &error.to_string())?
                }
                Err(failure) => return Err(failure),
            }
            sleep(every).await;
        }
    }
}
