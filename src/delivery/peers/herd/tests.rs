use super::*;

/// Clients that hear the same messages in the same order, as Redis sees to.
struct Clients {
    herds: Vec<Herd>,
    at_us: i64,
}

impl Clients {
    fn new(count: usize) -> Self {
        Self {
            herds: (0..count).map(|_| Herd::new(Peer::random())).collect(),
            at_us: 0,
        }
    }

    fn followers(&self) -> Vec<bool> {
        self.herds.iter().map(Herd::follows).collect()
    }

    fn hear(&mut self, moved: &Moved) -> Vec<Heard> {
        let now = Instant::now();
        let hear = self.herds.iter_mut();
        let hear = hear.map(|herd| herd.hear_moved(moved, true, now));
        hear.collect()
    }

    fn wait(&mut self, client: usize) {
        let peer = self.herds[client].me;
        for herd in &mut self.herds {
            herd.hear_waiting(peer);
        }
    }

    /// A run of a client that moves `count` elements, with these callers of its own; says who is
    /// called.
    fn transfer(&mut self, client: usize, count: u64, wanted: Option<usize>) -> Vec<usize> {
        let mover = self.herds[client].mover(wanted);
        let spare = count.saturating_sub(mover.wanted as u64);
        self.at_us += 1;
        let moved = Moved {
            by: mover.peer,
            takes: mover.takes,
            count,
            at_us: self.at_us,
            head_ms: None,
            spare,
            called: mover.waiting.into_iter().take(spare as usize).collect(),
        };
        let heard = self.hear(&moved);
        let called = (0..).zip(heard).filter(|(_, heard)| heard.is_called);
        called.map(|(client, _)| client).collect()
    }
}

#[test]
fn whoever_moved_last_leads_and_all_others_follow() {
    let mut clients = Clients::new(3);
    assert_eq!(clients.followers(), [false; 3]);
    assert!(clients.transfer(1, 1, Some(1)).is_empty());
    assert_eq!(clients.followers(), [true, false, true]);
    clients.transfer(2, 1, Some(1));
    assert_eq!(clients.followers(), [true, true, false]);
}

#[test]
fn a_follower_is_late_by_its_grace_and_a_leader_is_not() {
    let mut clients = Clients::new(2);
    clients.transfer(0, 1, Some(1));
    let now = Instant::now();
    let delay = |herd: &Herd| herd.moves_at(now) - now;
    assert_eq!(delay(&clients.herds[0]), Duration::ZERO);
    let before = delay(&clients.herds[1]);
    assert!(before >= Herd::GRACE && before <= Herd::GRACE + Herd::SPREAD);
    // The leader's message takes as long as anything does.
    let round_trip = Duration::from_millis(70);
    clients.herds[1].ran(round_trip, 0);
    assert_eq!(delay(&clients.herds[1]), before + round_trip);
    clients.herds[1].ran(Duration::from_secs(9), 0);
    assert_eq!(delay(&clients.herds[1]), before + Herd::DISTANT);
}

#[test]
fn a_mover_without_takers_has_the_first_that_it_calls_lead() {
    let mut clients = Clients::new(4);
    // Nobody is known to wait: all are called, and nobody leads.
    assert_eq!(clients.transfer(0, 1, None), [1, 2, 3]);
    assert_eq!(clients.followers(), [false; 4]);
    for client in 1..4 {
        clients.wait(client);
    }
    assert_eq!(clients.transfer(0, 1, None), [3]);
    assert_eq!(clients.followers(), [true, true, true, false]);
}

#[test]
fn as_many_are_called_as_there_are_elements_to_spare_and_each_once() {
    let mut clients = Clients::new(5);
    for client in 1..5 {
        clients.wait(client);
        clients.wait(client);
    }
    assert_eq!(clients.transfer(0, 3, Some(1)), [3, 4]);
    assert_eq!(clients.transfer(0, 1, Some(0)), [2]);
    assert_eq!(clients.transfer(0, 1, Some(0)), [1]);
    assert_eq!(clients.transfer(0, 1, Some(0)), [1, 2, 3, 4], "any");
    assert_eq!(clients.followers(), [false, true, true, true, true]);
}

/// The leader knows where its backlog stands in the list. Others would shift it.
#[test]
fn a_leader_with_more_to_move_is_left_alone_for_a_while() {
    let mut herd = Herd::new(Peer::random());
    let now = Instant::now();
    let moved = |head_ms| Moved {
        by: Peer::random(),
        takes: true,
        count: 1,
        at_us: 5_000,
        head_ms: Some(head_ms),
        spare: 0,
        called: Vec::new(),
    };
    herd.hear_moved(&moved(5), true, now);
    assert!(herd.keeps_out(now));
    assert!(herd.moves_at(now) >= now + Herd::BUSY + Herd::GRACE);
    assert!(!herd.keeps_out(now + Herd::BUSY), "it has stalled");
    herd.hear_moved(&moved(6), true, now);
    assert!(!herd.keeps_out(now));
    assert!(herd.moves_at(now) < now + Herd::BUSY);
}

#[test]
fn without_takers_anywhere_the_last_mover_leads() {
    let mut herds = [Herd::new(Peer::random()), Herd::new(Peer::random())];
    let moved = Moved {
        by: herds[0].me,
        takes: false,
        count: 1,
        at_us: 1,
        head_ms: None,
        spare: 1,
        called: Vec::new(),
    };
    for herd in &mut herds {
        herd.hear_moved(&moved, false, Instant::now());
    }
    assert_eq!(herds.map(|herd| herd.follows()), [false, true]);
}

#[test]
fn who_called_others_looks_whether_they_came() {
    let mut clients = Clients::new(2);
    clients.wait(1);
    let called = clients.herds[1].me;
    let by = clients.herds[0].me;
    let moved = Moved {
        by,
        takes: true,
        count: 0,
        at_us: 1,
        head_ms: None,
        spare: 1,
        called: vec![called],
    };
    let heard = clients.hear(&moved);
    assert!(heard[0].is_caller && !heard[0].is_called && !heard[0].is_news);
    assert!(heard[1].is_called && !heard[1].is_caller && heard[1].is_news);
    assert_eq!(clients.followers(), [false; 2], "nothing was moved");
}

#[test]
fn what_was_seen_before_is_no_news() {
    let mut clients = Clients::new(2);
    clients.herds[1].ran(Duration::ZERO, 1);
    let now = Instant::now();
    let moved = |at_us| Moved {
        by: Peer::random(),
        takes: true,
        count: 1,
        at_us,
        head_ms: None,
        spare: 0,
        called: Vec::new(),
    };
    assert!(!clients.herds[1].hear_moved(&moved(1), true, now).is_news);
    assert!(clients.herds[1].hear_moved(&moved(2), true, now).is_news);
    assert!(!clients.herds[1].hear_moved(&moved(2), true, now).is_news);
}

#[test]
fn a_client_that_may_have_missed_messages_is_on_its_own() {
    let mut clients = Clients::new(2);
    clients.transfer(0, 1, Some(1));
    clients.wait(0);
    clients.herds[1].part();
    assert!(!clients.herds[1].follows());
    assert!(clients.herds[1].mover(None).waiting().is_empty());
}

/// A flood of forged messages takes no more memory than this.
#[test]
fn only_so_many_are_known_to_wait() {
    let mut herd = Herd::new(Peer::random());
    for _ in 0..1_000 {
        herd.hear_waiting(Peer::random());
    }
    assert_eq!(herd.mover(None).waiting.len(), Herd::MOST);
}
