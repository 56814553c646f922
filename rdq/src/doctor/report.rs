//! Prints what was found.

use std::collections::BTreeSet;

use super::advice::{Advice, Part, say};
use super::checks::{SILENT, UNEXAMINED};
use super::finding::{Finding, Severity};
use crate::failure::{Failure, Result};
use crate::screen::number::{count_of, grouped};
use crate::screen::progress::Progress;
use crate::screen::shell::own_line;
use crate::screen::words::wrapped;
use crate::screen::{Colour, Screen, clean, print, width};

/// What the checks of one queue found.
pub(crate) struct Examined {
    queue: String,
    pub(crate) findings: Vec<Finding>,
    /// How many members were read, of how many; `None` if all were.
    pub(crate) sampled: Option<(u64, u64)>,
}

impl Examined {
    pub(crate) fn new(queue: &str) -> Self {
        Self {
            queue: queue.to_owned(),
            findings: Vec::new(),
            sampled: None,
        }
    }
}

/// Collects findings. Lines of JSON are printed at once; people see the worst first, in the end.
pub(crate) struct Report {
    screen: Screen,
    progress: Progress,
    findings: Vec<Finding>,
    sampled: Vec<String>,
    hosts: usize,
    queues: usize,
    is_brief: bool,
}

impl Report {
    /// A report for people has a line for each kind of finding if it is brief, else a paragraph.
    pub(crate) fn new(screen: Screen, is_brief: bool) -> Self {
        Self {
            screen,
            is_brief,
            progress: screen.progress("queues examined", !screen.is_json()),
            findings: Vec::new(),
            sampled: Vec::new(),
            hosts: 0,
            queues: 0,
        }
    }

    /// So many servers were examined.
    pub(crate) fn hosts(&mut self, count: usize) {
        self.hosts = count;
    }

    /// So many queues will be examined.
    pub(crate) fn begin(&mut self, queues: usize) {
        self.queues = queues;
    }

    pub(crate) fn found(&mut self, finding: Finding) -> Result {
        if self.screen.is_json() {
            self.screen.say("", &finding)?;
        }
        self.findings.push(finding);
        Ok(())
    }

    pub(crate) fn examined(&mut self, examined: Examined) -> Result {
        self.progress.add(1);
        if let Some((read, of)) = examined.sampled {
            let text = format!(
                "{} ({} of {} members)",
                clean(&examined.queue),
                grouped(read),
                grouped(of)
            );
            self.sampled.push(text);
        }
        examined
            .findings
            .into_iter()
            .try_for_each(|it| self.found(it))
    }

    /// Prints what people should read, and fails if something is wrong.
    pub(crate) fn end(mut self) -> Result {
        self.progress.finish();
        // Whether or not somebody reads them, the findings are the outcome.
        let printed = self.print();
        let of = |severity| {
            self.findings
                .iter()
                .filter(|it| it.severity == severity)
                .count()
        };
        match (of(Severity::Critical), of(Severity::Warning)) {
            (0, 0) => printed,
            (critical, warnings) => Err(Failure::Unwell { critical, warnings }),
        }
    }

    fn print(&mut self) -> Result {
        if !self.screen.is_json() {
            // Stable: the checks of a queue stay together, in their order.
            self.findings.sort_by_key(|it| it.severity);
            for group in groups(&self.findings) {
                let text = match self.is_brief {
                    true => group.line(self.screen),
                    false => group.paragraph(self.screen),
                };
                // It may have colours.
                print(&text)?;
            }
            self.screen.say(&self.summary(), &())?;
        }
        Ok(())
    }

    fn summary(&self) -> String {
        let examined = format!(
            "{} and {} examined",
            count_of(self.hosts as u64, "server", "servers"),
            count_of(self.queues as u64, "queue", "queues")
        );
        let is_silent = |it: &Finding| [SILENT.name, UNEXAMINED.name].contains(&it.kind.name);
        let mut text = match (self.queues, self.findings.is_empty()) {
            (0, _) if self.findings.iter().any(is_silent) => {
                format!("{examined}. Servers that did not answer may have queues.")
            }
            (0, _) => format!("{examined}: there is no sign of a delayed queue."),
            (_, true) => format!("{examined}: all is well."),
            (_, false) => format!("{examined}."),
        };
        if !self.sampled.is_empty() {
            let sampled = self.sampled.join(", ");
            text += &format!("\nOnly the ends were read of {sampled}. --full reads everything.");
        }
        text
    }
}

/// Findings of one kind that are equally bad, at least one.
struct Group<'a>(Vec<&'a Finding>);

/// Puts findings together, in the order of the first of each group.
fn groups(findings: &[Finding]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for finding in findings {
        let is_same = |group: &&mut Group<'_>| {
            let first = group.0[0];
            first.severity == finding.severity
                && first.kind.name == finding.kind.name
                && first.queue.is_some() == finding.queue.is_some()
                // A command that one queue needs may harm another one.
                && first.advice.commands().is_empty() == finding.advice.commands().is_empty()
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.0.push(finding),
            None => groups.push(Group(vec![finding])),
        }
    }
    groups
}

