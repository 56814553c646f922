//! Elements that expire, read by real Redisson.

use std::time::{Duration, SystemTime};

use redisson_delayed_queue::{Client, DelayedQueue, MemberIds, Offer, codec::StringCodec};
use tokio::runtime::Runtime;

use crate::stage::{Language, ON_TIME, Roles, Stage};

/// Java transfers and delivers members with the 25 bytes of id that hold until when they are of
/// use, in time and, since it does not know what they mean, too late as well.
pub(crate) fn delivered_by_java(version: &'static str) {
    let mut stage = Stage::new(version);
    let runtime = Runtime::new().expect("the system has threads");
    for ids in [MemberIds::Ordered, MemberIds::Random] {
        let name = format!("expiring-{ids:?}");
        let roles = Roles {
            producer: Language::Rust,
            mover: Language::Java,
            consumer: Language::Java,
        };
        let offered: Vec<String> = (0..COUNT).map(|i| format!("{i:03}")).collect();
        let (queue, late) = runtime.block_on(async {
            let builder = Client::builder().transfer(false).member_ids(ids);
            let client = builder.connect(stage.url()).await;
            let client = client.expect("the private redis accepts connections");
            let offering: DelayedQueue<String> = client
                .delayed_queue(&name, StringCodec)
                .expect("the client is open");
            // Before Java is there to move it.
            let soon = SystemTime::now() + EXPIRY;
            let late = "late".to_owned();
            let offer = offering.offer_with(&late, Offer::after(Duration::ZERO).expires_at(soon));
            offer.await.expect("redis accepts offers");
            tokio::time::sleep(EXPIRY).await;
            let queue = stage.open(roles, &name, "string");
            for value in &offered {
                let expires_at = SystemTime::now() + DELAY * 100;
                let offer = offering.offer_with(value, Offer::after(DELAY).expires_at(expires_at));
                offer.await.expect("redis accepts offers");
            }
            (queue, late)
        });

        let scheduled = stage.raw.timeouts(&name);
        let lengths = scheduled.iter().map(|(member, _)| member[0]);
        assert!(lengths.eq(vec![25; scheduled.len()]), "{scheduled:x?}");
        assert!(scheduled.len() >= COUNT, "{version}, {name}: moved early");

        let mut taken = Vec::new();
        for _ in 0..=COUNT {
            let element = stage.poll(&queue, ON_TIME);
            let element = element.unwrap_or_else(|| panic!("{version}, {name}: only {taken:?}"));
            taken.push(String::from_utf8(element.value).expect("values are text"));
        }
        assert_eq!(taken.remove(0), late, "{version}, {name}");
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
/// Short, for it has to pass.
const EXPIRY: Duration = Duration::from_millis(300);
