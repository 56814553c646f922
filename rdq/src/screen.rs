//! What is printed: tables for people, lines of JSON for scripts.

use std::borrow::Cow;
use std::env;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::failure::{Failure, Result};

mod flow;
pub(crate) mod number;
pub(crate) mod progress;
pub(crate) mod shell;
pub(crate) mod stdout;
mod table;
pub(crate) mod words;

pub(crate) use flow::Flow;

/// Where the results of a verb go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    is_json: bool,
}

impl Screen {
    pub(crate) fn new(is_json: bool) -> Self {
        Self { is_json }
    }

    /// A text in this colour, where stdout is a terminal with colours.
    pub(crate) fn painted(self, text: &str, colour: Colour) -> String {
        match !self.is_json && has_colours() && io::stdout().is_terminal() {
            true => format!("\x1b[1;{}m{text}\x1b[0m", colour as u8),
            false => text.to_owned(),
        }
    }

    pub(crate) fn is_json(self) -> bool {
        self.is_json
    }

    /// Prints a text or, with `--json`, this value as one line.
    pub(crate) fn say(self, text: &str, value: &impl Serialize) -> Result {
        match self.is_json {
            true => print(&json(value)),
            false => print(&harmless(text)),
        }
    }

    /// Prints rows under their headings or, with `--json`, each value as one line. Headings that
    /// begin with `>` have their columns aligned to the right.
    pub(crate) fn rows<T: Serialize>(
        self,
        headings: &[&str],
        values: &[T],
        row: impl Fn(&T) -> Vec<String>,
    ) -> Result {
        if self.is_json {
            return values.iter().try_for_each(|value| print(&json(value)));
        }
        let rows: Vec<Vec<String>> = values
            .iter()
            .map(|value| row(value).iter().map(|cell| clean(cell)).collect())
            .collect();
        print(&table::laid_out(headings, &rows, width().map(usize::from)))
    }

    /// A table whose rows are printed as they come: for lists that may be long. Each column has a
    /// heading and the width of most of its cells; the last takes what the terminal has left.
    pub(crate) fn flow(self, columns: &[(&'static str, usize)]) -> Flow {
        Flow::new(self.is_json, columns)
    }

    /// Prints a value as one line of JSON, also for people.
    pub(crate) fn line(self, value: &impl Serialize) -> Result {
        print(&json(value))
    }

    /// Tells people something that is no result, on stderr.
    pub(crate) fn note(self, text: &str) {
        // Stderr may be closed. That must not end the work.
        let _ = writeln!(io::stderr(), "{}", harmless(text));
    }
}

/// A colour, by the number that terminals have for it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Colour {
    Red = 31,
    Yellow = 33,
    Cyan = 36,
}

/// How many columns stdout has, if it is a terminal: what COLUMNS says, or the terminal. One that does
/// not know its width has 80.
pub(crate) fn width() -> Option<u16> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let said = env::var("COLUMNS").ok().and_then(|it| it.parse().ok());
    if let Some(said @ 1..) = said {
        return Some(said);
    }
    let size = terminal_size::terminal_size();
    let width = size.map(|(width, _)| width.0).filter(|it| *it > 0);
    Some(width.unwrap_or(80))
}

/// True unless the user wants no colours, or the terminal has none.
pub(crate) fn has_colours() -> bool {
    let is_said = |name, text: &str| env::var_os(name).is_some_and(|it| it == *text);
    env::var_os("NO_COLOR").is_none_or(|it| it.is_empty()) && !is_said("TERM", "dumb")
}

/// A text without control characters, which could move the cursor or make up lines, and without
/// those that turn the direction of a text, which would make it look like another.
pub(crate) fn clean(text: &str) -> String {
    text.replace(is_live, " ")
}

/// A text of several lines, in which such characters are escapes as in JSON. So values stay the same.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let harms = |it: char| is_live(it) && !matches!(it, '\n' | '\t');
    if !text.contains(harms) {
        return text.into();
    }
    let mut shown = String::new();
    for character in text.chars() {
        match harms(character) {
            // None of them needs more than four digits. Writing to a text cannot fail.
            true => _ = write!(shown, "\\u{:04x}", u32::from(character)),
            false => shown.push(character),
        }
    }
    shown.into()
}

/// True if a terminal does something else with it than to show it.
fn is_live(character: char) -> bool {
    let turns = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || turns
}

/// Prints a line on stdout.
pub(crate) fn print(line: &str) -> Result {
    writeln!(io::stdout().lock(), "{line}").map_err(Failure::stdout)
}

/// A value as one line of JSON.
pub(crate) fn json(value: &impl Serialize) -> String {
    // Results have texts for keys, and numbers that JSON knows.
    let text = serde_json::to_string(value).expect("results are plain values");
    // A payload that is JSON is shown as it was written, perhaps in several lines. Within texts,
    // JSON has no line breaks.
    text.replace(['\n', '\r'], " ")
}

