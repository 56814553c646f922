//! `rdq migrate`

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use redisson_delayed_queue::Client;
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::packed::{Format, Packed};
use testbed::{Cluster, Server};

use crate::broken::{Broken, new, old};
use crate::rdq::{json, run};
use crate::terminal::Terminal;

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

/// The second entry of a member that is replaced would have no due time.
#[test]
fn an_old_member_that_is_listed_twice_leaves_no_ghost() {
    let server = Server::start();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    for i in 0..300 {
        orders.offer(&old(i, b"order"), &later);
    }
    for i in [3, 7, 7, 299] {
        orders.list(&old(i, b"order"));
    }
    let [done] = json(&server.url(), &["migrate", "orders", "--yes"])
        .try_into()
        .unwrap();
    assert_eq!(done["migrated"], 300, "{done}");
    assert_eq!(done["left"], 0, "{done}");
    let after = orders.contents();
    assert_eq!(after.entries.len(), 300);
    for (i, entry) in (0..).zip(&after.entries) {
        assert_eq!(
            entry[1..9],
            old(i, b"order")[..8],
            "each in its first place"
        );
        assert!(after.scores.contains_key(entry));
    }
    assert_eq!(after.scores.len(), 300);
}

/// Redis passes messages on within a cluster, so that any node may have the subscriber.
#[test]
fn the_question_counts_who_listens_at_any_node_of_a_cluster() {
    let cluster = Cluster::start();
    let master = cluster.master_of("orders");
    let mut orders = Broken::at(&master, "orders");
    let later = orders.later();
    orders.offer(&old(1, b"order"), &later);
    let replica = cluster.replica_of("orders");
    let masters = cluster.masters().into_iter();
    let other = masters.into_iter().find(|it| it.port() != master.port());
    let mut connections = [other.unwrap(), replica].map(|it| it.connection());
    let mut listening = Vec::new();
    for connection in &mut connections {
        let mut listener = connection.as_pubsub();
        listener.subscribe(orders.keys.channel()).unwrap();
        listening.push(listener);
    }
    let mut terminal = Terminal::run(&cluster.url(), &["migrate", "orders"], 160, 10);
    terminal.shows(&["2 clients listen to the channel", "[y/N]"]);
    terminal.press("y\r");
    terminal.shows(&["orders: 1 old member was turned into a new one."]);
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
