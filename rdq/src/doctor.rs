//! `rdq doctor`: what is wrong with queues and servers, why, and what to do.
//!
//! - [`finding`]: what a check found, and what there is to say about the check in general.
//! - [`checks`]: one file for each check. A check reads, and never writes.
//! - [`exam`]: what checks of a queue look at. [`host`]: what checks of a server look at.
//! - [`clients`]: who is connected.
//! - [`report`] prints the findings.

mod checks;
mod clients;
mod exam;
mod finding;
mod host;
mod report;

use std::collections::BTreeSet;

use futures::StreamExt;
use futures::future::try_join_all;
use futures::stream::iter;

pub(crate) use checks::ALL;
pub(crate) use finding::{About, Finding};
pub(crate) use report::Report;

use crate::failure::Result;
use crate::queue::census::Depth;
use crate::queue::names;
use crate::queue::nodes::Nodes;
use crate::session::Session;

/// How many queues to examine at a time.
const AT_ONCE: usize = 4;

/// Examines one queue, and returns what is wrong with it. Nothing is said about servers.
pub(crate) async fn examine_queue(
    session: &Session,
    queue: &str,
    depth: Depth,
) -> Result<Vec<Finding>> {
    let nodes = Nodes::find(session).await;
    let masters = session.client.masters().into_iter();
    let hosts = try_join_all(masters.map(host::Host::read)).await?;
    let exam = exam::Exam::begin(session, queue.to_owned(), depth, &nodes, &hosts).await?;
    Ok(checks::of_queue(&exam).await?.findings)
}

/// Examines the servers and these queues, or all queues, and hands each finding to `report`.
pub(crate) async fn examine(
    session: &Session,
    queues: &[String],
    depth: Depth,
    report: &mut Report,
) -> Result {
    let nodes = Nodes::find(session).await;
    let mut hosts = Vec::new();
    for master in session.client.masters() {
        let host = host::Host::read(master).await?;
        checks::of_host(&host, report).await?;
        hosts.push(host);
    }
    report.hosts(hosts.len());
    let names = match queues {
        [] => names::find(&session.client).await?,
        some => BTreeSet::from_iter(some.iter().cloned()),
    };
    report.begin(names.len());
    let (nodes, hosts) = (&nodes, &hosts);
    let exams = iter(names).map(|name| async move {
        let exam = exam::Exam::begin(session, name, depth, nodes, hosts).await?;
        checks::of_queue(&exam).await
    });
    let mut exams = exams.buffered(AT_ONCE);
    while let Some(examined) = exams.next().await {
        report.examined(examined?)?;
    }
    Ok(())
}
