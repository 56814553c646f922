//! What a measure has to say, for the terminal and for the document.

use std::fmt::{self, Write as _};

use crate::{plot::Plot, table::Table};

/// The outcome of one measure.
#[derive(Debug, Default)]
pub(crate) struct Section {
    parts: Vec<String>,
    targets: Vec<Target>,
    pub(crate) plots: Vec<Plot>,
}

/// What was to be reached.
#[derive(Debug)]
struct Target {
    what: String,
    measured: String,
    met: bool,
}

impl Section {
    /// Adds a paragraph, and prints it.
    pub(crate) fn say(&mut self, text: impl Into<String>) {
        let text = text.into();
        println!("{text}\n");
        self.parts.push(format!("{text}\n"));
    }

    /// Adds a table, and prints it.
    pub(crate) fn table(&mut self, table: &Table) {
        self.say(table.to_string().trim_end());
    }

    pub(crate) fn target(&mut self, what: &str, measured: String, met: bool) {
        self.targets.push(Target {
            what: what.to_owned(),
            measured,
            met,
        });
    }

    pub(crate) fn plot(&mut self, plot: Plot) {
        self.parts.push(format!(
            "![{}](performance/{}.svg)\n",
            plot.title, plot.name
        ));
        self.plots.push(plot);
    }

    /// Adds the targets, after all else, and prints them.
    pub(crate) fn finish(&mut self) {
        if self.targets.is_empty() {
            return;
        }
        let mut table = Table::new(["Target", "Measured", "Met"]);
        for target in &self.targets {
            let met = if target.met { "yes" } else { "**no**" };
            table.row([target.what.as_str(), &target.measured, met]);
        }
        self.table(&table);
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            f.write_str(part)?;
            f.write_char('\n')?;
        }
        Ok(())
    }
}
