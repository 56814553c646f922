//! `rdq get`, `cancel`, `reschedule`, `promote`, `pause`, `resume` and `rate`

use std::time::Duration;

use redisson_delayed_queue::{DelayedQueue, Listing, Offer, Ticket};
use testbed::Server;

use crate::fill::{costs, fill};
use crate::rdq::{done, fed, json, queue, run};

const HOUR: Duration = Duration::from_secs(3_600);

fn id(ticket: &Ticket) -> String {
    ticket
        .id()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

async fn offer(orders: &DelayedQueue<String>, value: &str) -> Ticket {
    orders.offer(&value.to_owned(), HOUR).await.unwrap()
}

#[tokio::test]
async fn get_shows_everything_about_an_element() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    offer(&orders, "other").await;
    let keyed = Offer::after(HOUR).key("order 17");
    let offered = orders.offer_with(&"order".to_owned(), keyed).await.unwrap();
    let (ticket, id) = (offered.ticket.to_string(), id(&offered.ticket));
    for name in [&ticket, &id, &id[..16]] {
        let [shown] = json(&url, &["get", "orders", name]).try_into().unwrap();
        assert_eq!(shown["id"], id);
        assert_eq!(shown["ticket"], ticket);
        assert_eq!(shown["key"], "order 17");
        assert_eq!(shown["place"], 1);
        assert_eq!(shown["format"], "new");
        assert_eq!(shown["trailing"], 0);
        assert_eq!(shown["value"], "order");
        assert_eq!(shown["codecs"][0], "StringCodec");
    }
    let text = done(&url, &["get", "orders", &ticket]);
    assert!(text.contains("key      order 17\n"), "{text}");
    assert!(text.ends_with("\n\"order\"\n"), "{text}");
}

#[tokio::test]
async fn get_tells_which_members_are_old_missing_in_the_list_or_unlisted() {
    let server = Server::start();
    let url = server.url();
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    let add = "redis.call('ZADD', KEYS[1], ARGV[1],
        struct.pack('dLc0', 123456789123456789, 5, 'order'))
        redis.call('ZADD', KEYS[1], ARGV[1],
        struct.pack('Bc0Lc0', 8, 'newnewid', 5, 'order') .. 'xyz')";
    server.run::<()>(&["EVAL", add, "1", timeouts, "4102488000000"]);
    let rows = json(&url, &["ls", "orders", "--codec", "string"]);
    let get = |row: &serde_json::Value| {
        let name = row["id"].as_str().unwrap();
        let [shown] = json(&url, &["get", "orders", name, "--codec", "string"])
            .try_into()
            .unwrap();
        shown
    };
    let mut shown: Vec<_> = rows.iter().map(get).collect();
    shown.sort_by_key(|it| it["format"].as_str().unwrap().to_owned());
    let [new, old] = shown.try_into().unwrap();
    assert_eq!(
        (&old["format"], &old["value"]),
        (&"old".into(), &"order".into())
    );
    assert_eq!(
        (&new["format"], &new["trailing"]),
        (&"new".into(), &3.into())
    );
    // Neither stands in the ordering list.
    assert_eq!(old["place"], serde_json::Value::Null);
    let id = new["id"].as_str().unwrap();
    let text = done(&url, &["get", "orders", id]);
    assert!(text.contains("missing in the ordering list"), "{text}");

    let unlisted = queue(&url, "orders").await.with_listing(Listing::Unlisted);
    let ticket = offer(&unlisted, "order").await.to_string();
    let text = done(&url, &["get", "orders", &ticket]);
    assert!(text.contains("unlisted"), "{text}");
}

#[tokio::test]
async fn a_prefix_that_several_ids_have_is_refused_with_them() {
    let server = Server::start();
    fill(&server, "orders", 100);
    // `000000` and two more digits.
    let many = run(&server.url(), &["get", "orders", "303030303030"]);
    assert_eq!(many.code, 2, "{many:?}");
    assert!(many.stderr.contains("30303030303030"), "{many:?}");
    assert!(many.stderr.trim_end().ends_with('…'), "{many:?}");
    // `0000001` and one more digit: all ten are named.
    let ten = run(&server.url(), &["get", "orders", "30303030303031"]);
    assert!(
        ten.stderr.trim_end().ends_with("3030303030303139"),
        "{ten:?}"
    );
}

