//! `docs/monitoring.md`, the dashboard and the alerts know the metrics that there are.

use std::collections::BTreeSet;

use redisson_delayed_queue::metrics::{ALL, Kind, PREFIX};
use serde_json::Value;

use super::Recorder;
use crate::fixture::{orders, push, take_all};
use crate::support::RedisServer;

/// The names of metrics in a text, with the prefix.
fn names(text: &str) -> BTreeSet<&str> {
    let name = |(at, _)| {
        let rest: &str = &text[at..];
        let end = rest.find(|it: char| !(it.is_ascii_lowercase() || it == '_'));
        &rest[..end.unwrap_or(rest.len())]
    };
    text.match_indices(PREFIX).map(name).collect()
}

/// The names of the series that a client exports.
async fn exported() -> BTreeSet<String> {
    let recorder = Recorder::install();
    let redis = RedisServer::start().await;
    let queue = orders(&redis.url()).await;
    push(&redis, &["1"]).await;
    take_all(&queue, 1).await.unwrap();
    let scrape = recorder.handle.render();
    let series = scrape.lines().filter_map(|line| line.split_once('{'));
    series.map(|(name, _)| name.to_owned()).collect()
}

fn dashboard() -> Value {
    serde_json::from_str(include_str!("../../../docs/monitoring/grafana.json")).unwrap()
}

#[tokio::test]
async fn the_dashboard_and_the_alerts_ask_only_for_what_is_exported() {
    let exported = exported().await;
    let dashboard = dashboard();
    let targets = dashboard["panels"].as_array().unwrap().iter();
    let targets = targets.flat_map(|panel| panel["targets"].as_array().unwrap());
    let expressions: Vec<&str> = targets.map(|it| it["expr"].as_str().unwrap()).collect();
    let alerts = include_str!("../../../docs/monitoring/alerts.yml");
    let alerts = alerts.split("- alert: ").skip(1);
    let mut queried = BTreeSet::new();
    for query in expressions.into_iter().chain(alerts) {
        let names = names(query);
        assert!(!names.is_empty(), "asks for nothing: {query}");
        queried.extend(names);
    }
    for name in &queried {
        assert!(exported.contains(*name), "{name} of {exported:?}");
    }
    // Everything that is exported is worth a look.
    for metric in ALL {
        let is_shown = queried.iter().any(|it| it.starts_with(metric.name));
        assert!(is_shown, "no panel and no alert asks for {}", metric.name);
    }
}

/// Grafana refuses a dashboard without these, or shows it in disorder.
#[test]
fn the_dashboard_has_what_grafana_wants() {
    let dashboard = dashboard();
    for field in ["title", "uid"] {
        assert!(dashboard[field].as_str().is_some_and(|it| !it.is_empty()));
    }
    assert!(dashboard["schemaVersion"].as_u64() >= Some(36));
    let variables: BTreeSet<&str> = dashboard["templating"]["list"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(variables, BTreeSet::from(["datasource", "queue"]));
    let (mut ids, mut cells) = (BTreeSet::new(), BTreeSet::new());
    for panel in dashboard["panels"].as_array().unwrap() {
        let title = panel["title"].as_str().unwrap();
        assert!(["stat", "timeseries"].contains(&panel["type"].as_str().unwrap()));
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{title}");
        assert!(
            !panel["description"].as_str().unwrap().is_empty(),
            "{title}"
        );
        let place = |name: &str| panel["gridPos"][name].as_u64().unwrap();
        assert!(place("x") + place("w") <= 24, "{title}");
        for x in place("x")..place("x") + place("w") {
            for y in place("y")..place("y") + place("h") {
                assert!(cells.insert((x, y)), "{title} lies on another panel");
            }
        }
        let mut letters = BTreeSet::new();
        for target in panel["targets"].as_array().unwrap() {
            assert!(letters.insert(target["refId"].as_str().unwrap()), "{title}");
            assert_eq!(target["datasource"]["uid"], "${datasource}", "{title}");
        }
    }
}

#[test]
fn the_guide_has_every_metric_with_its_kind_unit_and_labels_and_every_alert() {
    let guide = include_str!("../../../docs/monitoring.md");
    let rows: Vec<Vec<&str>> = guide
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    for metric in ALL {
        let short = metric.name.strip_prefix(PREFIX).unwrap();
        let kind = match metric.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            _ => "histogram",
        };
        let unit = match metric.unit {
            ::metrics::Unit::Seconds => "s",
            _ => "1",
        };
        let labels: Vec<String> = metric.labels.iter().map(|it| format!("`{it}`")).collect();
        let expected = [&format!("`{short}`"), kind, unit, &labels.join(", ")];
        let row = rows.iter().find(|row| row[0] == expected[0]);
        let row = row.unwrap_or_else(|| panic!("no row for {short}"));
        assert_eq!(row[..4], expected, "{short}");
    }
    let metrics = rows.iter().filter(|row| row.len() > 4).count();
    assert_eq!(metrics, ALL.len());
    let alerts = include_str!("../../../docs/monitoring/alerts.yml");
    for alert in alerts.split("- alert: ").skip(1) {
        let name = alert.lines().next().unwrap();
        assert!(guide.contains(&format!("| `{name}` |")), "{name}");
    }
}
