//! `rdq sniff`

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::PathBuf;
use std::{fs, iter};

use base64::Engine;
use base64::engine::DecodePaddingMode::Indifferent;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use clap::{ArgGroup, Args};
use futures::{StreamExt, TryStreamExt};
use redisson_delayed_queue::java::Schema;
use redisson_delayed_queue::packed::Packed;
use serde::Serialize;

use crate::cli::Global;
use crate::element::find::{Name, find};
use crate::failure::{Failure, Result};
use crate::payload;
use crate::screen::Screen;
use crate::session::Session;
use crate::sniff::{Nose, Scent};

/// Find out which codec wrote a payload, an element, or the payloads of a queue.
///
/// Tries each codec whose form the bytes have, shows the value under the likeliest that reads it,
/// and says why others do not. Unpacks lz4, snappy and zstd and looks at what is inside. A codec
/// that needs the classes of the values, such as kryo5, needs --schema: see `rdq schema`.
///
/// Redis: reads up to --sample pending elements and as many ready ones, in portions. For one element by
/// its id, ZSCAN of all pending elements, 1,000 a call. Nothing with a ticket, --file, --base64 or --hex.
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("payload").required(true)))]
pub(crate) struct Sniff {
    /// The queue's name in Redis.
    #[arg(group = "payload")]
    queue: Option<String>,
    /// Sniff only this pending element: its ticket, or its id or the beginning of it in hex.
    #[arg(requires = "queue", conflicts_with = "sample")]
    element: Option<Name>,
    /// Sniff the payload in this file, or in stdin if it is `-`.
    #[arg(short, long, group = "payload")]
    file: Option<PathBuf>,
    /// Sniff this payload, in Base64.
    #[arg(long, value_name = "TEXT", group = "payload")]
    base64: Option<String>,
    /// Sniff this payload, in hexadecimal digits.
    #[arg(long, value_name = "DIGITS", group = "payload")]
    hex: Option<String>,
    /// How many pending and how many ready elements of the queue to read.
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value_t = 100,
        requires = "queue"
    )]
    sample: usize,
}

/// What one codec made of the payloads of a queue.
#[derive(Debug, Serialize)]
struct Count {
    queue: String,
    codec: String,
    /// How many payloads it has probably written.
    payloads: usize,
    /// How many of them it reads.
    read: usize,
    /// The first payload that it does not read says why.
    error: Option<String>,
    #[serde(skip)]
    example: String,
}

impl Sniff {
    /// True if no queue is named. Then Redis is not needed.
    pub(crate) fn is_offline(&self) -> bool {
        self.queue.is_none()
    }

    /// Sniffs one payload that is at hand.
    pub(crate) fn run_offline(&self, global: &Global) -> Result {
        let payload = match (&self.file, &self.base64, &self.hex) {
            (Some(file), ..) => read(file)?,
            (_, Some(text), _) => from_base64(text)?,
            (_, _, Some(digits)) => from_hex(digits)?,
            _ => return Err(Failure::usage("name a queue, or give a payload")),
        };
        let schema = global.schema.as_deref().map(payload::read_schema);
        let scent = Nose::new(schema.transpose()?.unwrap_or_default()).sniff(&payload)?;
        Screen::new(global.json).say(&described(&scent), &scent)
    }

    /// Samples a queue.
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let Some(name) = &self.queue else {
            return Err(Failure::usage("name a queue"));
        };
        let mut counts: BTreeMap<String, Count> = BTreeMap::new();
        let mut nose = Nose::new(session.schema(name)?.unwrap_or_else(Schema::new));
        if let Some(element) = &self.element {
            let ticket = find(session, name, element).await?;
            // A ticket holds a member that can be read.
            let packed = Packed::parse(ticket.as_bytes().clone());
            let missing = |_| Failure::Nothing("no payload can be read there".to_owned());
            let scent = nose.sniff(&packed.map_err(missing)?.payload)?;
            return session.screen.say(&described(&scent), &scent);
        }
        let queue = session.queue(name)?;
        let pending = queue.pending().iter().map_ok(|entry| entry.value);
        let ready = queue.destination().iter();
        let mut sample = pending.take(self.sample).chain(ready.take(self.sample));
        while let Some(payload) = sample.try_next().await? {
            let scent = nose.sniff(&payload)?;
            let count = counts.entry(scent.codec.clone());
            count.or_insert_with(|| Count::new(name, &scent)).add(scent);
        }
        let mut counts: Vec<Count> = counts.into_values().collect();
        counts.sort_by_key(|it| (it.payloads, it.read));
        counts.reverse();
        let Some(first) = counts.first() else {
            return Err(Failure::Nothing(format!("{name} has no elements to sniff")));
        };
        let headings = ["CODEC", ">PAYLOADS", ">READ", "EXAMPLE, OR WHY NOT READ"];
        session.screen.rows(&headings, &counts, Count::cells)?;
        if !session.screen.is_json() {
            session.screen.note(&first.advice(session.server()));
        }
        Ok(())
    }
}

