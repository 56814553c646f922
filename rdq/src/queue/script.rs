//! Scripts of this program.

use std::sync::LazyLock;

use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::{Cmd, FromRedisValue, Script, ToRedisArgs, cmd};
use redisson_delayed_queue::{Error, Master};

use crate::queue::types;

/// A script of `lua/`, as a static. Beside each static is a function that calls the script with typed
/// arguments.
pub(crate) struct Lua {
    text: &'static str,
    hash: LazyLock<String>,
}

/// The script of `lua/` that has this name.
macro_rules! lua {
    ($name:literal) => {{
        const TEXT: &str =
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/lua/", $name, ".lua"));
        $crate::queue::script::Lua::new(TEXT, || $crate::queue::script::hash(TEXT))
    }};
}
pub(crate) use lua;

impl Lua {
    pub(crate) const fn new(text: &'static str, hash: fn() -> String) -> Self {
        Self {
            text,
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
                master.query(&command("EVAL", self.text)).await
            }
            called => called,
        };
        match (called, keys.iter().find_map(|it| QueueKeys::of_key(it))) {
            (Err(error), Some(keys)) => Err(types::named(error, master, &keys).await),
            (called, _) => called,
        }
    }
}

/// What Redis calls a script of this text.
pub(crate) fn hash(text: &str) -> String {
    Script::new(text).get_hash().to_owned()
}

/// The most entries that a script reads: some 1 ms of Redis's time.
pub(crate) const PORTION: u64 = 500;

/// How many bytes these entries may have. The last one may exceed it.
pub(crate) const MOST_BYTES: u64 = 256 * 1_024;
