//! What holds for every script, whatever it is called with.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::{
    BEGINNING_US, calls,
    frame::{show, texts},
    pair::{Pair, Role},
    setting,
    values::{Text, Values},
    wire::{self, Script},
};

/// Redis takes nothing back that a script did before it was denied a command.
#[test]
fn a_script_without_a_right_does_everything_or_nothing() {
    walk("rights", |values, script, words| {
        let command = values.one_of(&commands_of(&script.text));
        let pair = &mut *values.pair;
        let everything = ["on", "nopass", "+@all", "~*", "&*"];
        pair.ask(
            Role::Operator,
            &[&["ACL", "SETUSER", "client"], &everything[..]].concat(),
        );
        pair.ask(Role::New, &["AUTH", "client", "any"]);
        let denied = format!("-{command}");
        pair.ask(Role::Operator, &["ACL", "SETUSER", "client", &denied]);
        let before = pair.dump();
        let reply = pair.ask(Role::New, words);
        let is_half = is_denied(&reply) && pair.dump() != before;
        pair.look(words);
        is_half.then(|| format!("without {command}: {}", show(&reply)))
    });
}

/// Otherwise a lease or a retry lasts longer once the clock goes back.
#[test]
fn a_script_that_writes_an_end_notes_the_clock() {
    walk("clock", |values, _, words| {
        let pair = &mut *values.pair;
        let before = ends(pair);
        pair.look(words);
        let written = ends(pair)
            .into_iter()
            .find(|(entry, end)| before.get(entry) != Some(end));
        let written = written?;
        let clock = pair.look(&[b"GET".to_vec(), Values::key_of("clock")]);
        let clock: Vec<i64> = String::from_utf8_lossy(&clock.concat())
            .split(' ')
            .filter_map(|it| it.parse().ok())
            .collect();
        let is_noted =
            matches!(clock[..], [noted, ahead] if noted >= pair.now_us + ahead - 1_000_000);
        let (set, entry) = written.0;
        (!is_noted).then(|| format!("{set} {}, {clock:?} at {}", show(&entry), pair.now_us))
    });
}

/// Java sleeps until the time that was published last, and takes a later one for that of the head, too.
#[test]
fn a_script_publishes_an_earlier_head_and_nothing_but_new_heads() {
    walk("head", |values, _, words| {
        let pair = &mut *values.pair;
        let sets = ["timeouts", "to_timeouts"];
        let before = sets.map(|it| head(pair, it));
        pair.ask(Role::Listener, &["PING"]);
        pair.look(words);
        let heard = texts(&pair.ask(Role::Listener, &["PING"]));
        let mut published: Vec<&Text> = heard
            .windows(3)
            .filter(|it| it[0] == b"message" && it[1] == b"channel")
            .map(|it| &it[2])
            .collect();
        let after = sets.map(|it| head(pair, it));
        for (before, after) in before.iter().zip(&after) {
            let Some((_, score)) = after else { continue };
            let is_earlier = before
                .as_ref()
                .is_none_or(|(_, before)| number(score) < number(before));
            match published.iter().position(|it| *it == score) {
                Some(place) if before != after => _ = published.remove(place),
                _ if is_earlier => return Some(format!("{} was not published", show(score))),
                _ => {}
            }
        }
        let published = published.first()?;
        Some(format!("{} was published", show(published)))
    });
}

/// The first member of a sorted set, and its score.
fn head(pair: &mut Pair, set: &str) -> Option<(Text, Text)> {
    let first = [b"ZRANGE".to_vec(), Values::key_of(set)];
    let rest = ["0", "0", "WITHSCORES"].map(Text::from);
    let mut entry = pair.look(&[&first[..], &rest].concat()).into_iter();
    entry.next().zip(entry.next())
}

fn number(text: &Text) -> f64 {
    String::from_utf8_lossy(text).parse().unwrap()
}

/// Calls random scripts one after the other, each by `call`, and fails with what that found.
fn walk(name: &str, call: impl Fn(&mut Values<'_>, &Script, &[Text]) -> Option<String>) {
    let first = setting("SEED", rand::random_range(0..1 << 32));
    println!("{name}: SEED={first}");
    // No real server has to agree, so few are enough.
    let (sequences, steps) = (setting("SEQUENCES", 100) / 4, setting("STEPS", 40));
    let scripts = wire::scripts();
    let mut pair = Pair::start(BEGINNING_US);
    let mut found = BTreeMap::new();
    for seed in first..first + sequences {
        let mut random = StdRng::seed_from_u64(seed);
        pair.begin();
        pair.set_clock(BEGINNING_US);
        for _ in 0..steps {
            let us = random.random_range(0..1_500_000);
            pair.set_clock(pair.now_us + us);
            let mut values = Values::new(&mut pair, &mut random);
            let (name, words) = calls::any(&mut values, &scripts);
            if let Some(what) = call(&mut values, &scripts[name], &words) {
                found.entry(name).or_insert(what);
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The ends of leases and of retries, by their entries.
fn ends(pair: &mut Pair) -> BTreeMap<(&'static str, Text), Text> {
    let mut ends = BTreeMap::new();
    for set in ["leases", "delivery_leases", "retries"] {
        let all = [b"ZRANGE".to_vec(), Values::key_of(set)];
        let rest = ["0", "-1", "WITHSCORES"].map(Text::from);
        let entries = pair.look(&[&all[..], &rest].concat());
        for entry in entries.chunks_exact(2) {
            ends.insert((set, entry[0].clone()), entry[1].clone());
        }
    }
    ends
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
