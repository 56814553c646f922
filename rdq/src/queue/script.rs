//! Scripts of this program.

use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::FromRedisValue;
use redisson_delayed_queue::script::Call;
use redisson_delayed_queue::{Error, Master};

use crate::queue::types;

/// The script of `lua/` that has this name, for a static. Beside each static is a function that calls
/// the script with typed arguments.
macro_rules! lua {
    ($name:literal) => {
        std::sync::LazyLock::new(|| {
            redisson_delayed_queue::script::Script::new(include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/lua/",
                $name,
                ".lua"
            )))
        })
    };
}
pub(crate) use lua;

/// Runs a script.
pub(crate) async fn run<T: FromRedisValue>(
    master: &Master,
    call: &mut Call<'_>,
) -> Result<T, Error> {
    match (
        master.call(call).await,
        call.keys().find_map(QueueKeys::of_key),
    ) {
        (Err(error), Some(keys)) => Err(types::named(error, master, &keys).await),
        (called, _) => called,
    }
}

/// The most entries that a script reads: some 1 ms of Redis's time.
pub(crate) const PORTION: u64 = 500;

/// How many bytes these entries may have. The last one may exceed it.
pub(crate) const MOST_BYTES: u64 = 256 * 1_024;

#[cfg(test)]
mod tests {
    use std::fs;

    use redisson_delayed_queue::script::Script;
    use testbed::Tair;

    /// A managed cluster refuses all others.
    #[test]
    fn every_command_gets_its_keys_as_places_of_keys() {
        let files = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/lua")).unwrap();
        for file in files.map(|it| it.unwrap().path()) {
            let script = Script::new(&fs::read_to_string(&file).unwrap());
            let text = script.text();
            assert_eq!(Tair::objection(text), None, "{}:\n{text}", file.display());
        }
    }
}
