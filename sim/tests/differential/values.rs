//! Random keys, members, tokens and numbers, as commands and scripts get them. Many are taken from what the
//! servers hold.

use rand::{RngExt, rngs::StdRng};

use crate::pair::Pair;

pub(crate) type Text = Vec<u8>;

/// Where values come from.
#[derive(Debug)]
pub(crate) struct Values<'a> {
    pub(crate) pair: &'a mut Pair,
    pub(crate) random: &'a mut StdRng,
    /// Scripts are asked for as much as clients ask for. Otherwise for so little that the limits come into play.
    pub(crate) asks_for_much: bool,
}

/// The lists, sorted sets and hashes of a queue, and its strings.
const LISTS: &[&str] = &[
    "target",
    "ordering",
    "dead",
    "dead_notes",
    "destination",
    "other",
];
const SETS: &[&str] = &[
    "timeouts",
    "quarantine",
    "leases",
    "settled",
    "keyed_due",
    "periodic_due",
    "delivery_leases",
    "retries",
    "grouped",
];
const HASHES: &[&str] = &[
    "state",
    "keyed",
    "periodic",
    "counts",
    "deliveries",
    "groups",
];
const STRINGS: &[&str] = &["clock", "fence"];

impl<'a> Values<'a> {
    pub(crate) fn new(pair: &'a mut Pair, random: &'a mut StdRng) -> Self {
        Self {
            pair,
            random,
            asks_for_much: false,
        }
    }

