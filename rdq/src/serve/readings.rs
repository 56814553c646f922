//! What is read from Redis for all viewers together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::StreamExt;
use futures::stream::iter;
use serde::Serialize;

use super::finder::Finder;
use super::fresh::Fresh;
use super::history::{History, Minute, Sample};
use crate::doctor::{self, Finding, Severity};
use crate::failure::Result;
use crate::queue::census::Depth;
use crate::queue::masters::{Masters, Silent};
use crate::queue::names;
use crate::queue::stats::Stats;
use crate::session::Session;

/// The counts of all queues.
pub(super) struct Readings {
    session: Session,
    masters: Fresh<Masters>,
    finder: Finder,
    overview: Fresh<Overview>,
    server_findings: Fresh<Vec<Finding>>,
    queues: Mutex<HashMap<String, Arc<Watched>>>,
}

/// All queues.
#[derive(Debug, Serialize)]
pub(super) struct Overview {
    pub(super) queues: Vec<QueueRow>,
    /// The first search for queues is not done, so there may be more.
    searching: bool,
    /// Why the last search failed.
    error: Option<String>,
    /// The masters that do not answer. Some of their queues may be missing.
    silent: Vec<Silent>,
}

/// A queue in the list of all.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum QueueRow {
    Counted {
        #[serde(flatten)]
        stats: Arc<Stats>,
        note: String,
        /// None if nobody has examined the queue yet.
        findings: Option<Worst>,
    },
    /// A key of it has another type, for example.
    Failed { queue: String, error: String },
}

/// How many findings a queue has that need somebody.
#[derive(Debug, Serialize)]
pub(super) struct Worst {
    critical: usize,
    warnings: usize,
}

/// One queue.
#[derive(Debug)]
struct Watched {
    stats: Fresh<Stats>,
    findings: Fresh<Vec<Finding>>,
    /// When somebody examined it last, whether that failed or not.
    examined: Mutex<Option<Instant>>,
    history: Mutex<History>,
    asked: Mutex<Instant>,
}

impl Readings {
    pub(super) fn new(session: Session) -> Self {
        Self {
            finder: Finder::new(session.client.clone()),
            session,
            masters: Fresh::default(),
            overview: Fresh::default(),
            server_findings: Fresh::default(),
            queues: Mutex::default(),
        }
    }

    /// The counts of all queues, at most two seconds old, or more if there are many queues.
    pub(super) async fn overview(&self) -> Result<Arc<Overview>> {
        self.overview.value(OVERVIEW, self.read_overview()).await
    }

    /// The masters that answer and those that do not, as was seen two seconds ago at most. Fails if none
    /// answers.
    pub(super) async fn masters(&self) -> Result<Arc<Masters>> {
        let find = Masters::find(&self.session);
        self.masters.value(OVERVIEW, find).await
    }

    /// The counts of a queue, at most a second old. Fails if the queue is not known.
    pub(super) async fn stats(&self, name: &str) -> Result<Arc<Stats>> {
        self.ensure_known(name).await?;
        self.stats_within(QUEUE, name).await
    }

    /// What the doctor found by a quick look at a queue, at most half a minute ago. The worst comes
    /// first. Forgets it if no master answers: it may be otherwise afterwards. Fails if the queue is not
    /// known.
    pub(super) async fn findings(&self, name: &str) -> Result<Arc<Vec<Finding>>> {
        self.ensure_known(name).await?;
        let watched = self.watched(name);
        *watched.examined() = Some(Instant::now());
        let masters = match self.masters().await {
            Ok(masters) => masters,
            Err(error) => {
                watched.findings.forget().await;
                return Err(error);
            }
        };
        let examine = async {
            let found = doctor::examine_queue(&self.session, &masters, name, Depth::Quick);
            let mut found = found.await?;
            found.sort_by_key(|it| it.severity);
            Ok(found)
        };
        watched.findings.value(FINDINGS, examine).await
    }

    /// What the doctor found in the servers, at most half a minute ago. The worst comes first.
    pub(super) async fn server_findings(&self) -> Result<Arc<Vec<Finding>>> {
        let examine = async {
            let masters = self.masters().await?;
            let mut found = doctor::examine_servers(&self.session, &masters).await;
            found.sort_by_key(|it| it.severity);
            Ok(found)
        };
        self.server_findings.value(FINDINGS, examine).await
    }

    /// The queues that nobody has examined for a minute, those first that had to wait longest.
    pub(super) fn unexamined(&self, overview: &Overview) -> Vec<String> {
        let names = overview.queues.iter().map(QueueRow::queue);
        let examined = names.map(|it| (*self.watched(it).examined(), it));
        let is_due = |at: &Option<Instant>| at.is_none_or(|it| it.elapsed() >= EXAMINED);
        let mut due: Vec<_> = examined.filter(|(at, _)| is_due(at)).collect();
        due.sort();
        due.into_iter().map(|(_, it)| it.to_owned()).collect()
    }

    /// The counts of a queue after this moment.
    pub(super) fn history(&self, name: &str, since_ms: u64) -> Vec<Sample> {
        self.watched(name).history().since(since_ms)
    }

