//! Which queues there are, found in the background.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use redisson_delayed_queue::Client;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::queue::home::Home;
use crate::queue::masters::Masters;
use crate::queue::names;

/// The names of the queues, as the last search found them.
#[derive(Debug)]
pub(super) struct Finder {
    client: Client,
    known: Arc<watch::Sender<Known>>,
    search: Mutex<Search>,
}

/// What is known of the names.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) names: BTreeSet<String>,
    /// The first search is not done, so there may be more.
    pub(super) is_searching: bool,
    /// Why the last search failed.
    pub(super) error: Option<String>,
}

#[derive(Debug, Default)]
struct Search {
    running: Option<JoinHandle<()>>,
    begun: Option<Instant>,
}

impl Finder {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            known: Arc::new(watch::Sender::default()),
            search: Mutex::default(),
        }
    }

    /// The names that are known. Begins a search if the last one began this `pause` ago.
    ///
    /// Waits for the first search, but not longer than its `patience`: it goes through all keys of the
    /// servers.
    pub(super) async fn known(
        &self,
        masters: &Arc<Masters>,
        pause: Duration,
        patience: Duration,
    ) -> Known {
        self.begin_search(masters, pause);
        let mut known = self.known.subscribe();
        let searched = known.wait_for(|it| !it.is_searching);
        // What is known by then will do.
        _ = timeout(patience, searched).await;
        self.known.borrow().clone()
    }

    fn begin_search(&self, masters: &Arc<Masters>, pause: Duration) {
        let mut search = self.search();
        if search.running.as_ref().is_some_and(|it| !it.is_finished()) {
            return;
        }
        if search.begun.is_some_and(|it| it.elapsed() < pause) {
            return;
        }
        let is_first = search.begun.is_none();
        self.known.send_modify(|it| it.is_searching |= is_first);
        search.begun = Some(Instant::now());
        search.running = Some(tokio::spawn(find(
            self.client.clone(),
            Arc::clone(masters),
            Arc::clone(&self.known),
        )));
    }

    fn search(&self) -> MutexGuard<'_, Search> {
        self.search.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Finder {
    fn drop(&mut self) {
        if let Some(search) = self.search().running.take() {
            search.abort();
        }
    }
}

async fn find(client: Client, masters: Arc<Masters>, known: Arc<watch::Sender<Known>>) {
    let found = Mutex::<BTreeSet<String>>::default();
    let note = |home: Home| {
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        for name in home.names() {
            if found.insert(name.clone()) {
                known.send_if_modified(|it| it.names.insert(name));
            }
        }
    };
    let done = names::find_each(&client, &masters.answering, note).await;
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    known.send_modify(|it| {
        it.is_searching = false;
        it.error = done.as_ref().err().map(ToString::to_string);
        // Otherwise the search has not seen all queues.
        if done.is_ok() && masters.silent.is_empty() {
            it.names = found;
        }
    });
}
