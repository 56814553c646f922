//! Keys of whatever type, and when they expire.

use bytes::Bytes;

use super::{Answer, option};
use crate::{
    fault::{ErrorReply, NO_SUCH_KEY, SYNTAX},
    keyspace::Keyspace,
    number::integer,
    pattern::matches,
    reply::Reply,
};

pub(super) fn del(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let keys = words[1..].iter();
    Ok(Reply::count(
        keys.filter(|key| space.remove(key).is_some()).count(),
    ))
}

pub(super) fn exists(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let keys = words[1..].iter();
    Ok(Reply::count(
        keys.filter(|key| space.entry(key).is_some()).count(),
    ))
}

pub(super) fn keys(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let keys = space.keys().filter(|key| matches(&words[1], key));
    Ok(Reply::bulks(keys.cloned()))
}

pub(super) fn type_of(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let entry = space.entry(&words[1]);
    let name = entry.map_or("none", |it| it.value.type_name());
    Ok(Reply::Status(Bytes::from_static(name.as_bytes())))
}

pub(super) fn pttl(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let left_ms = match space.entry(&words[1]).map(|it| it.expires_ms) {
        None => -2,
        Some(None) => -1,
        Some(Some(at_ms)) => (at_ms - space.now_ms()).max(0),
    };
    Ok(Reply::Integer(left_ms))
}

pub(super) fn persist(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let entry = space.entry_mut(&words[1]);
    let had_expiry = entry.is_some_and(|it| it.expires_ms.take().is_some());
    if had_expiry {
        space.changed.push(words[1].clone());
    }
    Ok(Reply::yes(had_expiry))
}

pub(super) fn pexpire(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    expire(space, words, space.now_ms(), "pexpire")
}

pub(super) fn pexpireat(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    expire(space, words, 0, "pexpireat")
}

fn expire(space: &mut Keyspace, words: &[Bytes], from_ms: i64, name: &str) -> Answer {
    let mut conditions = Vec::new();
    for word in &words[3..] {
        let condition = option(word);
        if ![&b"NX"[..], b"XX", b"GT", b"LT"].contains(&&*condition) {
            let text = String::from_utf8_lossy(word);
            return Err(format!("ERR Unsupported option {text}").into());
        }
        conditions.push(condition);
    }
    let has = |it: &[u8]| conditions.iter().any(|condition| condition == it);
    if has(b"NX") && (has(b"XX") || has(b"GT") || has(b"LT")) {
        return Err("ERR NX and XX, GT or LT options at the same time are not compatible".into());
    }
    if has(b"GT") && has(b"LT") {
        return Err("ERR GT and LT options at the same time are not compatible".into());
    }
    let at_ms = integer(&words[2])?.checked_add(from_ms);
    let invalid = || ErrorReply::from(format!("ERR invalid expire time in '{name}' command"));
    let at_ms = at_ms.ok_or_else(invalid)?;
    let now_ms = space.now_ms();
    let Some(entry) = space.entry_mut(&words[1]) else {
        return Ok(Reply::Integer(0));
    };
    let before = entry.expires_ms;
    let is_refused = has(b"NX") && before.is_some()
        || has(b"XX") && before.is_none()
        || has(b"GT") && before.is_none_or(|it| at_ms <= it)
        || has(b"LT") && before.is_some_and(|it| at_ms >= it);
    if is_refused {
        return Ok(Reply::Integer(0));
    }
    if at_ms <= now_ms {
        space.remove(&words[1]);
    } else {
        entry.expires_ms = Some(at_ms);
        space.changed.push(words[1].clone());
    }
    Ok(Reply::Integer(1))
}

pub(super) fn rename(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    move_to(space, words, true)?;
    Ok(Reply::OK)
}

pub(super) fn renamenx(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    Ok(Reply::yes(move_to(space, words, false)?))
}

fn move_to(space: &mut Keyspace, words: &[Bytes], replaces: bool) -> Result<bool, ErrorReply> {
    let (from, to) = (&words[1], &words[2]);
    space.entry(from).ok_or(NO_SUCH_KEY)?;
    if from == to || !replaces && space.entry(to).is_some() {
        return Ok(replaces);
    }
    if let Some(entry) = space.remove(from) {
        space.put(to, entry);
    }
    Ok(true)
}

pub(super) fn copy(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let (from, to) = (&words[1], &words[2]);
    let mut replaces = false;
    for word in &words[3..] {
        match &*option(word) {
            b"REPLACE" => replaces = true,
            _ => return Err(SYNTAX.into()),
        }
    }
    if from == to {
        return Err("ERR source and destination objects are the same".into());
    }
    let Some(entry) = space.entry(from).cloned() else {
        return Ok(Reply::Integer(0));
    };
    if space.entry(to).is_some() && !replaces {
        return Ok(Reply::Integer(0));
    }
    space.put(to, entry);
    Ok(Reply::Integer(1))
}
