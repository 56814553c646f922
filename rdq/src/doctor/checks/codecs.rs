//! Payloads of several codecs.

use std::collections::{BTreeMap, BTreeSet};

use redisson_delayed_queue::Result;
use redisson_delayed_queue::java::Schema;
use redisson_delayed_queue::packed::Packed;

use crate::doctor::advice::say;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::screen::number::count_of;
use crate::sniff::Nose;

pub(super) static CODECS: Kind = Kind {
    name: "codecs",
    severity: Severity::Warning,
    proof: "of the next 10 pending and the next 10 ready payloads, some look like one codec and some like another, and none reads all",
    why: "A service offers with another codec than the others read. Redisson's take() throws at such an \
          element, and has popped it: it is lost.",
    issues: &["#1665", "#4186"],
};

pub(super) async fn check(exam: &Exam<'_>) -> Result<Vec<Finding>> {
    let last = (MOST - 1).to_string();
    let (pending, ready): (Vec<Vec<u8>>, Vec<Vec<u8>>) = (
        exam.small(&["ZRANGE", exam.keys.timeouts(), "0", &last])
            .await?,
        exam.small(&["LRANGE", exam.keys.target(), "0", &last])
            .await?,
    );
    let pending = pending
        .into_iter()
        .filter_map(|it| Some(Packed::parse(it.into()).ok()?.payload));
    let mut nose = Nose::new(Schema::new());
    let mut codecs = BTreeMap::<String, u64>::new();
    // The codecs that read all payloads so far.
    let mut readers: Option<BTreeSet<String>> = None;
    for payload in pending.chain(ready.into_iter().map(Into::into)) {
        // Without classes, a schema cannot contradict itself.
        let Ok(scent) = nose.sniff(&payload) else {
            continue;
        };
        *codecs.entry(family(&scent.codec)).or_default() += 1;
        let reading = scent.attempts.iter().filter(|it| it.error.is_none());
        let reading: BTreeSet<_> = reading.map(|it| family(&it.codec)).collect();
        readers = Some(match readers {
            Some(readers) => readers.intersection(&reading).cloned().collect(),
            None => reading,
        });
    }
    // A text of cbor looks like any other text. But that all look like texts says little.
    let may_be_one = readers.is_some_and(|it| it.iter().any(|it| it != TEXT));
    if codecs.len() < 2 || may_be_one {
        return Ok(Vec::new());
    }
    let counts: Vec<_> = codecs
        .iter()
        .map(|(codec, count)| format!("{count} {codec}"))
        .collect();
    let what = format!(
        "The payloads look like {}: {}.",
        count_of(codecs.len() as u64, "codec", "codecs"),
        counts.join(", ")
    );
    let sniff = exam.command(&["sniff"], &[]);
    let advice = say("Find out which service offers with which codec. This shows more:").run(sniff);
    let fewest = codecs.into_values().min().unwrap_or_default();
    Ok(vec![CODECS.worst(fewest, what, advice)])
}

/// Groups codecs that write some values alike, such as 17.
fn family(codec: &str) -> String {
    match codec {
        "bytes" | "double" | "integer" | "json" | "json-jackson" | "long" | "string" => {
            TEXT.to_owned()
        }
        other => other.to_owned(),
    }
}

const TEXT: &str = "text";

const MOST: u64 = 10;
