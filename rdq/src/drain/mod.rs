//! Takes elements out of a queue, each after its line was written.

mod sink;
mod work;

pub(crate) use sink::Sink;
pub(crate) use work::Drain;
