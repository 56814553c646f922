//! The commands: how many arguments each takes, which of them are keys, and what it does to a key space.

use std::{collections::BTreeMap, sync::LazyLock};

use bytes::Bytes;

use crate::{
    fault::{ErrorReply, wrong_number},
    keyspace::Keyspace,
    reply::Reply,
};

mod hashes;
mod keys;
mod lists;
mod sorted_sets;
mod strings;

pub(crate) type Answer = Result<Reply, ErrorReply>;
type Run = fn(&mut Keyspace, &[Bytes]) -> Answer;

/// A command.
#[derive(Debug)]
pub(crate) struct Command {
    /// In lower case.
    pub(crate) name: &'static str,
    /// How many words it has. If negative, it has at least as many.
    arity: i32,
    /// Where its keys stand.
    keys: Keys,
    /// It changes the key space.
    pub(crate) writes: bool,
    /// It is refused when memory is full.
    pub(crate) needs_memory: bool,
    /// Scripts may not call it.
    pub(crate) is_for_clients: bool,
    /// None if it is about more than one key space: see `server.rs` and `session.rs`.
    pub(crate) run: Option<Run>,
}

/// Which words of a command are keys.
#[derive(Clone, Copy, Debug)]
enum Keys {
    None,
    /// The first so many behind the name.
    First(usize),
    All,
    /// As many as the second word behind the name says, from the third on.
    Counted,
}

impl Command {
    /// The command with this name in whatever case.
    pub(crate) fn find(name: &[u8]) -> Option<&'static Self> {
        static BY_NAME: LazyLock<BTreeMap<&[u8], &Command>> =
            LazyLock::new(|| COMMANDS.iter().map(|it| (it.name.as_bytes(), it)).collect());
        BY_NAME.get(&*name.to_ascii_lowercase()).copied()
    }

    /// An error if there are too few or too many words.
    pub(crate) fn check_number(&self, words: &[Bytes]) -> Result<(), ErrorReply> {
        let wanted = self.arity.unsigned_abs() as usize;
        if words.len() == wanted || self.arity < 0 && words.len() > wanted {
            return Ok(());
        }
        Err(wrong_number(self.name))
    }

    /// The keys among these words, the first of which is the name.
    pub(crate) fn keys<'a>(&self, words: &'a [Bytes]) -> &'a [Bytes] {
        let behind = &words[1..];
        match self.keys {
            Keys::None => &[],
            Keys::First(count) => &behind[..count.min(behind.len())],
            Keys::All => behind,
            Keys::Counted => {
                let count = behind
                    .get(1)
                    .and_then(|it| str::from_utf8(it).ok()?.parse().ok());
                let keys = behind.get(2..).unwrap_or_default();
                keys.get(..count.unwrap_or_default()).unwrap_or_default()
            }
        }
    }

    pub(crate) fn has_subcommands(&self) -> bool {
        ["acl", "client", "cluster", "script"].contains(&self.name)
    }

    /// The channels among these words.
    pub(crate) fn channels<'a>(&self, words: &'a [Bytes]) -> &'a [Bytes] {
        match self.name {
            "publish" => words.get(1..2).unwrap_or_default(),
            "subscribe" => &words[1..],
            _ => &[],
        }
    }

    /// The name in the error that denies it.
    pub(crate) fn full_name(&self, words: &[Bytes]) -> String {
        let sub = words.get(1).filter(|_| self.has_subcommands());
        let sub = sub.map(|it| format!("|{}", String::from_utf8_lossy(it).to_lowercase()));
        format!("{}{}", self.name, sub.unwrap_or_default())
    }
}

const fn command(name: &'static str, arity: i32, keys: Keys) -> Command {
    Command {
        name,
        arity,
        keys,
        writes: false,
        needs_memory: false,
        is_for_clients: false,
        run: None,
    }
}

/// Reads a key space.
const fn reads(name: &'static str, arity: i32, keys: Keys, run: Run) -> Command {
    Command {
        run: Some(run),
        ..command(name, arity, keys)
    }
}

/// Changes a key space, and makes it smaller if anything.
const fn frees(name: &'static str, arity: i32, keys: Keys, run: Run) -> Command {
    Command {
        writes: true,
        ..reads(name, arity, keys, run)
    }
}

/// Changes a key space, and may make it larger.
const fn grows(name: &'static str, arity: i32, keys: Keys, run: Run) -> Command {
    Command {
        needs_memory: true,
        ..frees(name, arity, keys, run)
    }
}

/// Is about the server or the connection.
const fn serves(name: &'static str, arity: i32) -> Command {
    command(name, arity, Keys::None)
}

/// The same, and no script may call it.
const fn serves_clients(name: &'static str, arity: i32) -> Command {
    Command {
        is_for_clients: true,
        ..serves(name, arity)
    }
}

