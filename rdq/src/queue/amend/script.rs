//! The script that makes changes.

use bytes::Bytes;
use redisson_delayed_queue::redis::{FromRedisValue, ParsingError, Value, from_redis_value};

use super::change::Change;
use crate::failure::Result;
use crate::queue::census::Members;
use crate::queue::script::{Lua, lua};

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
    static AMEND: Lua = lua!("amend");
    let keys = members.keys;
    let names = [
        keys.timeouts(),
        keys.ordering(),
        keys.quarantine(),
        keys.state(),
    ];
    let channel = Bytes::copy_from_slice(keys.channel().as_bytes());
    let changes = changes.iter().flat_map(|it| it.arguments());
    let arguments: Vec<Bytes> = [channel].into_iter().chain(changes).collect();
    let arguments: Vec<&[u8]> = arguments.iter().map(|it| &it[..]).collect();
    Ok(AMEND.call(members.master, &names, &arguments).await?)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    const COPIED: [&str; 4] = ["MARKER", "BULKY", "MOST_KEPT", "KEPT_BYTES"];

    /// What a script defines under these names. It may define several on one line.
    fn constants(script: &str) -> BTreeMap<&str, &str> {
        let lines = script.lines().filter_map(|it| it.strip_prefix("local "));
        let lines = lines.filter_map(|it| it.split_once(" = "));
        let pairs = lines.flat_map(|(names, values)| names.split(", ").zip(values.split(", ")));
        pairs.filter(|(name, _)| COPIED.contains(name)).collect()
    }

    #[test]
    fn constants_are_those_of_the_scripts_of_the_library() {
        let own = constants(include_str!("../../../lua/amend.lua"));
        let library = [
            include_str!("../../../../lua/lib/marker.lua"),
            include_str!("../../../../lua/lib/portions.lua"),
            include_str!("../../../../lua/lib/quarantine.lua"),
        ];
        assert_eq!(own.len(), COPIED.len(), "{own:?}");
        assert_eq!(own, constants(&library.concat()));
    }
}
