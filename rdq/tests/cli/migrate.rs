//! `rdq migrate`

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use redisson_delayed_queue::Client;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::packed::{Format, Packed};
use testbed::Server;

use crate::broken::{Broken, new, old};
use crate::rdq::{json, run};

fn payload(member: &[u8]) -> Bytes {
    Packed::parse(Bytes::copy_from_slice(member))
        .unwrap()
        .payload
}

#[test]
fn old_members_keep_their_payloads_due_times_and_places() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later: u64 = orders.later().parse().unwrap();
    for i in 0..1_500 {
        let value = format!("order {i}");
        let member = match i % 3 {
            0 => new(i, value.as_bytes()),
            _ => old(i, value.as_bytes()),
        };
        orders.offer(&member, &(later + i * 7_919 % 1_500).to_string());
    }
    // Not in the ordering list, as a retainAll() leaves it.
    orders.schedule(&old(5_000, b"missing"), &later.to_string());
    let before = orders.contents();

    let refused = run(&server.url(), &["migrate", "orders"]);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert_eq!(orders.contents(), before);
    let [done] = json(&server.url(), &["migrate", "orders", "--yes"])
        .try_into()
        .unwrap();
    assert_eq!(done["migrated"], 1_001, "{done}");
    assert_eq!(done["left"], 0);

    let after = orders.contents();
    let scores = |scores: &BTreeMap<Vec<u8>, String>| -> BTreeMap<Bytes, String> {
        scores
            .iter()
            .map(|(it, score)| (payload(it), score.clone()))
            .collect()
    };
    assert_eq!(scores(&after.scores), scores(&before.scores));
    let order = |entries: &[Vec<u8>]| entries.iter().map(|it| payload(it)).collect::<Vec<_>>();
    assert_eq!(order(&after.entries), order(&before.entries));
    for member in after.scores.keys().chain(&after.entries) {
        let packed = Packed::parse(member.clone().into()).unwrap();
        assert_eq!(packed.format, Format::Bc0Lc0);
    }
    assert!(after.entries.iter().all(|it| after.scores.contains_key(it)));
    let [again] = json(&server.url(), &["migrate", "orders"])
        .try_into()
        .unwrap();
    assert_eq!(again["migrated"], 0, "there is nothing to ask about");
}

/// Rust reads both layouts: an element that becomes due before its turn is delivered as it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn each_element_comes_once_while_the_queue_works() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let now = orders.now_ms();
    for i in 0..4_000 {
        let value = format!("order {i}");
        let member = match i % 2 {
            0 => new(i, value.as_bytes()),
            _ => old(i, value.as_bytes()),
        };
        // Some are due already, the last in a second or so.
        orders.offer(&member, &(now + i * 7_919 % 4_000).to_string());
    }
    let client = Client::connect(&*server.url()).await.unwrap();
    let queue = client.delayed_queue("orders", StringCodec).unwrap();
    let producer = queue.clone();
    let offers = tokio::spawn(async move {
        for i in 4_000..6_000 {
            let delay = Duration::from_millis(i % 97);
            producer.offer(&format!("order {i}"), delay).await.unwrap();
        }
    });
    let url = server.url();
    let migration =
        tokio::task::spawn_blocking(move || json(&url, &["migrate", "orders", "--yes"]));
    let mut taken = BTreeMap::<String, u32>::new();
    while taken.len() < 6_000 {
        let value = queue.poll(Duration::from_secs(30)).await.unwrap();
        let value = value.unwrap_or_else(|| panic!("only {} elements came", taken.len()));
        *taken.entry(value).or_default() += 1;
    }
    offers.await.unwrap();
    let [done] = migration.await.unwrap().try_into().unwrap();
    assert_eq!(done["left"], 0, "{done}");
    assert_eq!(queue.poll(Duration::from_millis(200)).await.unwrap(), None);
    assert!(taken.values().all(|count| *count == 1));
    let contents = orders.contents();
    assert!(
        contents.scores.is_empty() && contents.entries.is_empty(),
        "{contents:?}"
    );
}
