//! Drawing the keys of claimed deliveries, and sorting these into groups.

use std::time::Instant;

use bytes::Bytes;

use super::Worker;
use super::claim::Arrival;
use crate::link::connection::{BYTES_A_MS, Failure, extra_time};
use crate::wire::script::{self, Grouping, Joining, LeasedBytes};

impl Worker {
    /// Has claimed deliveries join their groups. Returns those that may be handled now; the others wait
    /// in Redis for their groups.
    pub(super) async fn join(&self, arrivals: Vec<Arrival>) -> Result<Vec<Arrival>, Failure> {
        let Some(grouping) = self.terms.grouping() else {
            return Ok(arrivals);
        };
        let (mut has_joined, mut found, mut joining) = (Vec::new(), Vec::new(), Vec::new());
        for mut it in arrivals {
            if it.lease.fence().is_some() {
                has_joined.push(it);
                continue;
            }
            if let (Grouping::ByKey(_), LeasedBytes::Large(bytes)) = (grouping, &it.bytes) {
                let Some(payload) = self.fetch(&it, *bytes).await? else {
                    continue;
                };
                it.bytes = LeasedBytes::Here(payload);
            }
            let (group, size) = match &it.bytes {
                LeasedBytes::Here(payload) => (grouping.group(payload), payload.len()),
                LeasedBytes::Large(size) => (grouping.group(&Bytes::new()), *size),
            };
            joining.push(Joining {
                lease: it.lease,
                length: self.terms.lease + extra_time(size),
                group,
            });
            found.push(it);
        }
        if joining.is_empty() {
            return Ok(has_joined);
        }
        let (keys, link) = (&self.keys, self.route.delivery());
        let channel = keys.moved(link.database());
        let sent = Instant::now();
        let joined = link
            .call(|it| script::join(it, keys, &channel, self.incarnation, &joining))
            .await?;
        for ((mut it, lease), joining) in found.into_iter().zip(joined).zip(joining) {
            if let Some(lease) = lease {
                it.lease = lease;
                it.usable_until = sent + joining.length - self.reserve();
                has_joined.push(it);
            }
        }
        Ok(has_joined)
    }

    /// The payload of a large delivery, whose key nobody knows before. None if the delivery is gone.
    async fn fetch(&self, arrival: &Arrival, bytes: usize) -> Result<Option<Bytes>, Failure> {
        let left = arrival
            .usable_until
            .saturating_duration_since(Instant::now());
        let most = usize::try_from(left.as_millis()).map_or(usize::MAX, |ms| ms * BYTES_A_MS);
        let (keys, lease) = (&self.keys, arrival.lease);
        self.route
            .large()
            .call(bytes.max(most), |it| {
                script::fetch_delivery(it, keys, lease)
            })
            .await
    }
}
