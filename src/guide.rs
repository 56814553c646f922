//! The guides. The plots of `docs/performance.md` are in the package and not here.

#[doc = include_str!("../docs/coming-from-redisson.md")]
pub mod coming_from_redisson {}

#[doc = include_str!("../docs/performance.md")]
pub mod performance {}
