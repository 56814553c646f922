//! `rdq hand-back`

use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue, Processing};
use testbed::{Server, until};

use crate::leases::{claim, target};
use crate::rdq::{done, json, run};

const HOUR: Duration = Duration::from_secs(3_600);

/// A client whose consumer has `a:1`, retries `b:1` later, and has `a:2` and `a:3` wait behind `a:1`. It
/// rejected `bad`.
async fn consume(server: &Server) -> (Client, DelayedQueue<String>) {
    let _: () = server.run(&["RPUSH", "orders", "bad", "a:1", "a:2", "b:1", "a:3"]);
    let url = server.url();
    // One that transfers, so the others of the queue hear of it.
    let client = Client::connect(url).await.unwrap();
    let orders = client.delayed_queue("orders", StringCodec).unwrap();
    let key = |order: &String| order.split(':').next().unwrap_or_default().to_owned();
    let consumer = orders
        .consumer()
        .visibility(HOUR)
        .prefetch(5)
        .processing(Processing::by_key(key))
        .build()
        .unwrap();
    for _ in 0..3 {
        let delivery = consumer.recv().await.unwrap();
        match delivery.value().as_str() {
            "bad" => delivery.reject("bad").await.unwrap(),
            "b:1" => delivery.nack(2 * HOUR).await.unwrap(),
            // It is never dropped, so it is never given back.
            _ => std::mem::forget(delivery),
        }
    }
    // A worker claims for a caller who waits, and gives back what nobody wants.
    let more = consumer.recv();
    let two_wait = tokio::task::spawn_blocking({
        let server = server.clone();
        move || {
            until("two wait", || match count(&server, "ZCARD", "grouped") {
                2 => Ok(()),
                other => Err(other.to_string()),
            });
        }
    });
    tokio::select! {
        more = more => panic!("{:?} came", more.unwrap().value()),
        waiting = two_wait => waiting.unwrap(),
    }
    (client, orders)
}

