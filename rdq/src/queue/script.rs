//! Scripts of this program.

use std::sync::LazyLock;

use redisson_delayed_queue::keys::{QueueKeys, with_places};
use redisson_delayed_queue::redis::{Cmd, FromRedisValue, Script, ToRedisArgs, cmd};
use redisson_delayed_queue::{Error, Master};

use crate::queue::types;

/// A script of `lua/`, as a static. Beside each static is a function that calls the script with typed
/// arguments.
pub(crate) struct Lua {
    text: LazyLock<String>,
    hash: LazyLock<String>,
}

/// The script of `lua/` that has this name.
macro_rules! lua {
    ($name:literal) => {{
        const SOURCE: &str =
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/lua/", $name, ".lua"));
        $crate::queue::script::Lua::new(
            || $crate::queue::script::text(SOURCE),
            || $crate::queue::script::hash(SOURCE),
        )
    }};
}
pub(crate) use lua;

impl Lua {
    pub(crate) const fn new(text: fn() -> String, hash: fn() -> String) -> Self {
        Self {
            text: LazyLock::new(text),
            hash: LazyLock::new(hash),
        }
    }

    /// Runs the script. Redis gets its text only if it does not know it.
    pub(crate) async fn call<T: FromRedisValue>(
        &self,
        master: &Master,
        keys: &[&str],
        args: &[impl ToRedisArgs],
    ) -> Result<T, Error> {
        let command = |name, script: &str| -> Cmd {
            let mut command = cmd(name);
            command.arg(script).arg(keys.len()).arg(keys).arg(args);
            command
        };
        let called = match master.query(&command("EVALSHA", &self.hash)).await {
            Err(Error::Refused { source, .. }) if source.code() == Some("NOSCRIPT") => {
                master.query(&command("EVAL", &self.text)).await
            }
            called => called,
        };
        match (called, keys.iter().find_map(|it| QueueKeys::of_key(it))) {
            (Err(error), Some(keys)) => Err(types::named(error, master, &keys).await),
            (called, _) => called,
        }
    }
}

/// What Redis gets of a file of `lua/`.
pub(crate) fn text(source: &str) -> String {
    with_places(source)
}

/// What Redis calls it.
pub(crate) fn hash(source: &str) -> String {
    Script::new(&text(source)).get_hash().to_owned()
}

/// The most entries that a script reads: some 1 ms of Redis's time.
pub(crate) const PORTION: u64 = 500;

/// How many bytes these entries may have. The last one may exceed it.
pub(crate) const MOST_BYTES: u64 = 256 * 1_024;

#[cfg(test)]
mod tests {
    use std::fs;

    use testbed::Tair;

    use super::text;

    /// A managed cluster refuses all others.
    #[test]
    fn every_command_gets_its_keys_as_places_of_keys() {
        let files = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/lua")).unwrap();
        for file in files.map(|it| it.unwrap().path()) {
            let text = text(&fs::read_to_string(&file).unwrap());
            assert_eq!(Tair::objection(&text), None, "{}:\n{text}", file.display());
        }
    }
}
