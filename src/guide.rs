//! The guides. The plots of `docs/performance.md` are in the package and not here.

#[doc = include_str!("../docs/acl.md")]
pub mod acl {}

#[doc = include_str!("../docs/coming-from-redisson.md")]
pub mod coming_from_redisson {}

#[doc = include_str!("../docs/consumers.md")]
pub mod consumers {}

#[doc = include_str!("../docs/performance.md")]
pub mod performance {}

#[doc = include_str!("../docs/reliability.md")]
pub mod reliability {}

#[doc = include_str!("../docs/sharded.md")]
pub mod sharded {}

#[doc = include_str!("../docs/topologies.md")]
pub mod topologies {}