/// Each special character of a pattern is a byte of some id.
#[tokio::test]
async fn an_id_may_have_any_bytes() {
    let server = Server::start();
    let url = server.url();
    let timeouts = "redisson_delay_queue_timeout:{orders}";
    let add =
        "redis.call('ZADD', KEYS[1], 4102488000000, struct.pack('Bc0Lc0', 8, ARGV[1], 1, '7'))";
    for id in ["*?[]\\^-x", "ab?[]\\^-", "abcdefgh"] {
        server.run::<()>(&["EVAL", add, "1", timeouts, id]);
    }
    let hex = |id: &str| id.bytes().map(|it| format!("{it:02x}")).collect::<String>();
    for id in ["*?[]\\^-x", "ab?[]\\^-"] {
        let [shown] = json(&url, &["get", "orders", &hex(id)]).try_into().unwrap();
        assert_eq!(shown["id"], hex(id));
    }
    let odd = &hex("abcd")[..7];
    let [shown] = json(&url, &["get", "orders", odd]).try_into().unwrap();
    assert_eq!(shown["id"], hex("abcdefgh"));
}

#[tokio::test]
async fn cancel_removes_what_is_named_and_nothing_else() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    let mut tickets = Vec::new();
    for value in ["a", "b", "c", "d", "e"] {
        tickets.push(offer(&orders, value).await);
    }
    let [a, b, c, ..] = &*tickets else { panic!() };
    let rows = json(&url, &["cancel", "orders", &a.to_string(), &id(b)]);
    assert_eq!(rows.len(), 2);
    assert_eq!(
        (&rows[1]["id"], &rows[1]["done"]),
        (&id(b).into(), &true.into())
    );
    assert_eq!(rows[1]["ticket"], b.to_string());

    // The second time there is nothing to cancel, and the rest is done all the same.
    let again = run(&url, &["cancel", "orders", &a.to_string(), &id(b), &id(c)]);
    assert_eq!(again.code, 3, "{again:?}");
    let expected = format!(
        "not pending {}\nnot pending {}\ncancelled {}\n",
        id(a),
        id(b),
        id(c)
    );
    assert_eq!(again.stdout, expected);
    assert!(again.stderr.contains("2 of 3 elements"), "{again:?}");

    let by_value = ["cancel", "orders", "--value", "\"d\"", "--codec", "string"];
    done(&url, &by_value);
    assert_eq!(run(&url, &by_value).code, 3);
    assert_eq!(orders.pending().read_all().await.unwrap(), ["e"]);
    assert_eq!(
        server.run::<usize>(&["ZCARD", "redisson_delay_queue_timeout:{orders}"]),
        1
    );
}

#[tokio::test]
async fn names_may_come_on_stdin() {
    let server = Server::start();
    let url = server.url();
    fill(&server, "orders", 3_000);
    let rows = json(&url, &["ls", "orders", "-n", "2500"]);
    let tickets: Vec<_> = rows
        .iter()
        .map(|row| row["ticket"].as_str().unwrap())
        .collect();
    let cancelled = fed(&url, &["cancel", "orders", "-"], &tickets.join("\n"));
    assert_eq!(cancelled.code, 0, "{cancelled:?}");
    assert_eq!(cancelled.stdout.lines().count(), 2_500);
    for key in [
        "ZCARD redisson_delay_queue_timeout:{orders}",
        "LLEN redisson_delay_queue:{orders}",
    ] {
        let command: Vec<_> = key.split(' ').collect();
        assert_eq!(server.run::<usize>(&command), 500);
    }
    // One wrong name, and nothing happens.
    let left = json(&url, &["ls", "orders", "-n", "1"])[0]["ticket"].to_string();
    let wrong = format!("{}\nnonsense!\n", left.trim_matches('"'));
    assert_eq!(fed(&url, &["cancel", "orders", "-"], &wrong).code, 2);
    assert_eq!(
        server.run::<usize>(&["LLEN", "redisson_delay_queue:{orders}"]),
        500
    );
}

#[tokio::test]
async fn a_due_time_can_be_moved_to_and_fro() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    let ticket = offer(&orders, "order").await.to_string();
    let due = || {
        json(&url, &["get", "orders", &ticket])[0]["due_ms"]
            .as_u64()
            .unwrap()
    };
    done(
        &url,
        &[
            "reschedule",
            "orders",
            &ticket,
            "--at",
            "2100-01-01T12:00:00Z",
        ],
    );
    assert_eq!(due(), 4_102_488_000_000);
    done(&url, &["reschedule", "orders", &ticket, "--delay", "2h"]);
    let (seconds, _): (u64, u64) = server.run(&["TIME"]);
    assert!(
        (seconds + 7_100..seconds + 7_201).contains(&(due() / 1_000)),
        "{}",
        due()
    );
    done(&url, &["promote", "orders", &ticket]);
    let (seconds, _): (u64, u64) = server.run(&["TIME"]);
    assert!(due() / 1_000 <= seconds);
    assert_eq!(run(&url, &["reschedule", "orders", &ticket]).code, 2);
    done(&url, &["cancel", "orders", &ticket]);
    assert_eq!(run(&url, &["promote", "orders", &ticket]).code, 3);
    assert_eq!(run(&url, &["get", "orders", &ticket]).code, 3);
}

