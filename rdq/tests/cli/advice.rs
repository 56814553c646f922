//! What `rdq doctor` advises.

use serde_json::json;
use testbed::{Directory, Program, Server, Settings};

use crate::broken::{Broken, new};
use crate::doctor::{findings, healthy};
use crate::rdq::{self, Run, command, run};

/// A shell that runs a line of the advice must not run what a name says.
#[test]
fn an_advised_command_stands_alone_and_has_the_name_of_the_queue_as_one_word_that_is_no_option() {
    let server = healthy();
    for name in ["it's a `$(queue)`", "`", "--all", "-n", "a b"] {
        let mut queue = Broken::at(&server, name);
        let later = queue.later();
        queue.offer(&new(1, b"good"), &later);
        queue.list(&new(2, b"ghost"));
        queue.offer(&new(3, b"good"), &later);
        let (found, _) = findings(&server.url(), &["--", name]);
        let printed = run(&server.url(), &["doctor", "--", name]).stdout;
        let repair = ["--only", "ghosts", "--apply"];
        for (check, verb, options) in [
            ("waiting", "transfer", &[][..]),
            ("ghosts", "repair", &repair),
        ] {
            let commands = found[check]["commands"].as_array().unwrap();
            // The one before lists what the last removes.
            let advised = commands.last().unwrap().as_str().unwrap();
            let is_alone = printed.lines().any(|it| it.trim_start() == advised);
            assert!(is_alone, "{advised}\n{printed}");
            let expected = match name.starts_with('-') {
                true => [&["rdq", verb], options, &["--", name]].concat(),
                false => [&["rdq", verb, name], options].concat(),
            };
            assert_eq!(shlex::split(advised).unwrap(), expected);
        }
        let files = Directory::new();
        let repair = shlex::split(found["ghosts"]["commands"][1].as_str().unwrap()).unwrap();
        let words = [
            &["--yes"][..],
            &repair[1..].iter().map(|it| &**it).collect::<Vec<_>>(),
        ];
        let words = words.concat();
        let repaired = Run::of(Program::run(
            command(&server.url(), &words).current_dir(files.path()),
        ));
        assert_eq!(repaired.code, 0, "{repaired:?}");
        assert_eq!(queue.contents().entries.len(), 2);
    }
}

/// Whoever moves delivers them years too early.
#[test]
fn nobody_is_told_to_move_a_queue_with_due_times_in_seconds() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"good"), &later);
    orders.offer(&new(2, b"seconds"), &later[..10]);
    let (found, _) = findings(&server.url(), &["orders"]);
    assert_eq!(found["seconds"]["count"], 1);
    assert_eq!(found["waiting"]["count"], 1);
    assert_eq!(found["waiting"]["commands"], json!([]));
    let example = found["waiting"]["example"].as_str().unwrap();
    assert!(example.contains("the first is due in"), "{example}");

    let [row] = rdq::json(&server.url(), &["queues"]).try_into().unwrap();
    assert_eq!((&row["pending"], &row["overdue"]), (&json!(2), &json!(0)));
    assert_eq!(row["in_seconds"], 1);
    assert_eq!(row["next_due_ms"], later.parse::<u64>().unwrap());
    let shown = run(&server.url(), &["queues"]).stdout;
    assert!(shown.contains("due times in seconds"), "{shown}");

    orders.offer(&new(3, b"overdue"), "1700000000000");
    let (found, _) = findings(&server.url(), &["orders"]);
    assert_eq!(found["stall"]["count"], 1);
    assert_eq!(found["stall"]["commands"], json!([]));
    let [row] = rdq::json(&server.url(), &["queues"]).try_into().unwrap();
    assert_eq!(row["overdue"], 1);
    let due = row["due_ahead"].as_array().unwrap();
    assert_eq!(due.iter().map(|it| it.as_u64().unwrap()).sum::<u64>(), 1);

    // The advice for another queue is not shown as if it were for this one.
    Broken::at(&server, "mails").offer(&new(1, b"good"), "1700000000000");
    let shown = run(&server.url(), &["doctor"]).stdout;
    assert!(shown.contains("CRITICAL  orders  [stall]"), "{shown}");
    assert!(shown.contains("CRITICAL  mails  [stall]"), "{shown}");
}