fn count(server: &Server, command: &str, key: &str) -> u64 {
    server.run(&[command, &format!("rdq1_{key}:{{orders}}")])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_comes_home_in_order_and_what_java_cannot_hold_stays_and_is_named() {
    let server = Server::start();
    let url = server.url();
    let (client, _orders) = consume(&server).await;
    let at_work = run(&url, &["hand-back", "orders", "--yes"]);
    assert_eq!(at_work.code, 1, "{at_work:?}");
    assert!(at_work.stderr.contains("1 Rust client works on orders"));
    assert!(target(&server).is_empty());
    client.shutdown().await.unwrap();
    let refused = run(&url, &["hand-back", "orders"]);
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(target(&server).is_empty());

    claim(&server, 1, &["taken:1", "taken:2"], 1_000);
    // Somebody deletes the leases of what a client has, and another client comes.
    let _: () = server.run(&["DEL", "rdq1_leases:{orders}"]);
    claim(&server, 2, &["taken:3"], 1_000);
    let _: () = server.run(&["RPUSH", "orders", "due"]);
    let fill = "
        local readable = struct.pack('Bc0Lc0', 8, 'readable', 8, 'restored')
        redis.call('ZADD', KEYS[1], 9e12, readable, 9e12, 'junk')
        redis.call('ZADD', KEYS[2], 9e12, struct.pack('Bc0Lc0', 8, 'unlisted', 8, 'unlisted'))
        redis.call('HSET', KEYS[3], 'nightly', '{}')
        redis.call('ZADD', KEYS[4], 9e12, 'nightly')";
    let keys = [
        "rdq1_quarantine:{orders}",
        "redisson_delay_queue_timeout:{orders}",
        "rdq1_periodic:{orders}",
        "rdq1_periodic_due:{orders}",
    ];
    let _: () = server.run(&[&["EVAL", fill, "4"], &keys[..]].concat());
    let offer = ["offer", "orders", "\"keyed\"", "--codec", "string"];
    done(
        &url,
        &[&offer[..], &["--delay", "1h", "--key", "k"]].concat(),
    );
    // Two claims of what waits came too late at their workers.
    let late = "
        for _, entry in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
            redis.call('HSET', KEYS[2], string.sub(entry, 25, 50) .. '-', 1)
        end";
    let keys = ["rdq1_grouped:{orders}", "rdq1_deliveries:{orders}"];
    let _: () = server.run(&[&["EVAL", late, "2"], &keys[..]].concat());
    done(&url, &["pause", "orders"]);
    done(&url, &["rate", "orders", "5/s"]);

    let rows = json(&url, &["hand-back", "orders", "--yes"]);
    let expected = [
        "a:1", "b:1", "taken:1", "taken:2", "taken:3", "a:2", "a:3", "due",
    ];
    assert_eq!(target(&server), expected);
    assert_eq!(
        (&rows[0]["brought"], &rows[0]["restored"]),
        (&7.into(), &1.into())
    );
    assert_eq!(rows[0]["schedules"], serde_json::json!(["nightly"]));
    for (name, expected) in [("quarantined", 1), ("unlisted", 1), ("dead", 1)] {
        assert_eq!(rows[0][name], expected, "{name}");
    }
    for key in [
        "leases",
        "deliveries",
        "delivery_leases",
        "retries",
        "groups",
        "grouped",
        "state",
    ] {
        assert_eq!(count(&server, "EXISTS", key), 0, "{key}");
    }
    assert_eq!(count(&server, "HLEN", "periodic"), 1);
    let dead: Vec<String> = server.run(&["LRANGE", "{orders}-dead", "0", "-1"]);
    assert_eq!(dead, ["bad"]);
    let pending = ["ls", "orders", "--codec", "string"];
    assert_eq!(json(&url, &pending).len(), 3);

    let again = done(&url, &["hand-back", "orders"]);
    assert!(again.contains("orders: 0 elements brought home"), "{again}");
    assert!(again.contains("nightly"), "{again}");
    assert_eq!(target(&server), expected);
}

/// What nobody can read is never taken for nothing.
#[test]
fn what_cannot_be_read_fails_the_run_and_stays() {
    let server = Server::start();
    let _: () = server.run(&["ZADD", "rdq1_grouped:{orders}", "0", "short"]);
    let _: () = server.run(&["ZADD", "rdq1_leases:{orders}", "1", "foreign"]);
    claim(&server, 1, &["taken"], 1_000);
    let failed = run(&server.url(), &["hand-back", "orders"]);
    assert_eq!(failed.code, 1, "{failed:?}");
    assert!(
        failed.stderr.contains("2 elements that Rust holds"),
        "{failed:?}"
    );
    assert_eq!(target(&server), ["taken"]);
    assert_eq!(count(&server, "ZCARD", "grouped"), 1);
}

#[test]
fn a_run_without_all_rights_changes_nothing_or_says_what_it_has_changed() {
    let server = Server::start();
    let url = server.url().replace("redis://", "redis://low:low@");
    claim(&server, 1, &["taken"], 1_000);
    // All keys but the quarantine.
    let keys = ["~orders", "~{orders}*", "~redisson*", "~rdq1_[^q]*"];
    let user = ["ACL", "SETUSER", "low", "on", ">low", "&*", "+@all"];
    server.run::<()>(&[&user[..], &keys].concat());
    let refused = run(&url, &["hand-back", "orders"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(target(&server).is_empty(), "{refused:?}");
    assert_eq!(count(&server, "ZCARD", "leases"), 1);

    // Where a pause would stand. It ends behind all elements.
    server.run::<()>(&["SET", "rdq1_state:{orders}", "foreign"]);
    let failed = run(&server.url(), &["hand-back", "orders"]);
    assert_eq!(failed.code, 1, "{failed:?}");
    assert_eq!(target(&server), ["taken"]);
    let said = "1 element was brought home to orders before it failed";
    assert!(failed.stderr.contains(said), "{failed:?}");
}
