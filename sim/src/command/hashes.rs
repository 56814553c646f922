//! Hashes.

use bytes::Bytes;

use super::Answer;
use crate::{
    fault::wrong_number,
    keyspace::{Hash, Keyspace},
    number::integer,
    reply::Reply,
};

/// The value of a field.
fn field(
    space: &Keyspace,
    key: &Bytes,
    field: &Bytes,
) -> Result<Option<Bytes>, crate::fault::ErrorReply> {
    Ok(space
        .get::<Hash>(key)?
        .and_then(|it| it.get(field).cloned()))
}

pub(super) fn hget(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    Ok(Reply::bulk_or_null(field(space, &words[1], &words[2])?))
}

pub(super) fn hexists(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    Ok(Reply::yes(field(space, &words[1], &words[2])?.is_some()))
}

pub(super) fn hstrlen(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let value = field(space, &words[1], &words[2])?;
    Ok(Reply::count(value.map_or(0, |it| it.len())))
}

pub(super) fn hmget(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let hash = space.get::<Hash>(&words[1])?;
    let value = |field| Reply::bulk_or_null(hash.and_then(|it| it.get(field).cloned()));
    Ok(Reply::Array(words[2..].iter().map(value).collect()))
}

pub(super) fn hgetall(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let pairs = space.get::<Hash>(&words[1])?.into_iter().flatten();
    let pairs =
        pairs.map(|(field, value)| (Reply::Bulk(field.clone()), Reply::Bulk(value.clone())));
    Ok(Reply::Map(pairs.collect()))
}

pub(super) fn hlen(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    Ok(Reply::count(
        space.get::<Hash>(&words[1])?.map_or(0, Hash::len),
    ))
}

pub(super) fn hset(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    if words.len() % 2 == 1 {
        return Err(wrong_number("hset"));
    }
    let added = space.edit_or_add(&words[1], |hash: &mut Hash| {
        let pairs = words[2..].chunks_exact(2);
        let is_new = |pair: &&[Bytes]| hash.insert(pair[0].clone(), pair[1].clone()).is_none();
        (pairs.filter(is_new).count(), true)
    })?;
    Ok(Reply::count(added))
}

pub(super) fn hsetnx(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let is_set = space.edit_or_add(&words[1], |hash: &mut Hash| {
        let is_new = !hash.contains_key(&words[2]);
        if is_new {
            hash.insert(words[2].clone(), words[3].clone());
        }
        (is_new, is_new)
    })?;
    Ok(Reply::yes(is_set))
}

pub(super) fn hincrby(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let by = integer(&words[3])?;
    let before = field(space, &words[1], &words[2])?;
    let before = before.map_or(Ok(0), |it| integer(&it));
    let before = before.map_err(|_| "ERR hash value is not an integer")?;
    let after = before.checked_add(by);
    let after = after.ok_or("ERR increment or decrement would overflow")?;
    space.edit_or_add(&words[1], |hash: &mut Hash| {
        hash.insert(words[2].clone(), after.to_string().into());
        ((), true)
    })?;
    Ok(Reply::Integer(after))
}

pub(super) fn hdel(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let removed = space.edit(&words[1], |hash: &mut Hash| {
        let removed = words[2..]
            .iter()
            .filter(|it| hash.remove(*it).is_some())
            .count();
        (removed, removed > 0)
    })?;
    Ok(Reply::count(removed.unwrap_or_default()))
}
