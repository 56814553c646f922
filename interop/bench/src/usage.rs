//! How much time and how many commands work costs Redis and the processes.

use std::{
    collections::BTreeMap,
    fs,
    time::{Duration, Instant},
};

use redis::Connection;

use crate::{Result, table::figure};

/// What was used up to a moment.
#[derive(Clone, Debug)]
pub(crate) struct Usage {
    moment: Instant,
    redis: Duration,
    processes: Duration,
    commands: u64,
    scripts: u64,
    in_scripts: Duration,
    in_commands: BTreeMap<String, Duration>,
}

/// What was used between two moments.
#[derive(Clone, Debug)]
pub(crate) struct Spent {
    pub(crate) wall: Duration,
    /// Processor time of Redis's main thread, or of those of all masters.
    pub(crate) redis: Duration,
    /// That of the master that used most.
    pub(crate) busiest: Duration,
    /// Processor time of the processes, user and system, in steps of 10 ms.
    pub(crate) processes: Duration,
    /// Commands that Redis carried out, those inside scripts included.
    pub(crate) commands: u64,
    pub(crate) scripts: u64,
    /// How long Redis ran scripts, and served nobody else.
    pub(crate) in_scripts: Duration,
    /// How long it ran each of the other commands, inside scripts or not.
    in_commands: BTreeMap<String, Duration>,
}

impl Usage {
    pub(crate) fn now(redis: &mut Connection, processes: &[u32]) -> Result<Self> {
        let mut info = redis::cmd("INFO");
        let info: String = info.arg("cpu").arg("commandstats").query(redis)?;
        // After the reply, which waits for the script that is running.
        let moment = Instant::now();
        let mut usage = Self {
            moment,
            redis: Duration::ZERO,
            processes: Duration::ZERO,
            commands: 0,
            scripts: 0,
            in_scripts: Duration::ZERO,
            in_commands: BTreeMap::new(),
        };
        for process in processes {
            usage.processes += processor_time(*process)?;
        }
        for line in info.lines() {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            if name.starts_with("used_cpu") && name.ends_with("_main_thread") {
                usage.redis += Duration::from_secs_f64(value.parse()?);
            }
            if let Some(command) = name.strip_prefix("cmdstat_") {
                let field = |name| field(value, name).unwrap_or(0);
                let time = Duration::from_micros(field("usec"));
                usage.commands += field("calls");
                if command.starts_with("eval") {
                    usage.scripts += field("calls");
                    usage.in_scripts += time;
                } else {
                    usage.in_commands.insert(command.to_owned(), time);
                }
            }
        }
        Ok(usage)
    }

    pub(crate) fn since(&self, before: &Self) -> Spent {
        let in_commands = self.in_commands.iter().map(|(name, time)| {
            let before = before.in_commands.get(name).copied().unwrap_or_default();
            (name.clone(), *time - before)
        });
        Spent {
            wall: self.moment - before.moment,
            redis: self.redis - before.redis,
            busiest: self.redis - before.redis,
            processes: self.processes.saturating_sub(before.processes),
            commands: self.commands - before.commands,
            scripts: self.scripts - before.scripts,
            in_scripts: self.in_scripts - before.in_scripts,
            in_commands: in_commands.collect(),
        }
    }
}

impl Spent {
    /// Both together: what two masters used at the same time.
    pub(crate) fn and(mut self, other: Self) -> Self {
        for (name, time) in other.in_commands {
            *self.in_commands.entry(name).or_default() += time;
        }
        Self {
            wall: self.wall.max(other.wall),
            redis: self.redis + other.redis,
            busiest: self.busiest.max(other.busiest),
            processes: self.processes + other.processes,
            commands: self.commands + other.commands,
            scripts: self.scripts + other.scripts,
            in_scripts: self.in_scripts + other.in_scripts,
            in_commands: self.in_commands,
        }
    }

    /// A sentence that says how long Redis ran each command for each of `count` elements; it leaves
    /// out what took less than 0.05 us. Only scripts may have called commands that take time.
    pub(crate) fn profile(&self, count: f64) -> String {
        let in_commands: Duration = self.in_commands.values().sum();
        let mut parts: Vec<_> = self
            .in_commands
            .iter()
            .map(|(name, time)| (format!("`{}`", name.to_uppercase()), *time))
            .collect();
        let own = self.in_scripts.saturating_sub(in_commands);
        parts.push(("Lua itself".to_owned(), own));
        parts.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        let each = |time: Duration| time.as_secs_f64() * 1e6 / count;
        let parts: Vec<_> = parts
            .iter()
            .filter(|(_, time)| each(*time) >= 0.05)
            .map(|(name, time)| format!("{} us in {name}", figure(each(*time))))
            .collect();
        format!("for each element, Redis spends {}.", parts.join(", "))
    }
}

/// The memory of a process that is in use, in bytes.
pub(crate) fn memory(process: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next());
    Ok(kilobytes.ok_or("no VmRSS")?.parse::<u64>()? * 1_024)
}

/// Of `calls=1,usec=2,...`.
fn field(value: &str, name: &str) -> Option<u64> {
    let mut fields = value.split(',').filter_map(|field| field.split_once('='));
    let (_, number) = fields.find(|(field, _)| *field == name)?;
    number.parse().ok()
}

fn processor_time(process: u32) -> Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in parentheses, may hold anything.
    let (_, fields) = stat.rsplit_once(')').ok_or("no name in stat")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let [user, system] = [11, 12].map(|i| fields.get(i).and_then(|it| it.parse::<u64>().ok()));
    let ticks = user.unwrap_or(0) + system.unwrap_or(0);
    Ok(Duration::from_millis(ticks * 10))
}
