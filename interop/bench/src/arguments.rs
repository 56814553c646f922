//! The command line.

use crate::Result;

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Task {
    /// Run the measures of these names, or all.
    Measure { only: Vec<String>, quick: bool },
    /// Be a process that passes on an element of this size.
    Large { megabytes: usize, url: String },
    /// Be a process that is measured.
    Serve { contender: String, url: String },
}

impl Task {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self> {
        let mut words = words;
        let (mut only, mut quick) = (Vec::new(), false);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--quick" => quick = true,
                "--only" => {
                    let names = words.next().ok_or(USAGE)?;
                    only.extend(names.split(',').map(str::to_owned));
                }
                "--large" => {
                    let megabytes = words.next().ok_or(USAGE)?.parse()?;
                    let url = words.next().ok_or(USAGE)?;
                    return Ok(Self::Large { megabytes, url });
                }
                "--serve" => {
                    let contender = words.next().ok_or(USAGE)?;
                    let url = words.next().ok_or(USAGE)?;
                    return Ok(Self::Serve { contender, url });
                }
                _ => return Err(USAGE.into()),
            }
        }
        Ok(Self::Measure { only, quick })
    }
}

const USAGE: &str = "usage: bench [--quick] [--only NAME,...]";
