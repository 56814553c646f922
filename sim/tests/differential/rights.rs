//! A script whose user lacks a right does everything or nothing: Redis takes nothing back.

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::{
    BEGINNING_US, calls,
    frame::show,
    pair::{Pair, Role},
    setting,
    values::Values,
    wire,
};

const EVERYTHING: [&str; 8] = [
    "ACL", "SETUSER", "client", "on", "nopass", "+@all", "~*", "&*",
];

#[test]
fn a_script_without_a_right_changes_nothing() {
    let first = setting("SEED", rand::random_range(0..1 << 32));
    // No real server has to agree, so few are enough.
    let (sequences, steps) = (setting("SEQUENCES", 100) / 4, setting("STEPS", 40));
    println!("rights: SEED={first}");
    let scripts = wire::scripts();
    let mut pair = Pair::start(BEGINNING_US);
    let mut halves = BTreeSet::new();
    for seed in first..first + sequences {
        let mut random = StdRng::seed_from_u64(seed);
        pair.begin();
        pair.set_clock(BEGINNING_US);
        for _ in 0..steps {
            let us = random.random_range(0..1_500_000);
            pair.set_clock(pair.now_us + us);
            let mut values = Values::new(&mut pair, &mut random);
            let (name, words) = calls::any(&mut values, &scripts);
            let command = values.one_of(&commands_of(&scripts[name].text));
            pair.ask(Role::Operator, &EVERYTHING);
            pair.ask(Role::New, &["AUTH", "client", "any"]);
            let denied = format!("-{command}");
            pair.ask(Role::Operator, &["ACL", "SETUSER", "client", &denied]);
            let before = pair.dump();
            let reply = pair.ask(Role::New, &words);
            if is_denied(&reply) && pair.dump() != before {
                halves.insert(format!("{name} without {command}: {}", show(&reply)));
            }
            pair.look(&words);
        }
    }
    let halves: Vec<String> = halves.into_iter().collect();
    assert!(halves.is_empty(), "{}", halves.join("\n"));
}

fn is_denied(reply: &[u8]) -> bool {
    let has = |text: &[u8]| reply.windows(text.len()).any(|it| it == text);
    reply.starts_with(b"-") && (has(b"NOPERM") || has(b"user executing the script"))
}

/// The commands that a script names.
fn commands_of(script: &str) -> Vec<&str> {
    let words = script.split('\'').skip(1).step_by(2);
    let is_command = |it: &&str| it.len() > 2 && it.bytes().all(|it| it.is_ascii_uppercase());
    let commands: BTreeSet<&str> = words.filter(is_command).collect();
    commands.into_iter().collect()
}
