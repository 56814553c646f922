//! `docs/performance.md` and its pictures.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use crate::{Result, measure::MEASURES, plot::Plot};

/// The document. The benchmark owns only the part between two marks.
pub(crate) struct Document {
    path: PathBuf,
    before: String,
    after: String,
    /// The text of each measure that has one, in the order of [`MEASURES`].
    sections: Vec<(&'static str, String)>,
}

impl Document {
    /// Reads the document. Figures of `--quick` mean nothing, so they go to a document of their
    /// own.
    pub(crate) fn open(quick: bool) -> Result<Self> {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = if quick {
            package.join("target/quick/performance.md")
        } else {
            package.join("../../docs/performance.md")
        };
        let text = fs::read_to_string(&path).unwrap_or_else(|_| format!("{BEGIN}\n{END}\n"));
        let (before, rest) = text
            .split_once(BEGIN)
            .ok_or("the document has no begin mark")?;
        let (own, after) = rest.split_once(END).ok_or("the document has no end mark")?;
        let section = |name: &'static str| {
            let (_, text) = own.split_once(&mark(name))?;
            let text = text.split(MARK).next().unwrap_or(text);
            Some((name, text.trim().to_owned()))
        };
        Ok(Self {
            before: before.to_owned(),
            after: after.to_owned(),
            sections: MEASURES.iter().filter_map(|it| section(it.name)).collect(),
            path,
        })
    }

    /// Puts a section in the place of the one of that name.
    pub(crate) fn set(&mut self, name: &'static str, text: String) {
        self.sections.retain(|(other, _)| *other != name);
        self.sections.push((name, text));
    }

    /// Writes the document and the new pictures.
    pub(crate) fn write(&self, about: &str, plots: &[Plot]) -> Result<()> {
        let mut text = format!("{}{BEGIN}\n\n{about}\n\n", self.before);
        for measure in MEASURES {
            let own = self.sections.iter().find(|(name, _)| *name == measure.name);
            if let Some((name, section)) = own {
                write!(text, "{}\n{}\n\n", mark(name), section.trim())?;
            }
        }
        write!(text, "{END}{}", self.after)?;
        let pictures = self.path.with_extension("");
        fs::create_dir_all(&pictures)?;
        fs::write(&self.path, text)?;
        for plot in plots {
            fs::write(pictures.join(format!("{}.svg", plot.name)), &plot.svg)?;
        }
        println!("written: {}", self.path.display());
        Ok(())
    }
}

/// A paragraph in lines of the width that the documents have.
pub(crate) fn wrapped(paragraph: &str) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for word in paragraph.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text += word;
        width += length;
    }
    text
}

fn mark(name: &str) -> String {
    format!("{MARK}{name} -->")
}

const BEGIN: &str = "<!-- benchmark: begin -->";
const END: &str = "<!-- benchmark: end -->";
const MARK: &str = "<!-- measure: ";
const WIDTH: usize = 120;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_wrapped_between_words() {
        let text = wrapped(&"word ".repeat(30));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "word ".repeat(24).trim());
        assert_eq!(lines.len(), 2);
    }
}
