//! A schedule: processes, a server or several in turn, and a network between them, in virtual time.
//!
//! Time passes in steps of a millisecond. In each step the server hears what has arrived, and each
//! process runs alone. What one sends arrives in a later step, so their order in a step is of no
//! matter.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt, iter,
    rc::Rc,
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use redisson_delayed_queue::Listing;
use sha1_smol::Sha1;

use crate::{
    Defect, Keyspace, Server, SessionId, chance,
    keyspace::List,
    ledger::Ledger,
    number,
    pipe::Pipe,
    plan::{Accident, HEALED_MS, PROCESSES, plan, plan_redisson},
    process::{Habits, Process, Role, Turns},
    redisson::Layout,
    server::slots::{Slots, address},
    sorted_set::SortedSet,
};

mod accidents;
mod moves;

/// The server's clock when a schedule begins, unix us.
const BEGINNING_US: i64 = 1_700_000_000_000_437;
/// After the last accident, everything that is due must be delivered within this time.
const PROMISE_MS: u64 = 12_000;
/// How old the writes are that a server forgets.
const FORGOTTEN_MS: u64 = 300;
const OFFERS: u32 = 12;
/// For how long an accident has effects, in most cases.
const RECENT_MS: u64 = 1_000;
/// Keys that stay when a queue is empty.
const KEPT: &[&str] = &[
    "rdq1_clock:",
    "rdq1_dead_notes:",
    "rdq1_fence:",
    "rdq1_keyed",
    "rdq1_settled:",
    "{consumed}-dead",
];

/// How a schedule ended.
#[derive(Debug)]
pub struct Outcome {
    /// Broken promises.
    pub wrongs: Vec<String>,
    /// The accidents that happened.
    pub accidents: Vec<String>,
    /// A hash of all bytes that reached the server, with their times.
    pub trace: String,
    /// How many elements were offered, without those of which only one may be pending.
    pub offered: usize,
    /// How many of these somebody got for good.
    pub done: usize,
    /// How many came more than once to callers of `take`.
    pub doubles: usize,
    /// Each script that ran, with each kind of accident that had happened shortly before.
    pub met: BTreeSet<(String, String)>,
    /// The branches of the scripts, and whether they ran. None if nobody watches.
    pub branches: BTreeMap<String, bool>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            trace,
            offered,
            done,
            doubles,
            ..
        } = self;
        writeln!(
            f,
            "trace {trace}: {offered} offered, {done} done, {doubles} twice"
        )?;
        for accident in &self.accidents {
            writeln!(f, "accident {accident}")?;
        }
        for (script, kind) in &self.met {
            writeln!(f, "met {script} {kind}")?;
        }
        for (branch, has_run) in &self.branches {
            let mark = if *has_run { "x" } else { "-" };
            writeln!(f, "branch {mark} {branch}")?;
        }
        for wrong in &self.wrongs {
            writeln!(f, "WRONG {wrong}")?;
        }
        Ok(())
    }
}

struct World {
    random: StdRng,
    defect: Option<&'static Defect>,
    /// The master, or those of a cluster. An earlier one stays as long as it has streams.
    servers: Vec<Rc<RefCell<Server>>>,
    moves: Vec<moves::Move>,
    links: Vec<Link>,
    processes: Vec<Seat>,
    turns: Turns,
    ledger: Ledger,
    trace: Sha1,
    now_ms: u64,
    jumped_us: i64,
    full_until_ms: u64,
    busy_until_ms: u64,
    snapshots: VecDeque<(u64, Keyspace)>,
    /// Accidents that an answer has brought about.
    brought: Vec<Accident>,
    /// Kinds of accidents, and when they no longer count as recent.
    recent: Vec<(u64, String)>,
    met: BTreeSet<(String, String)>,
    /// The branches of the scripts of earlier servers, if somebody watches.
    branches: Option<BTreeMap<String, bool>>,
}

/// The place of a process.
struct Seat {
    role: Role,
    process: Option<Process>,
    started_ms: u64,
    /// It starts again, or goes on, then.
    idle_until_ms: u64,
    stalled_until_ms: u64,
    /// For how long the place is empty when the process has left.
    vacant_ms: u64,
    /// What happens to it when the server next answers a call of its.
    at_answer: Option<Accident>,
}

