//! Runs schedules: `sim --seconds 120` those of new seeds, `sim --seed 7 --only 0,2` one again.

use std::{
    env,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let setting = |name: &str| {
        let place = arguments.iter().position(|it| it == name)?;
        arguments.get(place + 1)
    };
    let number = |name: &str| setting(name).and_then(|it| it.parse().ok());
    if let Some(seed) = number("--seed") {
        let only = setting("--only").map(|it| {
            let numbers = it.split(',').filter(|it| !it.is_empty());
            numbers.filter_map(|it| it.parse().ok()).collect::<Vec<_>>()
        });
        let outcome = sim::run(seed, only.as_deref());
        print!("{outcome}");
        return ExitCode::from(u8::from(!outcome.wrongs.is_empty()));
    }
    search(
        number("--first"),
        Duration::from_secs(number("--seconds").unwrap_or(20)),
    )
}

/// Runs schedules of new seeds for a while.
fn search(first: Option<u64>, budget: Duration) -> ExitCode {
    let first = first.unwrap_or_else(|| rand::random_range(0..1 << 32));
    let start = Instant::now();
    let mut count = 0;
    while start.elapsed() < budget {
        let seed = first + count;
        count += 1;
        let (is_right, text) = replay(seed, None);
        if !is_right {
            let only = minimise(seed, &text);
            let (_, text) = replay(seed, Some(&only));
            println!("{text}replay: sim --seed {seed} --only {}", spell(&only));
            return ExitCode::FAILURE;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{count} schedules from seed {first}, {:.1} a second",
        count as f64 / seconds
    );
    ExitCode::SUCCESS
}

/// Runs one schedule in a process of its own. Says whether all was right, and what it printed.
fn replay(seed: u64, only: Option<&[usize]>) -> (bool, String) {
    let program = env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.args(["--seed", &seed.to_string()]);
    if let Some(only) = only {
        command.args(["--only", &spell(only)]);
    }
    let output = command.output().expect("this program starts");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

/// The accidents without which the schedule does not fail.
fn minimise(seed: u64, text: &str) -> Vec<usize> {
    let accidents = text.lines().filter_map(|it| it.strip_prefix("accident "));
    let numbers = accidents.filter_map(|it| it.split(' ').next()?.parse().ok());
    let mut needed: Vec<usize> = numbers.collect();
    let mut place = 0;
    while place < needed.len() {
        let mut fewer = needed.clone();
        fewer.remove(place);
        if replay(seed, Some(&fewer)).0 {
            place += 1;
        } else {
            needed = fewer;
        }
    }
    needed
}

fn spell(numbers: &[usize]) -> String {
    let numbers: Vec<_> = numbers.iter().map(usize::to_string).collect();
    numbers.join(",")
}
