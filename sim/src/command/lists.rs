//! Lists.

use bytes::Bytes;

use super::{Answer, option, places};
use crate::{
    fault::{ErrorReply, NO_SUCH_KEY, SYNTAX},
    keyspace::{Keyspace, List},
    number::integer,
    reply::Reply,
};

pub(super) fn llen(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    Ok(Reply::count(
        space.get::<List>(&words[1])?.map_or(0, List::len),
    ))
}

pub(super) fn lindex(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let list = space.get::<List>(&words[1])?;
    let Some(list) = list else {
        return Ok(Reply::Null);
    };
    let entry = place(list, integer(&words[2])?).map(|it| list[it].clone());
    Ok(Reply::bulk_or_null(entry))
}

/// The place in the list, counted from the front.
fn place(list: &List, index: i64) -> Option<usize> {
    let size = i64::try_from(list.len()).ok()?;
    let place = if index < 0 {
        index.checked_add(size)?
    } else {
        index
    };
    usize::try_from(place).ok().filter(|it| *it < list.len())
}

pub(super) fn lrange(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let (first, last) = (integer(&words[2])?, integer(&words[3])?);
    let Some(list) = space.get::<List>(&words[1])? else {
        return Ok(Reply::Array(Vec::new()));
    };
    let entries = list.range(places(list.len(), first, last));
    Ok(Reply::bulks(entries.cloned()))
}

pub(super) fn lpush(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    push(space, words, List::push_front)
}

pub(super) fn rpush(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    push(space, words, List::push_back)
}

fn push(space: &mut Keyspace, words: &[Bytes], add: fn(&mut List, Bytes)) -> Answer {
    let size = space.edit_or_add(&words[1], |list: &mut List| {
        words[2..].iter().for_each(|it| add(list, it.clone()));
        (list.len(), true)
    })?;
    Ok(Reply::count(size))
}

pub(super) fn lpushx(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    if space.get::<List>(&words[1])?.is_none() {
        return Ok(Reply::Integer(0));
    }
    lpush(space, words)
}

pub(super) fn rpushx(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    if space.get::<List>(&words[1])?.is_none() {
        return Ok(Reply::Integer(0));
    }
    rpush(space, words)
}

pub(super) fn lpop(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    pop(space, words, List::pop_front)
}

pub(super) fn rpop(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    pop(space, words, List::pop_back)
}

fn pop(space: &mut Keyspace, words: &[Bytes], take: fn(&mut List) -> Option<Bytes>) -> Answer {
    let count = match &words[2..] {
        [] => None,
        [count] => {
            let count = integer(count).ok().and_then(|it| usize::try_from(it).ok());
            Some(count.ok_or("ERR value is out of range, must be positive")?)
        }
        _ => {
            return Err(crate::fault::wrong_number(
                if words[0].eq_ignore_ascii_case(b"lpop") {
                    "lpop"
                } else {
                    "rpop"
                },
            ));
        }
    };
    let taken = space.edit(&words[1], |list: &mut List| {
        let many = count.unwrap_or(1);
        let taken: Vec<Bytes> = std::iter::from_fn(|| take(list)).take(many).collect();
        let is_changed = !taken.is_empty();
        (taken, is_changed)
    })?;
    Ok(match (taken, count) {
        (None, None) => Reply::Null,
        (None, Some(_)) => Reply::NullArray,
        (Some(taken), None) => Reply::bulk_or_null(taken.into_iter().next()),
        (Some(taken), Some(_)) => Reply::bulks(taken),
    })
}

pub(super) fn lset(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    space.get::<List>(&words[1])?.ok_or(NO_SUCH_KEY)?;
    let index = integer(&words[2])?;
    let set = space.edit(&words[1], |list: &mut List| {
        let place = place(list, index);
        if let Some(place) = place {
            list[place] = words[3].clone();
        }
        (place, place.is_some())
    })?;
    set.flatten().ok_or("ERR index out of range")?;
    Ok(Reply::OK)
}

pub(super) fn lrem(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let count = integer(&words[2])?;
    let most = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    let most = if most == 0 { usize::MAX } else { most };
    let removed = space.edit(&words[1], |list: &mut List| {
        let mut removed = 0;
        let mut stays = |entry: &Bytes| {
            let goes = removed < most && *entry == words[3];
            removed += usize::from(goes);
            !goes
        };
        if count < 0 {
            let mut kept: List = List::new();
            for entry in list.drain(..).rev() {
                if stays(&entry) {
                    kept.push_front(entry);
                }
            }
            *list = kept;
        } else {
            list.retain(stays);
        }
        (removed, removed > 0)
    })?;
    Ok(Reply::count(removed.unwrap_or_default()))
}

pub(super) fn ltrim(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let (first, last) = (integer(&words[2])?, integer(&words[3])?);
    space.edit(&words[1], |list: &mut List| {
        let kept = places(list.len(), first, last);
        list.truncate(kept.end);
        list.drain(..kept.start.min(list.len()));
        ((), true)
    })?;
    Ok(Reply::OK)
}

pub(super) fn lpos(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let (mut rank, mut count, mut most) = (1, None, 0);
    for pair in words[3..].chunks(2) {
        let [name, number] = pair else {
            return Err(SYNTAX.into());
        };
        let not_negative = |fault: &'static str| match integer(number) {
            Ok(number @ 0..) => Ok(usize::try_from(number).unwrap_or(usize::MAX)),
            _ => Err(ErrorReply::from(fault)),
        };
        match &*option(name) {
            b"RANK" => rank = integer(number)?,
            b"COUNT" => count = Some(not_negative("ERR COUNT can't be negative")?),
            b"MAXLEN" => most = not_negative("ERR MAXLEN can't be negative")?,
            _ => return Err(SYNTAX.into()),
        }
        if rank == 0 {
            return Err(
                "ERR RANK can't be zero: use 1 to start from the first match, 2 from the \
                        second ... or use negative to start from the end of the list"
                    .into(),
            );
        }
    }
    let list = space.get::<List>(&words[1])?;
    let size = list.map_or(0, List::len);
    let looked_at = if most == 0 { size } else { most.min(size) };
    let from_end = rank < 0;
    let passed = usize::try_from(rank.unsigned_abs()).unwrap_or(usize::MAX) - 1;
    let found = (0..looked_at)
        .map(|step| if from_end { size - 1 - step } else { step })
        .filter(|place| list.is_some_and(|it| it[*place] == words[2]))
        .skip(passed);
    Ok(match count {
        None => found.map(Reply::count).next().unwrap_or(Reply::Null),
        Some(0) => Reply::Array(found.map(Reply::count).collect()),
        Some(count) => Reply::Array(found.take(count).map(Reply::count).collect()),
    })
}
