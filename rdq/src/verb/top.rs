//! `rdq top`

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clap::Args;
use tokio::time::sleep_until;

use super::watch::{Sample, interval, note_unless_refused};
use crate::failure::Result;
use crate::queue::names;
use crate::session::Session;
use crate::watch::flow::Meter;
use crate::watch::run;
use crate::watch::survey::{self, Survey};

/// Show all queues live, sorted as you like; Enter opens one.
///
/// Needs a terminal. q, Esc and Ctrl-C end it. With --json it prints a line for each queue each
/// time instead, until Ctrl-C. Queues of a master that gives no answer are named on stderr; the others
/// are shown.
///
/// Redis: each time one script of up to about 100 cheap commands for each queue, 8 at a time, and one
/// PUBSUB NUMSUB for each 256 queues; every 30 s a SCAN of all keys, 1,000 a call.
#[derive(Args, Debug)]
pub(crate) struct Top {
    /// How often to read.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = interval)]
    every: Duration,
}

impl Top {
    /// How often to look for new queues.
    const FIND: Duration = Duration::from_secs(30);

    pub(crate) async fn run(&self, session: &Session) -> Result {
        if !session.screen.is_json() {
            return run::run(session, None, self.every).await;
        }
        let mut meters = BTreeMap::new();
        let mut found = None;
        loop {
            let began = Instant::now();
            let read = async {
                if found.is_none_or(|it| began >= it + Self::FIND) {
                    let masters = session.client.masters();
                    let searched = names::homes(&session.client, &masters).await?;
                    let names = searched.names(meters.keys().cloned());
                    meters.retain(|name, _| names.contains(name));
                    for name in names {
                        meters.entry(name).or_insert_with(Meter::default);
                    }
                    found = Some(began);
                }
                let queues = meters.iter().map(|it| (it.0.clone(), it.1.last()));
                survey::read(session.client.clone(), queues.collect(), self.every).await
            };
            let survey = match read.await {
                Ok(survey) => survey,
                Err(failure) => {
                    note_unless_refused(session, failure)?;
                    Survey::default()
                }
            };
            for (name, counted) in survey {
                let meter = meters.entry(name.clone()).or_default();
                match counted {
                    Ok(stats) => session.screen.say("", &Sample::new(&stats, meter))?,
                    Err(error) => session.screen.note(&format!("rdq: {name}: {error}")),
                }
            }
            sleep_until((began + self.every).into()).await;
        }
    }
}