impl Count {
    fn new(queue: &str, scent: &Scent) -> Self {
        Self {
            queue: queue.to_owned(),
            codec: scent.codec.clone(),
            payloads: 0,
            read: 0,
            error: None,
            example: String::new(),
        }
    }

    fn add(&mut self, scent: Scent) {
        self.payloads += 1;
        match scent.value {
            Some(value) => {
                self.read += 1;
                if self.example.is_empty() {
                    self.example = cut(value.get(), 60);
                }
            }
            None => self.error = self.error.take().or_else(|| unread(&scent).cloned()),
        }
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.codec.clone(),
            self.payloads.to_string(),
            self.read.to_string(),
            self.error.clone().unwrap_or_else(|| self.example.clone()),
        ]
    }

    /// What to write into the profile file.
    fn advice(&self, server: Option<&str>) -> String {
        let server = server.unwrap_or("NAME");
        let mut lines = vec![
            "\nFor the profile file:".to_owned(),
            String::new(),
            format!("[server.{}.queue.{}]", key(server), key(&self.queue)),
            format!("codec = {}", quoted(&self.codec)),
        ];
        if self.error.is_some() {
            let file = format!("{}.json", self.queue.replace(['/', '\\'], "-"));
            lines.push(format!("schema = {}  # rdq schema makes it", quoted(&file)));
        }
        lines.join("\n")
    }
}

/// A key in TOML, which needs quotes unless it is a plain word.
fn key(text: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_".contains(it);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => quoted(text),
    }
}

/// A text in TOML. JSON spells it in the same way.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Why the codec that a payload is believed to have does not read it.
fn unread(scent: &Scent) -> Option<&String> {
    let believed = scent.attempts.iter().find(|it| it.codec == scent.codec);
    believed.and_then(|it| it.error.as_ref())
}

fn described(scent: &Scent) -> String {
    let value = scent.value.as_ref().map(|it| it.get().to_owned());
    let unread = unread(scent).map_or("", String::as_str);
    let value = value.unwrap_or_else(|| format!("not read: {unread}"));
    let first = [format!("{}: {value}", scent.codec)];
    let others = scent.attempts.iter().filter(|it| it.codec != scent.codec);
    let others = others.map(|it| match &it.error {
        Some(error) => format!("not {}: {error}", it.codec),
        None => format!("or {}, which reads it too", it.codec),
    });
    first
        .into_iter()
        .chain(others)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The first characters of a long text.
fn cut(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((end, _)) => text[..end].chars().chain(iter::once('…')).collect(),
        None => text.to_owned(),
    }
}

fn read(file: &PathBuf) -> Result<Bytes> {
    let bytes = if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(file)
    };
    let bytes = bytes.map_err(|source| Failure::read(file, source))?;
    Ok(bytes.into())
}

/// With or without padding, and with either pair of the letters that differ in URLs.
fn from_base64(text: &str) -> Result<Bytes> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(Indifferent);
    let standard = GeneralPurpose::new(&base64::alphabet::STANDARD, config);
    let text = text.trim().replace('-', "+").replace('_', "/");
    let bytes = standard.decode(text);
    let bytes = bytes.map_err(|error| Failure::usage(format!("not Base64: {error}")))?;
    Ok(bytes.into())
}

fn from_hex(digits: &str) -> Result<Bytes> {
    let digits = digits.trim().as_bytes();
    let digit = |it: &u8| char::from(*it).to_digit(16).map(|it| it as u8);
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    let bytes: Option<Bytes> = digits.chunks(2).map(byte).collect();
    bytes.ok_or_else(|| Failure::usage("not pairs of hexadecimal digits"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_can_be_spelt_in_two_ways() {
        assert_eq!(
            from_hex("00fF7e\n").unwrap(),
            "\0\u{ff}~".chars().map(|it| it as u8).collect::<Bytes>()
        );
        assert!(from_hex("0").is_err());
        assert!(from_hex("0x").is_err());
        for text in ["+/+/AA==", "-_-_AA"] {
            assert_eq!(from_base64(text).unwrap(), vec![0xfb, 0xff, 0xbf, 0]);
        }
        assert!(from_base64("?").is_err());
    }

    #[test]
    fn names_are_quoted_where_toml_needs_it() {
        assert_eq!(key("orders-1"), "orders-1");
        assert_eq!(key("orders:{eu}"), "\"orders:{eu}\"");
    }
}
