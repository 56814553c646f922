//! `rdq offer`

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use clap::{Args, ValueEnum};
use futures::StreamExt;
use redisson_delayed_queue::{Error, IfPending, Listing, Offer as Terms};

use crate::argument::input;
use crate::argument::moment::{self, Moment};
use crate::argument::when::When;
use crate::element::line::{Line, unbase64};
use crate::element::offering::{Item, Offering};
use crate::failure::{Failure, Result};
use crate::payload::Payloads;
use crate::screen::number::{count_of, grouped};
use crate::session::Session;

/// Offer values to a queue, and print their tickets.
///
/// A value is JSON as `rdq ls` shows it, and --codec or the profile file says how the queue's services
/// write it. With --codec string, a text needs no quotes: hello. With --raw it is the payload itself, in
/// Base64.
///
/// Redis: one short script; with --lines one for up to 500 values.
#[derive(Args, Debug)]
pub(crate) struct Offer {
    /// The queue's name in Redis.
    queue: String,
    /// The value as JSON; - for all of stdin.
    #[arg(required_unless_present = "lines", conflicts_with = "lines")]
    value: Option<String>,
    /// Read values from stdin, one a line. With --lines=elements, read what `rdq drain` and `rdq ls --json`
    /// print: elements keep their due times, and whatever else no option changes.
    #[arg(
        long,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "values"
    )]
    lines: Option<Lines>,
    /// Values are payloads in Base64. If the value is -, stdin is the payload itself.
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    when: When,
    /// Allow only one pending element with this key.
    #[arg(long)]
    key: Option<String>,
    /// Allow only one pending element with this value among those offered with this option.
    #[arg(long, conflicts_with = "key")]
    key_by_value: bool,
    /// Allow only one pending element with this value, whoever offered it. Searches the queue.
    #[arg(long, conflicts_with_all = ["key", "key_by_value"])]
    unique: bool,
    /// What to do if such an element is pending already.
    #[arg(long, value_name = "WHAT", default_value = "keep")]
    if_pending: Conflict,
    /// Drop the element if nobody has moved it to the target queue by this time, as --at takes it.
    #[arg(long, value_name = "TIME", value_parser = moment::ahead)]
    expires_at: Option<Moment>,
    /// Drop the element if nobody has moved it to the target queue after this long.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, conflicts_with = "expires_at")]
    expires_in: Option<Duration>,
    /// Keep the element out of the ordering list. Java then delivers it and does not see it before.
    #[arg(long)]
    unlisted: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Lines {
    Values,
    Elements,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Conflict {
    /// Keep it, and store nothing.
    Keep,
    /// Replace it by this offer.
    Replace,
}

/// How many lines to offer together.
const TOGETHER: usize = 500;

impl Offer {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let due = self.when.said();
        let are_elements = self.lines == Some(Lines::Elements);
        if due.is_none() && !are_elements {
            return Err(Failure::usage("say when: --delay or --at"));
        }
        if self.raw && are_elements {
            let reason = "--raw is for values: an element has its own payload";
            return Err(Failure::usage(reason));
        }
        let now = session.now(&self.queue).await?;
        let payloads = session.payloads(&self.queue)?;
        let mut offering = Offering::new(session, &self.queue)?;
        match self.lines {
            Some(what) => {
                let item = |line: &str| match what {
                    Lines::Values => Ok(Some(self.item(now, self.payload(&payloads, line)?))),
                    Lines::Elements => self.element(now, &payloads, line),
                };
                self.offer_lines(session, &mut offering, item).await
            }
            None => {
                let payload = self.only(&payloads).await?;
                offering.offer(vec![self.item(now, payload)]).await
            }
        }
    }

    /// Offers what `item` makes of each line of stdin.
    async fn offer_lines(
        &self,
        session: &Session,
        offering: &mut Offering<'_>,
        item: impl Fn(&str) -> Result<Option<Item>>,
    ) -> Result {
        let done = offer_each(session, offering, item).await;
        done.map_err(|failure| match (offering.offered(), failure) {
            (0, failure) => failure,
            (offered, failure) => {
                let offered = count_of(offered as u64, "line was", "lines were");
                // The lines of the last portion are counted with the others.
                let (unknown, failure) = match failure {
                    Failure::Queue(Error::OfferedInPart {
                        unknown, source, ..
                    }) => (unknown.len(), Failure::Queue(*source)),
                    failure => (0, failure),
                };
                let perhaps = match unknown {
                    0 => String::new(),
                    _ => format!(", and perhaps {} more", grouped(unknown as u64)),
                };
                failure.after(format!("{offered} offered before it failed{perhaps}"))
            }
        })
    }

    /// The only value, from the command line or from stdin.
    async fn only(&self, payloads: &Payloads) -> Result<Bytes> {
        let value = self.value.as_deref().unwrap_or_default();
        if value != "-" {
            return self.payload(payloads, value);
        }
        let bytes = input::whole().await?;
        if self.raw {
            return Ok(bytes.into());
        }
        let wrong = |_| Failure::usage("stdin is not UTF-8: --raw offers it as it is");
        self.payload(payloads, &String::from_utf8(bytes).map_err(wrong)?)
    }

    fn payload(&self, payloads: &Payloads, value: &str) -> Result<Bytes> {
        match self.raw {
            true => unbase64(value),
            false => payloads.read(value.trim()),
        }
    }

    fn item(&self, now: SystemTime, payload: Bytes) -> Item {
        let due = self.when.said().unwrap_or(Moment::FromNow(Duration::ZERO));
        Item {
            payload,
            offer: self.terms(due, self.expires_at(now)),
            listing: self.listing().unwrap_or(Listing::Listed),
        }
    }

    fn expires_at(&self, now: SystemTime) -> Option<SystemTime> {
        let expires = self.expires_at.or(self.expires_in.map(Moment::FromNow));
        expires.map(|it| it.from(now))
    }

    fn listing(&self) -> Option<Listing> {
        self.unlisted.then_some(Listing::Unlisted)
    }

    /// An element that was printed, with what the options say otherwise; `None` if it has expired.
    fn element(&self, now: SystemTime, payloads: &Payloads, line: &str) -> Result<Option<Item>> {
        let line = Line::parse(line)?;
        let expires_at = self.expires_at(now).or(line.expires_at());
        if expires_at.is_some_and(|it| it <= now) {
            return Ok(None);
        }
        let due = self.when.said().unwrap_or(line.due());
        Ok(Some(Item {
            payload: line.payload(payloads)?,
            offer: self.terms(due, expires_at),
            listing: self.listing().unwrap_or(line.listing()),
        }))
    }

    fn terms(&self, due: Moment, expires_at: Option<SystemTime>) -> Terms {
        let mut terms = Terms::from(due).if_pending(match self.if_pending {
            Conflict::Keep => IfPending::Keep,
            Conflict::Replace => IfPending::Replace,
        });
        if let Some(expires_at) = expires_at {
            terms = terms.expires_at(expires_at);
        }
        match &self.key {
            Some(key) => terms.key(key),
            None if self.key_by_value => terms.keyed_by_value(),
            None if self.unique => terms.unique_in_queue(),
            None => terms,
        }
    }
}

/// Offers what `item` makes of each line of stdin, until one is wrong.
async fn offer_each(
    session: &Session,
    offering: &mut Offering<'_>,
    item: impl Fn(&str) -> Result<Option<Item>>,
) -> Result {
    let item = |(number, line): (u64, String)| {
        item(&line).map_err(|it| Failure::usage(format!("line {number}: {}", it.text())))
    };
    let mut portions = input::lines().ready_chunks(TOGETHER);
    while let Some(portion) = portions.next().await {
        let mut items = Vec::new();
        let mut expired = 0;
        let mut wrong = None;
        for line in portion {
            match line.and_then(item) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => expired += 1,
                Err(failure) => {
                    wrong = Some(failure);
                    break;
                }
            }
        }
        if expired > 0 {
            let expired = count_of(expired, "element has expired", "elements have expired");
            session.screen.note(&format!("left out: {expired}"));
        }
        offering.offer(items).await?;
        if let Some(failure) = wrong {
            return Err(failure);
        }
    }
    Ok(())
}
