//! Finds out from the sentinels' answers which server is the master.

use redis::ConnectionAddr;
use tokio::time::Instant;

use super::successor::{Successor, chosen};

/// The master, as a sentinel names it.
#[derive(Clone, Debug)]
pub(super) struct Named {
    /// Grows with each failover.
    pub(super) epoch: u64,
    pub(super) address: ConnectionAddr,
}

/// What the sentinels have said, and which master follows from it.
#[derive(Debug)]
pub(super) struct Answers {
    /// The last answer of each sentinel, unless it has failed to answer since.
    current: Vec<Option<Named>>,
    master: Option<Named>,
    /// The master for which connections to others were given up last.
    followed: Option<ConnectionAddr>,
    successor: Option<Successor>,
}

impl Answers {
    /// No answers yet, of this many sentinels.
    pub(super) fn new(sentinels: usize) -> Self {
        Self {
            current: vec![None; sentinels],
            master: None,
            followed: None,
            successor: None,
        }
    }

    /// The master, if a sentinel has named one.
    pub(super) fn master(&self) -> Option<ConnectionAddr> {
        self.master.as_ref().map(|it| it.address.clone())
    }

    /// The replica that is to become the master, for as long as it may.
    pub(super) fn successor(&self, now: Instant) -> Option<ConnectionAddr> {
        let successor = self.successor.as_ref().filter(|it| !it.is_over(now))?;
        Some(successor.address.clone())
    }

    /// Notes that a connection has met the successor as a master.
    pub(super) fn note_promotion(&mut self) {
        if let Some(successor) = &mut self.successor {
            successor.is_promoted = true;
        }
    }

    /// Notes what a sentinel answered, or that it did not.
    pub(super) fn hear(&mut self, sentinel: usize, answer: Option<Named>) {
        self.current[sentinel] = answer;
        if let Some(next) = self.next() {
            self.followed.get_or_insert_with(|| next.address.clone());
            self.master = Some(next);
            self.successor = None;
        }
    }

    /// The next master, if there is one.
    ///
    /// A higher epoch wins: a sentinel that was cut off answers, too, with an old one. But epochs
    /// begin again where sentinels are set up anew. So another master with no higher epoch counts if
    /// most sentinels name it, and none the present one.
    fn next(&self) -> Option<Named> {
        let answers = || self.current.iter().flatten();
        let newest = answers().max_by_key(|it| it.epoch)?;
        let Some(master) = &self.master else {
            return Some(newest.clone());
        };
        if newest.epoch > master.epoch {
            return Some(newest.clone());
        }
        let votes = |named: &Named| answers().filter(|it| it.address == named.address).count();
        if votes(master) > 0 {
            return None;
        }
        let most = answers().find(|it| votes(it) * 2 > self.current.len());
        most.cloned()
    }

    /// Notes that a sentinel announces which replica it has chosen to be the next master. True if
    /// calls must go there from now on.
    pub(super) fn expect(
        &mut self,
        announced: &[u8],
        name: &str,
        from: &ConnectionAddr,
        now: Instant,
    ) -> bool {
        let Some((address, former)) = chosen(announced, name, from) else {
            return false;
        };
        // An old announcement may come late.
        let is_news = self.master.as_ref().is_some_and(|it| it.address == former);
        if is_news {
            self.successor = Some(Successor::new(address, now));
        }
        is_news
    }

    /// The new master, once for each change: connections to other servers must then be given up.
    pub(super) fn moved(&mut self, now: Instant) -> Option<ConnectionAddr> {
        if let Some(vain) = self.successor.take_if(|it| it.is_over(now)) {
            self.followed = Some(vain.address);
        }
        let master = self.master()?;
        let followed = self.followed.replace(master.clone());
        (followed.as_ref() != Some(&master)).then_some(master)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tcp(port: u16) -> ConnectionAddr {
        ConnectionAddr::Tcp("redis".to_owned(), port)
    }

    fn named(epoch: u64, port: u16) -> Option<Named> {
        let address = tcp(port);
        Some(Named { epoch, address })
    }

    /// Three sentinels name the master at port 1.
    fn answers() -> Answers {
        let mut answers = Answers::new(3);
        for sentinel in 0..3 {
            answers.hear(sentinel, named(3, 1));
        }
        assert_eq!(answers.moved(Instant::now()), None, "the first answer");
        answers
    }

    /// Who the master is after these answers of sentinels.
    fn after(mut answers: Answers, said: &[(usize, Option<Named>)]) -> ConnectionAddr {
        for (sentinel, named) in said {
            answers.hear(*sentinel, named.clone());
        }
        answers.master().unwrap()
    }

    #[test]
    fn an_answer_from_before_a_failover_changes_nothing() {
        let now = Instant::now();
        let mut answers = answers();
        answers.hear(0, named(2, 9));
        assert_eq!(answers.moved(now), None, "an old one");
        answers.hear(1, named(4, 2));
        assert_eq!(answers.moved(now), Some(tcp(2)), "a failover");
        assert_eq!(answers.moved(now), None);
        answers.hear(2, named(3, 1));
        answers.hear(0, named(3, 1));
        assert_eq!(answers.master(), Some(tcp(2)), "others do not know yet");
    }

    #[test]
    fn a_lower_epoch_counts_once_most_sentinels_are_set_up_anew() {
        let anew = |sentinel| (sentinel, named(0, 2));
        assert_eq!(after(answers(), &[anew(0), anew(1)]), tcp(1), "one objects");
        assert_eq!(after(answers(), &[anew(0), anew(1), anew(2)]), tcp(2));
        assert_eq!(after(answers(), &[anew(0), anew(1), (2, None)]), tcp(2));
        let alone = [anew(0), (1, None), (2, None)];
        assert_eq!(after(answers(), &alone), tcp(1), "one is no majority");
        let same_epoch = [(0, named(3, 2)), (1, named(3, 2)), (2, named(3, 2))];
        assert_eq!(after(answers(), &same_epoch), tcp(2));
    }

    #[test]
    fn a_successor_counts_until_the_sentinels_name_the_next_master() {
        let now = Instant::now();
        let mut answers = answers();
        let chosen = b"slave redis:2 redis 2 @ orders redis 1";
        assert!(answers.expect(chosen, "orders", &tcp(9), now));
        assert_eq!(answers.successor(now), Some(tcp(2)));
        answers.hear(1, named(3, 1));
        assert_eq!(answers.successor(now), Some(tcp(2)), "others do not know");
        answers.hear(0, named(4, 2));
        assert_eq!(answers.successor(now), None);
        assert_eq!(answers.moved(now), Some(tcp(2)));
        assert!(
            !answers.expect(chosen, "orders", &tcp(9), now),
            "it came late"
        );
    }
}