/// A stream between a process and the server.
struct Link {
    seat: usize,
    server: Rc<RefCell<Server>>,
    session: SessionId,
    /// The network cuts it then.
    until_ms: u64,
    pipe: Pipe,
    up: VecDeque<(u64, Vec<u8>)>,
    down: VecDeque<(u64, Vec<u8>)>,
    is_deaf: bool,
}

/// Runs the schedule of a seed, with scripts that have this defect. If `only` is set, only the accidents
/// with these numbers happen. With `watches` it notes which branches of scripts run, which takes longer.
///
/// Call it once in a process, and on its first thread: it takes the randomness of the process.
#[must_use]
pub fn run(
    seed: u64,
    only: Option<&[usize]>,
    defect: Option<&'static Defect>,
    watches: bool,
) -> Outcome {
    chance::seed(seed);
    let mut random = StdRng::seed_from_u64(seed);
    let is_cluster = random.random_bool(0.25);
    let mut plan = plan(is_cluster, &mut random);
    // In every other schedule a process of Java works on the same queues. Its model knows no cluster.
    let redisson = !is_cluster && random.random();
    let redisson = redisson.then(|| Layout::any(&mut random));
    if redisson.is_some() {
        plan.extend(plan_redisson(&mut random));
        plan.sort_by_key(|(at, _)| *at);
    }
    // Redisson moves by a clock of its own. If that is ahead of Redis's, an element may have been delivered
    // although an offer could be sent again.
    let jumps = plan
        .iter()
        .any(|(_, it)| matches!(it, Accident::Jump { .. }));
    let remembers = redisson.is_some() && jumps || random.random();
    let (servers, url) = match is_cluster {
        true => (3, "redis+cluster://redis-0"),
        false => (1, "redis://redis-0"),
    };
    let turns = Turns::any(&mut random);
    let rust = Role::Rust(Habits {
        url,
        turns,
        listing: match random.random_range(0..3) {
            0 => Listing::Unlisted,
            _ => Listing::Listed,
        },
        remembers,
    });
    let roles = iter::repeat_n(rust, PROCESSES).chain(redisson.map(Role::Redisson));
    let plan = plan.into_iter().enumerate();
    let mut plan: VecDeque<_> = plan
        .filter(|(number, _)| only.is_none_or(|it| it.contains(number)))
        .collect();
    let mut world = World::new(
        StdRng::seed_from_u64(!seed),
        servers,
        turns,
        roles,
        defect,
        watches,
    );
    let mut accidents = Vec::new();
    let mut may_lose = false;
    let mut may_double = false;
    loop {
        while let Some((number, (at, accident))) = plan.front().copied()
            && at <= world.now_ms
        {
            plan.pop_front();
            accidents.push(format!("{number} at {at} ms: {accident:?}"));
            may_lose |= accident.may_lose();
            may_double |= accident.may_double();
            world.happen(accident);
        }
        world.step();
        let is_quiet = world.now_ms > HEALED_MS
            && world.now_ms.is_multiple_of(50)
            && world.ledger.open().missing().is_empty()
            && world.left().is_empty();
        if is_quiet || world.now_ms >= HEALED_MS + PROMISE_MS {
            break;
        }
    }
    let mut books = world.ledger.open();
    books.check_dead(&world.dead());
    let mut wrongs = books.wrongs.clone();
    let missing = books.missing();
    if !may_lose {
        wrongs.extend(books.regressions.iter().cloned());
    }
    if !may_lose && !missing.is_empty() {
        wrongs.push(format!("not delivered within {PROMISE_MS} ms: {missing:?}"));
    }
    let left = world.left();
    if missing.is_empty() && !left.is_empty() {
        wrongs.push(format!("left behind: {left:?}"));
    }
    if !may_double {
        wrongs.extend(books.overtaken.iter().cloned());
        if books.doubles() > 0 {
            wrongs.push(format!("{} came twice", books.doubles()));
        }
    }
    let (offered, done) = books.counts();
    Outcome {
        wrongs,
        accidents,
        trace: world.trace.digest().to_string(),
        offered,
        done,
        doubles: books.doubles(),
        branches: world.branches(),
        met: world.met,
    }
}

