//! Commands that people can copy into a shell.

/// A run of this program with these arguments.
pub(crate) fn command_line<'a>(arguments: impl IntoIterator<Item = &'a str>) -> String {
    let words = ["rdq"].into_iter().chain(arguments);
    let words: Vec<_> = words.map(quoted).collect();
    words.join(" ")
}

/// A command of Redis, as `redis-cli` reads it.
pub(crate) fn redis_line(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|it| quoted(it)).collect();
    words.join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    // Redis keys and arguments have no NUL, which alone cannot be quoted.
    shlex::try_quote(word).map_or_else(|_| format!("{word:?}"), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_each_word_as_it_was() {
        let names = [
            "orders",
            "{orders}",
            "a b",
            "it's",
            "$(rm -r ~)",
            "",
            "a\nb",
        ];
        let line = command_line(names);
        let words = shlex::split(&line).unwrap();
        assert_eq!(words[0], "rdq");
        assert_eq!(words[1..], names);
        assert_eq!(command_line(["stats", "orders"]), "rdq stats orders");
    }
}
