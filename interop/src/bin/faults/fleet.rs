//! The processes of a run, of which any may be killed and started again.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering::Relaxed},
};

use testbed::ClockOffset;

use crate::{
    NO_PANIC, Result,
    bed::Bed,
    load::Load,
    worker::{Language, Recipe, Worker},
};

pub(crate) struct Fleet {
    pub(crate) producers: Vec<Place>,
    pub(crate) consumers: Vec<Place>,
}

/// A process, and how the next one in its place is started.
pub(crate) struct Place {
    recipe: Recipe,
    worker: Mutex<Arc<Worker>>,
    is_closed: AtomicBool,
}

impl Fleet {
    /// Starts them all. With `java`, one more producer and one more consumer are Redisson.
    pub(crate) fn start(bed: &Bed, load: &Load, language: &Language, java: bool) -> Result<Self> {
        let proxied = bed.proxy.as_ref().filter(|_| load.is_proxied);
        let recipe = |clock| Recipe {
            language: language.clone(),
            url: proxied.map_or_else(|| bed.url(), |it| it.url()),
            clock: ClockOffset::ahead(clock),
        };
        let redisson = Recipe {
            language: Language::Java,
            url: bed.url(),
            clock: ClockOffset::default(),
        };
        let places = |count, clock| -> Result<Vec<Place>> {
            let all = (0..count).map(|_| recipe(clock));
            let all = all.chain(java.then(|| redisson.clone()));
            all.map(Place::start).collect()
        };
        Ok(Self {
            producers: places(load.producers, load.producer_clock)?,
            consumers: places(load.consumers, load.consumer_clock)?,
        })
    }
}

impl Place {
    fn start(recipe: Recipe) -> Result<Self> {
        Ok(Self {
            worker: Mutex::new(recipe.start()?),
            recipe,
            is_closed: AtomicBool::default(),
        })
    }

    pub(crate) fn worker(&self) -> Arc<Worker> {
        Arc::clone(&self.worker.lock().expect(NO_PANIC))
    }

    /// Kills the process and starts another. Redisson stays: a JVM would take seconds.
    pub(crate) fn replace(&self) -> Result<()> {
        if matches!(self.recipe.language, Language::Java) {
            return Ok(());
        }
        let former = self.worker();
        former.kill();
        *self.worker.lock().expect(NO_PANIC) = self.recipe.start()?;
        Ok(())
    }

    /// Ends the process in good order.
    pub(crate) fn close(&self) -> Result<()> {
        self.is_closed.store(true, Relaxed);
        self.worker().stop()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Relaxed)
    }
}
