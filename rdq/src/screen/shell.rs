//! Commands that people can copy into a shell.

use std::sync::OnceLock;

use super::clean;

/// The options by which the command line of this run names its server. What is not among them, the
/// environment or the profiles name.
static SERVER: OnceLock<Vec<String>> = OnceLock::new();

/// Has all runs of this program that it advises name their server so.
pub(crate) fn advise_for(server: Vec<String>) {
    SERVER.get_or_init(|| server);
}

/// Words, and a command below them. Backticks around it would be live in a shell, so nothing but blanks
/// stands beside it: whoever copies the line copies the command.
pub(crate) fn with_command(words: &str, command: &str) -> String {
    format!("{words}\n{}", own_line(command))
}

/// A command on a line of its own, whatever it has in it: whoever copies a line copies no part of a name
/// alone. A name with control characters is another one there, and true in JSON.
pub(crate) fn own_line(command: &str) -> String {
    format!("    {}", clean(command))
}

/// A run of this program about a queue.
pub(crate) fn command_line(verb: &[&str], queue: &str, options: &[&str]) -> String {
    match queue.starts_with('-') {
        // Behind the two dashes, nothing is an option.
        true => rdq_line(&[verb, options, &["--", queue]].concat()),
        false => rdq_line(&[verb, &[queue], options].concat()),
    }
}

/// A run of this program.
pub(crate) fn rdq_line(words: &[&str]) -> String {
    // Behind the two dashes, it is the name of a queue.
    let mut options = words.iter().take_while(|it| **it != "--");
    let server = match options.any(|it| *it == "--server") {
        true => &[][..],
        false => SERVER.get().map_or(&[][..], Vec::as_slice),
    };
    let mut line = vec!["rdq"];
    line.extend(server.iter().map(String::as_str));
    line.extend(words);
    shell_line(&line)
}

/// A command of Redis, for the server that `redis-cli` reaches by these options.
pub(crate) fn redis_line(server: &[String], words: &[&str]) -> String {
    let mut line = vec!["redis-cli"];
    line.extend(server.iter().map(String::as_str));
    line.extend(words);
    shell_line(&line)
}

/// A command of these words.
pub(crate) fn shell_line(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|it| quoted(it)).collect();
    words.join(" ")
}

/// A word as a shell reads it. A name with NUL, which no argument can have, is another one there.
fn quoted(word: &str) -> String {
    let word = word.replace('\0', "\u{fffd}");
    let quoted = shlex::try_quote(&word);
    quoted.expect("it has no NUL").into_owned()
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
            "a`b`",
        ];
        let line = shell_line(&names);
        assert_eq!(shlex::split(&line).unwrap(), names);
        let words = shlex::split(&shell_line(&["a\0$(x)", "b"])).unwrap();
        assert_eq!(words, ["a\u{fffd}$(x)", "b"]);
        assert_eq!(command_line(&["stats"], "orders", &[]), "rdq stats orders");
        let server = ["-u", "redis://h:1"].map(str::to_owned);
        let line = redis_line(&server, &["ACL", "SETUSER", "java", "~a b"]);
        assert_eq!(line, "redis-cli -u redis://h:1 ACL SETUSER java '~a b'");
    }

    #[test]
    fn a_name_with_a_line_break_makes_no_line_of_its_own() {
        let line = own_line(&command_line(&["stats"], "orders\nreboot #", &[]));
        assert_eq!(line, "    rdq stats 'orders reboot #'");
    }

    #[test]
    fn a_name_that_looks_like_an_option_is_none() {
        let line = command_line(&["leases", "release"], "--all", &["--expired"]);
        assert_eq!(line, "rdq leases release --expired -- --all");
    }
}
