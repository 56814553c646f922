//! Finds the queues of a client by name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use crate::error::Result;
use crate::sync::lock;

/// The queues of a client by their names in Redis, each for as long as somebody holds it.
#[derive(Debug)]
pub(crate) struct Names<Q> {
    queues: Mutex<HashMap<String, Weak<Q>>>,
}

impl<Q> Names<Q> {
    /// Finds the queue `name`, or makes it if nobody holds it. Says whether it is new.
    ///
    /// Runs `check` first, and fails with it. No [`take_all`](Self::take_all) runs between `check`
    /// and the entry of a new queue.
    pub(crate) fn find_or_make(
        &self,
        name: &str,
        check: impl FnOnce() -> Result<()>,
        make: impl FnOnce() -> Q,
    ) -> Result<(Arc<Q>, bool)> {
        let mut queues = lock(&self.queues);
        check()?;
        if let Some(known) = queues.get(name).and_then(Weak::upgrade) {
            return Ok((known, false));
        }
        queues.retain(|_, queue| queue.strong_count() > 0);
        let queue = Arc::new(make());
        queues.insert(name.to_owned(), Arc::downgrade(&queue));
        Ok((queue, true))
    }

    /// The queue `name`, if somebody holds it.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<Q>> {
        lock(&self.queues).get(name).and_then(Weak::upgrade)
    }

    /// Forgets all queues, and returns those that somebody still holds.
    pub(crate) fn take_all(&self) -> Vec<Arc<Q>> {
        // Upgraded and dropped outside the lock: the last other holder of a queue may go meanwhile.
        let queues = std::mem::take(&mut *lock(&self.queues));
        queues.into_values().filter_map(|it| it.upgrade()).collect()
    }
}

impl<Q> Default for Names<Q> {
    fn default() -> Self {
        Self {
            queues: Mutex::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_queue_is_found_while_somebody_holds_it_and_made_anew_afterwards() {
        let names = Names::default();
        let open = |made| names.find_or_make("orders", || Ok(()), || made).unwrap();
        let (first, is_new) = open(1);
        assert!(is_new);
        let (again, is_new) = open(2);
        assert!(!is_new && Arc::ptr_eq(&first, &again));
        drop((first, again));
        let (third, is_new) = open(3);
        assert!(is_new && *third == 3);
    }

    #[test]
    fn a_check_that_fails_leaves_no_name_behind() {
        let names = Names::default();
        let refused = names.find_or_make("orders", || Err(Error::Closed), || 1);
        assert!(matches!(refused, Err(Error::Closed)));
        let (queue, is_new) = names.find_or_make("orders", || Ok(()), || 2).unwrap();
        assert!(is_new && *queue == 2);
    }

    #[test]
    fn all_queues_that_somebody_holds_are_taken_once() {
        let names = Names::default();
        let open = |name| names.find_or_make(name, || Ok(()), || name).unwrap().0;
        let _held = open("held");
        drop(open("dropped"));
        let taken: Vec<_> = names.take_all().iter().map(|it| **it).collect();
        assert_eq!(taken, ["held"]);
        assert!(names.take_all().is_empty());
    }
}
