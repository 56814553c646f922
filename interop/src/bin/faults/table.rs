//! The rows.

use std::time::Duration;

use crate::figures::Figures;

pub(crate) fn head() {
    println!(
        "| fault | times | offered | acknowledged | confirmed | delivered | lost | lost, not confirmed | twice | early | stall, ms | offers' stall, ms | latest, ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
}

pub(crate) fn row(name: &str, figures: &Figures) {
    let mut lost = figures.lost.len().to_string();
    if figures.in_hand > 0 {
        lost += &format!(", {} in hand", figures.in_hand);
    }
    println!(
        "| `{name}` | {} | {} | {} | {} | {} | {lost} | {} | {} | {} | {} | {} | {} |",
        figures.rounds.max(figures.kills),
        figures.offered,
        figures.acknowledged,
        figures.durable,
        figures.delivered,
        figures.unconfirmed,
        figures.again,
        figures.early.len(),
        milliseconds(figures.stall),
        milliseconds(figures.offer_stall),
        milliseconds(figures.latest),
    );
}

fn milliseconds(duration: Duration) -> u128 {
    duration.as_millis()
}
