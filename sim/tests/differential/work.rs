//! No script reads or writes much, whatever stands in its keys.

use rand::{SeedableRng, rngs::StdRng};

use crate::{
    BEGINNING_US, calls,
    pair::Pair,
    setting,
    values::{Text, Values},
    wire,
};

/// What a script may read and write: some 10 ms of Redis's time. What it moves counts as often as a command has it.
const MOST_ENTRIES: u64 = 15_000;

const MEGABYTE: u64 = 1024 * 1024;

/// The transfer moves, returns, sets aside and looks ahead in one script, each up to some 4 MB.
fn most_bytes(script: &str, crowd: Crowd) -> u64 {
    let steps = if script == "transfer" { 3 } else { 1 };
    // Redis says no sizes beforehand, so up to 64 large entries are read behind small ones.
    let surprise = if crowd.is_mixed() { 64 } else { 0 };
    steps * (24 + surprise) * MEGABYTE
}

/// How many small entries each key holds, and how many of at least 1 MB stand behind them.
#[derive(Clone, Copy, Debug)]
struct Crowd {
    small: u64,
    large: u64,
}

impl Crowd {
    fn is_mixed(self) -> bool {
        self.small > 0 && self.large > 0
    }
}

const CROWDS: [Crowd; 3] = [
    Crowd {
        small: 30_000,
        large: 0,
    },
    Crowd {
        small: 0,
        large: 100,
    },
    Crowd {
        small: 300,
        large: 100,
    },
];

#[test]
fn no_script_reads_or_writes_much() {
    let seed = setting("SEED", rand::random_range(0..1 << 32));
    println!("work: SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let mut scripts = wire::scripts();
    // What moves a whole queue leaves nothing to the others.
    let last = scripts.remove_entry("relocate").expect("it is there");
    let mut too_much = Vec::new();
    for crowd in CROWDS {
        let mut pair = Pair::start(BEGINNING_US);
        let mut values = Values::new(&mut pair, &mut random);
        fill(&mut values, crowd);
        values.asks_for_much = true;
        for (name, script) in (0..4).flat_map(|_| &scripts).chain([(&last.0, &last.1)]) {
            let words = calls::of(&mut values, name, script);
            values.pair.model.take_work();
            values.pair.look(&words);
            let work = values.pair.model.take_work();
            if work.entries > MOST_ENTRIES || work.bytes > most_bytes(name, crowd) {
                too_much.push(format!("{name} beside {crowd:?}: {work:?}"));
            }
        }
    }
    assert!(too_much.is_empty(), "{}", too_much.join("\n"));
}

/// Fills each key with entries of its kind, and with some that cannot be read.
fn fill(values: &mut Values<'_>, crowd: Crowd) {
    for place in 0..crowd.small + crowd.large {
        let large = |mut text: Text| {
            if place >= crowd.small {
                text.resize(text.len().max(1_000_000), b'x');
            }
            text
        };
        let payload = large(values.payload());
        let member = large(values.new_member());
        let mut token = values.new_token();
        token[18..26].copy_from_slice(&place.to_be_bytes());
        let waiting = [&b"all_the_elements"[..], &place.to_be_bytes(), &token].concat();
        let name = Text::from(format!("n{place}"));
        let score = match crowd.is_mixed() {
            true => place.to_string().into(),
            false => values.score_of_a_number(),
        };
        for (command, key, entry) in [
            ("RPUSH", "target", vec![payload.clone()]),
            ("RPUSH", "dead", vec![payload.clone()]),
            ("RPUSH", "dead_notes", vec![payload.clone()]),
            ("RPUSH", "ordering", vec![member.clone()]),
            ("ZADD", "timeouts", vec![score.clone(), member.clone()]),
            (
                "ZADD",
                "quarantine",
                vec![score.clone(), large(values.id())],
            ),
            ("ZADD", "settled", vec![score.clone(), token.clone()]),
            ("HSET", "keyed", vec![name.clone(), member]),
            ("ZADD", "keyed_due", vec![score.clone(), name.clone()]),
            (
                "HSET",
                "periodic",
                vec![name.clone(), [b"{}\n", &payload[..]].concat()],
            ),
            ("ZADD", "periodic_due", vec![score.clone(), name]),
            ("HSET", "deliveries", vec![token[..26].to_vec(), payload]),
            ("ZADD", "grouped", vec![b"0".to_vec(), waiting]),
            match place % 3 {
                0 => ("ZADD", "leases", vec![score, token[..26].to_vec()]),
                1 => ("ZADD", "delivery_leases", vec![score, token]),
                _ => ("ZADD", "retries", vec![score, token]),
            },
        ] {
            let words = [vec![command.into(), Values::key_of(key)], entry].concat();
            values.pair.look(&words);
        }
    }
}
