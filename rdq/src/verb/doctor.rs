//! `rdq doctor`

use clap::Args;
use redisson_delayed_queue::keys::QueueKeys;

use crate::cli::Global;
use crate::doctor::{ALL, Kind, Report, examine};
use crate::failure::{Failure, Result};
use crate::queue::census::Depth;
use crate::queue::masters::Masters;
use crate::queue::names;
use crate::screen::Screen;
use crate::session::Session;

/// Find out what is wrong with queues and servers, why, and what to do.
///
/// Changes nothing. A quick look reads all members of a queue with up to 5,000 of them, and 2,000 at
/// each end of larger ones: what Redisson stumbles over stands there. `--full` reads everything. What
/// looks odd is looked at again after half a second, because elements come and go.
///
/// Each command of the advice has a line of its own; --json has the commands alone, as `commands`. `repair`,
/// `migrate` and other verbs that change much ask first.
///
/// Exit codes: 0 if all is well, 5 if there are warnings, 6 if something is critical. If Redis has no key and
/// no client of a queue that was named, the others are examined, and the code is 3 unless it is 6. Other
/// codes mean that the examination failed. If one of several masters gives no answer, that is a finding, and
/// the others are examined. If no master does, the examination fails.
///
/// Redis: some 75 small commands for each queue, and reads of at most 500 members or about a MiB
/// each. Two SCANs of all keys, 1,000 a call, unless queues are named. `--full` keeps 100 bytes of this
/// host's memory for each member.
#[derive(Args, Debug)]
pub(crate) struct Doctor {
    /// The names of the queues in Redis. Default: all queues that can be found.
    #[arg(value_name = "QUEUE")]
    queues: Vec<String>,
    /// Read all members, however many there are.
    #[arg(long)]
    full: bool,
    /// Print a line for each kind of finding, with the queues that have it.
    #[arg(long)]
    brief: bool,
    /// Only list the kinds of findings. Asks no server.
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
        let row = |kind: &&Kind| {
            let issues = kind.issues.join(" ");
            vec![kind.name.to_owned(), kind.severity.to_string(), issues]
        };
        Screen::new(global.json).rows(&["FINDING", "AT WORST", "REDISSON"], &ALL, row)
    }

    /// Examines servers and queues.
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let depth = match self.full {
            true => Depth::Full,
            false => Depth::Quick,
        };
        let masters = Masters::find(session).await?;
        let mut known = Vec::new();
        let mut unknown = Vec::new();
        for name in &self.queues {
            // The checks have something to say about a name that clusters refuse.
            let is_fit = QueueKeys::new(name)?.check_cluster().is_ok();
            // If Redis does not answer, they tell why.
            match names::is_known(&session.client, &masters.answering, name).await {
                Ok(false) if is_fit => unknown.push(name.as_str()),
                _ => known.push(name.clone()),
            }
        }
        let nothing = match &unknown[..] {
            [] => None,
            some => Some(names::unknown(some)),
        };
        match nothing {
            Some(nothing) if known.is_empty() => Err(nothing),
            nothing => {
                let mut report = Report::new(session.screen, self.brief);
                examine(session, &masters, &known, depth, &mut report).await?;
                let ended = report.end();
                let Some(nothing) = nothing else {
                    return ended;
                };
                let (first, last) = match ended {
                    // A monitor that waits for exit code 6 must get it.
                    Err(critical @ Failure::Unwell { critical: 1.., .. }) => (nothing, critical),
                    Err(warnings @ Failure::Unwell { .. }) => (warnings, nothing),
                    ended => return ended.and(Err(nothing)),
                };
                session.screen.note(&format!("rdq: {}", first.text()));
                Err(last)
            }
        }
    }
}
