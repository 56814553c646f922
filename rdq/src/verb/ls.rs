//! `rdq ls`

use std::cell::Cell;
use std::io::{self, IsTerminal};
use std::pin::pin;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use futures::future::ready;
use futures::stream::{self, LocalBoxStream, Stream, StreamExt, TryStreamExt};
use redisson_delayed_queue::Entry;
use redisson_delayed_queue::keys::QueueKeys;
use serde::Serialize;

use crate::argument::{count, moment::Moment};
use crate::element::left_out;
use crate::element::list::{self, Listed};
use crate::element::{Element, SHORT_ID, unix_ms};
use crate::failure::Result;
use crate::payload::{Payloads, Shown};
use crate::screen::{Flow, Screen, relative, to_the_second};
use crate::session::Session;

/// List the elements of a queue: the pending ones by due time, or the ready ones.
///
/// The first rows come at once, however many elements there are. The id is a prefix of the whole one,
/// and `get`, `cancel`, `reschedule` and `promote` take it; --json has the whole id and the ticket,
/// which they find without a search. Members that nobody can read are left out, and counted on stderr:
/// `rdq doctor` explains them.
///
/// Redis: a short script for each 500 elements or 256 KiB.
#[derive(Args, Debug)]
pub(crate) struct Ls {
    /// The queue's name in Redis.
    queue: String,
    /// List pending elements in the order in which they were offered.
    #[arg(long)]
    offered: bool,
    /// List the ready elements: the target queue, from the next to be taken on.
    #[arg(long, conflicts_with_all = ["offered", "id_only"])]
    ready: bool,
    /// The most rows; 0 for all. Default: 100, and a line on stderr if there are more.
    #[arg(short = 'n', long, value_name = "COUNT", value_parser = count::most)]
    limit: Option<usize>,
    /// How many rows to leave out first.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    offset: u64,
    /// Only elements that are due then or later: 2026-11-24T12:00:00Z, 2026-11-24T13:00:00+01:00,
    /// '2026-11-24 12:00', 2026-11-24 or 12:00 (all in UTC without an offset), +10m, -2h, now, or Unix ms.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with_all = ["offered", "ready"])]
    after: Option<Moment>,
    /// Only elements that are due before that time.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with_all = ["offered", "ready"])]
    before: Option<Moment>,
    /// Only elements whose value, as it is shown, has this text in it. Reads all elements.
    ///
    /// A part is enough: "customer":17 also finds "customer":170. To select by a field before you change
    /// something, use --json and jq 'select(.value.customer == 17)'.
    #[arg(short, long = "match", value_name = "TEXT")]
    text: Option<String>,
    /// Print whole ids and nothing else.
    #[arg(long)]
    id_only: bool,
}

/// What an element of the target queue is: a value, and its place.
#[derive(Serialize)]
struct Ready {
    place: u64,
    #[serde(flatten)]
    shown: Shown,
}

