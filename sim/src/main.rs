//! Runs schedules.
//!
//! - `sim` runs schedules of new seeds, or from `--first SEED` on, until one goes wrong, or for
//!   `--seconds 120`, or `--schedules 600`. It shows which scripts met with which accidents.
//! - `sim --seed 7 --only 0,2` runs one again, with these of its accidents.
//! - `sim --defects` puts each defect into the scripts, and says how many schedules find it.
//!   `--defect NAME` puts only this one in, also without `--defects`.
//! - `--branches` also shows which branches of the scripts no schedule ran.

use std::{
    collections::BTreeSet,
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

/// It gives up on a defect after so many schedules.
const MOST: u64 = 3_000;

fn main() -> ExitCode {
    let arguments = Arguments(env::args().skip(1).collect());
    let defect = arguments
        .setting("--defect")
        .map(|it| Defect::named(it).unwrap_or_else(|| panic!("there is no defect {it:?}")));
    let first = arguments.number("--first");
    if let Some(seed) = arguments.number("--seed") {
        let only = arguments.setting("--only").map(numbers);
        let watches = arguments.has("--branches");
        let outcome = sim::run(seed, only.as_deref(), defect, watches);
        print!("{outcome}");
        return ExitCode::from(u8::from(!outcome.wrongs.is_empty()));
    }
    if arguments.has("--defects") {
        return find_defects(first.unwrap_or(1), defect);
    }
    let first = first.unwrap_or_else(|| rand::random_range(0..1 << 32));
    let most = arguments.number("--schedules").unwrap_or(u64::MAX);
    let seconds = arguments.number("--seconds");
    let budget = seconds.map_or(Duration::MAX, Duration::from_secs);
    search(first, most, budget, defect, arguments.has("--branches"))
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

/// Runs so many schedules from this seed on, or for so long.
fn search(
    first: u64,
    most: u64,
    budget: Duration,
    defect: Option<&Defect>,
    watches: bool,
) -> ExitCode {
    let start = Instant::now();
    let notes = Mutex::new(BTreeSet::new());
    let goes_on = |place| place < most && start.elapsed() < budget;
    let (count, wrong) = first_wrong(first, goes_on, defect, watches, |text| {
        let lines = text.lines();
        let lines = lines.filter(|it| it.starts_with("met ") || it.starts_with("branch "));
        let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.extend(lines.map(str::to_owned));
    });
    if let Some((place, text)) = wrong {
        let seed = first + place;
        let only = minimise(seed, &text, defect);
        let (_, text) = replay(seed, Some(&only), defect, false);
        println!("{text}replay: sim --seed {seed} --only {}", spell(&only));
        return ExitCode::FAILURE;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{count} schedules from seed {first}, {:.1} a second",
        count as f64 / seconds
    );
    let notes = notes.into_inner().unwrap_or_else(PoisonError::into_inner);
    show(&notes);
    show_branches(&notes);
    ExitCode::SUCCESS
}

/// Prints which script has run shortly after which accident: a row for each script, a column for each kind.
fn show(notes: &BTreeSet<String>) {
    let met: BTreeSet<&str> = (notes.iter())
        .filter_map(|it| it.strip_prefix("met "))
        .collect();
    let pairs = || met.iter().filter_map(|it| it.split_once(' '));
    let scripts: BTreeSet<&str> = pairs().map(|it| it.0).collect();
    let kinds: BTreeSet<&str> = pairs().map(|it| it.1).collect();
    let kinds_text = kinds.iter().copied().collect::<Vec<_>>().join(" ");
    println!("{:24}{kinds_text}", "");
    for script in scripts {
        print!("{script:24}");
        for kind in &kinds {
            let mark = match met.contains(&*format!("{script} {kind}")) {
                true => "x",
                false => "-",
            };
            print!("{mark:width$}", width = kind.len() + 1);
        }
        println!();
    }
}

/// Prints how many branches the scripts have, and those that no schedule ran.
fn show_branches(notes: &BTreeSet<String>) {
    let marked = |mark| notes.iter().filter_map(move |it| it.strip_prefix(mark));
    let ran: BTreeSet<&str> = marked("branch x ").collect();
    let others = marked("branch - ").filter(|it| !ran.contains(it));
    let others: Vec<&str> = others.collect();
    if !ran.is_empty() {
        let all = ran.len() + others.len();
        println!("{} of {all} branches ran, and not", ran.len());
        others.iter().for_each(|it| println!("{it}"));
    }
}

/// Runs schedules from this seed on until it finds each defect, or only this one.
fn find_defects(first: u64, only: Option<&Defect>) -> ExitCode {
    let mut are_found = true;
    let wanted = |it: &&Defect| only.is_none_or(|only| only.name == it.name);
    for defect in DEFECTS.iter().filter(wanted) {
        let (_, found) = first_wrong(first, |place| place < MOST, Some(defect), false, |_| {});
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
/// next one. Hands over what each prints. Returns how many it ran, and the place and the text of the first one that went wrong.
fn first_wrong(
    first: u64,
    goes_on: impl Fn(u64) -> bool + Sync,
    defect: Option<&Defect>,
    watches: bool,
    note: impl Fn(&str) + Sync,
) -> (u64, Option<(u64, String)>) {
    let (next, count) = (AtomicU64::new(0), AtomicU64::new(0));
    let wrong = Mutex::new(None::<(u64, String)>);
    let wrong_now = || wrong.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        while wrong_now().is_none() {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if !goes_on(place) {
                break;
            }
            let (is_right, text) = replay(first + place, None, defect, watches);
            note(&text);
            count.fetch_add(1, Ordering::Relaxed);
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
    (count.into_inner(), wrong)
}

/// Runs one schedule in a process of its own. Says whether all was right, and what it printed.
fn replay(
    seed: u64,
    only: Option<&[usize]>,
    defect: Option<&Defect>,
    watches: bool,
) -> (bool, String) {
    let program = env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.args(["--seed", &seed.to_string()]);
    if let Some(only) = only {
        command.args(["--only", &spell(only)]);
    }
    if let Some(defect) = defect {
        command.args(["--defect", defect.name]);
    }
    if watches {
        command.arg("--branches");
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
        if replay(seed, Some(&fewer), defect, false).0 {
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
