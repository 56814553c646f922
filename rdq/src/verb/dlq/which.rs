//! Which dead letters to offer again, or to delete.

use std::collections::HashSet;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use futures::TryStreamExt;

use super::ls::Row;
use super::{Letter, Letterbox, Letters};
use crate::argument::input;
use crate::element::letter::name_of;
use crate::failure::{Failure, Result};
use crate::session::Session;

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub(super) struct Which {
    /// The letters' names in `ls`, or their beginnings, or the ids of their deliveries; - for those on
    /// stdin, one a line.
    #[arg(
        value_name = "LETTER",
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub(super) letters: Vec<String>,
    /// Those whose value or reason has this text in it. A part is enough: 17 also finds 170. To choose by a
    /// field, give the names that `rdq dlq ls --json` and jq find, on stdin.
    #[arg(
        short,
        long = "match",
        alias = "matching",
        value_name = "TEXT",
        value_parser = NonEmptyStringValueParser::new()
    )]
    text: Option<String>,
    /// All letters.
    #[arg(long)]
    pub(super) all: bool,
}

impl Which {
    /// The letters that are meant, the newest first. At least one.
    pub(super) async fn find(
        &self,
        session: &Session,
        place: &Letterbox,
        dead: &Letters,
    ) -> Result<Vec<Letter>> {
        let payloads = session.payloads(&place.queue)?;
        let names = input::named(&self.letters).await?;
        let mut letters = dead.iter();
        let mut found: Vec<(Option<usize>, Letter)> = Vec::new();
        while let Some(letter) = letters.try_next().await? {
            let row = Row::of(&letter, &payloads);
            let named = names.iter().position(|it| row.is_called(it));
            if self.all
                || named.is_some()
                || self.text.is_some() && row.matches(self.text.as_deref())
            {
                found.push((named, letter));
            }
        }
        for (place, name) in names.iter().enumerate() {
            let mut bytes = found.iter().filter(|(named, _)| *named == Some(place));
            let Some((_, first)) = bytes.next() else {
                return Err(Failure::Nothing(format!("no dead letter is called {name}")));
            };
            // Equal letters without notes have one name, and any of them will do.
            if bytes.any(|(_, it)| name_of(it) != name_of(first)) {
                return Err(Failure::usage(format!("{name} names several dead letters")));
            }
        }
        if !self.letters.is_empty() {
            let mut seen = HashSet::new();
            found.retain(|(named, _)| seen.insert(*named));
        }
        if found.is_empty() {
            return Err(Failure::Nothing("no such dead letter".to_owned()));
        }
        Ok(found.into_iter().map(|(_, letter)| letter).collect())
    }
}
