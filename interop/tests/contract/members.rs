//! The members that this crate writes, read by real Redisson.

use std::time::Duration;

use redisson_delayed_queue::{Client, DelayedQueue, MemberIds, codec::StringCodec};
use tokio::runtime::Runtime;

use crate::stage::{Language, ON_TIME, Roles, Stage};

/// Java transfers members with ids of 8 random bytes, as it writes itself, and with those of 16
/// bytes, which moreover keep elements of one millisecond in offer order.
pub(crate) fn transferred_by_java(version: &'static str) {
    let mut stage = Stage::new(version);
    let runtime = Runtime::new().expect("the system has threads");
    for (ids, id_len) in [(MemberIds::Random, 8), (MemberIds::Ordered, 16)] {
        let name = format!("ids-{ids:?}");
        let roles = Roles {
            producer: Language::Rust,
            mover: Language::Java,
            consumer: Language::Java,
        };
        let queue = stage.open(roles, &name, "string");
        let offered: Vec<String> = (0..COUNT).map(|i| format!("{i:03}")).collect();
        runtime.block_on(async {
            let builder = Client::builder().transfer(false).member_ids(ids);
            let client = builder.connect(stage.url()).await;
            let client = client.expect("the private redis accepts connections");
            let offering: DelayedQueue<String> = client
                .delayed_queue(&name, StringCodec)
                .expect("the client is open");
            for value in &offered {
                let offer = offering.offer(value, DELAY);
                offer.await.expect("redis accepts offers");
            }
        });

        let scheduled = stage.raw.timeouts(&name);
        assert_eq!(scheduled.len(), COUNT, "{version}, {name}");
        let lengths = scheduled.iter().map(|(member, _)| member[0]);
        assert!(
            lengths.eq([id_len; COUNT]),
            "{version}, {name}: {scheduled:x?}"
        );

        let mut taken = Vec::new();
        for _ in 0..COUNT {
            let element = stage.poll(&queue, ON_TIME);
            let element = element.unwrap_or_else(|| panic!("{version}, {name}: only {taken:?}"));
            taken.push(String::from_utf8(element.value).expect("values are text"));
        }
        if ids == MemberIds::Random {
            taken.sort();
        }
        assert_eq!(taken, offered, "{version}, {name}");
    }
    stage.raw.await_empty(version);
}

/// Enough elements that some share a millisecond.
const COUNT: usize = 60;
/// Long enough to offer all and look at them before anything moves.
const DELAY: Duration = Duration::from_secs(3);
