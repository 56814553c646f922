//! `rdq doctor`: what is wrong with queues and servers, why, and what to do.
//!
//! - [`finding`]: what is found, and what there is to say about each kind of it. [`advice`]: what to do.
//! - [`checks`]: one file for each topic, with the kinds of findings there. A check reads, and never writes.
//! - [`exam`]: what checks of a queue look at. [`host`]: what checks of a server look at.
//! - [`clients`]: who is connected. [`refusals`]: what users were refused.
//! - [`report`] prints the findings.

mod advice;
mod checks;
mod clients;
mod exam;
mod finding;
mod host;
mod refusals;
mod report;

use std::collections::BTreeSet;

use futures::StreamExt;
use futures::future::{join_all, try_join_all};
use futures::stream::iter;
use redisson_delayed_queue::Master;

pub(crate) use checks::ALL;
pub(crate) use finding::{Finding, Kind, Severity};
pub(crate) use report::Report;

use crate::failure::{Failure, Result};
use crate::queue::census::Depth;
use crate::queue::masters::{Masters, Silent};
use crate::queue::names;
use crate::queue::nodes::Nodes;
use crate::session::Session;

/// How many queues to examine at a time. Most of an examination is a pause before a second look. How many
/// members are read at a time is bounded where they are read.
const AT_ONCE: usize = 512;

/// Examines one queue, and returns what is wrong with it. Nothing is said about servers.
pub(crate) async fn examine_queue(
    session: &Session,
    masters: &Masters,
    queue: &str,
    depth: Depth,
) -> Result<Vec<Finding>> {
    masters.ensure_answer(&session.client, queue)?;
    let nodes = Nodes::find(session, masters.answering.clone()).await;
    let hosts = masters.answering.iter().cloned();
    let hosts = hosts.map(|it| host::Host::read(session, it));
    let hosts = try_join_all(hosts).await?;
    let exam = exam::Exam::begin(session, queue.to_owned(), depth, &nodes, &hosts).await?;
    Ok(checks::of_queue(&exam).await?.findings)
}

/// Examines these servers and these queues, or all queues, and hands each finding to `report`. What gives
/// no answer is a finding.
pub(crate) async fn examine(
    session: &Session,
    masters: &Masters,
    queues: &[String],
    depth: Depth,
    report: &mut Report,
) -> Result {
    let (found, hosts) = examine_hosts(session, masters).await;
    found.into_iter().try_for_each(|it| report.found(it))?;
    let nodes = Nodes::find(session, masters.answering.clone()).await;
    report.hosts(hosts.len());
    let names = match queues {
        [] => search(session, &masters.answering, report).await?,
        some => BTreeSet::from_iter(some.iter().cloned()),
    };
    report.begin(names.len());
    let (nodes, hosts) = (&nodes, &hosts);
    let exams = iter(names).map(|name| async move {
        let examined = async {
            masters.ensure_answer(&session.client, &name)?;
            let exam = exam::Exam::begin(session, name.clone(), depth, nodes, hosts).await?;
            checks::of_queue(&exam).await
        };
        match examined.await {
            Err(failure @ (Failure::Queue(_) | Failure::Unfinished(_))) => {
                Ok(checks::not_examined(&name, &failure))
            }
            examined => examined,
        }
    });
    let mut exams = exams.buffered(AT_ONCE);
    while let Some(examined) = exams.next().await {
        report.examined(examined?)?;
    }
    Ok(())
}

/// Examines these servers, and returns what is wrong with them. What gives no answer is a finding.
pub(crate) async fn examine_servers(session: &Session, masters: &Masters) -> Vec<Finding> {
    examine_hosts(session, masters).await.0
}

/// As [`examine_servers`], and returns the servers that answer, too.
async fn examine_hosts(session: &Session, masters: &Masters) -> (Vec<Finding>, Vec<host::Host>) {
    let mut found: Vec<_> = masters.silent.iter().map(checks::unanswered).collect();
    let mut hosts = Vec::new();
    let read = masters
        .answering
        .iter()
        .map(|it| host::Host::read(session, it.clone()));
    for (master, host) in masters.answering.iter().zip(join_all(read).await) {
        match host {
            Ok(host) => {
                found.extend(checks::of_host(&host));
                if masters.is_only() {
                    found.extend(checks::cluster_node(&host));
                }
                hosts.push(host);
            }
            Err(failure) => found.push(checks::unanswered(&Silent::at(master, &failure))),
        }
    }
    (found, hosts)
}

/// Finds all queues, and reports what stands where nobody looks for it.
async fn search(
    session: &Session,
    masters: &[Master],
    report: &mut Report,
) -> Result<BTreeSet<String>> {
    let mut found = names::homes(&session.client, masters).await?;
    for silent in &found.silent {
        report.found(checks::unanswered(silent))?;
    }
    for stray in &found.strays {
        report.found(checks::stray(session, stray))?;
    }
    let unreadable = std::mem::take(&mut found.unreadable);
    let names = found.names([]);
    let others = join_all(masters.iter().map(|it| names::other_lists(it, &names))).await;
    for (master, others) in masters.iter().zip(others) {
        let address = master.address();
        let here = unreadable.iter().filter(|it| *it.0 == *address);
        let here: Vec<_> = here.map(|it| it.1.clone()).collect();
        let odd = checks::names(&address, &here);
        // A server that refuses the search has told all that it would.
        let lists = checks::lists(&address, &others.unwrap_or_default());
        odd.into_iter()
            .chain(lists)
            .try_for_each(|it| report.found(it))?;
    }
    Ok(names)
}
