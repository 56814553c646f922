//! Random calls of many processes, while they are replaced one after the other.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use testbed::Server;

use crate::{
    Result,
    fleet::{Fleet, LEASE, Programs, Revision},
    keyspace,
    ledger::{Ledger, ONCE},
    roles::{
        OTHER, Part, QUEUE, consumer, looker,
        producer::{EXPIRING, Producer, UNLISTED},
        stirrer::{self, BEAT, BEAT_MS},
    },
};

/// Makes random calls for this long, then takes what is left and adds up.
pub(crate) fn run(programs: &Programs, duration: Duration, seed: u64) -> Result<()> {
    println!("\nload: {} s, seed {seed}", duration.as_secs());
    let server = Server::start();
    let mut random = StdRng::seed_from_u64(seed);
    let fleet = Fleet::start(programs, server.url(), &mut random)?;
    let ledger = Ledger::default();
    let (no_offers, no_takes) = (
        Arc::new(AtomicBool::default()),
        Arc::new(AtomicBool::default()),
    );
    let begun = Instant::now();
    let (rolled, drained) = thread::scope(|scope| {
        let part = |number, done: &Arc<AtomicBool>| Part::new(number, seed, &fleet, &ledger, done);
        let mut offering = Vec::new();
        for number in 1..=PRODUCERS {
            let producer = Producer::new(part(number, &no_offers));
            offering.push(scope.spawn(|| producer.run()));
        }
        let (stirrer, looker) = (part(100, &no_offers), part(101, &no_offers));
        offering.push(scope.spawn(|| stirrer::run(stirrer)));
        offering.push(scope.spawn(|| looker::run(looker)));
        for number in 200..200 + CONSUMERS {
            let consumer = part(number, &no_takes);
            scope.spawn(|| consumer::run(consumer));
        }
        let rolled = roll(&fleet, &server, duration, &mut random);
        no_offers.store(true, Relaxed);
        let mut last = part(300, &no_offers);
        feed_until(&mut last, || offering.iter().all(|it| it.is_finished()));
        let drained = drain(&mut last, &server, &ledger);
        no_takes.store(true, Relaxed);
        let closed = fleet.close();
        (rolled, drained.and_then(|expired| closed.map(|()| expired)))
    });
    report(&fleet, &ledger);
    rolled?;
    account(&fleet, &ledger, drained?, begun.elapsed())?;
    keyspace::wait_until_explained(&server)
}

/// Replaces processes until the time is over, and checks that the keys agree.
fn roll(fleet: &Fleet<'_>, server: &Server, duration: Duration, random: &mut StdRng) -> Result<()> {
    let end = Instant::now() + duration;
    let mut connection = server.connection();
    while Instant::now() < end {
        thread::sleep(Duration::from_millis(random.random_range(100..800)));
        keyspace::check_agreement(&mut connection, QUEUE, UNLISTED)?;
        fleet.replace_one(random)?;
        keyspace::check_agreement(&mut connection, QUEUE, UNLISTED)?;
    }
    Ok(())
}

/// Offers elements until no call waits any more for one that it could move.
fn feed_until(part: &mut Part<'_>, nobody_waits: impl Fn() -> bool) {
    for number in 0.. {
        if nobody_waits() {
            break;
        }
        let value = format!("last-{number}");
        part.insist(&format!("target.offer {QUEUE} {value}"));
        part.ledger.note(&value, ONCE);
        thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until all is taken; says how many elements have expired.
fn drain(part: &mut Part<'_>, server: &Server, ledger: &Ledger) -> Result<u64> {
    part.insist(&format!("resume {QUEUE}"));
    part.insist(&format!("set_rate_limit {QUEUE} none"));
    part.insist(&format!("unschedule {QUEUE} {BEAT}"));
    let mut connection = server.connection();
    let deadline = Instant::now() + LEASE + PATIENCE;
    let mut empty_since = None;
    while Instant::now() < deadline {
        let mut is_empty = true;
        for queue in [QUEUE, OTHER] {
            let left = interop::keyspace::is_empty(&mut connection, queue);
            is_empty &= left.map_err(|error| error.to_string())?;
        }
        let since = *empty_since.get_or_insert_with(Instant::now);
        let quiet = match ledger.is_settled() {
            true => QUIET,
            false => 5 * QUIET,
        };
        match is_empty {
            true if since.elapsed() > quiet => break,
            true => {}
            false => empty_since = None,
        }
        consumer::take_some(part);
    }
    // Each time by a process taken at random: an earlier revision may not see what later ones count.
    let mut expired = 0;
    for _ in 0..20 {
        let count = part.insist(&format!("expired {QUEUE}")).concat();
        let count = count.parse().map_err(|_| "expired says no number")?;
        expired = expired.max(count);
    }
    Ok(expired)
}

/// Fails unless everything that was offered is accounted for.
fn account(fleet: &Fleet<'_>, ledger: &Ledger, expired: u64, lasted: Duration) -> Result<()> {
    let ends = fleet.ends();
    ledger.balance(&ends, BEAT).check(&ends)?;
    let failures = fleet.failures();
    let refused: Vec<_> = failures.keys().filter(|it| !is_expected(it)).collect();
    if !refused.is_empty() {
        return Err(format!("calls failed: {refused:?}"));
    }
    let (came, offered) = ledger.count(EXPIRING);
    let gone = offered.saturating_sub(came);
    println!("of {offered} that may expire {came} came, {expired} expired");
    if gone.abs_diff(expired as usize) > ends.pending + ends.in_hand + ends.expiring {
        return Err(format!(
            "{gone} of {offered} expiring did not come, {expired} expired"
        ));
    }
    let (beats, _) = ledger.count(BEAT);
    // Some calls take what is not due yet, and occurrences are offered ahead.
    let most = ((lasted + AHEAD).as_millis() as u64 / BEAT_MS) as usize + 2;
    println!("{beats} periodic offers in {lasted:.1?}");
    if beats > most {
        return Err(format!("{beats} periodic offers where {most} are the most"));
    }
    Ok(())
}

/// An offer that is to expire soon may be late already when Redis sees it.
fn is_expected(failure: &str) -> bool {
    failure.contains("would expire before it is due")
}

fn report(fleet: &Fleet<'_>, ledger: &Ledger) {
    let ends = fleet.ends();
    let balance = ledger.balance(&ends, BEAT);
    println!(
        "{} values, {} deliveries, {} kills, {} shutdowns",
        balance.values,
        balance.deliveries,
        ends.killed.len(),
        ends.shut_down
    );
    println!(
        "twice because of a kill: {}, at most {:.1?} after they were handed over",
        balance.twice_by_kills, balance.longest_to_kill
    );
    println!(
        "missing: {}, of which kills explain {} pending and {} in one take",
        balance.missing.len(),
        ends.pending,
        ends.in_hand
    );
    println!("calls that were killed: {:?}", ends.calls);
    for (failure, times) in fleet.failures() {
        println!("{times} times {failure}");
    }
    let mut made: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for ((name, revision), times) in fleet.made() {
        made.entry(name).or_default()[usize::from(revision == Revision::New)] += times;
    }
    println!("calls of the old revision, and of the new:");
    for (name, [old, new]) in made {
        println!("  {name:<40} {old:>7} {new:>7}");
    }
}

const PRODUCERS: u64 = 5;
const CONSUMERS: u64 = 8;
/// If nothing is left for this long, the run is over.
const QUIET: Duration = Duration::from_secs(1);
/// Long, for a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long before its time an occurrence is offered.
const AHEAD: Duration = Duration::from_secs(5);
