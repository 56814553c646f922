//! The script that makes changes.

use std::sync::LazyLock;

use redisson_delayed_queue::redis::{FromRedisValue, ParsingError, Value, from_redis_value};
use redisson_delayed_queue::script::Script;

use super::change::Change;
use crate::failure::Result;
use crate::queue::census::Members;
use crate::queue::script::{lua, run};

/// What became of a change. All but [`Done`](Self::Done) wrote nothing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Outcome {
    Done,
    /// The member does not stand as it was seen: it was delivered meanwhile, for example.
    Changed,
    /// Its place in the ordering list was not found.
    Lost,
    /// The quarantine takes no more.
    Full,
}

/// Makes these changes in one atomic step, each only if its member still stands as it was seen.
pub(crate) async fn amend(members: Members<'_>, changes: &[&Change]) -> Result<Vec<Outcome>> {
    static AMEND: LazyLock<Script> = lua!("amend");
    let mut call = AMEND.of(members.keys);
    call.arg("channel", members.keys.channel());
    for argument in changes.iter().flat_map(|it| it.arguments()) {
        call.more(&argument[..]);
    }
    Ok(run(members.master, &mut call).await?)
}

impl FromRedisValue for Outcome {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        let word: String = from_redis_value(value)?;
        match &*word {
            "done" => Ok(Self::Done),
            "changed" => Ok(Self::Changed),
            "lost" => Ok(Self::Lost),
            "full" => Ok(Self::Full),
            _ => Err(format!("no outcome is called {word}").into()),
        }
    }
}
