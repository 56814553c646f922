use super::*;
use crate::delivery::peers::Message;

const POLL: Duration = Duration::from_secs(1);

fn options() -> Options {
    Options {
        safety_poll: POLL,
        ..Options::default()
    }
}

fn watching(names: &[&str], now: Instant) -> Agenda {
    let mut agenda = Agenda::new(&options(), 0);
    for name in names {
        assert!(agenda.watch(keys(name), Weak::new(), true, now));
    }
    agenda
}

fn keys(name: &str) -> Arc<QueueKeys> {
    Arc::new(QueueKeys::new(name).unwrap())
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn a_new_queue_is_polled_at_once_and_then_within_the_safety_poll() {
    let now = Instant::now();
    let mut agenda = watching(&["q"], now);
    let run = agenda.next_run(now).unwrap();
    assert!(run.is_poll);
    assert_eq!(agenda.next(), None, "one run of a queue at a time");
    agenda.finish("q", None);
    let next = agenda.next().unwrap();
    assert!(next > now && next <= now + POLL);
}

/// Redisson's defect A3: a reply that was computed before an offer arrives after its message.
#[test]
fn a_stale_reply_does_not_move_a_wake_up_later() {
    let now = Instant::now();
    let mut agenda = watching(&["q"], now);
    agenda.next_run(now).unwrap();
    agenda.bring_forward("q", now + ms(10));
    agenda.finish("q", Some(now + ms(600)));
    assert_eq!(agenda.next(), Some(now + ms(10)));
    agenda.bring_forward("q", now + ms(300));
    assert_eq!(agenda.next(), Some(now + ms(10)));
}

#[test]
fn the_earliest_queue_runs_first_and_alone_until_the_next_is_due() {
    let now = Instant::now();
    let mut agenda = watching(&["a", "b"], now);
    while agenda.next_run(now).is_some() {}
    agenda.finish("a", Some(now + ms(20)));
    agenda.finish("b", Some(now + ms(10)));
    assert_eq!(agenda.next(), Some(now + ms(10)));
    assert!(agenda.next_run(now + ms(9)).is_none());
    let run = agenda.next_run(now + ms(10)).unwrap();
    assert_eq!((&*run.name, run.is_poll), ("b", false));
    assert!(agenda.next_run(now + ms(10)).is_none());
}

#[test]
fn polling_all_reaches_a_queue_whose_run_is_under_way_when_that_ends() {
    let now = Instant::now();
    let mut agenda = watching(&["q"], now);
    agenda.next_run(now).unwrap();
    agenda.poll_all(now + ms(1));
    assert_eq!(agenda.next(), None);
    agenda.finish("q", None);
    assert_eq!(agenda.next(), Some(now + ms(1)));
}

/// A plain target queue has nothing to move until a delayed queue of its name is opened.
#[test]
fn a_queue_that_is_only_watched_has_no_runs_until_it_is_transferred() {
    let now = Instant::now();
    let mut agenda = Agenda::new(&options(), 0);
    assert!(!agenda.watch(keys("q"), Weak::new(), false, now));
    agenda.bring_forward("q", now);
    agenda.poll_all(now);
    assert_eq!(agenda.next(), None);
    assert!(agenda.watch(keys("q"), Weak::new(), true, now));
    assert!(!agenda.watch(keys("q"), Weak::new(), false, now));
    assert!(agenda.next_run(now).unwrap().is_poll);
}

#[test]
fn a_change_of_the_state_brings_a_paused_queue_forward_and_no_other() {
    let now = Instant::now();
    let mut agenda = watching(&["a", "b"], now);
    while agenda.next_run(now).is_some() {}
    for name in ["a", "b"] {
        agenda.finish(name, None);
    }
    agenda.get_mut("b").unwrap().paused = true;
    for name in ["a", "b"] {
        agenda.hint(&[format!("rdq1_state:{{{name}}}").into_bytes()], now);
    }
    assert_eq!(&*agenda.next_run(now).unwrap().name, "b");
    assert!(agenda.next_run(now).is_none());
}

#[test]
fn a_forgotten_queue_leaves_nothing_behind() {
    let now = Instant::now();
    let mut agenda = watching(&["q"], now);
    for channel in ["redisson_delay_queue_channel:{q}", "rdq1_moved.0:{q}"] {
        assert_eq!(agenda.by_channel(channel).unwrap().target(), "q");
    }
    agenda.forget("q");
    assert_eq!(agenda.next(), None);
    assert!(agenda.channels.is_empty());
    assert!(agenda.states.is_empty());
    agenda.finish("q", Some(now));
    assert_eq!(agenda.next(), None);
}

fn moved(at_us: i64) -> Moved {
    let said = format!("moved 00000000000000aa 1 1 {at_us} - 0 ");
    let Some(Message::Moved(moved)) = Message::parse(said.as_bytes()) else {
        panic!("{said}");
    };
    moved
}

/// A stale reply must not do that; a message comes in the order in which Redis did things.
#[test]
fn what_another_moved_puts_a_follower_off_until_the_next_head_and_its_grace() {
    let now = Instant::now();
    let mut agenda = watching(&["q"], now);
    agenda.next_run(now).unwrap();
    agenda.finish("q", Some(now + ms(100)));
    assert_eq!(agenda.next(), Some(now + ms(100)));
    agenda.hear_moved("q", &moved(1), Some(now + ms(200)), now);
    let grace = agenda.get_mut("q").unwrap().herd.moves_at(now) - now;
    assert!(grace >= ms(10) && grace <= ms(30));
    assert_eq!(agenda.next(), Some(now + ms(200) + grace));
    agenda.bring_forward("q", now + ms(150));
    assert_eq!(agenda.next(), Some(now + ms(150) + grace));
    // It may know of what was offered since.
    agenda.hear_moved("q", &moved(1), None, now);
    assert_eq!(agenda.next(), Some(now + ms(150) + grace));
    agenda.hear_moved("q", &moved(2), None, now);
    let poll = agenda.next().unwrap();
    assert!(poll >= now + ms(900) && poll <= now + POLL, "polls stay");
}

#[test]
fn after_a_loss_of_messages_nobody_is_followed() {
    let now = Instant::now();
    let mut agenda = watching(&["q"], now);
    agenda.next_run(now).unwrap();
    agenda.finish("q", None);
    agenda.hear_moved("q", &moved(1), Some(now + ms(5)), now);
    assert!(agenda.get_mut("q").unwrap().herd.follows());
    agenda.poll_all(now);
    assert!(!agenda.get_mut("q").unwrap().herd.follows());
    assert!(agenda.next_run(now).unwrap().is_poll);
}

/// An error that each new connection meets again would set the pace otherwise.
#[test]
fn neither_a_full_look_nor_a_hint_comes_before_the_time_to_try_again() {
    let now = Instant::now();
    let mut agenda = watching(&["q"], now);
    let later = now + Duration::from_secs(1);
    assert!(agenda.next_run(now).is_some());
    agenda.fail("q", later);
    agenda.poll_all(now);
    agenda.bring_forward("q", now);
    assert!(agenda.next_run(now).is_none());
    assert_eq!(agenda.next(), Some(later));
    assert!(agenda.next_run(later).unwrap().is_poll);
    agenda.finish("q", None);
    agenda.bring_forward("q", later);
    assert_eq!(agenda.next(), Some(later));
}

/// A service that opens a handle for each request, and moves nothing, must not remember them all.
#[test]
fn abandoned_queues_without_a_transfer_do_not_pile_up() {
    let now = Instant::now();
    let mut agenda = watching(&["kept"], now);
    for i in 0..100 {
        agenda.forget_abandoned();
        agenda.watch(keys(&i.to_string()), Weak::new(), false, now);
        assert!(agenda.all().count() <= 2);
    }
    assert!(agenda.get_mut("kept").is_some());
}