    /// How the counts of a queue went in the minutes that have a sample after this moment.
    pub(super) fn minutes(&self, name: &str, since_ms: u64) -> Vec<Minute> {
        self.watched(name).history().minutes_since(since_ms)
    }

    /// Counts the queues for the plots of the last day. Masters that do not answer leave gaps there.
    pub(super) async fn record(&self) {
        let Ok(masters) = self.masters().await else {
            return;
        };
        let known = self.finder.known(&masters, SELDOM, SELDOM).await;
        let names = iter(known.names).take(RECORDED);
        let count = |name: String| async move { self.stats_within(OVERVIEW, &name).await };
        names.map(count).buffer_unordered(AT_ONCE).count().await;
    }

    /// Makes the next caller read the counts of a queue again, because the queue has changed.
    pub(super) async fn forget(&self, name: &str) {
        let watched = self.watched(name);
        watched.stats.forget().await;
        watched.findings.forget().await;
        *watched.examined() = None;
        self.overview.forget().await;
    }

    async fn read_overview(&self) -> Result<Overview> {
        let masters = self.masters().await?;
        let known = self.finder.known(&masters, OFTEN, PATIENCE).await;
        let rows = iter(known.names).map(|name| async move {
            match self.stats_within(OVERVIEW, &name).await {
                Ok(stats) => QueueRow::Counted {
                    note: stats.note(None),
                    stats,
                    findings: self.watched(&name).worst(),
                },
                Err(error) => QueueRow::Failed {
                    queue: name,
                    error: error.to_string(),
                },
            }
        });
        Ok(Overview {
            queues: rows.buffered(AT_ONCE).collect().await,
            searching: known.is_searching,
            error: known.error,
            silent: masters.silent.clone(),
        })
    }

    async fn stats_within(&self, lifetime: Duration, name: &str) -> Result<Arc<Stats>> {
        let watched = self.watched(name);
        let read = async {
            let client = &self.session.client;
            self.masters().await?.ensure_answer(client, name)?;
            let last = watched.history().last();
            let stats = Stats::read_marked(client, name, last, lifetime).await?;
            watched.history().note(&stats);
            Ok(stats)
        };
        watched.stats.value(lifetime, read).await
    }

    /// Fails if nobody has counted this queue lately, and Redis does not know it: names that somebody
    /// makes up would fill the memory. Without the right to look, nothing tells.
    async fn ensure_known(&self, name: &str) -> Result {
        if self.queues().contains_key(name) {
            return Ok(());
        }
        let client = &self.session.client;
        let masters = self.masters().await?;
        masters.ensure_answer(client, name)?;
        match names::is_known(client, &masters.answering, name).await {
            Ok(false) => Err(names::unknown(&[name])),
            Err(failure) if !failure.is_refusal() => Err(failure),
            _ => Ok(()),
        }
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<String, Arc<Watched>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watched(&self, name: &str) -> Arc<Watched> {
        let now = Instant::now();
        let mut queues = self.queues();
        if let Some(watched) = queues.get(name) {
            *watched.asked() = now;
            return Arc::clone(watched);
        }
        queues.retain(|_, watched| watched.asked().elapsed() < MEMORY);
        let watched = Arc::new(Watched {
            stats: Fresh::default(),
            findings: Fresh::default(),
            examined: Mutex::default(),
            history: Mutex::default(),
            asked: Mutex::new(now),
        });
        queues.insert(name.to_owned(), Arc::clone(&watched));
        watched
    }
}

impl QueueRow {
    pub(super) fn queue(&self) -> &str {
        match self {
            Self::Counted { stats, .. } => &stats.queue,
            Self::Failed { queue, .. } => queue,
        }
    }

    /// None if the counts could not be read.
    pub(super) fn stats(&self) -> Option<&Stats> {
        match self {
            Self::Counted { stats, .. } => Some(stats),
            Self::Failed { .. } => None,
        }
    }
}

impl Watched {
    fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn worst(&self) -> Option<Worst> {
        let findings = self.findings.last()?;
        let count = |of| findings.iter().filter(|it| it.severity == of).count();
        Some(Worst {
            critical: count(Severity::Critical),
            warnings: count(Severity::Warning),
        })
    }

    fn examined(&self) -> MutexGuard<'_, Option<Instant>> {
        self.examined.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asked(&self) -> MutexGuard<'_, Instant> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many queues to count at a time.
const AT_ONCE: usize = 16;

const OVERVIEW: Duration = Duration::from_secs(2);

/// How long after a search for queues the next one begins, for somebody who looks at the list.
const OFTEN: Duration = Duration::from_secs(30);

/// How long a request waits for the first search.
const PATIENCE: Duration = Duration::from_millis(400);

/// How long after a search the next one begins for plots at which nobody looks. A search goes through
/// all keys.
const SELDOM: Duration = Duration::from_secs(600);

/// Keeps the last day of at most this many queues: 60 kB each.
const RECORDED: usize = 500;

/// A little less than the page waits before it asks again.
const QUEUE: Duration = Duration::from_millis(900);

const FINDINGS: Duration = Duration::from_secs(30);

/// How old findings become in the list of all queues.
const EXAMINED: Duration = Duration::from_secs(60);

/// How long to remember a queue that nobody counts.
const MEMORY: Duration = Duration::from_secs(900);
