//! Consumers that handle one element at a time, over all of them or for each key, while processes
//! stand still for longer than their leases, or are killed.

use std::{
    collections::{BTreeMap, HashMap},
    mem,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::{
    Result,
    arguments::Plan,
    bed::Bed,
    consumer::{Mode, Orders},
    fault::Fault,
    ledger::{End, Handling, Ledger},
    process::Process,
    step::Step,
    store::Store,
};

/// What happened in a row.
#[derive(Default)]
struct Blows {
    elements: usize,
    freezes: usize,
    kills: usize,
}

/// Prints a row for each way to handle elements one at a time.
pub(crate) fn run(plan: &Plan) -> Result<()> {
    println!(
        "| one at a time | elements | freezes | kills | handled | overlaps | late | refused | writes out of order | overlaps within a lease |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    [Mode::Sequential, Mode::ByKey]
        .into_iter()
        .try_for_each(|mode| row(plan, mode))
}

fn row(plan: &Plan, mode: Mode) -> Result<()> {
    let bed = Bed::start(Fault::Nothing)?;
    let ledger = Arc::<Ledger>::default();
    let orders = Orders {
        url: bed.url(),
        step: Step::InHandler,
        pass: 0,
        mode,
        visibility: VISIBILITY,
        work: WORK,
        prefetches: false,
    };
    let blows = strike(&orders, &bed, &ledger, plan)?;
    let written = Store::open(&bed.url())?.written()?;
    judge(mode, &blows, &ledger, &written)
}

/// Freezes or kills one process after the other, until enough of them outlived their leases and every
/// element was handled.
fn strike(orders: &Orders, bed: &Bed, ledger: &Arc<Ledger>, plan: &Plan) -> Result<Blows> {
    let mut random = StdRng::seed_from_u64(plan.seed);
    let mut blows = Blows::default();
    let mut next = 0;
    let mut start = || {
        next += 1;
        Process::start(orders, ledger, next)
    };
    let mut processes = (0..PROCESSES)
        .map(|_| start())
        .collect::<Result<Vec<_>>>()?;
    let deadline = Instant::now() + PATIENCE;
    while ledger.notes().ended(&End::Late) < plan.late {
        if Instant::now() > deadline {
            return Err(format!(
                "too few processes outlived their leases in {PATIENCE:?}"
            ));
        }
        blows.supply(bed, ledger.notes().handled())?;
        thread::sleep(Duration::from_millis(random.random_range(50..200)));
        let Some(place) = processes
            .iter()
            .position(|it| ledger.notes().is_busy(it.number))
        else {
            continue;
        };
        if random.random_bool(FREEZES) {
            processes[place].signal("STOP")?;
            thread::sleep(VISIBILITY + VISIBILITY / 2);
            processes[place].signal("CONT")?;
            blows.freezes += 1;
        } else {
            mem::replace(&mut processes[place], start()?).kill();
            blows.kills += 1;
        }
    }
    bed.await_empty()?;
    processes.into_iter().try_for_each(Process::stop)?;
    Ok(blows)
}

impl Blows {
    /// Offers more elements if few are left.
    fn supply(&mut self, bed: &Bed, handled: usize) -> Result<()> {
        let more = (handled + STOCK).saturating_sub(self.elements);
        let new = self.elements..self.elements + more;
        let values: Vec<String> = new.map(|it| format!("{}:{it}", it % KEYS)).collect();
        self.elements += more;
        match more {
            0 => Ok(()),
            _ => bed.fill(&values),
        }
    }
}

fn judge(mode: Mode, blows: &Blows, ledger: &Ledger, written: &[String]) -> Result<()> {
    let notes = ledger.notes();
    let mut groups: BTreeMap<&str, Vec<&Handling>> = BTreeMap::new();
    for handling in &notes.handlings {
        let group = mode.group_of(&handling.element);
        groups.entry(group).or_default().push(handling);
    }
    let (mut overlaps, mut wrong) = (0, 0);
    for group in groups.values_mut() {
        group.sort_by_key(|it| it.fence);
        for pair in group.windows(2) {
            overlaps += usize::from(overlap(pair[0], pair[1]));
            wrong += usize::from(is_wrong(pair[0], pair[1]));
        }
    }
    let late = notes.ended(&End::Late);
    let refused = notes.handlings.iter().filter(|it| it.is_refused).count();
    let disorder = disorder(mode, written);
    let handled = notes.handled();
    println!(
        "| {} | {} | {} | {} | {handled} | {overlaps} | {late} | {refused} | {disorder} | {wrong} |",
        mode.name(),
        blows.elements,
        blows.freezes,
        blows.kills,
    );
    if !notes.strange.is_empty() {
        return Err(format!("consumers said {:?}", notes.strange));
    }
    match handled == blows.elements && wrong == 0 && disorder == 0 {
        true => Ok(()),
        false => Err("see the row".into()),
    }
}

/// True if both worked at the same time.
fn overlap(first: &Handling, second: &Handling) -> bool {
    first.handled.is_some_and(|it| it > second.began)
}

/// True if the second had its turn although the first one's lease, which began when it asked or
/// later, was still alive; or if both have the same fence; or if the end of the first one counted
/// although its turn was over.
fn is_wrong(first: &Handling, second: &Handling) -> bool {
    let lease_ended = first.asked + VISIBILITY.as_micros() as u64;
    let acked_in_vain = first.element == second.element && first.end == Some(End::Acked);
    first.fence == second.fence
        || acked_in_vain
        || overlap(first, second) && second.began < lease_ended
}

/// How often the store took an element after a later one of the same group.
fn disorder(mode: Mode, written: &[String]) -> usize {
    let mut last: HashMap<&str, usize> = HashMap::new();
    let mut disorder = 0;
    for element in written {
        let number = element.split(':').next_back().unwrap_or_default();
        let number = number.parse().unwrap_or_default();
        let last = last.entry(mode.group_of(element)).or_default();
        disorder += usize::from(number < *last);
        *last = number;
    }
    disorder
}

const KEYS: usize = 3;
/// More than the processes handle between two blows.
const STOCK: usize = 100;
const PROCESSES: usize = 4;
const VISIBILITY: Duration = Duration::from_millis(500);
const WORK: Duration = Duration::from_millis(10);
/// How many of the blows are freezes; the others are kills.
const FREEZES: f64 = 0.6;
const PATIENCE: Duration = Duration::from_secs(300);
