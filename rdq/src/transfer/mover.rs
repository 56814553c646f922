//! The queues that are moved.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use redisson_delayed_queue::DelayedQueue;
use redisson_delayed_queue::keys::QueueKeys;
use tokio::time::sleep;

use super::Report;
use crate::failure::{Failure, Result};
use crate::queue::home::Home;
use crate::queue::masters::Silent;
use crate::queue::names;
use crate::session::Session;

/// The queues that are moved. The client moves each as long as it is here.
pub(crate) struct Mover<'a> {
    session: &'a Session,
    queues: BTreeMap<String, DelayedQueue<Bytes>>,
    /// The queues that were found and are not moved. Each is reported once.
    skipped: BTreeSet<Home>,
}

impl<'a> Mover<'a> {
    pub(crate) fn new(session: &'a Session) -> Self {
        Self {
            session,
            queues: BTreeMap::new(),
            skipped: BTreeSet::new(),
        }
    }

    /// Moves the elements of these queues from now on. Asks before if only the target queue of the other
    /// queue with the same keys is there, and moves nothing if one of them cannot be moved.
    ///
    /// # Redis
    ///
    /// `TYPE` of the two target queues.
    pub(crate) async fn add_named(&mut self, names: &[String]) -> Result {
        for name in names {
            let keys = QueueKeys::new(name)?;
            if let Some(twin) = keys.twin().filter(|it| names.contains(it)) {
                return Err(Failure::usage(shares_keys(name, &twin)));
            }
            match Home::find(&self.session.client, &keys).await? {
                Home::Sure(other) if other != *name => {
                    self.session.confirm(&format!(
                        "The queues {name} and {other} have the same keys, and only the list {other} is \
                         there. Move the elements to {name}, where no list is?"
                    ))?;
                }
                _ => {}
            }
        }
        names.iter().try_for_each(|it| self.add(it).map(drop))
    }

    /// Moves the elements of this queue from now on. False if it does so already.
    fn add(&mut self, name: &str) -> Result<bool> {
        if self.queues.contains_key(name) {
            return Ok(false);
        }
        let twin = QueueKeys::new(name)?.twin();
        if let Some(twin) = twin.filter(|it| self.queues.contains_key(it)) {
            return Err(Failure::usage(shares_keys(name, &twin)));
        }
        let queue = self.session.queue(name)?;
        self.queues.insert(name.to_owned(), queue);
        Ok(true)
    }

    /// Finds queues again and again, and adds those that are new. If nothing tells a queue from the one
    /// with braces around its name, adds it only if there are none of those. Ends with an error that no
    /// waiting mends.
    ///
    /// # Redis
    ///
    /// As [`names::homes`], each `every`.
    pub(crate) async fn find(
        &mut self,
        every: Duration,
        no_braces: bool,
        report: Report,
    ) -> Result {
        loop {
            let client = &self.session.client;
            match names::homes(client, &client.masters()).await {
                Ok(found) => {
                    for home in found.homes {
                        self.add_found(home, no_braces, report)?;
                    }
                    for Silent { server, reason } in found.silent {
                        report.say("search failed", None, &format!("{server}: {reason}"))?;
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

    fn add_found(&mut self, home: Home, no_braces: bool, report: Report) -> Result {
        let (name, doubt) = match &home {
            Home::Sure(name) => (name, None),
            Home::Unknown([name, _]) if no_braces => (name, None),
            Home::Unknown([name, twin]) => (
                name,
                Some(format!(
                    "nothing tells it from {twin}, which has the same keys: name the one that your \
                     services call, or say --no-braces"
                )),
            ),
            Home::Both([name, twin]) => (
                name,
                Some(format!(
                    "{twin} has the same keys, and both lists are there: name the one that your \
                     services take from"
                )),
            ),
        };
        // One that is moved already needs no name from what is there now.
        if doubt.is_some() && home.clone().names().any(|it| self.queues.contains_key(&it)) {
            return Ok(());
        }
        let reason = match doubt {
            Some(doubt) => doubt,
            None => match self.add(name) {
                Ok(true) => return report.say("queue", Some(name), "moves its elements"),
                Ok(false) => return Ok(()),
                // Such a name takes a cluster in several slots, and has no elements there.
                Err(failure) => failure.to_string(),
            },
        };
        match self.skipped.insert(home.clone()) {
            true => report.say("skipped", Some(name), &reason),
            false => Ok(()),
        }
    }
}

/// Why one client cannot move two queues.
fn shares_keys(name: &str, other: &str) -> String {
    format!("{name} and {other} have the same keys: only one of them can be moved")
}
