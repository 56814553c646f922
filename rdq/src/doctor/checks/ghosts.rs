//! Entries of the ordering list without a due time.

use redisson_delayed_queue::Result;

use super::UNCERTAIN;
use crate::doctor::advice::{Advice, say};
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::queue::census::Census;
use crate::screen::number::{count_of, grouped};

pub(super) static GHOSTS: Kind = Kind {
    name: "ghosts",
    severity: Severity::Warning,
    proof: "entries of the ordering list without a due time, between an older one that is due in more than \
            a minute and a newer pending one",
    why: "Before 3.16.4, Redisson sent an offer again when its reply was late: the set took the \
          member once and the list twice. After the transfer one entry stays. size(), readAll() \
          and contains() count it, and poll() hands the element out again.",
    issues: &["#3850"],
};

pub(super) static ORPHANS: Kind = Kind {
    name: "orphans",
    severity: Severity::Critical,
    proof: "other entries of the ordering list without a due time: a warning for one element, critical for several",
    why: "Such an entry is a ghost, left by an offer that Redisson before 3.16.4 sent twice, or all \
          that is left of an element: the timeout set was evicted, has expired, was deleted, or was \
          restored from an older copy.",
    issues: &["#3850"],
};

/// A second entry of an element that has just been delivered has no due time either.
const MOVERS: &str = "Stop all movers first, or elements come twice: Java services that call \
    getDelayedQueue, and Rust clients. Java knows no pause.";

/// Which signs point which way.
const SIGNS: &str = "Find out whether services handled the elements: look for their ids and values in the logs. A \
    timeout set that is gone as a whole speaks for a loss, as do evicted_keys in INFO stats; a few entries beside \
    many pending elements speak for delivered ones.";

pub(super) async fn check(exam: &Exam<'_>, census: &Census) -> Result<Vec<Finding>> {
    let (ghosts, orphans) = (&census.ghosts, &census.orphans);
    let seen = ghosts.count + orphans.count;
    // After a quick look, the sizes may prove more than what was read.
    let surplus = (census.listed + census.unlisted_by_id).saturating_sub(census.pending);
    let count = match census.is_complete {
        true => seen,
        false => seen.max(surplus),
    };
    if count == 0 || seen == 0 && surplus < UNCERTAIN {
        return Ok(Vec::new());
    }
    let entries = format!(
        "{} of the ordering list {} no due time",
        count_of(count, "entry", "entries"),
        if count == 1 { "has" } else { "have" }
    );
    let list = exam.command(&["repair"], &["--only", "ghosts", "-n", "100"]);
    let repair = |more: &[&str]| {
        let options = [&["--only", "ghosts", "--apply"], more].concat();
        exam.command(&["repair"], &options)
    };
    // An element may have several entries.
    let unproven = count - ghosts.count - (orphans.count - orphans.elements());
    let example = orphans.example().or_else(|| ghosts.example());
    if unproven == 0 {
        let what = format!("{entries}: the elements were delivered or removed.");
        let advice = say("Look at them:")
            .run(list)
            .say("Remove them, and keep a copy in a file:")
            .run(repair(&[]));
        return Ok(vec![GHOSTS.worst(count, what, advice).example(example)]);
    }
    let severity = match unproven {
        1 => Severity::Warning,
        _ => Severity::Critical,
    };
    let what = format!(
        "{entries}. rdq cannot tell whether {} delivered.",
        match (count, ghosts.count, unproven) {
            (1, ..) => "its element was".to_owned(),
            (_, _, 1) => "1 of their elements was".to_owned(),
            (_, 0, some) if some == count => "their elements were".to_owned(),
            (_, 0, some) => format!("their {} elements were", grouped(some)),
            (.., some) => format!("{} of their elements were", grouped(some)),
        }
    );
    let may_move = exam.listeners(exam.keys.channel()).await? > 0;
    let rust = |words: &str, verb| match may_move {
        true => say(words).run(exam.command(&[verb], &[])),
        false => Advice::default(),
    };
    let advice = say(MOVERS)
        .then(&rust("Hold the Rust clients back:", "pause"))
        .say(SIGNS)
        .run(list)
        .say("If they did not, make the elements due at once. Their due times are lost:")
        .run(repair(&["--ghosts", "deliver"]))
        .say("If they did, remove the entries:")
        .run(repair(&["--ghosts", "drop"]))
        .then(&rust("In the end, let the Rust clients go on:", "resume"));
    let finding = ORPHANS.finding(severity, count, what, advice);
    Ok(vec![finding.example(example)])
}
