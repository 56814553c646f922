//! A call of a script.

use std::{fmt, slice};

use redis::{Cmd, ErrorKind, FromRedisValue, RedisResult, ServerErrorKind, ToRedisArgs};

use super::lua::Script;
use crate::link::connection::{Connection, LARGE};
use crate::wire::command::{size_of, words};

/// A call of a [`Script`], with its keys and some of its arguments.
// Not the `ScriptInvocation` of the driver: that knows no names, and copies each argument twice.
pub struct Call<'s> {
    script: &'s Script,
    /// EVALSHA, or EVAL once the server needed the text.
    command: Cmd,
    /// The names of the arguments that are still to come.
    missing: slice::Iter<'s, String>,
}

impl<'s> Call<'s> {
    pub(super) fn new(script: &'s Script, keys: Vec<&str>) -> Self {
        let mut command = redis::cmd("EVALSHA");
        command.arg(script.hash()).arg(keys.len()).arg(keys);
        Self {
            script,
            command,
            missing: script.arguments.iter(),
        }
    }

    /// Adds the next argument, which is one word.
    ///
    /// # Panics
    ///
    /// In a debug build, if the header of the script calls that something else, or unless `value` is
    /// exactly one word.
    pub fn arg(&mut self, name: &str, value: impl ToRedisArgs) -> &mut Self {
        if cfg!(debug_assertions) {
            assert_eq!(value.num_of_args(), 1, "the words of {name}");
            let next = self.missing.next().map(String::as_str);
            assert_eq!(next, Some(name), "the next argument");
        }
        self.command.arg(value);
        self
    }

    /// Adds something behind the arguments that the header names.
    pub fn more(&mut self, value: impl ToRedisArgs) -> &mut Self {
        self.command.arg(value);
        self
    }

    /// The keys, in the order of KEYS.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let mut words = words(&self.command)
            .skip(2)
            .map(|it| str::from_utf8(it).ok());
        let count = words.next().flatten().and_then(|it| it.parse().ok());
        words.take(count.unwrap_or(0)).flatten()
    }

    /// Runs the script. A server that does not know it gets its text with the same arguments.
    pub(crate) async fn invoke<T: FromRedisValue>(
        &mut self,
        mut connection: Connection,
    ) -> RedisResult<T> {
        if cfg!(debug_assertions) {
            assert_eq!(self.missing.as_slice(), [""; 0], "the missing arguments");
        }
        // The text goes along at once with a large call, so that no large call goes twice.
        if size_of(&self.command) < LARGE {
            match self.command.query_async(&mut connection).await {
                Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::NoScript) => {}
                reply => return reply,
            }
        }
        // This frees the command with the hash, whose arguments may be large.
        self.command = self.with_text();
        self.command.query_async(&mut connection).await
    }

    /// The same call, with the text of the script in place of its hash.
    fn with_text(&self) -> Cmd {
        let mut command = redis::cmd("EVAL");
        command.arg(self.script.text());
        for word in words(&self.command).skip(2) {
            command.arg(word);
        }
        command
    }
}

/// Arguments may be private.
impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("script", &self.script.hash())
            .field("keys", &self.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "\
-- it: does nothing.
-- KEYS[1] one
-- ARGV[1] most number how many
-- ARGV[2] name text   what it is called
-- ARGV    from 3 on: others
return { most, name }
";

    #[test]
    fn a_call_with_the_text_has_the_same_arguments_in_the_order_of_the_header() {
        let script = Script::new(SCRIPT);
        let mut call = script.with(|_| Some("one"));
        call.arg("most", 7).arg("name", "orders").more(&["a", "b"]);
        let arguments = [&b"1"[..], b"one", b"7", b"orders", b"a", b"b"];

        let by_hash = [b"EVALSHA", script.hash().as_bytes()];
        let expected = [&by_hash[..], &arguments].concat();
        assert!(words(&call.command).eq(expected));
        assert!(call.keys().eq(["one"]));

        call.command = call.with_text();
        let by_text = [b"EVAL", script.text().as_bytes()];
        let expected = [&by_text[..], &arguments].concat();
        assert!(words(&call.command).eq(expected));
    }

    #[test]
    #[should_panic = "the words of most"]
    fn an_argument_of_two_words_panics() {
        Script::new(SCRIPT).with(|_| None).arg("most", (1, 2));
    }

    #[test]
    #[should_panic = "the next argument"]
    fn two_arguments_that_are_exchanged_panic() {
        let script = Script::new(SCRIPT);
        script.with(|_| None).arg("name", "orders");
    }

    #[test]
    #[should_panic = "the next argument"]
    fn an_argument_that_the_header_does_not_name_panics() {
        let script = Script::new(SCRIPT);
        let mut call = script.with(|_| None);
        call.arg("most", 7).arg("name", "orders").arg("late", true);
    }
}
