//! Redisson 3.20.1, which writes and reads `dLc0` members, beside this crate, which reads both
//! layouts and writes `Bc0Lc0`.
//!
//! It must not transfer where Rust offers. Its script unpacks every due member as `dLc0`, so of
//! ours it takes the id for a number and finds the length of the payload 9 bytes early, in the
//! middle of the id: the script fails, at the same place each time, and nothing that is due moves
//! any more. It can offer and take wherever Rust transfers.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::{TryStreamExt, future};
use interop::peer::Peer;
use redisson_delayed_queue::{Client, DelayedQueue, Ticket, codec::StringCodec};
use tokio::runtime::Runtime;

use crate::{
    crowd, elements,
    stage::{Language, ON_TIME, Roles, Stage},
};

/// All roles, except those in which it would transfer what Rust offered.
pub(crate) fn elements_pass() {
    let possible =
        |roles: &Roles| roles.producer == Language::Java || roles.mover == Language::Rust;
    let roles: Vec<Roles> = Roles::ALL.into_iter().filter(possible).collect();
    elements::pass(VERSION, &roles);
}

/// Both layouts in one queue. The Java processes offer and take, the Rust ones transfer as well.
pub(crate) fn crowd_conserves() {
    crowd::conserves(VERSION, Peer::open_offering);
}

/// Every call of Rust that changes what is pending works on members of the old layout, and Java
/// moves what is left of them, on time.
pub(crate) fn members_are_changed() {
    let runtime = Runtime::new().expect("the system has threads");
    let mut stage = Stage::new(VERSION);
    let of_java = Roles {
        producer: Language::Java,
        mover: Language::Java,
        consumer: Language::Java,
    };
    let queue = stage.open(of_java, "old", "string");
    stage.offer(&queue, Duration::ZERO, "warm-up");
    let warmed_up = stage.poll(&queue, ON_TIME);
    assert!(warmed_up.is_some(), "no warm-up");
    for value in ["polled", "later", "now", "soon", "cancelled", "removed"] {
        stage.offer(&queue, Duration::from_secs(4), value);
    }
    for value in ["removed", "unwanted", "unwanted", "last"] {
        stage.offer(&queue, Duration::from_secs(60), value);
    }

    let client = Client::builder().transfer(false);
    let (soon, later) = runtime.block_on(async {
        let client = client.connect(stage.url()).await;
        let client = client.expect("the private redis accepts connections");
        let old: DelayedQueue<String> = client
            .delayed_queue("old", StringCodec)
            .expect("the client is open");
        let mut found = old
            .pending()
            .iter()
            .try_filter(|it| future::ready(it.value != "removed"));
        let mut tickets: Vec<(String, Ticket)> = Vec::new();
        while let Some(entry) = found.try_next().await.expect("redis answers") {
            tickets.push((entry.value, entry.ticket));
        }
        let ticket = |value: &str| {
            let found = tickets.iter().find(|(of, _)| of == value);
            let (_, ticket) = found.unwrap_or_else(|| panic!("{value} is pending: {tickets:?}"));
            ticket
        };
        let polled = old.pending().poll().await.expect("redis answers");
        assert_eq!(polled.as_deref(), Some("polled"));
        let last = old
            .pending()
            .poll_last_and_offer_first_to("elsewhere")
            .await;
        assert_eq!(last.expect("redis answers").as_deref(), Some("last"));
        assert!(
            old.cancel(ticket("cancelled"))
                .await
                .expect("redis answers")
        );
        let removed = "removed".to_owned();
        assert!(old.pending().remove(&removed).await.expect("redis answers"));
        assert!(old.pending().remove(&removed).await.expect("redis answers"));
        let wanted = ["now", "soon", "later"].map(str::to_owned);
        assert_eq!(
            old.pending()
                .retain_all(&wanted)
                .await
                .expect("redis answers"),
            2
        );
        for (value, delay) in [("soon", 2), ("later", 6)] {
            let delay = Duration::from_secs(delay);
            let done = old.reschedule(ticket(value), delay).await;
            assert!(done.expect("redis reschedules"), "{value} was scheduled");
        }
        assert!(old.promote(ticket("now")).await.expect("redis promotes"));
        let raw = &mut stage.raw;
        (raw.due_ms("old", b"soon"), raw.due_ms("old", b"later"))
    });

    let now = stage.poll(&queue, ON_TIME);
    assert_eq!(now.map(|it| it.value), Some(b"now".to_vec()));
    stage.take_on_time(&queue, b"soon", soon);
    stage.take_on_time(&queue, b"later", later);
    assert!(stage.raw.ordering("old").is_empty());
    assert!(stage.raw.timeouts("old").is_empty());
}

/// Of these ids, one in 256 begins so that its member fits the new layout as well.
pub(crate) fn zeros_arrive() {
    let mut stage = Stage::new(VERSION);
    let roles = Roles {
        producer: Language::Java,
        mover: Language::Rust,
        consumer: Language::Rust,
    };
    let queue = stage.open(roles, "zeros", "bytes");
    let lengths = (1..=12).cycle().take(3_000);
    for length in lengths.clone() {
        stage.offer(&queue, Duration::ZERO, vec![0; length]);
    }
    let taken = lengths.clone().map(|length| {
        let taken = stage.poll(&queue, ON_TIME);
        taken.unwrap_or_else(|| panic!("{length} zeros were offered"))
    });
    // What is due at the same millisecond comes in the order of the ids, which are random.
    let mut counts: BTreeMap<Vec<u8>, i32> = BTreeMap::new();
    for element in taken {
        *counts.entry(element.value).or_default() += 1;
    }
    for length in lengths {
        *counts.entry(vec![0; length]).or_default() -= 1;
    }
    counts.retain(|_, more| *more != 0);
    // One id in 16,384 is so near zero that its member is taken for one of the new layout, as
    // `Packed::parse` says. Its payload is empty then.
    let is_near_zero = counts.len() == 2 && counts.get(&vec![]) == Some(&1);
    assert!(
        counts.is_empty() || is_near_zero,
        "too many of each: {counts:?}"
    );
}

const VERSION: &str = "3.20.1";
