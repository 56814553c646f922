//! Finds class files in folders, in jars, and in jars inside of jars.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use zip::ZipArchive;

use super::java_class;
use crate::failure::{Failure, Result};

/// Where all classes are.
#[derive(Debug, Default)]
pub(crate) struct ClassPath {
    archives: Vec<Archive>,
    classes: BTreeMap<String, Location>,
    /// Classes that are there more than once: the first place, and another.
    doubles: BTreeMap<String, (String, String)>,
}

#[derive(Debug)]
enum Location {
    File(PathBuf),
    /// A file of the archive with this index.
    Entry {
        archive: usize,
        entry: String,
    },
}

/// A jar.
#[derive(Debug)]
struct Archive {
    /// As people find it: `app.jar!BOOT-INF/lib/orders.jar`.
    name: String,
    /// True for a jar inside of another.
    is_nested: bool,
    source: Source,
}

#[derive(Debug)]
enum Source {
    File(ZipArchive<File>),
    Nested(ZipArchive<Cursor<Bytes>>),
}

/// Where the classes of an application are in its jar.
const PREFIXES: [&str; 2] = ["BOOT-INF/classes/", "WEB-INF/classes/"];

/// How large a jar inside of a jar, or a class file, may be.
const LARGEST: u64 = 1 << 30;

impl ClassPath {
    /// Looks for classes in these class files, folders and jars. As in Java, a class counts where it
    /// comes first.
    ///
    /// # Errors
    ///
    /// - `Io` if one of them cannot be read.
    /// - `Usage` if a file is neither a class file nor a jar.
    pub(crate) fn of(paths: &[PathBuf]) -> Result<Self> {
        let mut found = Self::default();
        for path in paths {
            found.add(path)?;
        }
        Ok(found)
    }

    fn add(&mut self, path: &Path) -> Result {
        let failed = |source| Failure::read(path, source);
        if fs::metadata(path).map_err(failed)?.is_dir() {
            let mut paths = Vec::new();
            for entry in fs::read_dir(path).map_err(failed)? {
                paths.push(entry.map_err(failed)?.path());
            }
            paths.sort();
            // Of the other files in a folder, none is a mistake.
            let is_meant =
                |it: &PathBuf| it.is_dir() || extension(it) == Some("class") || is_jar(it);
            return paths
                .iter()
                .filter(|it| is_meant(it))
                .try_for_each(|it| self.add(it));
        }
        if is_jar(path) {
            let zip = ZipArchive::new(File::open(path).map_err(failed)?);
            let zip = zip.map_err(|error| Failure::read(path, error.into()))?;
            return self.open(path.display().to_string(), false, Source::File(zip));
        }
        let bytes = fs::read(path).map_err(failed)?;
        let Some((name, _)) = java_class::supers(&bytes) else {
            let reason = format!("{} is neither a class file nor a jar", path.display());
            return Err(Failure::usage(reason));
        };
        self.insert(name, Location::File(path.to_owned()));
        Ok(())
    }

    fn open(&mut self, name: String, is_nested: bool, source: Source) -> Result {
        let entries = source.names();
        let archive = self.archives.len();
        self.archives.push(Archive {
            name,
            is_nested,
            source,
        });
        for entry in &entries {
            if let Some(class) = class_of(entry) {
                let entry = entry.clone();
                self.insert(class, Location::Entry { archive, entry });
            }
        }
        for entry in entries.iter().filter(|it| it.ends_with(".jar")) {
            let bytes = self.archives[archive].read(entry)?;
            let name = format!("{}!{entry}", self.archives[archive].name);
            let zip = ZipArchive::new(Cursor::new(bytes));
            let zip = zip.map_err(|error| Failure::Io {
                what: format!("cannot read {name}"),
                source: error.into(),
            })?;
            self.open(name, true, Source::Nested(zip))?;
        }
        Ok(())
    }

    fn insert(&mut self, class: String, place: Location) {
        if let Some(first) = self.classes.get(&class) {
            let places = (self.describe(first), self.describe(&place));
            self.doubles.entry(class).or_insert(places);
        } else {
            self.classes.insert(class, place);
        }
    }

