//! Sorted sets.

use bytes::Bytes;

use super::{Answer, option, places};
use crate::{
    fault::{ErrorReply, SYNTAX},
    keyspace::Keyspace,
    number::{Limit, float, integer},
    reply::Reply,
    sorted_set::SortedSet,
};

fn set<'a>(space: &'a Keyspace, words: &[Bytes]) -> Result<Option<&'a SortedSet>, ErrorReply> {
    space.get(&words[1])
}

pub(super) fn zcard(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    Ok(Reply::count(set(space, words)?.map_or(0, SortedSet::len)))
}

pub(super) fn zscore(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let score = set(space, words)?.and_then(|it| it.score(&words[2]));
    Ok(score.map_or(Reply::Null, Reply::Double))
}

pub(super) fn zmscore(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let set = set(space, words)?;
    let score = |member| set.and_then(|it: &SortedSet| it.score(member));
    let scores = words[2..]
        .iter()
        .map(|it| score(it).map_or(Reply::Null, Reply::Double));
    Ok(Reply::Array(scores.collect()))
}

pub(super) fn zrank(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let rank = set(space, words)?.and_then(|it| it.rank(&words[2]));
    Ok(rank.map_or(Reply::Null, Reply::count))
}

pub(super) fn zcount(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let (min, max) = (Limit::read(&words[2])?, Limit::read(&words[3])?);
    let count = set(space, words)?.map_or(0, |it| it.between(min, max).count());
    Ok(Reply::count(count))
}

pub(super) fn zrem(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    take_out(space, &words[1], |_| words[2..].to_vec())
}

pub(super) fn zremrangebyscore(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let (min, max) = (Limit::read(&words[2])?, Limit::read(&words[3])?);
    let members = |set: &SortedSet| set.between(min, max).map(|(it, _)| it.clone()).collect();
    take_out(space, &words[1], members)
}

pub(super) fn zremrangebyrank(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let (first, last) = (integer(&words[2])?, integer(&words[3])?);
    take_out(space, &words[1], |set| {
        let ranks = places(set.len(), first, last);
        let members = set.iter().skip(ranks.start).take(ranks.len());
        members.map(|(it, _)| it.clone()).collect()
    })
}

fn take_out(
    space: &mut Keyspace,
    key: &Bytes,
    members: impl FnOnce(&SortedSet) -> Vec<Bytes>,
) -> Answer {
    let removed = space.edit(key, |set: &mut SortedSet| {
        let members = members(set);
        let removed = members.iter().filter(|it| set.remove(it)).count();
        (removed, removed > 0)
    })?;
    Ok(Reply::count(removed.unwrap_or_default()))
}

pub(super) fn zadd(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    let (mut only_new, mut only_old, mut only_more, mut only_less) = (false, false, false, false);
    let (mut counts_changed, mut adds_up) = (false, false);
    let mut at = 2;
    while let Some(word) = words.get(at) {
        match &*option(word) {
            b"NX" => only_new = true,
            b"XX" => only_old = true,
            b"GT" => only_more = true,
            b"LT" => only_less = true,
            b"CH" => counts_changed = true,
            b"INCR" => adds_up = true,
            _ => break,
        }
        at += 1;
    }
    let pairs = words[at..].chunks_exact(2);
    if pairs.len() == 0 || !pairs.remainder().is_empty() {
        return Err(SYNTAX.into());
    }
    if only_new && only_old {
        return Err("ERR XX and NX options at the same time are not compatible".into());
    }
    if only_new && (only_more || only_less) || only_more && only_less {
        return Err("ERR GT, LT, and/or NX options at the same time are not compatible".into());
    }
    if adds_up && pairs.len() > 1 {
        return Err("ERR INCR option supports a single increment-element pair".into());
    }
    let pairs = pairs.map(|it| Ok((float(&it[0])?, &it[1])));
    let pairs: Vec<(f64, &Bytes)> = pairs.collect::<Result<_, ErrorReply>>()?;
    if set(space, words)?.is_none() && only_old {
        return Ok(if adds_up {
            Reply::Null
        } else {
            Reply::Integer(0)
        });
    }
    let (added, changed, last) = space.edit_or_add(&words[1], |set: &mut SortedSet| {
        let (mut added, mut changed, mut last) = (0, 0, Ok(None));
        for (score, member) in pairs {
            let Some(before) = set.score(member) else {
                if !only_old {
                    set.set(member.clone(), score);
                    added += 1;
                    last = Ok(Some(score));
                }
                continue;
            };
            if only_new {
                continue;
            }
            let score = if adds_up { before + score } else { score };
            if score.is_nan() {
                last = Err("ERR resulting score is not a number (NaN)");
                continue;
            }
            if only_more && score <= before || only_less && score >= before {
                continue;
            }
            last = Ok(Some(score));
            if score != before {
                set.set(member.clone(), score);
                changed += 1;
            }
        }
        ((added, changed, last), added + changed > 0)
    })?;
    Ok(if adds_up {
        last?.map_or(Reply::Null, Reply::Double)
    } else {
        Reply::count(if counts_changed {
            added + changed
        } else {
            added
        })
    })
}

/// How many members to pass over, and how many to return at most.
#[derive(Clone, Copy, Debug)]
struct Page {
    passed: usize,
    most: usize,
}

impl Page {
    const ALL: Self = Self {
        passed: 0,
        most: usize::MAX,
    };

    fn read(offset: &Bytes, count: &Bytes) -> Result<Self, ErrorReply> {
        // With a negative offset Redis returns nothing.
        let passed = usize::try_from(integer(offset)?).unwrap_or(usize::MAX);
        let most = usize::try_from(integer(count)?).unwrap_or(usize::MAX);
        Ok(Self { passed, most })
    }

