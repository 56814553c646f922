//! `rdq doctor`

use clap::Args;
use redisson_delayed_queue::keys::QueueKeys;

use crate::cli::Global;
use crate::doctor::{ALL, About, Report, examine};
use crate::failure::{Failure, Result};
use crate::queue::census::Depth;
use crate::queue::names;
use crate::screen::Screen;
use crate::session::Session;

/// Find out what is wrong with queues and servers, why, and what to do.
///
/// Changes nothing. A quick look reads all members of a queue with up to 5,000 of them, and 2,000 at
/// each end of larger ones: what Redisson stumbles over stands there. `--full` reads everything. What
/// looks odd is looked at again after half a second, because elements come and go.
///
/// Exit codes: 0 if all is well, 5 if there are warnings, 6 if something is critical, 3 if Redis knows
/// nothing of a queue that was named: no key, and no client that listens. Other codes mean that the
/// examination failed.
///
/// Redis: some 60 small commands for each queue, and reads of at most 500 members or about a MiB
/// each. One SCAN of all keys, 1,000 a call, unless queues are named. `--full` keeps 100 bytes of this
/// host's memory for each member.
#[derive(Args, Debug)]
pub(crate) struct Doctor {
    /// The names of the queues in Redis. Default: all queues that can be found.
    #[arg(value_name = "QUEUE")]
    queues: Vec<String>,
    /// Read all members, however many there are.
    #[arg(long)]
    full: bool,
    /// Only list the checks.
    #[arg(long, conflicts_with_all = ["queues", "full"])]
    checks: bool,
}

impl Doctor {
    /// True if no server is asked.
    pub(crate) fn is_offline(&self) -> bool {
        self.checks
    }

    /// Lists the checks.
    pub(crate) fn run_offline(&self, global: &Global) -> Result {
        let row = |about: &&About| {
            let issues = about.issues.join(" ");
            vec![about.check.to_owned(), about.severity.to_string(), issues]
        };
        Screen::new(global.json).rows(&["CHECK", "AT WORST", "REDISSON"], &ALL, row)
    }

    /// Examines servers and queues.
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let depth = match self.full {
            true => Depth::Full,
            false => Depth::Quick,
        };
        let mut known = Vec::new();
        let mut unknown = Vec::new();
        for name in &self.queues {
            // The checks have something to say about a name that clusters refuse.
            let is_fit = QueueKeys::new(name)?.check_cluster().is_ok();
            // If Redis does not answer, they tell why.
            match names::is_known(&session.client, name).await {
                Ok(false) if is_fit => unknown.push(name.as_str()),
                _ => known.push(name.clone()),
            }
        }
        let nothing = match &unknown[..] {
            [] => None,
            names => Some(Failure::Nothing(format!(
                "there is no key and no client of a queue called {}",
                names.join(", ")
            ))),
        };
        match nothing {
            Some(nothing) if known.is_empty() => Err(nothing),
            nothing => {
                let mut report = Report::new(session.screen);
                examine(session, &known, depth, &mut report).await?;
                report.end()?;
                nothing.map_or(Ok(()), Err)
            }
        }
    }
}