/// With several keys, there is a command for each.
#[test]
fn each_key_that_is_odd_has_its_own_command() {
    let server = healthy();
    let mut orders = Broken::at(&server, "orders");
    let keys = orders.keys.clone();
    let later = orders.later();
    orders.offer(&new(1, b"good"), &later);
    for key in [keys.timeouts(), keys.ordering()] {
        orders.run::<()>("EXPIRE", (key, 3_600));
    }
    let (found, _) = findings(&server.url(), &["orders"]);
    let url = server.url();
    let persist = |key| format!("redis-cli -u {url} PERSIST '{key}'");
    let commands = [keys.timeouts(), keys.ordering()].map(persist);
    assert_eq!(found["expiry"]["commands"], json!(commands));
    assert_eq!(found["expiry"]["count"], 2);
    commands.iter().for_each(|it| rdq::shell(it));
    assert!(!findings(&url, &["orders"]).0.contains_key("expiry"));

    orders.run::<()>("SET", (keys.ordering(), "foreign"));
    let (found, _) = findings(&server.url(), &["orders"]);
    assert_eq!(found["types"]["count"], 1);
    let what = found["types"]["what"].as_str().unwrap();
    assert!(what.contains("again every 5 s"), "{what}");
    let advice = found["types"]["advice"].as_str().unwrap();
    assert!(advice.starts_with("Stop the Java services"), "{advice}");

    // Now the transfer fails before it pushes anything.
    orders.run::<()>("SET", (keys.target(), "foreign"));
    let (found, _) = findings(&server.url(), &["orders"]);
    assert_eq!(found["types"]["count"], 2);
    let renamed = found["types"]["commands"].as_array().unwrap();
    assert_eq!(renamed.len(), 2, "{renamed:?}");
    let what = found["types"]["what"].as_str().unwrap();
    assert!(!what.contains("again every 5 s"), "{what}");
    let said = run(&server.url(), &["doctor", "orders"]).stdout;
    assert!(said.contains("CRITICAL  orders  [types]"), "{said}");

    orders.run::<()>("DEL", keys.ordering());
    orders.run::<()>("SET", (keys.timeouts(), "foreign"));
    let (found, _) = findings(&server.url(), &["orders"]);
    let what = found["types"]["what"].as_str().unwrap();
    assert!(
        what.contains("due times that stood in the timeout set are lost"),
        "{what}"
    );
}

/// It has the address of the server and its database, and no password, which would stand in logs.
#[test]
fn an_advised_command_of_redis_runs_in_a_shell_and_tells_no_password() {
    let server = healthy();
    let mut orders = Broken::at(&server, "it's $(orders)");
    orders.run::<()>("SELECT", 5);
    let later = orders.later();
    orders.offer(&new(1, b"good"), &later);
    orders.run::<()>("EXPIRE", (orders.keys.ordering().to_owned(), 3_600));
    let rule = [
        "ACL", "SETUSER", "viewer", "on", ">secret", "~*", "&*", "+@all",
    ];
    server.run::<()>(&rule);
    let url = format!("redis://viewer:secret@{}/5", server.address());
    let (found, _) = findings(&url, &[]);
    let advised = found["expiry"]["commands"][0].as_str().unwrap();
    let own = format!("redis-cli -u redis://{}/5 PERSIST ", server.address());
    assert!(advised.starts_with(&own), "{advised}");
    rdq::shell(advised);
    assert!(!findings(&url, &[]).0.contains_key("expiry"));
}

/// Redis on the machine of its services may listen on a socket alone, and another one at its usual port.
#[test]
fn an_advised_command_of_redis_reaches_the_server_at_a_socket() {
    let folder = Directory::new();
    let path = folder.file("it's redis.sock");
    let server = Server::with(&Settings::new().set("unixsocket", &format!("\"{path}\"")));
    let mut orders = Broken::at(&server, "orders");
    orders.run::<()>("SELECT", 5);
    let later = orders.later();
    orders.offer(&new(1, b"good"), &later);
    orders.run::<()>("EXPIRE", (orders.keys.ordering().to_owned(), 3_600));
    let url = format!("unix://{path}?db=5");
    let (found, _) = findings(&url, &[]);
    rdq::shell(found["expiry"]["commands"][0].as_str().unwrap());
    assert!(!findings(&url, &[]).0.contains_key("expiry"));
}

/// No command of `redis-cli` takes a colon in the host of a URL.
#[test]
fn an_advised_command_of_redis_reaches_a_server_at_an_ipv6_address() {
    let server = Server::with(&Settings::new().set("bind", "127.0.0.1 -::1"));
    let mut orders = Broken::at(&server, "orders");
    let later = orders.later();
    orders.offer(&new(1, b"good"), &later);
    orders.run::<()>("EXPIRE", (orders.keys.ordering().to_owned(), 3_600));
    let url = format!("redis://[::1]:{}", server.port());
    if run(&url, &["queues"]).code != 0 {
        // This machine has no IPv6.
        return;
    }
    let (found, _) = findings(&url, &[]);
    rdq::shell(found["expiry"]["commands"][0].as_str().unwrap());
    assert!(!findings(&url, &[]).0.contains_key("expiry"));
}