/// `in 3m 20s`, `12s ago`, or `now`: a due time as seen at `now_ms`.
pub(crate) fn relative(due_ms: f64, now_ms: u64) -> String {
    let ahead_ms = due_ms - now_ms as f64;
    let length = brief(Duration::from_millis(ahead_ms.abs() as u64));
    match ahead_ms {
        ahead if ahead >= 1.0 => format!("in {length}"),
        ahead if ahead <= -1.0 => format!("{length} ago"),
        _ => "now".to_owned(),
    }
}

/// A moment in UTC to the millisecond, as `--after` and its like read it.
pub(crate) fn absolute(moment: SystemTime) -> String {
    // `humantime` has no words for later times, which Redisson can store.
    match moment < UNIX_EPOCH + YEAR_10000 {
        true => humantime::format_rfc3339_millis(moment).to_string(),
        false => "after the year 9999".to_owned(),
    }
}

/// A moment in UTC to the second, for tables.
pub(crate) fn to_the_second(moment: SystemTime) -> String {
    match moment < UNIX_EPOCH + YEAR_10000 {
        true => humantime::format_rfc3339_seconds(moment).to_string(),
        false => absolute(moment),
    }
}

const YEAR_10000: Duration = Duration::from_secs(253_402_300_800);

/// A duration in at most two units that matter, 8 characters for up to 100 years: `3m 20s`, `1.6s`,
/// `250ms`, `56y 277d`.
pub(crate) fn brief(duration: Duration) -> String {
    let both = |count: u64, unit: &str, rest: u64, less: &str| match rest {
        0 => format!("{count}{unit}"),
        rest => format!("{count}{unit} {rest}{less}"),
    };
    let tenths = |tenths: u64, unit: &str| match tenths % 10 {
        0 => format!("{}{unit}", tenths / 10),
        tenth => format!("{}.{tenth}{unit}", tenths / 10),
    };
    let (seconds, us) = (duration.as_secs(), duration.as_micros());
    let (minutes, hours, days) = (seconds / 60, seconds / 3_600, seconds / 86_400);
    match us {
        0 => "0s".to_owned(),
        1..1_000 => format!("{us}us"),
        1_000..9_950 => tenths((us as u64 + 50) / 100, "ms"),
        9_950..999_500 => format!("{}ms", (us + 500) / 1_000),
        999_500..9_950_000 => tenths((us as u64 + 50_000) / 100_000, "s"),
        9_950_000..59_500_000 => format!("{}s", (us + 500_000) / 1_000_000),
        _ if minutes < 60 => both(minutes.max(1), "m", seconds % 60 * minutes.min(1), "s"),
        _ if hours < 24 => both(hours, "h", minutes % 60, "m"),
        _ if days < YEAR => both(days, "d", hours % 24, "h"),
        _ if days < 100 * YEAR => both(days / YEAR, "y", days % YEAR, "d"),
        _ => format!("{}y", days / YEAR),
    }
}

/// In days.
const YEAR: u64 = 365;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_the_same_without_characters_that_a_terminal_obeys() {
        let value = "{\n\t\"a\": \"\u{9b}2J\u{7f}\u{202e}\u{fc}\"\n}";
        let shown = harmless(value);
        assert_eq!(shown, "{\n\t\"a\": \"\\u009b2J\\u007f\\u202e\u{fc}\"\n}");
        let both = [value, &shown].map(|it| serde_json::from_str::<serde_json::Value>(it).unwrap());
        assert_eq!(both[0], both[1]);
        assert_eq!(harmless("\u{1b}[31m\r"), "\\u001b[31m\\u000d");
    }

    #[test]
    fn times_are_told_from_now() {
        let now = 1_000_000;
        assert_eq!(relative(1_200_123.0, now), "in 3m 20s");
        assert_eq!(relative(999_750.0, now), "250ms ago");
        assert_eq!(relative(1_000_000.0, now), "now");
        assert_eq!(relative(2_614.0, 1_000), "in 1.6s");
    }

    #[test]
    fn a_duration_has_at_most_two_units_that_matter() {
        let texts = [
            (0, "0s"),
            (999, "999us"),
            (1_500, "1.5ms"),
            (9_999, "10ms"),
            (666_667, "667ms"),
            (999_999, "1s"),
            (1_614_000, "1.6s"),
            (12_400_000, "12s"),
            (59_900_000, "1m"),
            (60_614_000, "1m"),
            (200_123_000, "3m 20s"),
            (3_600_000_000, "1h"),
            (90_061_000_000, "1d 1h"),
            (1_790_000_000_000_000, "56y 277d"),
            (3_153_600_000_000_000, "100y"),
        ];
        for (us, text) in texts {
            assert_eq!(brief(Duration::from_micros(us)), text);
        }
    }
}
