//! Strings.

use bytes::Bytes;

use super::{Answer, option};
use crate::{
    fault::{SYNTAX, WRONG_TYPE},
    keyspace::{Entry, Keyspace, Kind, Value},
    number::integer,
    reply::Reply,
};

pub(super) fn get(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    Ok(Reply::bulk_or_null(space.get::<Bytes>(&words[1])?.cloned()))
}

pub(super) fn set(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let (mut expires_ms, mut keeps_expiry, mut wants_old) = (None, false, false);
    // Whether the key must be there.
    let mut must_be = None;
    let mut options = words[3..].iter();
    while let Some(word) = options.next() {
        match &*option(word) {
            b"NX" if must_be != Some(true) => must_be = Some(false),
            b"XX" if must_be != Some(false) => must_be = Some(true),
            b"GET" => wants_old = true,
            b"KEEPTTL" if expires_ms.is_none() => keeps_expiry = true,
            unit @ (b"EX" | b"PX" | b"EXAT" | b"PXAT") if expires_ms.is_none() && !keeps_expiry => {
                let number = integer(options.next().ok_or(SYNTAX)?)?;
                let ms = if unit[0] == b'E' {
                    number.checked_mul(1000)
                } else {
                    Some(number)
                };
                let now_ms = if unit.len() == 2 { space.now_ms() } else { 0 };
                let at_ms = ms
                    .filter(|_| number > 0)
                    .and_then(|it| it.checked_add(now_ms));
                expires_ms = Some(at_ms.ok_or("ERR invalid expire time in 'set' command")?);
            }
            _ => return Err(SYNTAX.into()),
        }
    }
    let entry = space.entry(&words[1]);
    let old = entry.map(|it| Bytes::of(&it.value).cloned());
    if wants_old && old == Some(None) {
        return Err(WRONG_TYPE.into());
    }
    let is_refused = must_be.is_some_and(|it| it != entry.is_some());
    let kept_ms = entry.and_then(|it| it.expires_ms).filter(|_| keeps_expiry);
    if !is_refused {
        let expires_ms = expires_ms.or(kept_ms);
        let value = Value::Text(words[2].clone());
        space.put(&words[1], Entry { value, expires_ms });
    }
    Ok(match old.flatten() {
        old if wants_old => Reply::bulk_or_null(old),
        _ if is_refused => Reply::Null,
        _ => Reply::OK,
    })
}
