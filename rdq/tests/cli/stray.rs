//! `rdq doctor` about keys at a node that does not own their slot.

use serde_json::Value;
use testbed::{Cluster, Directory, Program, Server};

use crate::broken::{Broken, new};
use crate::rdq::{Run, command, json, run, shell, without_server};

/// A cluster in which a slot was given away without the keys of a queue.
struct Divided {
    cluster: Cluster,
    /// Has three elements, one that is ready, one that is claimed, and a dead letter.
    holder: Server,
    /// Has the slot.
    owner: Server,
}

impl Divided {
    fn new() -> Self {
        let cluster = Cluster::without_replicas();
        let holder = cluster.master_of("orders");
        let owner = cluster.masters().into_iter();
        let owner = owner.filter(|it| it.address() != holder.address());
        let owner = owner.last().unwrap();
        let mut queue = Broken::at(&holder, "orders");
        let later = queue.later();
        (1..=3).for_each(|id| queue.offer(&new(id, b"old"), &later));
        queue.lease(1, &["claimed"], i64::MAX >> 11);
        holder.run::<()>(&["RPUSH", "orders", "ready"]);
        holder.run::<()>(&["RPUSH", "{orders}-dead", "dead"]);
        cluster.give_away("orders", &owner);
        Self {
            cluster,
            holder,
            owner,
        }
    }

    /// Lets services offer two elements to the new owner.
    fn offer(&self) {
        let mut queue = Broken::at(&self.owner, "orders");
        let later = queue.later();
        (4..=5).for_each(|id| queue.offer(&new(id, b"new"), &later));
    }

    /// The doctor's finding about stray keys.
    fn finding(&self) -> Option<Value> {
        let examined = run(&self.cluster.url(), &["doctor", "--json"]);
        let lines = examined.stdout.lines();
        let mut findings = lines.map(|it| serde_json::from_str::<Value>(it).unwrap());
        findings.find(|it| it["check"] == "stray")
    }
}

#[test]
fn a_queue_whose_keys_are_all_at_the_wrong_node_is_listed_with_a_note() {
    let divided = Divided::new();
    let listed = run(&divided.cluster.url(), &["queues"]);
    let note = "keys at a wrong node: see rdq doctor";
    let is_noted = |it: &str| it.starts_with("orders ") && it.ends_with(note);
    assert!(listed.stdout.lines().any(is_noted), "{listed:?}");
}

/// The first command of the advice makes the holder import the slot, and the second may fail.
#[test]
fn keys_are_astray_also_at_a_node_that_imports_a_slot_which_nobody_sends_to_it() {
    let divided = Divided::new();
    let finding = divided.finding().unwrap();
    let import = finding["commands"][0].as_str().unwrap();
    shell(import);
    assert_eq!(divided.finding().unwrap()["what"], finding["what"]);

    let slot = divided.cluster.slot_of("orders").to_string();
    let masters = divided.cluster.masters();
    let ends = [&divided.holder, &divided.owner].map(Server::address);
    let third = masters.iter().find(|it| !ends.contains(&it.address()));
    let send_to = |node: &Server| {
        let id: String = node.run(&["CLUSTER", "MYID"]);
        let send = ["CLUSTER", "SETSLOT", &slot, "MIGRATING", &id];
        divided.owner.run::<()>(&send);
    };
    send_to(third.unwrap());
    assert_eq!(divided.finding().unwrap()["what"], finding["what"]);
    send_to(&divided.holder);
    assert_eq!(divided.finding(), None);
}

#[test]
fn strays_that_the_owner_has_keys_for_come_to_it_by_way_of_a_server_outside() {
    let divided = Divided::new();
    divided.offer();
    let finding = divided.finding().unwrap();
    let commands = finding["commands"].as_array().unwrap();
    assert_eq!(commands.len(), 6, "{commands:#?}");
    let outside = Server::start();
    let files = Directory::new();
    let port = outside.port().to_string();
    for advised in commands {
        let advised = advised.as_str().unwrap();
        let advised = advised.replace("SCRATCH:6379", &outside.address());
        let advised = advised.replace("SCRATCH 6379", &format!("127.0.0.1 {port}"));
        let words = shlex::split(&advised).unwrap();
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        if words[0] != "rdq" {
            shell(&advised);
            continue;
        }
        // It asks.
        if words.contains(&"hand-back") {
            words.push("--yes");
        }
        let mut rdq = match words[1] {
            // The advice names another address.
            "--server" => without_server(&words[1..]),
            _ => command(&divided.cluster.url(), &words[1..]),
        };
        let run = Run::of(Program::run(rdq.current_dir(files.path())));
        assert_eq!(run.code, 0, "{advised}: {run:?}");
    }
    assert_eq!(divided.finding(), None);
    let stats = json(&divided.cluster.url(), &["stats", "orders"]);
    assert_eq!(
        (&stats[0]["pending"], &stats[0]["listed"]),
        (&5.into(), &5.into())
    );
    let length = |list| divided.owner.run::<u64>(&["LLEN", list]);
    let lengths = [length("orders"), length("{orders}-dead")];
    assert_eq!(lengths, [2, 1]);
}

#[test]
fn a_slot_on_its_way_is_named_with_the_node_to_which_it_goes() {
    let cluster = Cluster::without_replicas();
    let from = cluster.master_of("orders");
    let mut queue = Broken::at(&from, "orders");
    let later = queue.later();
    queue.offer(&new(1, b"good"), &later);
    let masters = cluster.masters();
    let to = masters.iter().find(|it| it.address() != from.address());
    let slot = cluster.slot_of("orders");
    let slot_move = cluster.begin_move(slot, to.unwrap());
    slot_move.move_keys(1);
    let examined = run(&cluster.url(), &["doctor", "--json"]);
    let host = to.unwrap().address();
    let what = format!("The queue was not examined. Slot {slot} is on its way to {host}.");
    assert!(examined.stdout.contains(&what), "{examined:?}");
}
