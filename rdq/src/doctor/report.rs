//! Prints what was found.

use super::finding::{Finding, Severity};
use crate::failure::{Failure, Result};
use crate::screen::number::{count_of, grouped};
use crate::screen::progress::Progress;
use crate::screen::{Screen, clean};

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
}

impl Report {
    pub(crate) fn new(screen: Screen) -> Self {
        Self {
            screen,
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
        // Stable: the checks of a queue stay together, in their order.
        self.findings.sort_by_key(|it| it.severity);
        if !self.screen.is_json() {
            for finding in &self.findings {
                self.screen.say(&paragraph(finding), finding)?;
            }
            self.screen.say(&self.summary(), &())?;
        }
        let of = |severity| {
            self.findings
                .iter()
                .filter(|it| it.severity == severity)
                .count()
        };
        match (of(Severity::Critical), of(Severity::Warning)) {
            (0, 0) => Ok(()),
            (critical, warnings) => Err(Failure::Unwell { critical, warnings }),
        }
    }

    fn summary(&self) -> String {
        let examined = format!(
            "{} and {} examined",
            count_of(self.hosts as u64, "server", "servers"),
            count_of(self.queues as u64, "queue", "queues")
        );
        let mut text = match self.findings.is_empty() {
            true => format!("{examined}: all is well."),
            false => format!("{examined}."),
        };
        if !self.sampled.is_empty() {
            let sampled = self.sampled.join(", ");
            text += &format!("\nOnly the ends were read of {sampled}. `--full` reads everything.");
        }
        text
    }
}

/// A finding for people: the severity, where, what, and what to do.
fn paragraph(finding: &Finding) -> String {
    let place = finding.queue.as_deref().or(finding.server.as_deref());
    let place = clean(place.unwrap_or_default());
    let severity = finding.severity.to_string().to_uppercase();
    let mut text = format!("{severity:8}  {place}  [{}]\n", finding.check);
    let mut line = |name: &str, words: &str| {
        for (i, row) in wrapped(&clean(words)).into_iter().enumerate() {
            let name = if i == 0 { name } else { "" };
            text += &format!("  {name:8}{row}\n");
        }
    };
    line("what", &finding.what);
    if let Some(example) = &finding.example {
        line("such as", example);
    }
    let issues = match finding.issues {
        [] => String::new(),
        issues => format!(" (Redisson {})", issues.join(", ")),
    };
    line("why", &format!("{}{issues}", finding.why));
    line("do", &finding.advice);
    text
}

/// Splits a text into lines that fit beside their names.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last().map_or(0, |it| it.chars().count());
        if last > 0 && last + 1 + word.chars().count() > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// Long lines are hard to read, also where a terminal is wide.
const WIDTH: usize = 88;

#[cfg(test)]
mod tests {
    use super::{WIDTH, wrapped};

    #[test]
    fn lines_break_between_words_and_keep_all_of_them() {
        let text = "word ".repeat(50) + &"x".repeat(200);
        let lines = wrapped(&text);
        assert!(lines[..lines.len() - 1].iter().all(|it| it.len() <= WIDTH));
        assert_eq!(lines.join(" "), text);
    }
}
