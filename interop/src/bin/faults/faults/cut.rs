//! Connections are cut, one kind at a time.

use rand::rngs::StdRng;
use redis::RedisResult;

use super::{Fault, Rhythm, Stage};
use crate::Result;

pub(super) struct Cut {
    name: &'static str,
    /// How the names of these connections end.
    purpose: &'static str,
}

pub(super) const CALLS: Cut = Cut {
    name: "kill-calls",
    purpose: ":calls",
};
pub(super) const DELIVERY: Cut = Cut {
    name: "kill-delivery",
    purpose: ":delivery",
};
pub(super) const SUBSCRIPTION: Cut = Cut {
    name: "kill-subscription",
    purpose: ":subscription",
};

impl Fault for Cut {
    fn name(&self) -> &'static str {
        self.name
    }

    fn rhythm(&self) -> Rhythm {
        Rhythm {
            rounds: 150,
            pause_ms: (100, 100),
            hold_ms: (0, 0),
        }
    }

    fn lasts(&self) -> bool {
        false
    }

    fn begin(&self, stage: &Stage, _: &mut StdRng) -> Result<()> {
        cut(stage, |name| name.ends_with(self.purpose)).map_err(|error| error.to_string())
    }
}

/// Kills the connections whose names fit. Redisson's have none, and all of them are killed.
fn cut(stage: &Stage, fits: impl Fn(&str) -> bool) -> RedisResult<()> {
    let mut connection = stage.bed.master().connection();
    let own: u64 = redis::cmd("CLIENT").arg("ID").query(&mut connection)?;
    let list: String = redis::cmd("CLIENT").arg("LIST").query(&mut connection)?;
    for line in list.lines() {
        let value = |name: &str| {
            let mut fields = line.split(' ').filter_map(|field| field.split_once('='));
            fields.find(|(key, _)| *key == name).map(|(_, value)| value)
        };
        let (Some(id), Some(name)) = (value("id"), value("name")) else {
            continue;
        };
        if id != own.to_string() && (name.is_empty() || fits(name)) {
            let killed = redis::cmd("CLIENT")
                .arg(&["KILL", "ID", id])
                .query::<u64>(&mut connection);
            killed?;
        }
    }
    Ok(())
}
