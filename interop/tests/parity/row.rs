//! One row of a table: a call of Redisson beside the same call of this crate.

use redisson_delayed_queue::{BlockingQueue, DelayedQueue, Result};
use tokio::runtime::Runtime;

use crate::answer::Answer;

/// A call in both languages and how the two compare.
pub(crate) struct Row {
    /// `OBJECT METHOD ARGS...` of the protocol's `call`; `{other}` is another queue's name.
    pub(crate) java: &'static str,
    pub(crate) rust: RustCall,
    pub(crate) start: Start,
    pub(crate) expected: Expected,
    /// The first version of Redisson that has the method, if the first of the tables has not.
    pub(crate) since: Option<&'static str>,
    /// Writes what Java answered as this crate does, which has another type for it.
    pub(crate) reading: fn(String) -> String,
}

/// Makes a call and writes what it returned.
pub(crate) type RustCall = Box<dyn Fn(&Runtime, &Queues) -> String>;

/// The queue that a call of this crate works on.
pub(crate) struct Queues {
    pub(crate) delayed: DelayedQueue<String>,
    pub(crate) target: BlockingQueue<String>,
    /// The name of the other queue.
    pub(crate) other: String,
}

/// What the queue holds before the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// The elements of [`PENDING`] and [`DUE`].
    Alone,
    /// Nothing.
    Empty,
    /// As `Alone`, and all keys expire in 90 minutes.
    Expiring,
    /// The elements of [`PENDING`] and [`DUE`], and one in the other queue.
    Filled,
    /// Only the one in the other queue.
    OtherOnly,
    /// Only the elements of [`PENDING`].
    Pending,
}

/// How what Java did compares with what Rust did.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expected {
    /// Each side has these parts of the [outcome](crate::outcome::Outcome) for itself.
    Differs {
        because: &'static str,
        java: &'static str,
        rust: &'static str,
    },
    Same,
}

/// Both languages answer the same and leave the same.
pub(crate) fn same<F, T>(java: &'static str, rust: F) -> Row
where
    F: AsyncFn(&Queues) -> Result<T> + 'static,
    T: Answer,
{
    row(java, rust, Expected::Same)
}

/// The languages differ, for the reason `because`.
pub(crate) fn differs<F, T>(
    java: &'static str,
    rust: F,
    because: &'static str,
    [of_java, of_rust]: [&'static str; 2],
) -> Row
where
    F: AsyncFn(&Queues) -> Result<T> + 'static,
    T: Answer,
{
    let expected = Expected::Differs {
        because,
        java: of_java,
        rust: of_rust,
    };
    row(java, rust, expected)
}

fn row<F, T>(java: &'static str, rust: F, expected: Expected) -> Row
where
    F: AsyncFn(&Queues) -> Result<T> + 'static,
    T: Answer,
{
    let call = move |runtime: &Runtime, queues: &Queues| match runtime.block_on(rust(queues)) {
        Ok(returned) => returned.answer(),
        Err(error) => format!("err {error}"),
    };
    Row {
        java,
        rust: Box::new(call),
        start: Start::Filled,
        expected,
        since: None,
        reading: |answer| answer,
    }
}

impl Row {
    /// The call is made on a queue that holds nothing.
    pub(crate) fn on_empty(self) -> Self {
        self.on(Start::Empty)
    }

    /// The call is made on a queue that holds this.
    pub(crate) fn on(self, start: Start) -> Self {
        Self { start, ..self }
    }

    /// Java's answer is compared as `reading` writes it.
    pub(crate) fn reading(self, reading: fn(String) -> String) -> Self {
        Self { reading, ..self }
    }

    /// Redisson has the method since this version.
    pub(crate) fn since(self, version: &'static str) -> Self {
        Self {
            since: Some(version),
            ..self
        }
    }
}

/// The text as the queues take it.
pub(crate) fn s(text: &str) -> String {
    text.to_owned()
}

/// What is pending in a filled queue, in offer order, and the hours until it is due.
pub(crate) const PENDING: [(&str, u64); 6] = [
    ("a", 3),
    ("b", 1),
    ("", 4),
    ("ü\u{1f980}", 2),
    ("a", 5),
    ("c", 6),
];

/// What is in the target of a filled queue.
pub(crate) const DUE: [&str; 7] = ["t", "u", "", "t", "ü\u{1f980}", "a", "v"];

/// What is in the other queue's target beside a filled queue.
pub(crate) const OTHER: &str = "o";