    /// The names of all classes.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.classes.keys().map(String::as_str)
    }

    /// The classes outside of nested jars.
    pub(crate) fn own_names(&self) -> impl Iterator<Item = &str> {
        let own = self.classes.iter().filter(|(_, place)| match place {
            Location::File(_) => true,
            Location::Entry { archive, .. } => !self.archives[*archive].is_nested,
        });
        own.map(|(name, _)| name.as_str())
    }

    /// A jar that has others in it.
    pub(crate) fn fat_jar(&self) -> Option<&str> {
        let nested = self.archives.iter().find(|it| it.is_nested)?;
        nested.name.split('!').next()
    }

    pub(crate) fn contains(&self, class: &str) -> bool {
        self.classes.contains_key(class)
    }

    /// Where the class is, for people.
    pub(crate) fn place(&self, class: &str) -> String {
        let place = self.classes.get(class);
        place.map(|it| self.describe(it)).unwrap_or_default()
    }

    /// The places of a class that is there twice.
    pub(crate) fn double(&self, class: &str) -> Option<&(String, String)> {
        self.doubles.get(class)
    }

    /// The bytes of a class file. `None` if there is no such class.
    ///
    /// # Errors
    ///
    /// - `Io` if the file or the jar cannot be read.
    pub(crate) fn read(&mut self, class: &str) -> Result<Option<Bytes>> {
        match self.classes.get(class) {
            None => Ok(None),
            Some(Location::File(path)) => {
                let bytes = fs::read(path).map_err(|source| Failure::read(path, source))?;
                Ok(Some(bytes.into()))
            }
            Some(Location::Entry { archive, entry }) => {
                self.archives[*archive].read(&entry.clone()).map(Some)
            }
        }
    }

    fn describe(&self, place: &Location) -> String {
        match place {
            Location::File(path) => path.display().to_string(),
            Location::Entry { archive, .. } => self.archives[*archive].name.clone(),
        }
    }
}

impl Archive {
    fn read(&mut self, entry: &str) -> Result<Bytes> {
        let failed = |source| Failure::Io {
            what: format!("cannot read {entry} of {}", self.name),
            source,
        };
        let bytes = match &mut self.source {
            Source::File(zip) => read(zip, entry),
            Source::Nested(zip) => read(zip, entry),
        };
        bytes.map_err(failed)
    }
}

impl Source {
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = match self {
            Self::File(zip) => zip.file_names().flatten().map(Into::into).collect(),
            Self::Nested(zip) => zip.file_names().flatten().map(Into::into).collect(),
        };
        names.sort();
        names
    }
}

fn read(zip: &mut ZipArchive<impl Read + Seek>, entry: &str) -> std::io::Result<Bytes> {
    let mut bytes = Vec::new();
    // The size that a broken or hostile archive claims is not to be believed.
    zip.by_name(entry)?.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

/// The class that is in this file of a jar.
fn class_of(entry: &str) -> Option<String> {
    // Versions for newer JVMs stand in META-INF/versions. Their fields are those of the base.
    let entry = entry
        .strip_suffix(".class")
        .filter(|it| !it.starts_with("META-INF/"))?;
    let entry = PREFIXES
        .iter()
        .find_map(|it| entry.strip_prefix(it))
        .unwrap_or(entry);
    let is_info = ["module-info", "package-info"]
        .iter()
        .any(|it| entry.ends_with(it));
    (!is_info).then(|| entry.replace('/', "."))
}

fn is_jar(path: &Path) -> bool {
    matches!(extension(path), Some("jar" | "war" | "zip"))
}

fn extension(path: &Path) -> Option<&str> {
    path.extension()?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_of_an_application_are_found_in_its_jar() {
        for (entry, class) in [
            ("com/example/Order.class", Some("com.example.Order")),
            (
                "BOOT-INF/classes/com/example/Outer$Inner.class",
                Some("com.example.Outer$Inner"),
            ),
            ("META-INF/versions/11/com/example/Order.class", None),
            ("com/example/package-info.class", None),
            ("application.yml", None),
        ] {
            assert_eq!(class_of(entry).as_deref(), class, "{entry}");
        }
    }
}
