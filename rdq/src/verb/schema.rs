//! `rdq schema`

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use redisson_delayed_queue::codec::Kryo5Codec;
use redisson_delayed_queue::java::{JavaValue, Schema as Described};

use crate::failure::{Failure, Result};
use crate::schema::{ClassPath, Closure};

/// Make the schema file, or the Rust types, of Java classes.
///
/// Reads class files, folders of them, and jars, including the jars inside of the jar of an
/// application. Describes the classes that --class names and all that they need: super classes, the
/// types of their fields, and sub classes. Lists the classes that are missing, and what a class
/// file cannot tell, such as a serializer of its own.
///
/// Needs no Redis.
#[derive(Args, Debug)]
pub(crate) struct Schema {
    /// Class files, folders and jars. As in Java, a class counts where it comes first.
    #[arg(required = true, value_name = "CLASSES")]
    classes: Vec<PathBuf>,
    /// A class of the values: com.example.Order, Order, or com.example.* for a package.
    ///
    /// Default: all classes, except those of jars inside of jars.
    #[arg(long, value_name = "NAME")]
    class: Vec<String>,
    /// Write structs and enums that derive JavaObject.
    #[arg(long)]
    rust: bool,
    /// In Rust, use HashMap and HashSet. They lose Java's order, and remove and contains then miss
    /// values.
    #[arg(long, requires = "rust")]
    hash: bool,
    /// Write what is known, although classes are missing. They are abstract then, and no value that
    /// holds one can be read.
    #[arg(long)]
    incomplete: bool,
    /// The file to write. Default: stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Schema {
    pub(crate) fn run(&self) -> Result {
        let mut path = ClassPath::of(&self.classes)?;
        let roots = self.roots(&path)?;
        let closure = Closure::of(&mut path, &roots)?;
        let mut notes = closure.notes.clone();
        let text = if self.rust {
            let source = closure.to_rust(self.hash);
            notes.extend(source.notes);
            source.text
        } else {
            closure.to_json()
        };
        for note in notes {
            eprintln!("note: {note}");
        }
        let faults = faults(&closure);
        if !faults.is_empty() {
            let faults = faults.join("\n  ");
            if !self.incomplete {
                let more = "add their jars, or say --incomplete";
                let reason = format!("classes are missing: {more}\n  {faults}");
                return Err(Failure::Nothing(reason));
            }
            eprintln!("note: written without\n  {faults}");
        }
        check(&closure.to_json())?;
        self.write(&text)
    }

    fn roots(&self, path: &ClassPath) -> Result<BTreeSet<String>> {
        if self.class.is_empty() {
            if let Some(jar) = path.fat_jar() {
                let reason = format!(
                    "{jar} is a whole application: name the classes of the values with --class"
                );
                return Err(Failure::usage(reason));
            }
            return Ok(path.own_names().map(str::to_owned).collect());
        }
        let mut roots = BTreeSet::new();
        for wanted in &self.class {
            let found: Vec<&str> = path.names().filter(|name| fits(name, wanted)).collect();
            let is_pattern = wanted.ends_with('*');
            match found[..] {
                [] => return Err(Failure::Nothing(format!("no class {wanted} among these"))),
                [_, _, ..] if !is_pattern && !found.contains(&wanted.as_str()) => {
                    let found = found.join(", ");
                    let reason = format!("which {wanted}: {found}?");
                    return Err(Failure::usage(reason));
                }
                _ if !is_pattern && found.contains(&wanted.as_str()) => {
                    roots.insert(wanted.clone());
                }
                _ => roots.extend(found.iter().map(|it| (*it).to_owned())),
            }
        }
        Ok(roots)
    }

    fn write(&self, text: &str) -> Result {
        let Some(file) = &self.output else {
            return crate::screen::print(text.trim_end());
        };
        fs::write(file, text).map_err(|source| Failure::write(file, source))
    }
}

/// True if the name of a class is meant: in full, without its package, or by its package.
fn fits(name: &str, wanted: &str) -> bool {
    if let Some(package) = wanted.strip_suffix("**") {
        return name.starts_with(package);
    }
    if let Some(package) = wanted.strip_suffix('*') {
        let rest = name.strip_prefix(package);
        return rest.is_some_and(|it| !it.contains('.'));
    }
    let simple = name.rsplit('.').next().unwrap_or(name);
    name == wanted || simple == wanted || simple.replace('$', ".") == wanted
}

/// What is missing, and where.
fn faults(closure: &Closure) -> Vec<String> {
    let missing = closure.missing.iter().map(|(class, by)| {
        let by: Vec<&str> = by.iter().map(String::as_str).take(3).collect();
        format!("{class}, named by {}", by.join(" and "))
    });
    let impossible = closure.impossible.iter();
    let impossible = impossible.map(|(class, reason)| format!("{class}: {reason}"));
    let mut faults: Vec<String> = missing.chain(impossible).collect();
    if let Some(more) = faults.len().checked_sub(MOST_FAULTS).filter(|it| *it > 0) {
        faults.truncate(MOST_FAULTS);
        faults.push(format!("and {more} more"));
    }
    faults
}

/// How many faults a person reads.
const MOST_FAULTS: usize = 20;

/// Reads the schema as codecs do.
fn check(json: &str) -> Result {
    let refused = |error| Failure::usage(format!("no codec can use these classes: {error}"));
    let schema = Described::from_json(json).map_err(refused)?;
    Kryo5Codec::<JavaValue>::with_schema(schema).map_err(refused)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn classes_are_named_as_people_name_them() {
        for (wanted, is_meant) in [
            ("com.example.Outer$Inner", true),
            ("Outer$Inner", true),
            ("Outer.Inner", true),
            ("com.example.*", true),
            ("com.**", true),
            ("com.*", false),
            ("Inner", false),
        ] {
            assert_eq!(
                fits("com.example.Outer$Inner", wanted),
                is_meant,
                "{wanted}"
            );
        }
    }
}
