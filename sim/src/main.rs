//! Runs schedules.
//!
//! - `sim --seconds 120` runs those of new seeds, or from `--first SEED` on.
//! - `sim --seed 7 --only 0,2` runs one again, with these of its accidents.
//! - `sim --defects` puts each defect into the scripts, and says how many schedules find it. `--defect NAME`
//!   puts only this one in, also into the others.

use std::{
    env,
    fmt::Display,
    num::NonZero,
    process::{Command, ExitCode},
    str::FromStr,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use sim::{DEFECTS, Defect};

/// After so many schedules a defect is not found.
const MOST: u64 = 150;

fn main() -> ExitCode {
    let arguments = Arguments(env::args().skip(1).collect());
    let defect = arguments
        .setting("--defect")
        .map(|it| Defect::named(it).unwrap_or_else(|| panic!("there is no defect {it:?}")));
    let first = arguments.number("--first");
    if let Some(seed) = arguments.number("--seed") {
        let only = arguments.setting("--only").map(numbers);
        let outcome = sim::run(seed, only.as_deref(), defect);
        print!("{outcome}");
        return ExitCode::from(u8::from(!outcome.wrongs.is_empty()));
    }
    if arguments.has("--defects") {
        return find_defects(first.unwrap_or(1), defect);
    }
    let first = first.unwrap_or_else(|| rand::random_range(0..1 << 32));
    let budget = Duration::from_secs(arguments.number("--seconds").unwrap_or(20));
    search(first, budget, defect)
}

struct Arguments(Vec<String>);

impl Arguments {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|it| it == name)
    }

    fn setting(&self, name: &str) -> Option<&str> {
        let place = self.0.iter().position(|it| it == name)?;
        self.0.get(place + 1).map(String::as_str)
    }

    fn number<T: FromStr<Err: Display>>(&self, name: &str) -> Option<T> {
        let text = self.setting(name)?;
        Some(
            text.parse()
                .unwrap_or_else(|error| panic!("{name} {text}: {error}")),
        )
    }
}

/// Runs schedules from this seed on for a while.
fn search(first: u64, budget: Duration, defect: Option<&Defect>) -> ExitCode {
    let start = Instant::now();
    let (count, wrong) = first_wrong(first, |_| start.elapsed() < budget, defect);
    if let Some((place, text)) = wrong {
        let seed = first + place;
        let only = minimise(seed, &text, defect);
        let (_, text) = replay(seed, Some(&only), defect);
        println!("{text}replay: sim --seed {seed} --only {}", spell(&only));
        return ExitCode::FAILURE;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{count} schedules from seed {first}, {:.1} a second",
        count as f64 / seconds
    );
    ExitCode::SUCCESS
}

/// Runs schedules from this seed on until each defect is found, or this one.
fn find_defects(first: u64, only: Option<&Defect>) -> ExitCode {
    let mut are_found = true;
    let wanted = |it: &&Defect| only.is_none_or(|only| only.name == it.name);
    for defect in DEFECTS.iter().filter(wanted) {
        let (_, found) = first_wrong(first, |place| place < MOST, Some(defect));
        let (script, name) = (defect.script, defect.name);
        let found = found.map(|(place, text)| {
            // Without such a line, the schedule did not run to its end.
            let wrong = text.lines().find(|it| it.starts_with("WRONG "));
            (place + 1, wrong.map(str::to_owned).ok_or(text))
        });
        are_found &= matches!(found, Some((_, Ok(_))));
        match found {
            Some((count, Ok(wrong))) => println!("{count:5}  {script}: {name}: {wrong}"),
            Some((_, Err(text))) => println!("error  {script}: {name}: {text}"),
            None => println!("never  {script}: {name}"),
        }
    }
    ExitCode::from(u8::from(!are_found))
}

/// Runs schedules from this seed on, one for each processor at a time, as long as `goes_on` says so of the
/// next one. Returns how many it ran, and the place and the text of the first one that went wrong.
fn first_wrong(
    first: u64,
    goes_on: impl Fn(u64) -> bool + Sync,
    defect: Option<&Defect>,
) -> (u64, Option<(u64, String)>) {
    let (next, wrong) = (AtomicU64::new(0), Mutex::new(None::<(u64, String)>));
    let wrong_now = || wrong.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        while wrong_now().is_none() {
            let place = next.load(Ordering::Relaxed);
            if !goes_on(place) {
                break;
            }
            let place = next.fetch_add(1, Ordering::Relaxed);
            let (is_right, text) = replay(first + place, None, defect);
            let mut wrong = wrong_now();
            if !is_right && wrong.as_ref().is_none_or(|(it, _)| place < *it) {
                *wrong = Some((place, text));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(work);
        }
    });
    let wrong = wrong_now().take();
    (next.into_inner(), wrong)
}

/// Runs one schedule in a process of its own. Says whether all was right, and what it printed.
fn replay(seed: u64, only: Option<&[usize]>, defect: Option<&Defect>) -> (bool, String) {
    let program = env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.args(["--seed", &seed.to_string()]);
    if let Some(only) = only {
        command.args(["--only", &spell(only)]);
    }
    if let Some(defect) = defect {
        command.args(["--defect", defect.name]);
    }
    let output = command.output().expect("this program starts");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

/// The accidents without which the schedule does not fail.
fn minimise(seed: u64, text: &str, defect: Option<&Defect>) -> Vec<usize> {
    let accidents = text.lines().filter_map(|it| it.strip_prefix("accident "));
    let numbers = accidents.filter_map(|it| it.split(' ').next()?.parse().ok());
    let mut needed: Vec<usize> = numbers.collect();
    let mut place = 0;
    while place < needed.len() {
        let mut fewer = needed.clone();
        fewer.remove(place);
        if replay(seed, Some(&fewer), defect).0 {
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

fn numbers(text: &str) -> Vec<usize> {
    let numbers = text.split(',').filter(|it| !it.is_empty());
    numbers
        .map(|it| {
            it.parse()
                .unwrap_or_else(|error| panic!("--only {text}: {error}"))
        })
        .collect()
}
