//! The server is older than the oldest that this crate works with.

use crate::doctor::finding::{Finding, Kind, Severity};
use crate::doctor::host::Host;

pub(super) static VERSION: Kind = Kind {
    name: "version",
    severity: Severity::Warning,
    proof: "`INFO server`: Redis older than 6.2",
    why: "Redisson works with older servers. Rust clients and rdq need ZMSCORE and other commands \
          of Redis 6.2. From 7.0 on, a script can find out beforehand whether it lacks a right.",
    issues: &[],
};

pub(super) fn check(host: &Host) -> Vec<Finding> {
    let version = host.info("redis_version");
    if version.is_empty() || parts(version) >= (6, 2) {
        return Vec::new();
    }
    let what = format!("The server is Redis {version}.");
    let advice = "Upgrade to Redis 6.2 or later before Rust clients use it.";
    vec![VERSION.finding(Severity::Warning, 1, what, advice)]
}

fn parts(version: &str) -> (u32, u32) {
    let mut numbers = version.split('.').map(|it| it.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn versions_compare_as_numbers() {
        assert!(parts("6.0.16") < (6, 2));
        assert!(parts("6.2.14") >= (6, 2));
        assert!(parts("10.0.0") >= (6, 2));
    }
}