impl World {
    fn new(
        random: StdRng,
        servers: usize,
        turns: Turns,
        roles: impl Iterator<Item = Role>,
        defect: Option<&'static Defect>,
        watches: bool,
    ) -> Self {
        let mut world = Self {
            random,
            defect,
            servers: (0..servers).map(|_| Rc::default()).collect(),
            moves: Vec::new(),
            links: Vec::new(),
            processes: Vec::new(),
            turns,
            ledger: Ledger::default(),
            trace: Sha1::new(),
            now_ms: 0,
            jumped_us: 0,
            full_until_ms: 0,
            busy_until_ms: 0,
            snapshots: VecDeque::new(),
            brought: Vec::new(),
            recent: Vec::new(),
            met: BTreeSet::new(),
            branches: watches.then(BTreeMap::new),
        };
        for place in 0..servers {
            let slots = (servers > 1).then(|| Slots::of(place));
            world.servers[place].borrow_mut().set_slots(slots);
            world.start(place, Keyspace::default());
        }
        for role in roles {
            world.processes.push(Seat {
                role,
                process: Some(Process::start(&world.ledger, OFFERS, role)),
                started_ms: 0,
                idle_until_ms: 0,
                stalled_until_ms: 0,
                vacant_ms: 0,
                at_answer: None,
            });
        }
        world
    }

    /// The keys of all masters.
    fn keyspace(&self) -> Keyspace {
        let mut all = self.servers[0].borrow().keyspace(0);
        for server in &self.servers[1..] {
            all.extend(server.borrow().keyspace(0));
        }
        all
    }

    /// The keys that hold elements, or what was noted about them.
    fn left(&self) -> Vec<String> {
        let keyspace = self.keyspace();
        let keys = keyspace
            .keys()
            .map(|it| String::from_utf8_lossy(it).into_owned());
        keys.filter(|it| !KEPT.iter().any(|kept| it.starts_with(kept)))
            .collect()
    }

    /// The dead letters.
    fn dead(&self) -> Vec<i64> {
        let keyspace = self.keyspace();
        let dead = keyspace.get::<List>(b"{consumed}-dead");
        let dead = dead.expect("it is a list").into_iter().flatten();
        dead.map(|it| element(it)).collect()
    }

    fn tell_time(&mut self) {
        let wall_us = BEGINNING_US + self.now_ms as i64 * 1_000;
        let now_us = wall_us + self.jumped_us;
        chance::set_wall(wall_us);
        let of_links = self.links.iter().map(|it| &it.server);
        for server in self.servers.iter().chain(of_links) {
            server.borrow_mut().set_clock(now_us);
        }
        let mut books = self.ledger.open();
        books.set_time(now_us);
        if self
            .processes
            .iter()
            .any(|it| matches!(it.role, Role::Redisson(_)))
        {
            books.set_wall(wall_us);
        }
    }

    /// Lets a millisecond pass.
    fn step(&mut self) {
        self.now_ms += 1;
        self.tell_time();
        if self.now_ms.is_multiple_of(50) {
            let keyspace = self.keyspace();
            self.ledger.open().check_pending(pending(&keyspace));
            self.snapshots.push_back((self.now_ms, keyspace));
            let oldest = self.now_ms.saturating_sub(FORGOTTEN_MS);
            while self.snapshots.len() > 1 && self.snapshots[1].0 <= oldest {
                self.snapshots.pop_front();
            }
        }
        let now_ms = self.now_ms;
        self.cut(|it| it.until_ms <= now_ms);
        for server in &self.servers {
            let mut server = server.borrow_mut();
            server.condition().is_full = now_ms < self.full_until_ms;
            server.condition().is_busy = now_ms < self.busy_until_ms;
        }
        self.go_on_moving();
        for place in 0..self.links.len() {
            while let Some(bytes) = due(&mut self.links[place].up, self.now_ms) {
                let session = self.links[place].session;
                let server = Rc::clone(&self.links[place].server);
                self.trace.update(&self.now_ms.to_le_bytes());
                self.trace.update(&bytes);
                server.borrow_mut().receive(session, &bytes);
                let is_call = self.note_scripts(server.borrow_mut().take_ran());
                for id in server.borrow_mut().take_popped() {
                    self.ledger.open().take(element(&id));
                }
                for (list, ids) in server.borrow_mut().take_pushed() {
                    for id in ids.iter().filter(|_| list == "consumed") {
                        let id = element(id);
                        self.ledger.open().arrive(self.turns.key(id), id);
                    }
                }
                self.spread(&server);
                self.answer(is_call);
            }
            let link = &mut self.links[place];
            while let Some(bytes) = due(&mut link.down, self.now_ms) {
                link.pipe.arrive(&bytes);
            }
        }
        // An answer that was sent in this millisecond has not arrived.
        for accident in std::mem::take(&mut self.brought) {
            self.happen(accident);
        }
        for seat in 0..self.processes.len() {
            self.run(seat);
        }
        self.links.retain(|link| {
            let is_over = link.pipe.is_closed() && link.up.is_empty();
            if is_over {
                link.server.borrow_mut().disconnect(link.session);
            }
            !is_over
        });
    }

