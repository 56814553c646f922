//! The guides. The plots of `docs/performance.md` are in the package and not here.
//!
//! The first definition of a link counts, so those here replace the ones for GitHub at the end of each guide.

#[doc = "[monitoring.md]: crate::guide::monitoring"]
#[doc = "[topologies.md]: crate::guide::topologies"]
#[doc = ""]
#[doc = include_str!("../docs/acl.md")]
pub mod acl {}

#[doc = "[concepts.md]: crate::guide::concepts"]
#[doc = "[consumers.md]: crate::guide::consumers"]
#[doc = "[defects-of-redisson.md]: crate::guide::defects_of_redisson"]
#[doc = "[keys]: crate::keys"]
#[doc = ""]
#[doc = include_str!("../docs/coming-from-redisson.md")]
pub mod coming_from_redisson {}

#[doc = "[coming-from-redisson.md]: crate::guide::coming_from_redisson"]
#[doc = "[consumers.md]: crate::guide::consumers"]
#[doc = "[reliability.md]: crate::guide::reliability"]
#[doc = ""]
#[doc = include_str!("../docs/concepts.md")]
pub mod concepts {}

#[doc = "[acl.md]: crate::guide::acl"]
#[doc = "[crashes.md]: crate::guide::crashes"]
#[doc = "[forwarding.md]: crate::guide::forwarding"]
#[doc = ""]
#[doc = include_str!("../docs/consumers.md")]
pub mod consumers {}

#[doc = "[reliability.md]: crate::guide::reliability"]
#[doc = ""]
#[doc = include_str!("../docs/crashes.md")]
pub mod crashes {}

#[doc = include_str!("../docs/defects-of-redisson.md")]
pub mod defects_of_redisson {}

#[doc = "[consumers.md]: crate::guide::consumers"]
#[doc = ""]
#[doc = include_str!("../docs/forwarding.md")]
pub mod forwarding {}

#[doc = include_str!("../docs/monitoring.md")]
pub mod monitoring {}

#[doc = "[acl.md]: crate::guide::acl"]
#[doc = "[codecs.md]: crate::codec::guide::codecs"]
#[doc = "[concepts.md]: crate::guide::concepts"]
#[doc = "[consumers.md]: crate::guide::consumers"]
#[doc = "[monitoring.md]: crate::guide::monitoring"]
#[doc = "[performance.md]: crate::guide::performance"]
#[doc = "[reliability.md]: crate::guide::reliability"]
#[doc = "[sharded.md]: crate::guide::sharded"]
#[doc = "[topologies.md]: crate::guide::topologies"]
#[doc = ""]
#[doc = include_str!("../docs/operating.md")]
pub mod operating {}

#[doc = include_str!("../docs/performance.md")]
pub mod performance {}

#[doc = "[performance.md]: crate::guide::performance"]
#[doc = "[topologies.md]: crate::guide::topologies"]
#[doc = ""]
#[doc = include_str!("../docs/reliability.md")]
pub mod reliability {}

#[doc = include_str!("../docs/sharded.md")]
pub mod sharded {}

#[doc = "[acl.md]: crate::guide::acl"]
#[doc = "[reliability.md]: crate::guide::reliability"]
#[doc = "[sharded.md]: crate::guide::sharded"]
#[doc = ""]
#[doc = include_str!("../docs/topologies.md")]
pub mod topologies {}

#[doc = "[consumers.md]: crate::guide::consumers"]
#[doc = "[defects-of-redisson.md]: crate::guide::defects_of_redisson"]
#[doc = "[forwarding.md]: crate::guide::forwarding"]
#[doc = "[performance.md]: crate::guide::performance"]
#[doc = ""]
#[doc = include_str!("../docs/which-delayed-queue.md")]
pub mod which_delayed_queue {}
