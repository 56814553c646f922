//! What a queue over several names costs, on one server and on a cluster.

use super::{Measure, Plan};
use crate::{
    Result,
    fill::{Due, Fill, Order, Writer},
    rates::Rates,
    section::Section,
    table::{figure, grouped, ratio},
    usage::Spent,
};
use case::{Case, cases};
use site::Sites;

mod case;
mod lateness;
mod site;
mod spread;

pub(super) const MEASURE: Measure = Measure {
    name: "cluster",
    title: "One queue over several names, on a cluster",
    about: "What a `ShardedQueue` costs beside a plain queue, on one server and on a cluster of \
            three masters without replicas. Redisson has an `RDelayedQueue` for each name: each \
            name gets an offer in turn, and each thread takes from one name. In every part there \
            are 12 waiting callers, as many as names, and everybody takes turns on the same \
            machine in the same run. **A cluster cannot be faster here**: its masters share the \
            cores of one server with the client and with Java. So compare processor time, not \
            rates. *Redis CPU* adds up all masters. *Busiest* is the part of the master that \
            spent most, for each element of the whole queue: on masters with cores of their own, \
            it decides how much the cluster can carry. *Vs one queue* divides by one plain queue \
            of the same library on one server, *vs this crate* by this crate with the same names \
            at the same place.",
    run,
};

fn run(plan: &Plan) -> Result<Section> {
    let mut section = Section::default();
    let mut sites = Sites::start()?;
    offers(&mut sites, *plan, &mut section)?;
    takes(&mut sites, *plan, &mut section)?;
    lateness::compare(&mut sites, *plan, &mut section)?;
    spread::measure(&mut sites, *plan, &mut section)?;
    Ok(section)
}

fn offers(sites: &mut Sites, plan: Plan, section: &mut Section) -> Result<()> {
    let window = plan.choose(1_000, 300);
    section.say("Offers of 256 callers; Redisson's are asynchronous, with as many in flight:");
    let callers = Turns {
        arguments: format!("{window} 256 {DELAYS}"),
        backlog: 0,
        plan,
    };
    callers.compare(sites, &cases("offer", "offer-async"), "offers/s", section)?;

    let count = plan.choose(24_000, 6_000);
    section.say(format!(
        "{} elements in bulk, with `offer_all`; Redisson has all of them in flight at once:",
        grouped(count)
    ));
    let bulk = Turns {
        arguments: format!("{count} {DELAYS}"),
        backlog: 0,
        plan,
    };
    bulk.compare(sites, &cases("offer-all", "offer-all"), "offers/s", section)
}

fn takes(sites: &mut Sites, plan: Plan, section: &mut Section) -> Result<()> {
    let backlog = plan.choose(24_000, 2_400);
    section.say(format!(
        "A backlog of {} due elements is transferred and taken, one element a call:",
        grouped(backlog as i64)
    ));
    let takes = Turns {
        arguments: format!("{backlog} {} 60000", case::CALLERS),
        backlog,
        plan,
    };
    takes.compare(sites, &cases("take", "take"), "takes/s", section)
}

/// Rounds in which everybody does the same.
struct Turns {
    /// What follows the name of the queue in the command.
    arguments: String,
    /// How many elements are due when a round begins.
    backlog: usize,
    plan: Plan,
}

impl Turns {
    fn compare(
        &self,
        sites: &mut Sites,
        cases: &[Case],
        what: &str,
        section: &mut Section,
    ) -> Result<()> {
        // A round that does not count, so that nothing is compiled or loaded later.
        self.rounds(sites, cases, 1, "warm")?;
        let rates = self.rounds(sites, cases, self.plan.choose(3, 1), "full")?;
        let mut table = case::table([
            what,
            "vs one queue",
            "vs this crate",
            "Redis CPU, us",
            "vs one queue",
            "busiest, us",
            "process CPU, us",
            "commands",
            "scripts",
        ]);
        let per_second = |way| rates.per_second(way);
        let redis = |way| rates.each(way, |it| it.redis.as_secs_f64() * 1e6);
        for (way, case) in cases.iter().enumerate() {
            let against = |other: Option<usize>, of: &dyn Fn(usize) -> f64| {
                ratio(of(way), other.map_or(f64::NAN, of))
            };
            let (plain, own) = (case.plain(cases), case.own(cases));
            let each = |of: fn(&Spent) -> f64| figure(rates.each(way, of));
            table.row(case.labels().into_iter().chain([
                figure(rates.per_second(way)),
                against(plain, &per_second),
                against(own, &per_second),
                figure(redis(way)),
                against(plain, &redis),
                each(|it| it.busiest.as_secs_f64() * 1e6),
                each(|it| it.processes.as_secs_f64() * 1e6),
                each(|it| it.commands as f64),
                each(|it| it.scripts as f64),
            ]));
        }
        section.table(&table);
        Ok(())
    }

    fn rounds(
        &self,
        sites: &mut Sites,
        cases: &[Case],
        rounds: usize,
        label: &str,
    ) -> Result<Rates> {
        Rates::measure(cases, rounds, |case, round| {
            // New queues each time: a process goes on transferring for those that it has closed.
            let label = format!("{}-{label}-{round}", case.way.command);
            let (topology, worker) = sites.of(case)?;
            topology.clear()?;
            let names = case.names(&label);
            for name in &names {
                let fill = Fill {
                    writer: Writer::of(case.way.contender)?,
                    order: Order::Fifo,
                    due: Due::Past,
                    count: self.backlog / names.len(),
                };
                let keys = case.way.contender.keys(name)?;
                fill.write(topology.master_of(name)?, &keys)?;
            }
            let queue = case.queue(&label);
            let command = format!("{} {queue} {}", case.way.command, self.arguments);
            let measured = topology.spent(worker, |_, worker| worker.rate(&command))?;
            worker.done(&format!("close {queue}"))?;
            Ok(measured)
        })
    }
}

const DELAYS: &str = "3600000 7200000";
