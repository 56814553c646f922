//! Drawing the keys of claimed deliveries, and sorting these into groups.

use bytes::Bytes;
use tokio::time::Instant;

use super::Worker;
use super::claim::Arrival;
use crate::link::connection::{Failure, bytes_within, extra_time};
use crate::sync::lock;
use crate::wire::script::{self, Grouping, Joined, Joining, LeasedBytes};

impl Worker {
    /// Has new deliveries join their groups. Returns those that callers may have now; the others wait in
    /// Redis for their groups.
    pub(super) async fn join(&mut self, arrivals: Vec<Arrival>) -> Result<Vec<Arrival>, Failure> {
        let Some(grouping) = self.station.terms.grouping() else {
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
                // Not by key, so the group does not depend on the payload.
                LeasedBytes::Large(size) => (grouping.group(&Bytes::new()), *size),
            };
            joining.push(Joining {
                lease: it.lease,
                length: self.station.lease() + extra_time(size),
                group,
            });
            found.push(it);
        }
        if joining.is_empty() {
            return Ok(has_joined);
        }
        let (keys, link) = (&self.station.keys, self.station.route.delivery());
        let channel = keys.moved(link.database());
        let sent = Instant::now();
        let joined = link
            .call(|it| script::join(it, keys, &channel, self.claims.incarnation, &joining))
            .await?;
        for ((mut it, joined), joining) in found.into_iter().zip(joined).zip(joining) {
            match joined {
                Joined::Holds(lease) => {
                    it.lease = lease;
                    it.usable_until = sent + joining.length - self.station.reserve();
                    has_joined.push(it);
                }
                Joined::Waits => {}
                // The attempt does not count.
                Joined::TooLate => {
                    let mut state = lock(&self.station.intake.state);
                    state.holdings.returning.push(it.lease.into());
                }
            }
        }
        Ok(has_joined)
    }

    /// Fetches a large payload, to compute its key. None if the delivery is gone.
    async fn fetch(&self, arrival: &Arrival, bytes: usize) -> Result<Option<Bytes>, Failure> {
        let left = arrival
            .usable_until
            .saturating_duration_since(Instant::now());
        let (keys, lease) = (&self.station.keys, arrival.lease);
        self.station
            .route
            .large()
            .call(bytes.max(bytes_within(left)), |it| {
                script::fetch(it, keys, lease)
            })
            .await
    }
}
