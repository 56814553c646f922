//! How elements spread over names, and names over masters.

use redisson_delayed_queue::keys::QueueKeys;

use super::{
    case::{Place, names, sharded},
    site::Sites,
};
use crate::{
    Result,
    contender::Contender,
    document::wrapped,
    measure::Plan,
    section::Section,
    statistics::Figures,
    table::{Table, grouped},
};

pub(super) fn measure(sites: &mut Sites, plan: Plan, section: &mut Section) -> Result<()> {
    let count = plan.choose(96_000, 6_000);
    section.say(wrapped(&format!(
        "The shares of {} elements on the cluster. An equal share of the names, or of the masters, \
         is 100 %:",
        grouped(count as i64)
    )));
    let mut table = Table::new([
        "names",
        "offered",
        "a name: least",
        "most",
        "a master: least",
        "most",
    ]);
    for names in [3, 12] {
        for (how, is_keyed) in [("in turn", false), ("by key", true)] {
            let shares = offered(sites, names, is_keyed, count)?;
            let shares = shares.into_iter().map(|it| format!("{it:.1} %"));
            let labels = [names.to_string(), how.to_owned()];
            table.row(labels.into_iter().chain(shares));
        }
    }
    section.table(&table);
    section.say(wrapped(&format!(
        "How many of the numbered names get to the same master, for {} base names of random \
         letters and three masters with equal parts of the slots. These figures are computed:",
        grouped(BASES as i64)
    )));
    section.table(&of_names()?);
    Ok(())
}

/// The least and the most elements of a name, and of a master, in percent of an equal share.
fn offered(sites: &mut Sites, count: usize, is_keyed: bool, elements: usize) -> Result<[f64; 4]> {
    let queue = sharded(count, if is_keyed { "/keyed" } else { "" });
    let topology = sites.topology(Place::Cluster);
    topology.clear()?;
    let mut worker = topology.worker(Contender::Sharded)?;
    worker.rate(&format!("offer-all {queue} {elements} 3600000 7200000"))?;
    let mut of_names = Vec::new();
    let mut of_masters = vec![0; topology.masters.len()];
    for name in names(count, "") {
        let keys = Contender::Sharded.keys(&name)?;
        let place = topology.place_of(&name)?;
        let pending = topology.masters[place].pending(&keys)?;
        of_names.push(pending);
        of_masters[place] += pending;
    }
    let [name, other] = extremes(&of_names);
    let [master, last] = extremes(&of_masters);
    Ok([name, other, master, last])
}

/// The smallest and the largest, in percent of what each were if all were equal.
fn extremes(counts: &[usize]) -> [f64; 2] {
    let equal = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    let percent = |count: Option<&usize>| count.map_or(f64::NAN, |it| 100.0 * *it as f64 / equal);
    [percent(counts.iter().min()), percent(counts.iter().max())]
}

/// How the masters share numbered names, computed from the slots.
fn of_names() -> Result<Table> {
    let bases: Vec<String> = (0..BASES).map(|_| base()).collect();
    let mut table = Table::new([
        "names",
        "busiest master: median",
        "worst",
        "least busy master: median",
        "worst",
        "equal",
    ]);
    for count in [3, 6, 12, 24, 48, 96] {
        let mut most = Vec::new();
        let mut least = Vec::new();
        for base in &bases {
            let mut of_masters = [0; MASTERS];
            for number in 0..count {
                let name = format!("{base}:{number}");
                of_masters[master_of(QueueKeys::new(name)?.slot())] += 1;
            }
            let [fewest, largest] = extremes(&of_masters);
            most.push(largest);
            least.push(fewest);
        }
        let equal = most.iter().filter(|it| **it <= 100.0).count() * 100 / BASES;
        let (most, least): (Figures, Figures) =
            (most.into_iter().collect(), least.into_iter().collect());
        let percent = |it: f64| format!("{it:.0} %");
        table.row([
            count.to_string(),
            percent(most.median()),
            percent(most.max()),
            percent(least.median()),
            percent(least.percentile(0.0)),
            format!("{equal} % of the bases"),
        ]);
    }
    Ok(table)
}

fn base() -> String {
    let length = rand::random_range(4..=10);
    let letters = (0..length).map(|_| rand::random_range('a'..='z'));
    letters.collect()
}

/// The masters of a cluster as `redis-cli --cluster create` makes it.
fn master_of(slot: u16) -> usize {
    let first = |master: usize| master * SLOTS / MASTERS;
    let mut masters = (0..MASTERS).rev();
    masters
        .find(|master| first(*master) <= usize::from(slot))
        .unwrap_or_default()
}

const BASES: usize = 1_000;
const MASTERS: usize = 3;
const SLOTS: usize = 16_384;
