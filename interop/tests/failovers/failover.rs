//! The master fails while one peer offers and the other takes.

use std::{env, sync::atomic::Ordering::Relaxed, thread};

use crate::{
    elements::ON_TIME,
    ledger::Ledger,
    place::Place,
    stage::{Stage, now_us},
};

/// What makes another server the master.
#[derive(Clone, Copy, Debug)]
enum Cause {
    Planned,
    Kill,
}

/// Both peers transfer, and take turns at offering and taking. No element is
/// early, and none comes twice that was taken before the failover. The only acknowledged elements that
/// may be lost are those of a master that others had replaced, and one that Redisson was taking.
pub(crate) fn loses_nothing(stage: &mut Stage) {
    let rounds = asked_for().unwrap_or(2);
    open(stage, rounds);
    for round in 0..rounds {
        let cause = [Cause::Planned, Cause::Kill][round % 2];
        let ledger = run(stage, round, cause);
        let what = format!(
            "{}, {}, {cause:?}: {}",
            stage.what,
            stage.place,
            ledger.report()
        );
        println!("{what}");
        // Redisson alone is there for comparison: it loses some, and is late by seconds.
        if stage.has_rust {
            let is_by_rust = consumer_in(round) == 0;
            // Redisson loses the element that it popped when its connection died: its defect B1.
            let may_be_lost = usize::from(!is_by_rust && ledger.failed_polls() > 0);
            assert!(ledger.lost().len() <= may_be_lost, "{what}: lost");
            assert!(ledger.early().is_empty(), "{what}: early");
            assert!(ledger.wrongly_twice().is_empty(), "{what}: twice");
            assert!(!is_by_rust || ledger.stall() < ON_TIME, "{what}: late");
        }
    }
}

/// The number of failovers that the user asks for.
pub(crate) fn asked_for() -> Option<usize> {
    let failovers = env::var("FAILOVERS").ok()?;
    Some(failovers.parse().expect("FAILOVERS is a number"))
}

/// Which peer takes. After two rounds the peers take turns, so each takes during each cause.
fn consumer_in(round: usize) -> usize {
    (round + round / 2 + 1) % 2
}

/// Opens the queue of each round. Redisson may fail to open one for seconds after a failover, and
/// then never transfers for it.
fn open(stage: &mut Stage, rounds: usize) {
    for round in 0..rounds {
        let name = name(round);
        for peer in &mut stage.peers {
            peer.open(&name, &name, "string");
        }
        stage.await_movers(&name, 2);
    }
}

fn name(round: usize) -> String {
    format!("failover-{round}")
}

fn run(stage: &mut Stage, round: usize, cause: Cause) -> Ledger {
    let name = name(round);
    let [first, second] = &mut stage.peers;
    let (producer, consumer) = match consumer_in(round) {
        0 => (second, first),
        _ => (first, second),
    };
    let ledger = Ledger::default();
    thread::scope(|scope| {
        scope.spawn(|| ledger.produce(producer, &name));
        scope.spawn(|| ledger.consume(consumer, &name));
        let _no_more_offers = ledger.end_offers_on_drop();
        ledger.await_offers(WARM_UP);
        fail(&stage.place, &name, cause, &ledger);
        ledger.healed_us.store(now_us(), Relaxed);
        // Offers go on for a while with the new master.
        ledger.await_offers(WARM_UP);
    });
    for server in stage.place.data() {
        if !server.is_running() {
            server.restart();
        }
    }
    stage.place.wait_until_ok();
    ledger
}

/// Returns when the topology is whole again.
fn fail(place: &Place, name: &str, cause: Cause, ledger: &Ledger) {
    // Redis loses what it had acknowledged and not yet sent to its replicas.
    let no_offer = ledger.pause_offers();
    ledger.failed_us.store(now_us(), Relaxed);
    place.await_replicated(name);
    match cause {
        Cause::Planned => {
            let stale = place.has_stale_masters();
            ledger.has_stale_master.store(stale, Relaxed);
            drop(no_offer);
            place.fail_over(name);
        }
        Cause::Kill => {
            place.master_of(name).kill();
            drop(no_offer);
            if place.masters_until_ok() > 1 {
                ledger.has_stale_master.store(true, Relaxed);
            }
        }
    }
    place.wait_until_ok();
}

/// How many acknowledged offers come before the failover, and after it.
const WARM_UP: u64 = 30;
