//! Ways to do something, compared by how often a second they do it.

use std::borrow::Borrow;

use crate::{
    Result,
    contender::Contender,
    document::wrapped,
    statistics::Figures,
    table::{Table, figure, ratio},
    usage::Spent,
    worker::{Rate, Worker},
};

/// A command of a contender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) contender: Contender,
    pub(crate) name: &'static str,
    pub(crate) command: &'static str,
    pub(crate) arguments: &'static str,
}

impl Way {
    pub(crate) const fn new(
        contender: Contender,
        name: &'static str,
        command: &'static str,
        arguments: &'static str,
    ) -> Self {
        Self {
            contender,
            name,
            command,
            arguments,
        }
    }

    /// The process that does it.
    pub(crate) fn worker<'a>(&self, workers: &'a mut [Worker]) -> Result<&'a mut Worker> {
        let mut workers = workers.iter_mut();
        let own = workers.find(|it| it.contender == self.contender);
        Ok(own.ok_or("no such worker")?)
    }
}

/// What the rounds of each way have measured.
#[derive(Debug)]
pub(crate) struct Rates {
    ways: Vec<(&'static str, Vec<(Rate, Spent)>)>,
}

impl Rates {
    /// Has the ways take turns. If another library gives up, that round does not count, and the
    /// output says so. A way that gave up in each round has no figures.
    pub(crate) fn measure<W: Borrow<Way>>(
        ways: &[W],
        rounds: usize,
        mut measure: impl FnMut(&W, usize) -> Result<(Rate, Spent)>,
    ) -> Result<Self> {
        let names = ways.iter().map(|way| way.borrow().name);
        let mut rates = Self {
            ways: names.map(|name| (name, Vec::new())).collect(),
        };
        for round in 0..rounds {
            for (way, (_, measured)) in ways.iter().zip(&mut rates.ways) {
                match measure(way, round) {
                    Err(error) if way.borrow().contender.is_another() => {
                        println!("{}: {error}", way.borrow().name);
                    }
                    result => measured.push(result?),
                }
            }
        }
        Ok(rates)
    }

    /// The median rate of the way at this place.
    pub(crate) fn per_second(&self, way: usize) -> f64 {
        self.median(way, |(rate, _)| rate.per_second())
    }

    /// A table of the rates. Costs are for each element.
    pub(crate) fn table(&self, what: &str) -> Table {
        self.table_beside(what, "vs this crate")
    }

    /// The same, with a name for the column that compares with the first way.
    pub(crate) fn table_beside(&self, what: &str, vs: &str) -> Table {
        let mut table = Table::new([
            "",
            what,
            vs,
            "Redis CPU, us",
            "process CPU, us",
            "commands",
            "scripts",
        ]);
        for (way, (name, _)) in self.ways.iter().enumerate() {
            let each = |of: fn(&Spent) -> f64| figure(self.each(way, of));
            table.row([
                (*name).to_owned(),
                figure(self.per_second(way)),
                ratio(self.per_second(way), self.per_second(0)),
                each(|it| it.redis.as_secs_f64() * 1e6),
                each(|it| it.processes.as_secs_f64() * 1e6),
                each(|it| it.commands as f64),
                each(|it| it.scripts as f64),
            ]);
        }
        table
    }

    /// What Redis did for each element of the first way, in its last round.
    pub(crate) fn profile(&self) -> String {
        let (name, rounds) = &self.ways[0];
        let last = rounds.last();
        let profile = last.map(|(rate, spent)| spent.profile(rate.count as f64));
        wrapped(&format!("{name}: {}", profile.unwrap_or_default()))
    }

    /// How much the way at this place spent for each element.
    pub(crate) fn each(&self, way: usize, of: impl Fn(&Spent) -> f64) -> f64 {
        self.median(way, |(rate, spent)| of(spent) / rate.count as f64)
    }

    fn median(&self, way: usize, of: impl Fn(&(Rate, Spent)) -> f64) -> f64 {
        let (_, rounds) = &self.ways[way];
        rounds.iter().map(of).collect::<Figures>().median()
    }
}
