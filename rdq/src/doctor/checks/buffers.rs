//! Redis cuts off clients too early.

use crate::doctor::advice;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::host::Host;

pub(super) static BUFFERS: Kind = Kind {
    name: "buffers",
    severity: Severity::Warning,
    proof: "`CONFIG GET client-output-buffer-limit`: a limit of subscribers below 1 MiB, or of other clients below 2 MiB",
    why: "Redis closes the connection of a client that has too much to read. After that, Redisson has \
          often failed to subscribe again, and its queues stood still. A call whose reply is larger \
          than the limit of other clients fails each time: one that reads a page of elements, or a \
          large element. Rust clients look at their queues every second in any case.",
    issues: &["#5575", "#6946", "#2553", "#3940"],
};

pub(super) fn check(host: &Host) -> Vec<Finding> {
    let setting = host
        .setting("client-output-buffer-limit")
        .unwrap_or_default();
    CLASSES
        .iter()
        .filter_map(|class| class.check(host, setting))
        .collect()
}

/// Clients that have limits of their own.
struct Class {
    /// What Redis calls them.
    name: &'static str,
    clients: &'static str,
    /// How large the limits should be, in bytes.
    enough: u64,
    default: &'static str,
}

const CLASSES: [Class; 2] = [
    Class {
        name: "pubsub",
        clients: "subscribers",
        // Below this, a burst of messages is enough.
        enough: 1 << 20,
        default: "pubsub 32mb 8mb 60",
    },
    Class {
        name: "normal",
        clients: "clients",
        // A page of elements has 256 KiB and one element more.
        enough: 2 << 20,
        default: "normal 0 0 0",
    },
];

impl Class {
    fn check(&self, host: &Host, setting: &str) -> Option<Finding> {
        let (hard, soft) = limits(setting, self.name)?;
        let smallest = [hard, soft].into_iter().filter(|it| *it > 0).min();
        let bytes = smallest.filter(|it| *it < self.enough)?;
        let what = format!(
            "Redis cuts off {} that are {} KiB behind.",
            self.clients,
            bytes / 1024
        );
        let set = ["CONFIG", "SET", "client-output-buffer-limit", self.default];
        let advice = advice::set("Set the default", host.command(&set));
        Some(BUFFERS.finding(Severity::Warning, 1, what, advice))
    }
}

/// The hard and the soft limit of a class of clients, bytes; 0 is none.
fn limits(setting: &str, class: &str) -> Option<(u64, u64)> {
    let mut words = setting
        .split_whitespace()
        .skip_while(|it| *it != class)
        .skip(1);
    let mut number = || words.next()?.parse().ok();
    Some((number()?, number()?))
}

#[cfg(test)]
mod tests {
    use super::limits;

    #[test]
    fn the_limits_of_a_class_are_found_among_the_others() {
        let setting = "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60";
        assert_eq!(limits(setting, "pubsub"), Some((33_554_432, 8_388_608)));
        assert_eq!(limits(setting, "normal"), Some((0, 0)));
        assert_eq!(limits("", "normal"), None);
    }
}
