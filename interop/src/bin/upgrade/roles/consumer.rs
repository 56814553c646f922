//! Takes elements in every way.

use rand::{RngExt, seq::IndexedRandom};

use super::{Answer, OTHER, Part, QUEUE};

/// What a take answers.
#[derive(Clone, Copy)]
enum Shape {
    /// A value, or nothing.
    One,
    /// How many, and the values.
    Many,
    /// The queue's name and a value, or nothing.
    Named,
}

/// A call with `Q` for the queue and `R` for another, the most elements that it returns, and how.
type Way = (&'static str, usize, Shape);

/// Takes until all is done.
pub(crate) fn run(mut part: Part<'_>) {
    while !part.is_done() {
        let (call, hand, shape) = *WAYS.choose(&mut part.random).expect("there are some");
        // Nobody may ever offer to the other queue, so no call waits there without a limit.
        let queues = match WAITS.contains(&call) || part.random.random_bool(0.7) {
            true => [QUEUE, OTHER],
            false => [OTHER, QUEUE],
        };
        make(&mut part, call, queues, hand, shape);
    }
}

/// Takes what is there, from both queues.
pub(crate) fn take_some(part: &mut Part<'_>) {
    for queues in [[QUEUE, OTHER], [OTHER, QUEUE]] {
        make(part, "take_many Q 20 20", queues, 20, Shape::Many);
    }
}

fn make(part: &mut Part<'_>, call: &str, [queue, other]: [&str; 2], hand: usize, shape: Shape) {
    let words = call.split(' ').map(|word| match word {
        "Q" => queue,
        "R" => other,
        word => word,
    });
    let call = words.collect::<Vec<_>>().join(" ");
    if let Answer::Tokens(tokens, process) = part.take(&call, hand) {
        let skip = match shape {
            Shape::One => 0,
            Shape::Many | Shape::Named => 1,
        };
        for value in tokens.iter().skip(skip) {
            part.ledger.came(value, process);
        }
    }
}

/// The calls that wait for one queue without a limit.
const WAITS: [&str; 4] = [
    "take Q",
    "stream Q 1",
    "target.take Q",
    "target.take_last Q",
];

const WAYS: &[Way] = &[
    ("take Q", 1, Shape::One),
    ("poll Q 50", 1, Shape::One),
    ("try_take Q", 1, Shape::One),
    ("take_many Q 5 50", 5, Shape::Many),
    ("poll_many Q 5", 5, Shape::Many),
    ("drain_to Q 5", 5, Shape::Many),
    ("stream Q 1", 1, Shape::Many),
    ("poll_undue Q", 1, Shape::One),
    ("poll_undue_many Q 3", 3, Shape::Many),
    ("selector.poll Q R 50", 1, Shape::Named),
    ("selector.take Q R", 1, Shape::Named),
    ("selector.take_many Q R 5 50", 5, Shape::Many),
    ("selector.try_take Q R", 1, Shape::Named),
    ("target.take Q", 1, Shape::One),
    ("target.poll Q 50", 1, Shape::One),
    ("target.try_take Q", 1, Shape::One),
    ("target.take_many Q 5 50", 5, Shape::Many),
    ("target.poll_many Q 5", 5, Shape::Many),
    ("target.drain_to Q 5", 5, Shape::Many),
    ("target.take_last Q", 1, Shape::One),
    ("target.poll_last Q 50", 1, Shape::One),
    ("target.try_take_last Q", 1, Shape::One),
    ("target.poll_last_many Q 3", 3, Shape::Many),
    ("target.poll_from_any Q R 50", 1, Shape::Named),
    ("target.poll_last_from_any Q R 50", 1, Shape::Named),
];
