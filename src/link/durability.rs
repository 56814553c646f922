//! How durable an element is.

use std::fmt;
use std::time::Duration;

/// How safe an element must be before its offer succeeds.
///
/// Redis answers as soon as the master has the element in memory. A replica has it a moment later,
/// and the disk when the settings of the server say so. If the master dies in between, the element
/// is lost, although its offer succeeded. [`Offer::durability`](crate::Offer::durability) and
/// [`ClientBuilder::durability`](crate::ClientBuilder::durability) make offers wait.
///
/// # Which elements survive
///
/// - A failover: those that the promoted replica has. `Replicas(n)` with all replicas of the master
///   is safe, whichever of them is promoted. With fewer it is not: while one replica is promoted, the
///   former master and its other replicas may go on confirming offers, which are lost.
/// - A restart of the master: those in its append-only file, which `Aof` waits for. With
///   `appendfsync always` they are there before the offer returns anyway. With `everysec` an `Aof`
///   offer waits for up to a second.
///
/// The client waits on the connection that wrote the element, so a new master never confirms what
/// only a former one has. If the connection breaks meanwhile, the client offers the element again,
/// as after any lost reply.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Durability {
    /// The master has the element in memory. Nothing waits. The default.
    #[default]
    Master,
    /// At least so many replicas have the element in memory, besides the master: `WAIT`.
    Replicas(usize),
    /// The master and at least so many replicas have the element in their append-only files on
    /// disk: `WAITAOF`.
    ///
    /// Takes Redis 7.2 or a Valkey, with `appendonly yes` on all these servers.
    Aof {
        /// How many replicas, besides the master. 0 for the master alone.
        replicas: usize,
    },
}

/// Which copies of an element the master knew of when its offer stopped waiting.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Acknowledged {
    /// How many replicas have the element: in memory, or on disk if the offer waited for that.
    pub replicas: usize,
    /// Whether the master has the element on disk. False if the offer did not wait for that.
    pub master_aof: bool,
}

/// The durability of an offer that waits for it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Durable {
    pub(crate) wanted: Durability,
    /// How long to wait, from the moment at which the master has the element.
    pub(crate) within: Duration,
}

impl Durable {
    /// No offer waits longer.
    const LONGEST: Duration = Duration::from_secs(3_600);

    /// `None` if there is nothing to wait for.
    pub(crate) fn new(wanted: Durability, within: Duration) -> Option<Self> {
        let waits = !matches!(wanted, Durability::Master | Durability::Replicas(0));
        let within = within.min(Self::LONGEST);
        waits.then_some(Self { wanted, within })
    }
}

impl Durability {
    /// How many replicas must have the element.
    pub(crate) fn replicas(self) -> usize {
        match self {
            Self::Master => 0,
            Self::Replicas(replicas) | Self::Aof { replicas } => replicas,
        }
    }

    /// True if the disk of the master must have the element.
    pub(crate) fn needs_aof(self) -> bool {
        matches!(self, Self::Aof { .. })
    }
}

impl Acknowledged {
    /// True if this is as durable as `wanted`.
    pub(crate) fn meets(self, wanted: Durability) -> bool {
        self.replicas >= wanted.replicas() && (self.master_aof || !wanted.needs_aof())
    }
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Master => f.write_str("the master"),
            Self::Replicas(replicas) => f.write_str(&number_of(*replicas)),
            Self::Aof { replicas } => f.write_str(&disks(*replicas)),
        }
    }
}

impl fmt::Display for Acknowledged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&if self.master_aof {
            disks(self.replicas)
        } else {
            number_of(self.replicas)
        })
    }
}

fn number_of(replicas: usize) -> String {
    match replicas {
        1 => "1 replica".to_owned(),
        _ => format!("{replicas} replicas"),
    }
}

/// The disks of the master and of so many replicas.
fn disks(replicas: usize) -> String {
    match replicas {
        0 => "the master's disk".to_owned(),
        _ => format!("the disks of the master and {}", number_of(replicas)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_replica_is_no_plural() {
        for (wanted, text) in [
            (Durability::default(), "the master"),
            (Durability::Replicas(1), "1 replica"),
            (Durability::Replicas(2), "2 replicas"),
            (Durability::Aof { replicas: 0 }, "the master's disk"),
            (
                Durability::Aof { replicas: 1 },
                "the disks of the master and 1 replica",
            ),
        ] {
            assert_eq!(wanted.to_string(), text);
        }
        let confirmed = |replicas, master_aof| {
            let acknowledged = Acknowledged {
                replicas,
                master_aof,
            };
            acknowledged.to_string()
        };
        assert_eq!(confirmed(0, false), "0 replicas");
        assert_eq!(confirmed(1, false), "1 replica");
        assert_eq!(confirmed(0, true), "the master's disk");
        assert_eq!(confirmed(2, true), "the disks of the master and 2 replicas");
    }
}