    fn of<'a>(&self, members: impl Iterator<Item = (&'a Bytes, f64)>) -> Vec<(Bytes, f64)> {
        let members = members.skip(self.passed).take(self.most);
        members
            .map(|(member, score)| (member.clone(), score))
            .collect()
    }
}

/// How a range is asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum By {
    Rank,
    Score,
    Bytes,
}

pub(super) fn zrange(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    range(space, words, None)
}

pub(super) fn zrangebyscore(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    range(space, words, Some(By::Score))
}

pub(super) fn zrangebylex(space: &mut Keyspace, words: &[Bytes]) -> Answer {
    range(space, words, Some(By::Bytes))
}

fn range(space: &Keyspace, words: &[Bytes], fixed: Option<By>) -> Answer {
    let (mut by, mut descends, mut page, mut with_scores) = (fixed, false, None, false);
    let mut options = words[4..].iter();
    while let Some(word) = options.next() {
        match &*option(word) {
            b"WITHSCORES" => with_scores = true,
            b"LIMIT" => match (options.next(), options.next()) {
                (Some(offset), Some(count)) => page = Some(Page::read(offset, count)?),
                _ => return Err(SYNTAX.into()),
            },
            b"REV" if fixed.is_none() => descends = true,
            b"BYSCORE" if fixed.is_none() => by = Some(By::Score),
            b"BYLEX" if fixed.is_none() => by = Some(By::Bytes),
            _ => return Err(SYNTAX.into()),
        }
    }
    let by = by.unwrap_or(By::Rank);
    if page.is_some() && by == By::Rank {
        return Err(
            "ERR syntax error, LIMIT is only supported in combination with either BYSCORE \
                    or BYLEX"
                .into(),
        );
    }
    if with_scores && by == By::Bytes {
        return Err("ERR syntax error, WITHSCORES not supported in combination with BYLEX".into());
    }
    let page = page.unwrap_or(Page::ALL);
    let (from, to) = (&words[2], &words[3]);
    let (min, max) = if descends { (to, from) } else { (from, to) };
    let found = match by {
        By::Rank => {
            let (first, last) = (integer(from)?, integer(to)?);
            let set = set(space, words)?;
            let ranks = places(set.map_or(0, SortedSet::len), first, last);
            let page = Page {
                passed: ranks.start,
                most: ranks.len(),
            };
            set.map(|it| in_order(it.iter(), descends, page))
        }
        By::Score => {
            let (min, max) = (Limit::read(min)?, Limit::read(max)?);
            set(space, words)?.map(|it| in_order(it.between(min, max), descends, page))
        }
        By::Bytes => {
            let (min, max) = (Edge::read(min)?, Edge::read(max)?);
            // Redis looks at both ends and for the first member, and goes on from there, whatever the
            // scores are.
            let (begins, ends) = (
                |it: &Bytes| min.is_before(it),
                |it: &Bytes| max.is_behind(it),
            );
            let set = set(space, words)?.filter(|set| {
                let has = |member: Option<(&Bytes, f64)>, fits: &dyn Fn(&Bytes) -> bool| {
                    member.is_some_and(|(member, _)| fits(member))
                };
                has(set.iter().next_back(), &begins) && has(set.iter().next(), &ends)
            });
            set.map(|set| match descends {
                false => stretch(set.iter(), begins, ends, page),
                true => stretch(set.iter().rev(), ends, begins, page),
            })
        }
    };
    let found = found.unwrap_or_default();
    Ok(if with_scores {
        Reply::Scored(found)
    } else {
        Reply::bulks(found.into_iter().map(|(member, _)| member))
    })
}

fn in_order<'a>(
    members: impl DoubleEndedIterator<Item = (&'a Bytes, f64)>,
    descends: bool,
    page: Page,
) -> Vec<(Bytes, f64)> {
    if descends {
        page.of(members.rev())
    } else {
        page.of(members)
    }
}

/// The members from the first that has begun on, until one goes on no more.
fn stretch<'a>(
    members: impl Iterator<Item = (&'a Bytes, f64)>,
    has_begun: impl Fn(&Bytes) -> bool,
    goes_on: impl Fn(&Bytes) -> bool,
    page: Page,
) -> Vec<(Bytes, f64)> {
    let mut members = members.skip_while(|it| !has_begun(it.0)).peekable();
    if members.peek().is_none_or(|it| !goes_on(it.0)) {
        return Vec::new();
    }
    let members = members.skip(page.passed).take_while(|it| goes_on(it.0));
    let all = members.take(page.most);
    all.map(|(member, score)| (member.clone(), score)).collect()
}

/// An end of a range of members.
#[derive(Debug)]
enum Edge {
    First,
    Last,
    At(Bytes),
    Beside(Bytes),
}

impl Edge {
    fn read(text: &Bytes) -> Result<Self, ErrorReply> {
        match text.first() {
            Some(b'-') if text.len() == 1 => Ok(Self::First),
            Some(b'+') if text.len() == 1 => Ok(Self::Last),
            Some(b'[') => Ok(Self::At(text.slice(1..))),
            Some(b'(') => Ok(Self::Beside(text.slice(1..))),
            _ => Err("ERR min or max not valid string range item".into()),
        }
    }

    fn is_before(&self, member: &Bytes) -> bool {
        match self {
            Self::First => true,
            Self::Last => false,
            Self::At(edge) => member >= edge,
            Self::Beside(edge) => member > edge,
        }
    }

    fn is_behind(&self, member: &Bytes) -> bool {
        match self {
            Self::First => false,
            Self::Last => true,
            Self::At(edge) => member <= edge,
            Self::Beside(edge) => member < edge,
        }
    }
}
