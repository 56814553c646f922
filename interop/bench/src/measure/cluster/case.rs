//! Who is measured where, and with how many names.

use std::borrow::Borrow;

use crate::{contender::Contender, measure::QUEUE, rates::Way, table::Table};

/// Where Redis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Server,
    Cluster,
}

/// A library with one queue at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) way: Way,
    pub(super) place: Place,
    /// How many names the queue has; `None` for a plain queue.
    count: Option<usize>,
}

/// The commands are those of this crate and of Redisson.
pub(super) fn cases(own: &'static str, redisson: &'static str) -> Vec<Case> {
    let case = |(contender, place, count): &(Contender, Place, Option<usize>)| {
        let (name, command) = match contender {
            Contender::Redisson => ("Redisson", redisson),
            _ => ("this crate", own),
        };
        Case {
            way: Way::new(*contender, name, command, ""),
            place: *place,
            count: *count,
        }
    };
    WHO.iter().map(case).collect()
}

/// A table that says in its first columns whose row it is.
pub(super) fn table<'a>(heading: impl IntoIterator<Item = &'a str>) -> Table {
    Table::new(["", "on", "names"].into_iter().chain(heading))
}

impl Case {
    /// The queue as the processes call it.
    pub(super) fn queue(&self, label: &str) -> String {
        match self.count {
            None => format!("{QUEUE}-{label}"),
            Some(count) => sharded(count, label),
        }
    }

    /// The names of its queues in Redis.
    pub(super) fn names(&self, label: &str) -> Vec<String> {
        match self.count {
            None => vec![self.queue(label)],
            Some(count) => names(count, label),
        }
    }

    /// The first cells of its row.
    pub(super) fn labels(&self) -> [String; 3] {
        let place = match self.place {
            Place::Server => "one server",
            Place::Cluster => "cluster",
        };
        let names = self
            .count
            .map_or("one queue".to_owned(), |it| it.to_string());
        [self.way.name.to_owned(), place.to_owned(), names]
    }

    /// The place of the plain queue of the same library on one server.
    pub(super) fn plain(&self, cases: &[Self]) -> Option<usize> {
        let is_plain = |it: &Self| it.place == Place::Server && it.count.is_none();
        cases
            .iter()
            .position(|it| is_plain(it) && it.way.name == self.way.name)
    }

    /// The place of the case of this crate that is otherwise the same.
    pub(super) fn own(&self, cases: &[Self]) -> Option<usize> {
        cases.iter().position(|it| {
            !it.way.contender.is_another() && it.place == self.place && it.count == self.count
        })
    }
}

impl Borrow<Way> for Case {
    fn borrow(&self) -> &Way {
        &self.way
    }
}

/// A queue over so many names, as the processes call it.
pub(super) fn sharded(count: usize, label: &str) -> String {
    format!("{QUEUE}/{count}/{label}")
}

/// Its names. They have the slots of `orders:0`, `orders:1` and so on, whatever the label.
pub(super) fn names(count: usize, label: &str) -> Vec<String> {
    let names = (0..count).map(|number| format!("{{{QUEUE}:{number}}}{label}"));
    names.collect()
}

const WHO: [(Contender, Place, Option<usize>); 9] = [
    (Contender::Own, Place::Server, None),
    (Contender::Sharded, Place::Server, Some(3)),
    (Contender::Sharded, Place::Server, Some(12)),
    (Contender::Own, Place::Cluster, None),
    (Contender::Sharded, Place::Cluster, Some(3)),
    (Contender::Sharded, Place::Cluster, Some(12)),
    (Contender::Redisson, Place::Server, None),
    (Contender::Redisson, Place::Server, Some(12)),
    (Contender::Redisson, Place::Cluster, Some(12)),
];

/// How many calls wait: one for each name at least, because Redisson needs a thread for each.
pub(super) const CALLERS: usize = 12;
