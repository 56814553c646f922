//! The guides. `docs/performance.md`, which has plots, is in the package and not here.

#[doc = include_str!("../docs/codecs.md")]
pub mod codecs {}

#[doc = include_str!("../docs/coming-from-redisson.md")]
pub mod coming_from_redisson {}
