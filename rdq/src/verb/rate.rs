//! `rdq rate`

use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use redisson_delayed_queue::RateLimit;
use serde::Serialize;

use crate::failure::Result;
use crate::screen::brief;
use crate::session::Session;

/// Show, set or end the limit for how fast all Rust clients together take from a queue.
///
/// Without a limit and without --off, shows the one that is set. Java services do not know it. The
/// limit outlives this program, and a restart of a durable Redis.
///
/// Redis: HMGET, or one short script.
#[derive(Args, Debug)]
pub(crate) struct Rate {
    /// The queue's name in Redis.
    queue: String,
    /// How many elements in how much time: 100/s, 6000/m, 1/10s.
    limit: Option<PerTime>,
    /// How many elements may come at once after a quiet time. Default: those of 20 ms.
    #[arg(long, value_name = "COUNT", requires = "limit")]
    burst: Option<u32>,
    /// End the limit.
    #[arg(long, conflicts_with = "limit")]
    off: bool,
}

/// So many elements in so much time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct PerTime {
    elements: u32,
    per: Duration,
}

#[derive(Serialize)]
struct Limit<'a> {
    queue: &'a str,
    /// None if the queue has no limit.
    interval_us: Option<u128>,
    burst: Option<u32>,
}

impl Rate {
    pub(crate) async fn run(&self, session: &Session) -> Result {
        let queue = session.queue(&self.queue)?;
        if let Some(PerTime { elements, per }) = self.limit {
            let mut limit = RateLimit::new(elements, per);
            if let Some(burst) = self.burst {
                limit = limit.with_burst(burst);
            }
            queue.set_rate_limit(Some(limit)).await?;
        }
        if self.off {
            queue.set_rate_limit(None).await?;
        }
        let limit = queue.rate_limit().await?;
        let text = match limit {
            Some(limit) => format!(
                "{}: one element each {}, {} at once after a quiet time",
                self.queue,
                brief(limit.interval()),
                limit.burst()
            ),
            None => format!("{}: no limit", self.queue),
        };
        let limit = Limit {
            queue: &self.queue,
            interval_us: limit.map(|it| it.interval().as_micros()),
            burst: limit.map(|it| it.burst()),
        };
        session.screen.say(&text, &limit)
    }
}

impl FromStr for PerTime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "not a rate: write 100/s, 6000/m or 1/10s; --off ends the limit".to_owned();
        let (elements, per) = text.split_once('/').ok_or_else(wrong)?;
        let elements = elements.trim().parse().map_err(|_| wrong())?;
        // `s` is `1s`.
        let one = per.trim_start().starts_with(|it: char| it.is_ascii_digit());
        let per = if one {
            per.to_owned()
        } else {
            format!("1{}", per.trim_start())
        };
        let per = humantime::parse_duration(&per).map_err(|_| wrong())?;
        match elements {
            0 => Err("0 elements is no rate: rdq pause holds the queue back".to_owned()),
            _ if per / elements < SHORTEST => {
                Err("at most 1,000,000 elements a second: --off ends the limit".to_owned())
            }
            _ => Ok(Self { elements, per }),
        }
    }
}

/// Redis keeps the time between two elements in whole microseconds.
const SHORTEST: Duration = Duration::from_micros(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_count_and_a_time() {
        let rate = |text: &str| text.parse::<PerTime>().map(|it| (it.elements, it.per));
        assert_eq!(rate("100/s"), Ok((100, Duration::from_secs(1))));
        assert_eq!(rate("6000/m"), Ok((6_000, Duration::from_secs(60))));
        assert_eq!(rate("1/10s"), Ok((1, Duration::from_secs(10))));
        assert_eq!(rate("5 / 500 ms"), Ok((5, Duration::from_millis(500))));
        assert_eq!(rate("1/us"), Ok((1, Duration::from_micros(1))));
        let wrong = ["", "100", "100/", "/s", "0/s", "-1/s", "1/week?"];
        for wrong in wrong.into_iter().chain(["1/0s", "2/us", "99999999/1us"]) {
            assert!(rate(wrong).is_err(), "{wrong}");
        }
    }
}
