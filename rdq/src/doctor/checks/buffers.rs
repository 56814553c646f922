//! Redis cuts off subscribers too early.

use crate::doctor::advice::run;
use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::host::Host;

pub(super) static BUFFERS: Kind = Kind {
    name: "buffers",
    severity: Severity::Warning,
    proof: "`CONFIG GET client-output-buffer-limit`: a limit of subscribers below 1 MiB",
    why: "Redis closes the connection of a subscriber that has too much to read. Redisson has then \
          often failed to subscribe again, and its queues stood still. Rust clients look at their \
          queues every second in any case.",
    issues: &["#5575", "#6946", "#2553", "#3940"],
};

pub(super) fn check(host: &Host) -> Vec<Finding> {
    let setting = host
        .setting("client-output-buffer-limit")
        .unwrap_or_default();
    let Some((hard, soft)) = limits(setting) else {
        return Vec::new();
    };
    let smallest = [hard, soft].into_iter().filter(|it| *it > 0).min();
    let Some(bytes) = smallest.filter(|it| *it < ENOUGH) else {
        return Vec::new();
    };
    let what = format!(
        "Redis cuts off subscribers that are {} KiB behind.",
        bytes / 1024
    );
    let limit = ["client-output-buffer-limit", "pubsub 32mb 8mb 60"];
    let set = host.command(&[&["CONFIG", "SET"], &limit[..]].concat());
    let advice = run(set).say(", the default.");
    vec![BUFFERS.finding(Severity::Warning, 1, what, advice)]
}

/// The hard and the soft limit of subscribers, bytes; 0 is none.
fn limits(setting: &str) -> Option<(u64, u64)> {
    let mut words = setting
        .split_whitespace()
        .skip_while(|it| *it != "pubsub")
        .skip(1);
    let mut number = || words.next()?.parse().ok();
    Some((number()?, number()?))
}

/// Below this, a burst of messages is enough.
const ENOUGH: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::limits;

    #[test]
    fn the_limits_of_subscribers_are_found_among_the_others() {
        let setting = "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60";
        assert_eq!(limits(setting), Some((33_554_432, 8_388_608)));
        assert_eq!(limits(""), None);
    }
}
