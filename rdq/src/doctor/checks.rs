//! The checks, a file each.

mod buffers;
mod clock;
mod codecs;
mod consumers;
mod databases;
mod dead;
mod eviction;
mod expiry;
mod format;
mod ghosts;
mod idle;
mod leases;
mod malformed;
mod memory;
mod persistence;
mod places;
mod quarantine;
mod rate;
mod repeats;
mod rights;
mod role;
mod scores;
mod slots;
mod stall;
mod types;
mod unanswered;
mod unlisted;
mod unread;
mod version;

use futures::try_join;
use redisson_delayed_queue::{Error, Result};

use super::exam::Exam;
use super::finding::{Finding, Kind};
use super::host::Host;
use super::report::Examined;
use crate::failure;
use crate::queue::census::Census;
use crate::screen::number::grouped;

/// All kinds of findings, those about servers first.
pub(crate) static ALL: [&Kind; 50] = [
    &SILENT,
    &places::CLUSTER_NODE,
    &places::NAMES,
    &places::LISTS,
    &role::REPLICA,
    &role::FEW_REPLICAS,
    &role::REPLICA_LAG,
    &version::VERSION,
    &clock::CLOCK,
    &eviction::EVICTION,
    &memory::MEMORY,
    &persistence::DISK,
    &persistence::PERSISTENCE,
    &buffers::BUFFERS,
    &idle::IDLE,
    &idle::KEEPALIVE,
    &unread::SETTINGS,
    &unread::CONNECTIONS,
    &rights::REFUSED_COMMANDS,
    &UNEXAMINED,
    &places::STRAY,
    &rights::UNREAD,
    &rights::REFUSED,
    &rights::RIGHTS,
    &slots::SLOTS,
    &databases::DATABASES,
    &types::TYPES,
    &types::RUST_TYPES,
    &stall::STALL,
    &stall::WAITING,
    &stall::PAUSED,
    &stall::BACKLOG,
    &rate::RATE,
    &expiry::EXPIRY,
    &malformed::MALFORMED,
    &format::FORMAT,
    &scores::SCORES,
    &scores::SECONDS,
    &scores::FAR,
    &ghosts::GHOSTS,
    &ghosts::ORPHANS,
    &repeats::REPEATS,
    &unlisted::UNLISTED,
    &codecs::CODECS,
    &consumers::CONSUMERS,
    &leases::LEASES,
    &leases::DELIVERIES,
    &leases::UNLEASED,
    &quarantine::QUARANTINE,
    &dead::DEAD,
];

pub(super) use places::{cluster_node, lists, names, stray};
pub(super) use unanswered::{SILENT, UNEXAMINED, not_examined, unanswered};

/// By how much two counts may differ only because elements came and went between the commands.
const UNCERTAIN: u64 = 100;

/// How many bytes of odd members of a kind to keep: one is enough for an example.
const KEPT_BYTES: usize = 1;

/// Runs the checks of a server.
pub(super) fn of_host(host: &Host) -> Vec<Finding> {
    let found = [
        role::check(host),
        version::check(host),
        clock::check(host),
        eviction::check(host),
        memory::check(host),
        persistence::check(host),
        buffers::check(host),
        idle::check(host),
        unread::check(host),
        rights::check_host(host),
    ];
    let address = host.address();
    let found = found.into_iter().flatten();
    found.map(|it| it.at(&address)).collect()
}

/// Runs the checks of a queue.
pub(super) async fn of_queue(exam: &Exam<'_>) -> failure::Result<Examined> {
    let mut examined = Examined::new(&exam.name);
    if let Some(finding) = slots::check(exam) {
        examined.findings.push(finding);
        if exam.master().is_err() {
            return Ok(examined);
        }
    }
    let findings = &mut examined.findings;
    let (types, rights, stall, consumers, leases) = try_join!(
        readable(exam, types::check(exam)),
        readable(exam, rights::check(exam)),
        readable(exam, stall::check(exam)),
        readable(exam, consumers::check(exam)),
        readable(exam, leases::check(exam)),
    )?;
    for found in [types, rights, stall, consumers, leases] {
        findings.extend(found);
    }
    let (expiry, quarantine, dead) = try_join!(
        readable(exam, expiry::check(exam)),
        readable(exam, quarantine::check(exam)),
        readable(exam, dead::check(exam)),
    )?;
    let (rate, databases, codecs) = try_join!(
        readable(exam, rate::check(exam)),
        readable(exam, databases::check(exam)),
        readable(exam, codecs::check(exam)),
    )?;
    for found in [expiry, quarantine, dead, rate, databases, codecs] {
        findings.extend(found);
    }
    let census = Census::take(exam.members()?, exam.depth, KEPT_BYTES).await;
    let census = census.map_err(|failure| match failure {
        failure::Failure::Queue(error) => Ok(error),
        other => Err(other),
    });
    match census {
        Ok(census) => {
            findings.extend(malformed::check(exam, &census));
            findings.extend(format::check(exam, &census));
            findings.extend(readable(exam, scores::check(exam, &census)).await?);
            findings.extend(readable(exam, ghosts::check(exam, &census)).await?);
            findings.extend(repeats::check(exam, &census));
            findings.extend(unlisted::check(exam, &census));
            if !census.is_complete {
                examined.sampled = Some((
                    census.read.0 + census.read.1,
                    census.pending + census.listed,
                ));
            }
        }
        Err(Ok(error)) => {
            let failed = async { Err(error) };
            findings.extend(readable(exam, failed).await?);
        }
        Err(Err(failure)) => return Err(failure),
    }
    merge(findings);
    for finding in findings {
        finding.queue = Some(exam.name.clone());
    }
    Ok(examined)
}

/// Lists the counts that are not zero.
fn each_counted(kinds: &[(u64, &str)]) -> String {
    let there = kinds.iter().filter(|(count, _)| *count > 0);
    let counted: Vec<_> = there
        .map(|(count, kind)| format!("{} {kind}", grouped(*count)))
        .collect();
    counted.join(", ")
}

/// Makes one finding of those that say the same: several checks may lack one right.
fn merge(findings: &mut Vec<Finding>) {
    let mut merged: Vec<Finding> = Vec::new();
    for finding in findings.drain(..) {
        let says_the_same = |it: &&mut Finding| {
            it.kind.name == finding.kind.name
                && it.what == finding.what
                && it.example == finding.example
        };
        match merged.iter_mut().find(says_the_same) {
            Some(same) => same.count += finding.count,
            None => merged.push(finding),
        }
    }
    *findings = merged;
}

/// The findings of a check. A missing right is a finding of its own, and the check of types reports
/// a key that a check cannot read.
async fn readable(
    exam: &Exam<'_>,
    check: impl Future<Output = Result<Vec<Finding>>>,
) -> Result<Vec<Finding>> {
    match check.await {
        Err(error @ Error::Denied { .. }) => Ok(vec![rights::denied(exam, &error)]),
        Err(Error::WrongType { .. }) => Ok(Vec::new()),
        found => found,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::ALL;

    /// So each has a row in the table of `docs/operating/doctor.md`, and a room in the museum.
    #[test]
    fn all_kinds_are_listed() {
        let files = concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctor/checks");
        let files = fs::read_dir(files).unwrap().map(|it| it.unwrap().path());
        let texts = files
            .filter(|it| it.extension().is_some())
            .map(|it| fs::read_to_string(it).unwrap());
        let kinds: usize = texts.map(|it| it.matches(": Kind = Kind {").count()).sum();
        assert_eq!(kinds, ALL.len());
    }
}