impl Group<'_> {
    /// For people: how bad it is, where, what, why, and what to do.
    fn paragraph(&self, screen: Screen) -> String {
        let first = self.0[0];
        let (severity, places) = self.heading(screen);
        let mut text = format!("{severity}  {places}  [{}]\n", first.kind.name);
        let room = width().map_or(WIDTH, |it| {
            usize::from(it).saturating_sub(INDENT).min(WIDTH)
        });
        let mut line = |name: &str, words: Advice| {
            for (i, row) in rows(&words, room).into_iter().enumerate() {
                let name = if i == 0 { name } else { "" };
                text += &format!("  {name:8}{row}\n");
            }
        };
        let is_alone = self.0.len() == 1;
        for (i, finding) in self.0.iter().take(SHOWN).enumerate() {
            let name = if i == 0 { "what" } else { "" };
            match is_alone {
                true => line(name, say(&finding.what)),
                false => line(name, say(format!("{}: {}", place(finding), finding.what))),
            }
        }
        let more = grouped(self.0.len().saturating_sub(SHOWN) as u64);
        let more = format!("and {more} more: --json has each.");
        if self.0.len() > SHOWN {
            line("", say(&more));
        }
        if let Some(example) = first.example.as_ref().filter(|_| is_alone) {
            line("such as", say(example));
        }
        let issues = match first.issues {
            [] => String::new(),
            issues => format!(" (Redisson {})", issues.join(", ")),
        };
        line("why", say(format!("{}{issues}", first.why)));
        if self.0.iter().all(|it| it.advice == first.advice) {
            line("do", first.advice.clone());
            return text;
        }
        let words = |it: &Finding| it.advice.words().replace(&place(it), "");
        for (i, finding) in self.0.iter().take(SHOWN).enumerate() {
            let name = if i == 0 { "do" } else { "" };
            let place = say(format!("For {}:", place(finding)));
            // The same words need not be read twice.
            match i > 0 && words(finding) == words(first) {
                true => line(name, place.run_all(finding.advice.commands())),
                false => line(name, place.then(&finding.advice)),
            }
        }
        if self.0.len() > SHOWN {
            line("", say(more));
        }
        text
    }

    /// For people who have many queues: all in a line.
    fn line(&self, screen: Screen) -> String {
        let first = self.0[0];
        let what = match &self.0[..] {
            [only] => clean(&only.what),
            some => {
                let places: Vec<_> = some.iter().take(SHOWN).map(|it| place(it)).collect();
                let rest = if some.len() > SHOWN { ", …" } else { "" };
                format!("{}{rest}", places.join(", "))
            }
        };
        let (severity, places) = self.heading(screen);
        let text = format!("{places}  [{}]  {what}", first.kind.name);
        // A script reads a line for each kind.
        let room = width().map_or(usize::MAX, |it| usize::from(it).saturating_sub(INDENT));
        let indent = format!("\n{}", " ".repeat(INDENT));
        format!("{severity}  {}", wrapped(&text, room).join(&indent))
    }

    /// How bad it is, and where.
    fn heading(&self, screen: Screen) -> (String, String) {
        let first = self.0[0];
        let severity = format!("{:8}", first.severity.to_string().to_uppercase());
        let colour = match first.severity {
            Severity::Critical => Colour::Red,
            Severity::Warning => Colour::Yellow,
            Severity::Note => Colour::Cyan,
        };
        // Some checks find several things in one place.
        let places: BTreeSet<_> = self.0.iter().map(|it| place(it)).collect();
        let places = match (places.len(), &first.queue) {
            (1, _) => place(first),
            (some, Some(_)) => format!("{} queues", grouped(some as u64)),
            (some, None) => format!("{} servers", grouped(some as u64)),
        };
        (screen.painted(&severity, colour), places)
    }
}

/// The queue or the server.
fn place(finding: &Finding) -> String {
    let place = finding.queue.as_deref().or(finding.server.as_deref());
    clean(place.unwrap_or_default())
}

/// How many of a group to show.
const SHOWN: usize = 3;

/// Splits an advice into lines that fit beside their names. A command stays in one line.
fn rows(advice: &Advice, width: usize) -> Vec<String> {
    let rows = advice.parts().iter().map(|part| match part {
        Part::Words(words) => wrapped(&clean(words), width),
        Part::Command(command) => vec![own_line(command)],
    });
    rows.flatten().collect()
}

/// Long lines are hard to read, even where a terminal is wide.
const WIDTH: usize = 88;

/// The names of the lines of a paragraph, and the severity, have so many columns.
const INDENT: usize = 10;

#[cfg(test)]
mod tests {
    use super::{WIDTH, rows};
    use crate::doctor::advice::say;

    #[test]
    fn a_command_is_a_line_whatever_its_length() {
        let command = "rdq repair 'a ` b' --only ghosts --apply --ghosts deliver --backup a-file-with-a-long-name";
        let advice = say("word ".repeat(20) + "to remove them:").run(command);
        let rows = rows(&advice.say("Then look again."), WIDTH);
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[2], format!("    {command}"));
    }
}
