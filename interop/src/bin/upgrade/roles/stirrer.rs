//! Moves elements between queues, pauses or slows the queue for a moment, and keeps a periodic offer
//! alive.

use std::{thread, time::Duration};

use rand::RngExt;

use super::{OTHER, Part, QUEUE};

/// Stirs until all is done.
pub(crate) fn run(mut part: Part<'_>) {
    while !part.is_done() {
        let [one, other] = match part.random.random() {
            true => [QUEUE, OTHER],
            false => [OTHER, QUEUE],
        };
        match part.random.random_range(0..20) {
            0..3 => {
                part.call(&format!(
                    "target.poll_last_and_offer_first_to {one} {other} 20"
                ));
            }
            // It waits for an element, and somebody has to offer one.
            3 => {
                part.call(&format!(
                    "target.take_last_and_offer_first_to {QUEUE} {OTHER}"
                ));
            }
            4..7 => {
                part.call(&format!("target.move_to {one} {other} first last 3"));
            }
            7..10 => {
                part.call(&format!("target.move_to {one} {other} last first 3"));
            }
            10..13 => {
                part.call(&format!("poll_last_and_offer_first_to {QUEUE} {OTHER}"));
            }
            13 => {
                part.call(&format!("pause {QUEUE}"));
                pass(&mut part, 50);
                part.insist(&format!("resume {QUEUE}"));
            }
            14 => {
                part.call(&format!("set_rate_limit {QUEUE} 2000 1000 20"));
                pass(&mut part, 200);
                part.insist(&format!("set_rate_limit {QUEUE} none"));
            }
            15 => {
                part.call(&format!("schedule {QUEUE} beat {BEAT_MS} {BEAT}"));
            }
            _ => pass(&mut part, 50),
        }
    }
}

fn pass(part: &mut Part<'_>, most_ms: u64) {
    let ms = part.random.random_range(0..most_ms);
    thread::sleep(Duration::from_millis(ms));
}

/// The value of the periodic offer, and how often it occurs.
pub(crate) const BEAT: &str = "beat";
pub(crate) const BEAT_MS: u64 = 200;
