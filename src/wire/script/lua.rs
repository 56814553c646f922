//! A Lua script, as Redis gets it.

use super::call::Call;
use super::library::compose;
use super::places::names;
use crate::wire::keys::QueueKeys;

/// A Lua script about queues that names its keys and its arguments.
///
/// The header of the script, the comment at its top, has a line for each of them:
///
/// - `-- KEYS[1] orders`, and whatever follows. Wherever the code says `orders`, the
///   [text](Self::text) says `KEYS[1]`: managed clusters such as Tair refuse a script that gives a
///   command any other key.
/// - `-- ARGV[1] most number`, and whatever follows. The text begins with a local variable `most`. A
///   `number` is nil if the argument is not one, a `flag` is true if it is `1`, and a `text` is what the
///   argument is.
/// - `-- uses: clock, publish` names files of `lua/lib/` in this crate. They stand in front of the
///   code. Another version of this crate may have other files.
///
/// A function at the left edge may take keys, if its first parameters are in capitals: the text has a
/// copy of it for each key that it is called with, and none if nothing calls it. Of the comments, only
/// the name of the script remains.
///
/// # Examples
///
/// ```
/// use redisson_delayed_queue::script::Script;
///
/// let script = "\
/// -- swap: exchange two texts.
/// -- KEYS[1] one
/// -- KEYS[2] other
/// -- ARGV[1] ms number how long they live
/// local before = redis.call('GET', one)
/// local function set(KEY, text)
///   redis.call('SET', KEY, text, 'PX', ms)
/// end
/// set(one, redis.call('GET', other))
/// set(other, before)
/// ";
/// let text = "\
/// -- swap
/// local ms = tonumber(ARGV[1])
/// local before = redis.call('GET', KEYS[1])
/// local function set_1(text)
///   redis.call('SET', KEYS[1], text, 'PX', ms)
/// end
/// local function set_2(text)
///   redis.call('SET', KEYS[2], text, 'PX', ms)
/// end
/// set_1(redis.call('GET', KEYS[2]))
/// set_2(before)
/// ";
/// assert_eq!(Script::new(script).text(), text);
/// ```
#[derive(Debug)]
pub struct Script {
    text: String,
    hash: String,
    /// The names of its keys, in the order of KEYS.
    keys: Vec<String>,
    /// The names of its arguments, in the order of ARGV.
    pub(super) arguments: Vec<String>,
}

impl Script {
    /// Composes a script.
    ///
    /// # Panics
    ///
    /// If its header has a wrong line: a file that `lua/lib/` does not have, a type of an argument that
    /// is none, or a key or an argument out of order.
    #[must_use]
    pub fn new(script: &str) -> Self {
        Self::of_parts(&[script])
    }

    /// Composes a script of parts. The last one names all keys, and the arguments that each call has.
    pub(super) fn of_parts(parts: &[&str]) -> Self {
        let header = parts.last().copied().unwrap_or_default();
        let names = |array| {
            let named = names(header, array).enumerate();
            let named = named.map(|(before, it)| {
                assert_eq!(it.place, before + 1, "the place of {} in {array}", it.name);
                it.name.to_owned()
            });
            named.collect()
        };
        let text = compose(parts);
        Self {
            hash: redis::Script::new(&text).get_hash().to_owned(),
            text,
            keys: names("KEYS"),
            arguments: names("ARGV"),
        }
    }

    /// What Redis gets.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The SHA-1 by which Redis knows the text.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Begins a call about a queue: the keys have the names of the accessors of [`QueueKeys`].
    ///
    /// # Panics
    ///
    /// If the header of the script names another key.
    #[must_use]
    pub fn of(&self, keys: &QueueKeys) -> Call<'_> {
        self.with(|name| Some(known(keys, name)))
    }

    /// Begins a call about a queue and its dead letters: `dead` and `dead_notes` are the
    /// [target](QueueKeys::target) and the [notes](QueueKeys::dead_notes) of the latter.
    ///
    /// # Panics
    ///
    /// If the header of the script names another key.
    #[must_use]
    pub fn of_both(&self, keys: &QueueKeys, dead: &QueueKeys) -> Call<'_> {
        self.with(|name| match name {
            "dead" => Some(dead.target()),
            "dead_notes" => Some(dead.dead_notes()),
            name => Some(known(keys, name)),
        })
    }

    /// Begins a call with the keys that have these names, up to the first that the caller does
    /// without.
    #[must_use]
    pub fn with<'k>(&self, key: impl Fn(&str) -> Option<&'k str>) -> Call<'_> {
        Call::new(self, self.keys.iter().map_while(|name| key(name)).collect())
    }
}

fn known<'k>(keys: &'k QueueKeys, name: &str) -> &'k str {
    let key = keys.named(name);
    key.unwrap_or_else(|| panic!("no key of a queue is called {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic = "no file of lua/lib is called clocks"]
    fn a_file_that_the_library_does_not_have_panics() {
        drop(Script::new("-- it: is odd.\n-- uses: clocks\nreturn 1\n"));
    }

    #[test]
    #[should_panic = "most has no type"]
    fn an_argument_without_a_type_panics() {
        drop(Script::new(
            "-- it: is odd.\n-- ARGV[1] most\nreturn most\n",
        ));
    }

    #[test]
    #[should_panic = "the place of most in ARGV"]
    fn an_argument_out_of_order_panics() {
        drop(Script::new(
            "-- it: is odd.\n-- ARGV[2] most number\nreturn most\n",
        ));
    }

    #[test]
    #[should_panic = "no key of a queue is called order"]
    fn a_key_that_no_queue_has_panics() {
        let keys = QueueKeys::new("orders").unwrap();
        let script = Script::new("-- it: is odd.\n-- KEYS[1] order\nreturn order\n");
        drop(script.of(&keys));
    }
}