    pub(crate) fn one_of<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.random.random_range(0..of.len())].clone()
    }

    pub(crate) fn chance(&mut self, of: u32, among: u32) -> bool {
        self.random.random_ratio(of, among)
    }

    pub(crate) fn number(&mut self, least: i64, most: i64) -> Text {
        self.random.random_range(least..=most).to_string().into()
    }

    /// How many elements a script may return or move at most.
    pub(crate) fn most(&mut self, few: i64) -> Text {
        match self.asks_for_much {
            true => b"1000".to_vec(),
            false => self.number(1, few),
        }
    }

    /// How many bytes a script may return or move at most.
    pub(crate) fn most_bytes(&mut self) -> Text {
        match self.asks_for_much {
            true => b"4194304".to_vec(),
            false => self.number(1, 500),
        }
    }

    pub(crate) fn bytes(&mut self, size: usize) -> Text {
        (0..size).map(|_| self.random.random()).collect()
    }

    /// A key that some name of a script stands for.
    pub(crate) fn key_of(name: &str) -> Text {
        format!("{{q}}:{}", name.to_lowercase()).into()
    }

    /// Any key, of whatever type.
    pub(crate) fn key(&mut self) -> Text {
        let names = self.one_of(&[LISTS, SETS, HASHES, STRINGS]);
        Self::key_of(self.one_of(names))
    }

    /// All keys that there may be.
    pub(crate) fn keys() -> impl Iterator<Item = Text> {
        let names = [LISTS, SETS, HASHES, STRINGS].into_iter().flatten();
        names.flat_map(|it| [Self::key_of(it), Self::key_of(&format!("to_{it}"))])
    }

    /// A key that holds a list, a sorted set, a hash or a string, as a rule.
    pub(crate) fn key_for(&mut self, kind: char) -> Text {
        let names = match kind {
            'l' => LISTS,
            'z' => SETS,
            'h' => HASHES,
            _ => STRINGS,
        };
        if self.chance(1, 25) {
            self.key()
        } else {
            Self::key_of(self.one_of(names))
        }
    }

    /// What a key holds.
    pub(crate) fn held(&mut self, name: &str) -> Vec<Text> {
        let key = String::from_utf8(Self::key_of(name)).unwrap();
        let command: &[&str] = match name {
            _ if LISTS.contains(&name) => &["LRANGE", &key, "0", "-1"],
            _ if SETS.contains(&name) => &["ZRANGE", &key, "0", "-1"],
            _ => &["HGETALL", &key],
        };
        self.pair.look(command)
    }

    /// Entries of a sorted set with their scores.
    pub(crate) fn scored(&mut self, name: &str) -> Vec<(Text, Text)> {
        let key = String::from_utf8(Self::key_of(name)).unwrap();
        let found = self.pair.look(&["ZRANGE", &key, "0", "-1", "WITHSCORES"]);
        found
            .chunks_exact(2)
            .map(|it| (it[0].clone(), it[1].clone()))
            .collect()
    }

    /// One of the entries that some keys hold, or one that `fresh` makes.
    pub(crate) fn held_or(
        &mut self,
        names: &[&str],
        fresh: impl FnOnce(&mut Self) -> Text,
    ) -> Text {
        let name = self.one_of(names);
        let held = self.held(name);
        if held.is_empty() || self.chance(1, 6) {
            fresh(self)
        } else {
            self.one_of(&held)
        }
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.pair.now_us / 1000
    }

    /// A moment near now, unix ms.
    pub(crate) fn moment(&mut self) -> Text {
        let now_ms = self.now_ms();
        let range = if self.chance(1, 20) {
            100_000_000
        } else {
            5000
        };
        self.number(now_ms - range, now_ms + range)
    }

    /// A score that Redis takes.
    pub(crate) fn score_of_a_number(&mut self) -> Text {
        if self.chance(1, 10) {
            self.number(0, 5)
        } else {
            self.moment()
        }
    }

    /// A score. Fractions are such that every version of Redis spells them alike.
    pub(crate) fn score(&mut self) -> Text {
        match self.random.random_range(0..12) {
            0 => self
                .one_of(&[
                    "-1",
                    "0",
                    "1.5",
                    "-0.25",
                    "inf",
                    "-inf",
                    "9007199254740992",
                    "x",
                    "",
                ])
                .into(),
            1 => self.number(0, 5),
            _ => self.moment(),
        }
    }

    pub(crate) fn payload(&mut self) -> Text {
        match self.random.random_range(0..10) {
            0 => Text::new(),
            1 => vec![b'x'; self.random.random_range(100..400)],
            2 => {
                let size = self.random.random_range(1..20);
                self.bytes(size)
            }
            _ => self.one_of(&["a", "b", "c", "{\"it\":1}", "1\r\n2"]).into(),
        }
    }

    /// The id of a member: 8 to 26 bytes, some of which mark a member.
    pub(crate) fn id(&mut self) -> Text {
        let size = self.one_of(&[8, 16, 16, 16, 17, 25, 26]);
        if size == 8 {
            // Java's.
            return self.bytes(8);
        }
        let mut id = u64::try_from(self.now_ms()).unwrap().to_be_bytes().to_vec();
        id.extend(self.bytes(8));
        if size >= 25 {
            let expires_ms = self.now_ms() + self.random.random_range(-100..5000);
            id.push(b'x');
            id.extend(expires_ms.to_be_bytes());
        }
        if size == 17 || size == 26 {
            id.push(b'u');
        }
        id
    }

    pub(crate) fn new_member(&mut self) -> Text {
        let (id, payload) = (self.id(), self.payload());
        let size = u64::try_from(payload.len()).unwrap().to_le_bytes();
        match self.random.random_range(0..20) {
            0 => {
                let size = self.random.random_range(0..30);
                self.bytes(size)
            }
            1 => [&self.bytes(8)[..], &size, &payload].concat(),
            _ => [&[u8::try_from(id.len()).unwrap()][..], &id, &size, &payload].concat(),
        }
    }

    /// A packed member.
    pub(crate) fn member(&mut self) -> Text {
        self.held_or(
            &["timeouts", "timeouts", "ordering", "quarantine"],
            Self::new_member,
        )
    }

    /// A packed member that is not there yet.
    pub(crate) fn fresh_member(&mut self) -> Text {
        if self.chance(1, 8) {
            self.member()
        } else {
            self.new_member()
        }
    }

    /// When something is to be due, as scripts take it.
    pub(crate) fn due(&mut self) -> Text {
        match self.random.random_range(0..10) {
            0 => b"9007199254740993".to_vec(),
            1 | 2 => [&b"@"[..], &self.moment()].concat(),
            3 | 4 => b"0".to_vec(),
            _ => self.number(0, 3000),
        }
    }

    /// Redis's own clock, or another, unix us.
    pub(crate) fn clock(&mut self) -> Text {
        let now_us = self.pair.now_us;
        if self.chance(4, 5) {
            Text::new()
        } else {
            self.number(now_us - 2_000_000, now_us + 2_000_000)
        }
    }

    /// A moment before or behind now, unix us.
    pub(crate) fn deadline(&mut self) -> Text {
        let now_us = self.pair.now_us;
        let from = if self.chance(1, 6) {
            now_us - 5_000_000
        } else {
            now_us
        };
        self.number(from, now_us + 60_000_000)
    }

    /// Sixteen bytes that name a call or a claim. Some come again.
    pub(crate) fn call(&mut self) -> Text {
        let incarnation = self.incarnation();
        let number = self.random.random_range(0..6_u64).to_be_bytes();
        [&incarnation[..], &number].concat()
    }

    pub(crate) fn incarnation(&mut self) -> Text {
        vec![self.random.random_range(b'a'..b'd'); 8]
    }

    /// The token of a delivery.
    pub(crate) fn token(&mut self) -> Text {
        self.held_or(&["leases", "delivery_leases", "retries"], Self::new_token)
    }

    pub(crate) fn new_token(&mut self) -> Text {
        let origin = self.new_origin();
        let (claim, place) = (self.call(), [0, self.random.random_range(0..3)]);
        let attempt = [0, self.random.random_range(0..4)];
        let group = match self.chance(1, 2) {
            true => &b""[..],
            false => b"all_the_elements",
        };
        [&origin[..], &claim, &place, &attempt, group].concat()
    }

    /// The origin of a delivery.
    pub(crate) fn new_origin(&mut self) -> Text {
        let place = [0, self.random.random_range(0..3)];
        let (claim, then_ms) = (self.call(), self.now_ms().to_be_bytes());
        [&claim[..], &place, &then_ms].concat()
    }

    /// A few values, one after the other.
    pub(crate) fn several(
        &mut self,
        most: usize,
        make: impl Fn(&mut Self) -> Vec<Text>,
    ) -> Vec<Text> {
        let count = self.random.random_range(1..=most);
        (0..count).flat_map(|_| make(self)).collect()
    }
}