    /// Notes that these scripts have run. True if one of them does what somebody called for: transfers run all
    /// the time.
    fn note_scripts(&mut self, ran: Vec<String>) -> bool {
        let now_ms = self.now_ms;
        self.recent.retain(|(until_ms, _)| now_ms < *until_ms);
        let is_call = ran.iter().any(|it| !it.ends_with("transfer"));
        for script in ran {
            let kinds = self.recent.iter();
            self.met
                .extend(kinds.map(|(_, kind)| (script.clone(), kind.clone())));
        }
        is_call
    }

    /// Takes what the server has to say to anybody.
    fn answer(&mut self, is_call: bool) {
        for place in 0..self.links.len() {
            let link = &self.links[place];
            let bytes = link.server.borrow_mut().take_output(link.session);
            if bytes.is_empty() || self.links[place].is_deaf {
                continue;
            }
            let seat = &mut self.processes[self.links[place].seat];
            if is_call {
                self.brought.extend(seat.at_answer.take());
            }
            let at = self.arrival(place, |it| &it.down);
            self.links[place].down.push_back((at, bytes));
        }
    }

    /// When what is sent now on a link arrives.
    fn arrival(&mut self, place: usize, way: impl Fn(&Link) -> &VecDeque<(u64, Vec<u8>)>) -> u64 {
        let delay = match self.random.random_range(0..50) {
            0 => self.random.random_range(1..100),
            _ => self.random.random_range(1..4),
        };
        let link = &self.links[place];
        let stalled = self.processes[link.seat].stalled_until_ms;
        let before = way(link).back().map_or(0, |(at, _)| *at);
        (self.now_ms + delay).max(before).max(stalled)
    }

    fn run(&mut self, seat: usize) {
        let now_ms = self.now_ms;
        let place = &mut self.processes[seat];
        if now_ms < place.idle_until_ms {
            return;
        }
        let (ledger, role) = (&self.ledger, place.role);
        let process = place.process.get_or_insert_with(|| {
            place.started_ms = now_ms - 1;
            Process::start(ledger, 0, role)
        });
        process.run(now_ms - 1 - place.started_ms, 1);
        let dialled = process.take_dialled();
        if process.has_ended() {
            place.process = None;
            place.idle_until_ms = now_ms + place.vacant_ms;
        }
        for (dialled, pipe) in dialled {
            let mut servers = self.servers.iter().enumerate();
            let server = servers.find(|(place, _)| address(*place) == dialled);
            let server = server.map(|(_, it)| Rc::clone(it));
            let server = server.expect("it is an address of a server");
            let session = server.borrow_mut().connect();
            self.links.push(Link {
                seat,
                server,
                session,
                until_ms: u64::MAX,
                pipe,
                up: VecDeque::new(),
                down: VecDeque::new(),
                is_deaf: false,
            });
        }
        for place in 0..self.links.len() {
            if self.links[place].seat == seat {
                let bytes = self.links[place].pipe.take_sent();
                if !bytes.is_empty() {
                    let at = self.arrival(place, |it| &it.up);
                    self.links[place].up.push_back((at, bytes));
                }
            }
        }
    }
}

/// The pending elements of the queue of callers of `take`.
fn pending(keyspace: &Keyspace) -> Vec<i64> {
    let set = keyspace.get::<SortedSet>(b"redisson_delay_queue_timeout:{taken}");
    let members = set.expect("it is a sorted set").into_iter();
    let members = members.flat_map(|it| it.iter().map(|(member, _)| member));
    let ids = members.filter_map(|member| {
        let id_length = usize::from(*member.first()?);
        number::integer(member.get(1 + id_length + 8..)?).ok()
    });
    ids.collect()
}

/// The element that an entry of a target list stands for.
fn element(entry: &[u8]) -> i64 {
    number::integer(entry).expect("it is an element")
}

/// Takes what has arrived.
fn due(queue: &mut VecDeque<(u64, Vec<u8>)>, now_ms: u64) -> Option<Vec<u8>> {
    let (at, _) = queue.front()?;
    let is_due = *at <= now_ms;
    is_due.then(|| queue.pop_front())?.map(|(_, bytes)| bytes)
}
