//! The simulated Redis answers as a real one does, and holds the same afterwards.
//!
//! Both get the same random commands and scripts. The real server shows a clock that stands still until
//! the test sets it, so that its `TIME` is the simulated one's. After each command the replies, what a
//! listener heard, and all that the servers hold are compared byte for byte.
//!
//! - `SEQUENCES` is how many sequences each test runs, `STEPS` how long each is.
//! - `SEED` is the seed of the first sequence. A failure prints the seed of its sequence.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::{env, panic};

use rand::{RngExt, SeedableRng, rngs::StdRng};

mod calls;
mod commands;
mod frame;
mod pair;
mod rules;

mod slots;
mod values;
mod wire;
mod work;

use pair::{Pair, Role};
use values::Values;

const BEGINNING_US: i64 = 1_788_000_000_123_456;

fn setting(name: &str, default: u64) -> u64 {
    let value = env::var(name).ok();
    value.map_or(default, |it| {
        it.parse().unwrap_or_else(|_| panic!("{name} is a number"))
    })
}

/// Runs sequences of steps, and compares everything after each step.
fn compare(name: &str, step: impl Fn(&mut Values<'_>, Role)) {
    let first = setting("SEED", rand::random_range(0..1 << 32));
    let (sequences, steps) = (setting("SEQUENCES", 100), setting("STEPS", 40));
    println!("{name}: SEED={first} SEQUENCES={sequences} STEPS={steps}");
    let mut pair = Pair::start(BEGINNING_US);
    for seed in first..first + sequences {
        let result = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            let mut random = StdRng::seed_from_u64(seed);
            pair.begin();
            pair.set_clock(BEGINNING_US);
            give_rights(&mut pair, &mut random);
            let foreign = random.random_ratio(1, 3);
            let foreign = foreign.then(|| Values::new(&mut pair, &mut random).key());
            for _ in 0..steps {
                disturb(&mut pair, &mut random);
                if let Some(key) = &foreign
                    && random.random_ratio(1, 10)
                {
                    pair.run(Role::Operator, &[b"SET", &key[..], b"foreign"]);
                }
                let role = if random.random() {
                    Role::Old
                } else {
                    Role::New
                };
                step(&mut Values::new(&mut pair, &mut random), role);
                pair.compare_rest();
            }
        }));
        if let Err(failure) = result {
            println!("{name}: SEED={seed} SEQUENCES=1 STEPS={steps} shows it again");
            panic::resume_unwind(failure);
        }
    }
}

const DENIED: &[&str] = &[
    "-zadd", "-zrem", "-publish", "-hget", "-rpush", "-llen", "-pexpire", "-type", "-get", "-lpos",
    "-time",
];

/// Lets the clients do everything, or in some sequences less.
fn give_rights(pair: &mut Pair, random: &mut StdRng) {
    let mut rules = vec!["reset", "on", "nopass", "+@all", "~*", "&*"];
    if random.random_ratio(1, 4) {
        for _ in 0..random.random_range(1..3) {
            rules.push(DENIED[random.random_range(0..DENIED.len())]);
        }
        if random.random_ratio(1, 4) {
            rules.extend(["resetkeys", "~{q}:[a-st-z]*"]);
        }
        if random.random_ratio(1, 4) {
            rules.extend(["resetchannels", "&moved"]);
        }
    }
    let set = [&["ACL", "SETUSER", "client"], &rules[..]].concat();
    pair.run(Role::Operator, &set);
    for role in [Role::Old, Role::New] {
        pair.run(role, &["AUTH", "client", "any"]);
    }
}

/// Lets time pass, and at times something goes wrong or gets well.
fn disturb(pair: &mut Pair, random: &mut StdRng) {
    let us = match random.random_range(0..100) {
        0 => -3_600_000_000,
        1 => 3_600_000_000 * 24 * 8,
        2..10 => random.random_range(0..60_000_000),
        10..50 => random.random_range(0..1_500_000),
        _ => random.random_range(0..3000),
    };
    pair.set_clock(pair.now_us + us);
    let mut condition = *pair.model.condition();
    match random.random_range(0..60) {
        0 => {
            condition.is_full = !condition.is_full;
            pair.real_only(&[
                "CONFIG",
                "SET",
                "maxmemory",
                if condition.is_full { "1" } else { "0" },
            ]);
        }
        1 | 2 if condition.is_full => {
            condition.is_full = false;
            pair.real_only(&["CONFIG", "SET", "maxmemory", "0"]);
        }
        3 if !condition.is_replica => {
            condition.is_replica = true;
            pair.real_only(&["REPLICAOF", "127.0.0.1", "1"]);
        }
        4..10 if condition.is_replica => {
            condition.is_replica = false;
            pair.real_only(&["REPLICAOF", "NO", "ONE"]);
        }
        10..14 => {
            // First it hears of keys whose time is over.
            pair.compare_rest();
            let key = Values::new(pair, random).key();
            pair.run(Role::Listener, &["CLIENT", "CACHING", "YES"]);
            pair.run(Role::Listener, &["EXISTS".into(), key]);
        }
        _ => {}
    }
    *pair.model.condition() = condition;
}

#[test]
fn commands_do_the_same() {
    compare("commands", |values, role| {
        let words = commands::any(values);
        values.pair.run(role, &words);
    });
}

#[test]
fn scripts_do_the_same() {
    let scripts = wire::scripts();
    compare("scripts", |values, role| {
        if values.random.random_ratio(1, 12) {
            let words = commands::any(values);
            values.pair.run(role, &words);
        } else {
            let (_, words) = calls::any(values, &scripts);
            values.pair.run_script(role, &words);
        }
    });
}

/// A script pushes entries. When it has ended, the connection that has waited longest gets the first one.
#[test]
fn connections_that_wait_for_a_list_get_the_same() {
    let mut pair = Pair::start(BEGINNING_US);
    let take = ["BLPOP", "list", "0"];
    let push = "
        for i = 1, 3 do
            redis.call('RPUSH', KEYS[1], i)
        end
        return redis.call('LLEN', KEYS[1])";
    let waiting = [Role::New, Role::Old];
    for (role, count) in waiting.into_iter().zip(1..) {
        pair.wait(role, &take, count);
    }
    pair.run(Role::Listener, &["CLIENT", "CACHING", "YES"]);
    pair.run(Role::Listener, &["LLEN", "list"]);
    pair.run(Role::Operator, &["EVAL", push, "1", "list"]);
    for role in waiting {
        pair.compare_waited(role);
    }
    pair.compare_rest();
    pair.run(Role::Old, &take);
    pair.compare_rest();
}

/// Otherwise the comparison would leave a script out.
#[test]
fn every_script_is_called() {
    let scripts = wire::scripts();
    let there: Vec<&str> = scripts.keys().map(String::as_str).collect();
    assert_eq!(calls::NAMES, there);
}