impl Ls {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let payloads = session.payloads(&self.queue)?;
        let now = session.now(&self.queue).await?;
        if self.ready {
            return self.list_ready(session, &payloads).await;
        }
        let unreadable = Cell::new(0);
        let elements = match self.offered {
            true => self.by_offer(session, &payloads, &unreadable)?,
            false => self.by_due(session, &payloads, now, &unreadable).await?,
        };
        let columns = [
            ("ID", SHORT_ID),
            ("DUE", 20),
            ("", 12),
            (">SIZE", 6),
            ("VALUE", 0),
        ];
        let flow = session.screen.flow(&columns);
        let now_ms = unix_ms(now);
        let print = |flow: &mut Flow, element: &Element| match self.id_only {
            true => flow.say(&element.id, &element.id),
            false => flow.row(element, || {
                [
                    element.short_id().to_owned(),
                    to_the_second(element.due()),
                    relative(element.due_ms as f64, now_ms),
                    element.shown.size.to_string(),
                    element.shown.text(),
                ]
            }),
        };
        self.print(session.screen, elements, flow, |it| &it.shown, print)
            .await?;
        left_out::tell(session.screen, &self.queue, unreadable.get());
        Ok(())
    }

    async fn list_ready(&self, session: &Session, payloads: &Payloads) -> Result {
        let keys = QueueKeys::new(&self.queue)?;
        let master = session.client.master_of(&self.queue)?;
        let listed = list::entries(master, &keys, keys.target(), self.jump());
        let ready = listed.map_ok(|Listed { place, entry, .. }| Ready {
            place,
            shown: Shown::new(payloads, &entry),
        });
        let columns = [(">PLACE", 7), (">SIZE", 6), ("VALUE", 0)];
        let flow = session.screen.flow(&columns);
        let print = |flow: &mut Flow, ready: &Ready| {
            flow.row(ready, || {
                [
                    ready.place.to_string(),
                    ready.shown.size.to_string(),
                    ready.shown.text(),
                ]
            })
        };
        self.print(session.screen, ready, flow, |it| &it.shown, print)
            .await
    }

    /// How many entries to leave out without reading them.
    fn jump(&self) -> u64 {
        if self.text.is_some() { 0 } else { self.offset }
    }

    /// Prints the rows of this page that match, each portion as soon as it is there.
    async fn print<T>(
        &self,
        screen: Screen,
        rows: impl Stream<Item = Result<T>>,
        mut flow: Flow,
        shown: impl Fn(&T) -> &Shown,
        print: impl Fn(&mut Flow, &T) -> Result,
    ) -> Result {
        let matches = |row: &T| match &self.text {
            Some(text) => shown(row).contains(text),
            None => true,
        };
        let offset = self.offset - self.jump();
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        let rows = rows
            .try_filter(|row| ready(matches(row)))
            .skip(usize::try_from(offset).unwrap_or(usize::MAX))
            // One more tells whether there are more.
            .take(limit.saturating_add(1));
        let mut portions = pin!(rows.ready_chunks(500));
        let mut rows_shown = 0;
        let mut has_more = false;
        while let Some(portion) = portions.next().await {
            for row in portion {
                let row = row?;
                if rows_shown == limit {
                    has_more = true;
                    break;
                }
                print(&mut flow, &row)?;
                rows_shown += 1;
            }
            flow.flush()?;
        }
        if rows_shown == 0 && !screen.is_json() {
            screen.note(&self.nothing());
        }
        // Who gave the limit knows it. A script would take the default for all there is.
        if has_more && (self.limit.is_none() || io::stdout().is_terminal()) {
            let next = self.offset + rows_shown as u64;
            let more = count::has_more(rows_shown);
            screen.note(&format!("{more}, --offset {next} goes on there"));
        }
        Ok(())
    }

    /// Why there are no rows.
    fn nothing(&self) -> String {
        let elements = match self.ready {
            true => "ready elements",
            false => "pending elements",
        };
        let is_part =
            self.text.is_some() || self.after.is_some() || self.before.is_some() || self.offset > 0;
        match is_part {
            true => format!("{} has no such {elements}", self.queue),
            false => format!("{} has no {elements}", self.queue),
        }
    }

    async fn by_due<'a>(
        &self,
        session: &Session,
        payloads: &'a Payloads,
        now: SystemTime,
        unreadable: &'a Cell<u64>,
    ) -> Result<Elements<'a>> {
        let mut after = self.after.map_or(UNIX_EPOCH, |it| it.from(now));
        let mut same = 0;
        if self.jump() > 0 {
            let keys = QueueKeys::new(&self.queue)?;
            let master = session.client.master_of(&self.queue)?;
            match list::skip(&master, keys.timeouts(), after, self.jump()).await? {
                Some(found) => (after, same) = found,
                None => return Ok(stream::empty().boxed_local()),
            }
        }
        let pending = session.queue(&self.queue)?.pending();
        let entries = match self.before {
            Some(before) => pending.between(after..before.from(now).max(after)),
            None => pending.between(after..),
        };
        let counted = stream::unfold(entries, |mut entries| async {
            let entry = entries.next().await;
            unreadable.set(entries.unreadable());
            Some((entry?, entries))
        });
        let element = |it: Result<Entry<_>, _>| {
            let Entry {
                ticket, due, value, ..
            } = it?;
            Ok(Element::new(payloads, ticket, due, &value))
        };
        Ok(counted.skip(same).map(element).boxed_local())
    }

    fn by_offer<'a>(
        &self,
        session: &Session,
        payloads: &'a Payloads,
        unreadable: &'a Cell<u64>,
    ) -> Result<Elements<'a>> {
        let keys = QueueKeys::new(&self.queue)?;
        let master = session.client.master_of(&self.queue)?;
        let listed = list::entries(master, &keys, keys.ordering(), self.jump());
        let element = |it: Listed| {
            let is_pending = it.score.is_some();
            let element = Element::of_listed(payloads, it);
            if is_pending && element.is_none() {
                unreadable.set(unreadable.get() + 1);
            }
            ready(Ok(element))
        };
        Ok(listed.try_filter_map(element).boxed_local())
    }
}

type Elements<'a> = LocalBoxStream<'a, Result<Element>>;

/// How many rows there are if nobody says how many.
const DEFAULT_LIMIT: usize = 100;
