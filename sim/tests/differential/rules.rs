//! Rules that every script keeps, whatever its arguments are.

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

/// A call of a script.
#[derive(Debug)]
struct Call<'a> {
    name: &'a str,
    script: &'a Script,
    words: Vec<Text>,
}

impl Call<'_> {
    /// True if it claims elements for callers that take them at most once.
    fn is_claim_without_lease(&self) -> bool {
        // EVAL, the script and the number of keys stand in front of the keys.
        let arguments = &self.words[3 + self.script.keys.len()..];
        self.name == "claim" && arguments[1] == b"0"
    }
}

/// Redis takes nothing back that a script did before it was denied a command.
#[test]
fn a_script_without_a_right_does_everything_or_nothing() {
    walk("rights", |values, call| {
        let command = values.one_of(&commands_of(&call.script.text));
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
        let reply = pair.ask(Role::New, &call.words);
        let is_half = is_denied(&reply) && pair.dump() != before;
        pair.look(&call.words);
        is_half.then(|| format!("without {command}: {}", show(&reply)))
    });
}

/// Otherwise a lease or a retry lasts longer once the clock goes back.
#[test]
fn a_script_that_writes_an_end_notes_the_clock() {
    walk("clock", |values, call| {
        let before = ends(values);
        values.pair.look(&call.words);
        let written = ends(values)
            .into_iter()
            .find(|(entry, end)| before.get(entry) != Some(end));
        let written = written?;
        let pair = &mut *values.pair;
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
    walk("head", |values, call| {
        let sets = ["timeouts", "to_timeouts"];
        let before = sets.map(|it| values.scored(it).into_iter().next());
        let pair = &mut *values.pair;
        pair.ask(Role::Listener, &["PING"]);
        pair.look(&call.words);
        let heard = texts(&pair.ask(Role::Listener, &["PING"]));
        let mut published: Vec<&Text> = heard
            .windows(3)
            .filter(|it| it[0] == b"message" && it[1] == b"channel")
            .map(|it| &it[2])
            .collect();
        let after = sets.map(|it| values.scored(it).into_iter().next());
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
        let is_head = |it: &Text| after.iter().flatten().any(|(_, score)| score == it);
        // A queue can be replaced by an equal one.
        published.retain(|it| call.name != "relocate" || !is_head(it));
        let published = published.first()?;
        Some(format!("{} was published", show(published)))
    });
}

/// A client sends a script again if it lost the reply.
#[test]
fn a_script_that_is_sent_again_changes_nothing() {
    // A client sends these once, except `sift`. A second `sift` removes more of its members, because they have moved up to
    // the places at which it looks.
    const ONCE: [&str; 9] = [
        "claim",
        "consume",
        "move",
        "poll_last",
        "relay",
        "requeue_letters",
        "retain",
        "sift",
        "transfer",
    ];
    walk("again", |values, call| {
        let pair = &mut *values.pair;
        pair.look(&call.words);
        // It numbers deliveries, and may leave numbers out.
        let fence = Values::key_of("fence");
        let before = pair.dump_without(&fence);
        pair.look(&call.words);
        let changes = pair.dump_without(&fence) != before && !ONCE.contains(&call.name);
        changes.then(|| "changed more".to_owned())
    });
}

/// A script that moves elements neither loses nor doubles one.
#[test]
fn a_script_that_moves_elements_keeps_all() {
    const MOVING: [&str; 9] = [
        "claim",
        "conclude",
        "consume",
        "give_back",
        "join",
        "move",
        "release",
        "requeue_letters",
        "transfer",
    ];
    walk("elements", |values, call| {
        let before = payloads(values);
        let claims_again = claims_again(values, &call.words);
        let reply = values.pair.look(&call.words);
        let acknowledges = call.name == "conclude" && call.words.iter().any(|it| it == b"a");
        if !MOVING.contains(&call.name) || acknowledges || claims_again {
            return None;
        }
        let mut lost = before;
        for payload in payloads(values) {
            match lost.iter().position(|it| *it == payload) {
                Some(place) => _ = lost.swap_remove(place),
                None => return Some(format!("{} came out of nothing", show(&payload))),
            }
        }
        // They expired, or were claimed without a lease.
        let lets_go = call.name == "transfer" || call.is_claim_without_lease();
        let returned = |it: &Text| {
            reply
                .iter()
                .any(|text| text == it || payload_of(text) == it)
        };
        lost.retain(|it| !lets_go || !returned(it));
        Some(format!("{} is lost", show(lost.first()?)))
    });
}

/// A delivery without a token comes to nobody, and one with two comes twice.
#[test]
fn a_script_leaves_each_delivery_with_one_token() {
    walk("tokens", |values, call| {
        let before = misplaced(values);
        let claims_again = claims_again(values, &call.words);
        values.pair.look(&call.words);
        let misplaced = misplaced(values);
        if call.name == "relocate" || claims_again {
            return None;
        }
        let (origin, sets) = misplaced.iter().find(|it| !before.contains(it))?;
        Some(format!("{} has {sets} tokens", show(origin)))
    });
}

/// The origins of deliveries that have no token, or several, and how many.
fn misplaced(values: &mut Values<'_>) -> Vec<(Text, usize)> {
    let mut tokens = Vec::new();
    for set in ["leases", "delivery_leases", "retries", "grouped"] {
        tokens.extend(values.held(set));
    }
    let mut misplaced = Vec::new();
    for (origin, _) in deliveries(values) {
        let count = tokens.iter().filter(|it| origin_in(it) == origin).count();
        if count != 1 {
            misplaced.push((origin, count));
        }
    }
    misplaced
}

/// The origins of all deliveries, and their payloads.
fn deliveries(values: &mut Values<'_>) -> Vec<(Text, Text)> {
    let fields = values.held("deliveries");
    let fields = fields.chunks_exact(2);
    // Other fields count late claims.
    let deliveries = fields.filter(|it| it[0].len() == 26);
    deliveries
        .map(|it| (it[0].clone(), it[1].clone()))
        .collect()
}

/// True if a claim of the same number still has deliveries. No client uses a number twice.
fn claims_again(values: &mut Values<'_>, words: &[Text]) -> bool {
    let deliveries = deliveries(values);
    let has_claimed = |call: &Text| deliveries.iter().any(|it| it.0.starts_with(call));
    words.iter().any(|it| it.len() == 16 && has_claimed(it))
}

/// The payloads of all elements.
fn payloads(values: &mut Values<'_>) -> Vec<Text> {
    let mut payloads = Vec::new();
    for list in ["target", "dead", "destination", "other"] {
        payloads.extend(values.held(list));
    }
    for set in ["timeouts", "quarantine"] {
        let members = values.held(set);
        payloads.extend(members.iter().map(|it| payload_of(it).to_vec()));
    }
    payloads.extend(deliveries(values).into_iter().map(|it| it.1));
    payloads
}

/// The origin in a token. Those that wait for a group have the group and a number in front.
fn origin_in(token: &[u8]) -> &[u8] {
    let start = match token.len() {
        86 => 24,
        _ => 0,
    };
    token.get(start..start + 26).unwrap_or_default()
}

/// Returns the payload of a member, or the whole member if it cannot be read.
fn payload_of(member: &[u8]) -> &[u8] {
    let packed = |id: usize| {
        let length = member.get(id..id + 8)?.try_into().ok()?;
        let end = usize::try_from(u64::from_le_bytes(length)).ok()?;
        Some((id + 8, end.checked_add(id + 8)?))
    };
    let new = packed(1 + usize::from(member.first().copied().unwrap_or_default()));
    let old = packed(8);
    let is_exact = |it: &(usize, usize)| it.1 == member.len();
    let found = new.filter(is_exact).or(old.filter(is_exact)).or(new);
    found
        .and_then(|(start, end)| member.get(start..end))
        .unwrap_or(member)
}

fn number(text: &Text) -> f64 {
    String::from_utf8_lossy(text).parse().unwrap()
}

/// Calls random scripts one after the other, each by `run`, and fails with what that found.
fn walk(name: &str, run: impl Fn(&mut Values<'_>, &Call<'_>) -> Option<String>) {
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
            let call = Call {
                name,
                script: &scripts[name],
                words,
            };
            if let Some(what) = run(&mut values, &call) {
                found.entry(name).or_insert(what);
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The ends of leases and of retries, by their entries.
fn ends(values: &mut Values<'_>) -> BTreeMap<(&'static str, Text), Text> {
    let mut ends = BTreeMap::new();
    for set in ["leases", "delivery_leases", "retries"] {
        let entries = values.scored(set).into_iter();
        ends.extend(entries.map(|(entry, end)| ((set, entry), end)));
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
