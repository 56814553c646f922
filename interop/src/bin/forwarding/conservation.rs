//! Random faults under processes that forward: nothing may be lost, and what comes twice has one id.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use redisson_delayed_queue::DelayedQueue;
use tokio::task::block_in_place;
use tokio::time::sleep;

use crate::{
    faults::Faults,
    stage::{Received, Stage},
};

/// How long, and with which choices.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) time: Duration,
    pub(crate) seed: u64,
}

/// The queues of Redis and of RabbitMQ, and the exchange.
pub(crate) const QUEUE: &str = "forwarded";

/// Offers values while faults happen, and then compares them with the messages.
pub(crate) async fn check(stage: &Stage, plan: Plan) {
    println!(
        "random faults for {:?} or longer, seed {}",
        plan.time, plan.seed
    );
    stage.declare(QUEUE, "", &[]).await;
    let ends = Arc::new(AtomicBool::new(false));
    let offering = tokio::spawn(offer_until(stage.queue(QUEUE).await, Arc::clone(&ends)));
    let mut faults = Faults::new(stage, plan.seed);
    block_in_place(|| faults.run(plan.time));
    ends.store(true, Relaxed);
    let offered = offering.await.expect("it does not panic");
    stage.wait_until_empty(QUEUE);
    println!("{faults}");
    drop(faults);
    account(&offered, &stage.receive(QUEUE).await);
    assert_eq!(stage.dead(QUEUE), [""; 0]);
}

/// Offers values until told to end. Returns those that Redis took for sure.
async fn offer_until(queue: DelayedQueue<String>, ends: Arc<AtomicBool>) -> BTreeSet<String> {
    let mut offered = BTreeSet::new();
    for number in 0_u32.. {
        if ends.load(Relaxed) {
            break;
        }
        let value = format!("{number:08}");
        let delay = Duration::from_millis(u64::from(number % 300));
        if queue.offer(&value, delay).await.is_ok() {
            offered.insert(value);
        }
        sleep(Duration::from_millis(2)).await;
    }
    offered
}

fn account(offered: &BTreeSet<String>, received: &Received) {
    let lost: Vec<_> = offered
        .iter()
        .filter(|value| !received.contains_key(*value))
        .collect();
    let doubled = received.values().filter(|ids| ids.len() > 1);
    let (one_id, other_ids): (Vec<_>, Vec<_>) =
        doubled.partition(|ids| ids.iter().all(|id| *id == ids[0]));
    println!(
        "{} elements: {} lost, {} came twice with one id, {} with several",
        offered.len(),
        lost.len(),
        one_id.len(),
        other_ids.len(),
    );
    assert!(!offered.is_empty(), "nothing was offered");
    assert!(lost.is_empty(), "lost: {lost:?}");
    assert!(other_ids.is_empty(), "several ids: {other_ids:?}");
}