const fn runs_script(name: &'static str) -> Command {
    Command {
        is_for_clients: true,
        ..command(name, -3, Keys::Counted)
    }
}

const ONE: Keys = Keys::First(1);
const TWO: Keys = Keys::First(2);

static COMMANDS: &[Command] = &[
    grows("copy", -3, TWO, keys::copy),
    frees("del", -2, Keys::All, keys::del),
    reads("exists", -2, Keys::All, keys::exists),
    reads("keys", 2, Keys::None, keys::keys),
    frees("persist", 2, ONE, keys::persist),
    frees("pexpire", -3, ONE, keys::pexpire),
    frees("pexpireat", -3, ONE, keys::pexpireat),
    reads("pttl", 2, ONE, keys::pttl),
    frees("rename", 3, TWO, keys::rename),
    frees("renamenx", 3, TWO, keys::renamenx),
    reads("touch", -2, Keys::All, keys::exists),
    reads("type", 2, ONE, keys::type_of),
    frees("unlink", -2, Keys::All, keys::del),
    reads("get", 2, ONE, strings::get),
    grows("set", -3, ONE, strings::set),
    frees("hdel", -3, ONE, hashes::hdel),
    reads("hexists", 3, ONE, hashes::hexists),
    reads("hget", 3, ONE, hashes::hget),
    reads("hgetall", 2, ONE, hashes::hgetall),
    grows("hincrby", 4, ONE, hashes::hincrby),
    reads("hlen", 2, ONE, hashes::hlen),
    reads("hmget", -3, ONE, hashes::hmget),
    grows("hset", -4, ONE, hashes::hset),
    grows("hsetnx", 4, ONE, hashes::hsetnx),
    reads("hstrlen", 3, ONE, hashes::hstrlen),
    reads("lindex", 3, ONE, lists::lindex),
    reads("llen", 2, ONE, lists::llen),
    frees("lpop", -2, ONE, lists::lpop),
    reads("lpos", -3, ONE, lists::lpos),
    grows("lpush", -3, ONE, lists::lpush),
    grows("lpushx", -3, ONE, lists::lpushx),
    reads("lrange", 4, ONE, lists::lrange),
    frees("lrem", 4, ONE, lists::lrem),
    grows("lset", 4, ONE, lists::lset),
    frees("ltrim", 4, ONE, lists::ltrim),
    frees("rpop", -2, ONE, lists::rpop),
    grows("rpush", -3, ONE, lists::rpush),
    grows("rpushx", -3, ONE, lists::rpushx),
    grows("zadd", -4, ONE, sorted_sets::zadd),
    reads("zcard", 2, ONE, sorted_sets::zcard),
    reads("zcount", 4, ONE, sorted_sets::zcount),
    reads("zmscore", -3, ONE, sorted_sets::zmscore),
    reads("zrange", -4, ONE, sorted_sets::zrange),
    reads("zrangebylex", -4, ONE, sorted_sets::zrangebylex),
    reads("zrangebyscore", -4, ONE, sorted_sets::zrangebyscore),
    reads("zrank", 3, ONE, sorted_sets::zrank),
    frees("zrem", -3, ONE, sorted_sets::zrem),
    frees("zremrangebyrank", 4, ONE, sorted_sets::zremrangebyrank),
    frees("zremrangebyscore", 4, ONE, sorted_sets::zremrangebyscore),
    reads("zscore", 3, ONE, sorted_sets::zscore),
    serves_clients("acl", -2),
    serves_clients("auth", -2),
    serves_clients("client", -2),
    serves_clients("cluster", -2),
    runs_script("eval"),
    runs_script("evalsha"),
    // The simulation waits for one list only, and without a timeout.
    Command {
        keys: ONE,
        writes: true,
        ..serves_clients("blpop", 3)
    },
    Command {
        writes: true,
        ..serves_clients("flushall", -1)
    },
    serves_clients("hello", -1),
    serves("ping", -1),
    serves("publish", 3),
    serves("role", 1),
    serves_clients("script", -2),
    serves("select", 2),
    serves_clients("subscribe", -2),
    serves("time", 1),
    serves_clients("unsubscribe", -1),
    serves("wait", 3),
];

/// A word in upper case, to compare it with the name of an option.
fn option(word: &Bytes) -> Vec<u8> {
    word.to_ascii_uppercase()
}

/// The places from `first` to `last` of something with so many entries, where -1 is the last place.
fn places(size: usize, first: i64, last: i64) -> std::ops::Range<usize> {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let from_front = |place: i64| {
        if place < 0 {
            place.saturating_add(size)
        } else {
            place
        }
    };
    let first = from_front(first).max(0);
    let last = from_front(last).min(size - 1);
    if first > last {
        return 0..0;
    }
    // Both are within the size.
    first as usize..last as usize + 1
}
