//! Several processes of both revisions, of which any may be replaced at any time.

use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use interop::caller::{Caller, Outcome};
use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};

use crate::Result;

/// The programs of the two revisions.
pub(crate) struct Programs {
    pub(crate) old: PathBuf,
    pub(crate) new: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Revision {
    Old,
    New,
}

/// A process of the fleet, and the number that it had.
pub(crate) struct Member {
    pub(crate) number: usize,
    revision: Revision,
    caller: Caller,
}

pub(crate) struct Fleet<'a> {
    programs: &'a Programs,
    redis_url: String,
    slots: Vec<Mutex<Option<Arc<Member>>>>,
    started: AtomicUsize,
    closed: AtomicBool,
    /// How often each revision made each call.
    made: Mutex<BTreeMap<(String, Revision), usize>>,
    /// Failures that have no reason while Redis is healthy.
    failures: Mutex<BTreeMap<String, usize>>,
    ends: Mutex<Ends>,
}

/// How processes ended.
#[derive(Clone, Default)]
pub(crate) struct Ends {
    /// When each was killed, by its number.
    pub(crate) killed: HashMap<usize, Instant>,
    /// The most pending elements that calls had in hand when they were killed: such a call takes
    /// them along.
    pub(crate) pending: usize,
    /// The most elements that one other take had in hand when it was killed.
    pub(crate) in_hand: usize,
    /// Which calls were killed, and how often.
    pub(crate) calls: BTreeMap<String, usize>,
    /// How many offers were killed that may expire, so that nobody knows whether they were made.
    pub(crate) expiring: usize,
    pub(crate) shut_down: usize,
}

impl<'a> Fleet<'a> {
    /// Starts one process of each revision in turn.
    pub(crate) fn start(
        programs: &'a Programs,
        redis_url: String,
        random: &mut StdRng,
    ) -> Result<Self> {
        let fleet = Self {
            programs,
            redis_url,
            slots: (0..SLOTS).map(|_| Mutex::default()).collect(),
            started: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            made: Mutex::default(),
            failures: Mutex::default(),
            ends: Mutex::default(),
        };
        for slot in 0..SLOTS {
            let revision = [Revision::Old, Revision::New][slot % 2];
            fleet.fill(slot, revision, random)?;
        }
        Ok(fleet)
    }

    /// Has any process make a call that may return up to `hand` elements; says which it was.
    pub(crate) fn call(&self, call: &str, hand: usize, random: &mut StdRng) -> (Outcome, usize) {
        loop {
            let Some(member) = self.any(random) else {
                return (Outcome::NotSent, 0);
            };
            let name = call.split(' ').next().unwrap_or_default();
            if !member.caller.knows(name) {
                continue;
            }
            let outcome = member.caller.call(call);
            match &outcome {
                Outcome::NotSent => continue,
                Outcome::Ok(_) => {
                    let made = (name.to_owned(), member.revision);
                    *self.made.lock().expect(NO_PANIC).entry(made).or_default() += 1;
                }
                Outcome::Failed { message, .. } if !message.contains("is shut down") => {
                    self.complain(format!("{name} of {:?}: {message}", member.revision));
                }
                Outcome::Died => {
                    let mut ends = self.ends.lock().expect(NO_PANIC);
                    *ends.calls.entry(name.to_owned()).or_default() += 1;
                    if name.starts_with("poll_undue") {
                        ends.pending += hand;
                    } else {
                        ends.in_hand = ends.in_hand.max(hand);
                    }
                    ends.expiring += usize::from(name == "offer_expiring");
                }
                _ => {}
            }
            return (outcome, member.number);
        }
    }

    /// Notes a failure.
    pub(crate) fn complain(&self, failure: String) {
        let mut failures = self.failures.lock().expect(NO_PANIC);
        *failures.entry(failure).or_default() += 1;
    }

    /// Ends one process, by a kill or in good order, and starts another in its place.
    pub(crate) fn replace_one(&self, random: &mut StdRng) -> Result<()> {
        let slot = random.random_range(0..SLOTS);
        let Some(member) = self.slots[slot].lock().expect(NO_PANIC).take() else {
            return Ok(());
        };
        self.end(&member, random.random())?;
        thread::sleep(Duration::from_millis(random.random_range(0..200)));
        let others: Vec<Revision> = self.live().iter().map(|it| it.revision).collect();
        let revision = match [Revision::Old, Revision::New].map(|it| others.contains(&it)) {
            [false, _] => Revision::Old,
            [_, false] => Revision::New,
            _ => *[Revision::Old, Revision::New]
                .choose(random)
                .expect("there are two"),
        };
        self.fill(slot, revision, random)
    }

    /// Shuts all down.
    pub(crate) fn close(&self) -> Result<()> {
        self.closed.store(true, Relaxed);
        for slot in &self.slots {
            let member = slot.lock().expect(NO_PANIC).take();
            if let Some(member) = member {
                self.end(&member, false)?;
            }
        }
        Ok(())
    }

    pub(crate) fn ends(&self) -> Ends {
        self.ends.lock().expect(NO_PANIC).clone()
    }

    pub(crate) fn made(&self) -> BTreeMap<(String, Revision), usize> {
        self.made.lock().expect(NO_PANIC).clone()
    }

    pub(crate) fn failures(&self) -> BTreeMap<String, usize> {
        self.failures.lock().expect(NO_PANIC).clone()
    }

    fn end(&self, member: &Member, kill: bool) -> Result<()> {
        if kill {
            let now = Instant::now();
            self.ends
                .lock()
                .expect(NO_PANIC)
                .killed
                .insert(member.number, now);
            member.caller.kill();
            return Ok(());
        }
        self.ends.lock().expect(NO_PANIC).shut_down += 1;
        let ended = member.caller.exit(PATIENCE);
        ended.map_err(|error| format!("{:?}: {error}", member.revision))
    }

    fn fill(&self, slot: usize, revision: Revision, random: &mut StdRng) -> Result<()> {
        let mut options = vec![LEASE_OPTION];
        // Half of them always move what is due.
        let others = [
            ("transfer=no", slot >= SLOTS / 2),
            ("ids=random", true),
            ("remember=yes", true),
        ];
        for (option, possible) in others {
            if possible && random.random_bool(0.3) {
                options.push(option);
            }
        }
        let program = match revision {
            Revision::Old => &self.programs.old,
            Revision::New => &self.programs.new,
        };
        let caller = Caller::start(program, &self.redis_url, &options);
        let member = Member {
            number: self.started.fetch_add(1, Relaxed),
            revision,
            caller: caller.map_err(|error| error.to_string())?,
        };
        *self.slots[slot].lock().expect(NO_PANIC) = Some(Arc::new(member));
        Ok(())
    }

    /// A running process. Waits until there is one; `None` when all are shut down.
    fn any(&self, random: &mut StdRng) -> Option<Arc<Member>> {
        while !self.closed.load(Relaxed) {
            if let Some(member) = self.live().choose(random) {
                return Some(Arc::clone(member));
            }
            thread::sleep(Duration::from_millis(5));
        }
        None
    }

    fn live(&self) -> Vec<Arc<Member>> {
        let slots = self.slots.iter();
        slots
            .filter_map(|slot| slot.lock().expect(NO_PANIC).clone())
            .collect()
    }
}

/// How long a claimed element is kept for a process that may be dead.
pub(crate) const LEASE: Duration = Duration::from_secs(9);
const LEASE_OPTION: &str = "lease=9000";
const SLOTS: usize = 4;
const PATIENCE: Duration = Duration::from_secs(20);
const NO_PANIC: &str = "nothing panics while this is locked";
