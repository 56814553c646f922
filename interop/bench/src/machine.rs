//! Where the figures come from.

use std::{fs, process::Command, thread};

use crate::{
    Result,
    contender::{APALIS_VERSION, BULLMQ_VERSION, REDISSON, REDISSUN_VERSION},
    node,
    stage::Stage,
};

/// The machine and the versions, in one sentence.
pub(crate) fn describe() -> Result<String> {
    let mut stage = Stage::start()?;
    let info: String = stage.query(&["INFO", "server"])?;
    let redis = line(&info, "redis_version:");
    let cpu = fs::read_to_string("/proc/cpuinfo")?;
    let model = line(&cpu, "model name");
    let cores = thread::available_parallelism()?;
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    // Java says its version on stderr.
    let java = Command::new("java").arg("-version").output()?.stderr;
    let java = String::from_utf8_lossy(&java);
    let java = java.split('"').nth(1).unwrap_or("of unknown version");
    let node = node::version().unwrap_or_else(|| "of no version".to_owned());
    Ok(format!(
        "{} with {cores} cores, Linux {}, Redis {redis}, JDK {java}, {}, Redisson {REDISSON}, \
         redissun {REDISSUN_VERSION}, apalis-redis {APALIS_VERSION}, Node {node}, BullMQ \
         {BULLMQ_VERSION}",
        model.trim_start_matches([':', '\t', ' ']),
        kernel.trim(),
        output("rustc", &["--version"])?,
    ))
}

/// Today, in UTC.
pub(crate) fn date() -> Result<String> {
    output("date", &["-u", "+%F"])
}

fn line<'a>(text: &'a str, name: &str) -> &'a str {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.unwrap_or("unknown").trim()
}

fn output(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output()?.stdout;
    Ok(String::from_utf8_lossy(&output).trim().to_owned())
}