/// An error names what the user asked for.
#[tokio::test]
async fn a_refused_change_is_called_by_its_verb() {
    let server = Server::start();
    let orders = queue(&server.url(), "orders").await;
    let ticket = offer(&orders, "order").await.to_string();
    let rule = [
        "ACL", "SETUSER", "viewer", "on", ">secret", "~*", "&*", "+@all", "-eval", "-evalsha",
    ];
    server.run::<()>(&rule);
    let url = format!("redis://viewer:secret@{}", server.address());
    for (verb, when) in [("promote", &[][..]), ("reschedule", &["--delay", "1h"])] {
        let refused = run(&url, &[&[verb, "orders", &ticket], when].concat());
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.stderr.contains(&format!(" {verb}")), "{refused:?}");
    }
}

#[tokio::test]
async fn a_queue_can_be_held_back_and_limited() {
    let server = Server::start();
    let url = server.url();
    let orders = queue(&url, "orders").await;
    orders.offer(&"a".to_owned(), HOUR).await.unwrap();
    done(&url, &["pause", "orders"]);
    assert!(orders.is_paused().await.unwrap());
    let resumed = &json(&url, &["resume", "orders"])[0];
    assert_eq!(resumed["paused"], false);
    assert_eq!(resumed["was_paused"], true);
    assert_eq!(done(&url, &["resume", "orders"]), "orders was not paused\n");
    assert!(!orders.is_paused().await.unwrap());

    let rate = |args: &[&str]| json(&url, &[&["rate", "orders"], args].concat())[0].clone();
    assert_eq!(rate(&[])["interval_us"], serde_json::Value::Null);
    assert_eq!(rate(&["100/s", "--burst", "5"])["burst"], 5);
    let limit = orders.rate_limit().await.unwrap().unwrap();
    assert_eq!(
        (limit.interval(), limit.burst()),
        (Duration::from_millis(10), 5)
    );
    assert_eq!(rate(&[])["interval_us"], 10_000);
    assert_eq!(rate(&["--off"])["interval_us"], serde_json::Value::Null);
    assert_eq!(orders.rate_limit().await.unwrap(), None);
}

#[tokio::test]
async fn a_search_for_an_id_takes_short_steps() {
    let server = Server::start();
    fill(&server, "orders", 100_000);
    server.run::<()>(&["CONFIG", "RESETSTAT"]);
    // `00050000`: in the middle of the ordering list.
    let [shown] = json(&server.url(), &["get", "orders", "3030303530303030"])
        .try_into()
        .unwrap();
    assert_eq!(shown["place"], 50_000);
    for (name, _, mean) in costs(&server) {
        assert!(mean < 25_000.0, "{name} takes {mean} us");
    }
}

/// As the README shows it: what is selected by a field has that value, and comes back.
#[tokio::test]
async fn lines_that_were_kept_bring_cancelled_elements_back() {
    let server = Server::start();
    let url = server.url();
    let values = [17, 170, 1_755].map(|it| format!("{{\"customer\":{it}}}\n"));
    let lines = [
        "offer", "orders", "--lines", "--codec", "json", "--delay", "1h",
    ];
    assert_eq!(fed(&url, &lines, &values.concat()).code, 0);
    let found = json(
        &url,
        &["ls", "orders", "-n", "0", "--match", "\"customer\":17"],
    );
    assert_eq!(found.len(), 3);
    let mut selected = json(&url, &["ls", "orders", "-n", "0"]);
    selected.retain(|it| it["value"]["customer"] == 17);
    let [element] = selected.try_into().unwrap();
    let ticket = element["ticket"].as_str().unwrap();
    assert_eq!(
        json(&url, &["get", "orders", ticket])[0]["due_ms"],
        element["due_ms"]
    );
    assert_eq!(fed(&url, &["cancel", "orders", "-"], ticket).code, 0);
    assert_eq!(json(&url, &["ls", "orders"]).len(), 2);
    let back = ["offer", "orders", "--lines=elements", "--codec", "json"];
    assert_eq!(fed(&url, &back, &element.to_string()).code, 0);
    let is_back = |it: &serde_json::Value| {
        it["value"] == element["value"] && it["due_ms"] == element["due_ms"]
    };
    assert!(json(&url, &["ls", "orders"]).iter().any(is_back));
}
