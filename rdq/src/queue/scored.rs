//! Reads sorted sets and hashes, a portion at a time.

use std::collections::HashSet;
use std::sync::LazyLock;

use bytes::Bytes;
use futures::stream::{self, Stream, TryStreamExt};
use redisson_delayed_queue::Master;
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::script::Script;

use crate::failure::Result;
use crate::queue::script::{MOST_BYTES, PORTION, lua, run};

static SCORED: LazyLock<Script> = lua!("scored");

/// A member, and its score as Redis spells it.
pub(crate) type Scored = (Bytes, String);

/// Where to read on.
struct Cursor {
    score: String,
    member: Bytes,
    /// What was read with this score.
    seen: HashSet<Bytes>,
}

/// The members of a sorted set by their scores. One that stays where it is comes once.
pub(crate) fn members(
    master: Master,
    key: &str,
) -> impl Stream<Item = Result<Scored>> + Send + 'static {
    let key = key.to_owned();
    let place = Cursor {
        score: "-inf".to_owned(),
        member: Bytes::new(),
        seen: HashSet::new(),
    };
    let portions = stream::try_unfold(Some(place), move |place| {
        let (master, key) = (master.clone(), key.clone());
        async move {
            match place {
                Some(place) => portion(&master, &key, place).await.map(Some),
                None => Ok(None),
            }
        }
    });
    portions
        .map_ok(|portion| stream::iter(portion.into_iter().map(Ok)))
        .try_flatten()
}

async fn portion(
    master: &Master,
    key: &str,
    mut place: Cursor,
) -> Result<(Vec<Scored>, Option<Cursor>)> {
    let mut call = SCORED.with(|_| Some(key));
    call.arg("score", &place.score)
        .arg("member", &place.member[..])
        .arg("most", PORTION)
        .arg("most_bytes", MOST_BYTES);
    let (entries, is_more): (Vec<(Vec<u8>, String)>, bool) = run(master, &mut call).await?;
    let mut fresh = Vec::new();
    for (member, score) in entries {
        let member = Bytes::from(member);
        if score != place.score {
            place.seen.clear();
            place.score.clone_from(&score);
        }
        place.member = member.clone();
        if place.seen.insert(member.clone()) {
            fresh.push((member, score));
        }
    }
    Ok((fresh, is_more.then_some(place)))
}

/// The fields of a hash with their values, and the scores that they have in a sorted set; 0 for none.
pub(crate) fn fields(
    master: Master,
    hash: &str,
    scores: &str,
) -> impl Stream<Item = Result<(Bytes, Bytes, String)>> + Send + 'static {
    let keys = [hash, scores].map(str::to_owned);
    let portions = stream::try_unfold(Some(0_u64), move |cursor| {
        let (master, keys) = (master.clone(), keys.clone());
        async move {
            match cursor {
                Some(cursor) => scan(&master, &keys, cursor).await.map(Some),
                None => Ok(None),
            }
        }
    });
    portions
        .map_ok(|portion: Vec<_>| stream::iter(portion.into_iter().map(Ok)))
        .try_flatten()
}

/// A field and its value.
type Pair = (Vec<u8>, Vec<u8>);

/// A field, its value, and its score.
type Field = (Bytes, Bytes, String);

async fn scan(
    master: &Master,
    [hash, scores]: &[String; 2],
    cursor: u64,
) -> Result<(Vec<Field>, Option<u64>)> {
    let mut command = cmd("HSCAN");
    command.arg(hash).arg(cursor).arg("COUNT").arg(100);
    let (next, pairs): (u64, Vec<Pair>) = master.query(&command).await?;
    let mut fields = Vec::new();
    if !pairs.is_empty() {
        let mut command = cmd("ZMSCORE");
        command.arg(scores);
        for (field, _) in &pairs {
            command.arg(field);
        }
        let scores: Vec<Option<String>> = master.query(&command).await?;
        for ((field, value), score) in pairs.into_iter().zip(scores) {
            let score = score.unwrap_or_else(|| "0".to_owned());
            fields.push((field.into(), value.into(), score));
        }
    }
    Ok((fields, (next != 0).then_some(next)))
}
