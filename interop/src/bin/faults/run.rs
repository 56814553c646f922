//! Runs one fault after the other.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::{
    Result,
    arguments::Arguments,
    bed::Bed,
    confirm::Guarantee,
    faults::{Fault, Rhythm, Stage},
    figures::Figures,
    fleet::Fleet,
    ledger::{Episode, Ledger},
    load::Drivers,
    table,
    worker::Language,
};

/// Prints a row for each fault. Fails if one of them cost more than it may.
pub(crate) fn all(arguments: &Arguments) -> Result<()> {
    println!("seed {}", arguments.seed);
    table::head();
    let mut failed = Vec::new();
    for fault in &arguments.faults {
        if let Err(reason) = fault.possible() {
            println!("`{}` was not run: {reason}", fault.name());
            continue;
        }
        if let Err(error) = one(arguments, fault.as_ref()) {
            println!("`{}` FAILED: {error}", fault.name());
            failed.push(fault.name());
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{}; run them again with --seed {}",
            failed.join(", "),
            arguments.seed
        )),
    }
}

fn one(arguments: &Arguments, fault: &dyn Fault) -> Result<()> {
    let bed = Bed::start(fault.kind())?;
    let ledger = Arc::<Ledger>::default();
    let language = match arguments.is_redisson {
        true => Language::Java,
        false => Language::Rust(arguments.caller.clone()),
    };
    let group = bed.group();
    let stage = Stage {
        fleet: Arc::new(Fleet::start(
            &bed,
            &fault.load(),
            &language,
            arguments.with_java && fault.spares_java(),
        )?),
        bed,
        ledger: Arc::clone(&ledger),
        group,
    };
    let group = fault.fails_over().then_some(&stage.group[..]);
    let guarantee = |number| Guarantee::of(number, group, arguments.is_redisson);
    let load = fault.load();
    let mut drivers = Drivers::start(&stage.fleet, &ledger, &load, guarantee, arguments.seed);
    let ran = rounds(fault, &stage, arguments);
    thread::sleep(AFTERWARDS);
    drivers.stop_offers(&ledger)?;
    let drained = drain(&stage, &ledger);
    let stopped = drivers.stop_takes(&stage.fleet);
    let figures = Figures::of(&ledger, fault.twice(), load.pause);
    table::row(fault.name(), &figures);
    for (failure, times) in ledger.notes().failures.iter() {
        eprintln!("{}: {times} times {failure}", fault.name());
    }
    ran?;
    if arguments.is_redisson {
        // Its figures are for comparison.
        return Ok(());
    }
    stopped?;
    drained?;
    figures.check(LONGEST_STALL + arguments.margin)
}

/// Brings the fault about and ends it, again and again.
fn rounds(fault: &dyn Fault, stage: &Stage, arguments: &Arguments) -> Result<()> {
    let mut random = StdRng::seed_from_u64(arguments.seed);
    let Rhythm {
        rounds,
        pause_ms,
        hold_ms,
    } = fault.rhythm();
    fault.prepare(stage)?;
    thread::sleep(BEFORE);
    let duration = arguments.duration.filter(|_| !fault.is_singular());
    let deadline = duration.map(|it| Instant::now() + it);
    let mut done = 0;
    while deadline.map_or(done < rounds, |it| Instant::now() < it) {
        thread::sleep(Duration::from_millis(
            random.random_range(pause_ms.0..=pause_ms.1),
        ));
        let begun = Instant::now();
        fault.begin(stage, &mut random)?;
        thread::sleep(Duration::from_millis(
            random.random_range(hold_ms.0..=hold_ms.1),
        ));
        fault.heal(stage)?;
        let healed = Instant::now();
        fault.settle(stage)?;
        let mut notes = stage.ledger.notes();
        notes.rounds += 1;
        if fault.lasts() {
            let settled = Instant::now();
            notes.episodes.push(Episode {
                begun,
                healed,
                settled,
            });
            drop(notes);
            await_movement(&stage.ledger, healed);
        }
        done += 1;
    }
    Ok(())
}

/// Waits until elements move after the fault: the next one would hide a stall.
fn await_movement(ledger: &Ledger, healed: Instant) {
    let deadline = Instant::now() + PATIENCE;
    while !ledger.moves_since(healed) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until all that must come has come, and nothing is left that could come again.
fn drain(stage: &Stage, ledger: &Ledger) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let mut connection = None;
    while Instant::now() < deadline {
        if ledger.is_settled() && stage.bed.is_empty(&mut connection) {
            // What was taken last is on its way through the pipes.
            thread::sleep(Duration::from_millis(200));
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Err(format!("elements are left after {PATIENCE:?}"))
}

/// Elements are on their way when the first fault begins.
const BEFORE: Duration = Duration::from_secs(1);
/// The load goes on, so that a stall shows.
const AFTERWARDS: Duration = Duration::from_secs(2);
const LONGEST_STALL: Duration = Duration::from_millis(1_500);
/// Longer than a lease, and than the longest delay.
const PATIENCE: Duration = Duration::from_secs(90);
