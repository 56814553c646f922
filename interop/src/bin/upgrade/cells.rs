//! A scenario of two processes for each call, in both directions.

use std::{
    collections::{BTreeSet, HashMap},
    thread,
    time::{Duration, Instant},
};

use interop::caller::{Caller, Outcome};
use testbed::Server;

use crate::{Result, fleet::Programs, keyspace};

/// A scenario of `matrix.txt`.
struct Cell {
    title: &'static str,
    steps: Vec<Step>,
}

struct Step {
    /// True if the call is repeated until it gives the expected answer.
    until: bool,
    /// 0 or 1.
    process: usize,
    call: Vec<&'static str>,
    answer: Vec<&'static str>,
}

/// Runs all cells in both directions; prints each and fails if one does.
pub(crate) fn run(programs: &Programs) -> Result<()> {
    let cells = parse(include_str!("matrix.txt"));
    let server = Server::start();
    let start = |program, options: &[&str]| {
        let caller = Caller::start(program, &server.url(), options);
        caller.map_err(|error| error.to_string())
    };
    let old = start(&programs.old, &[])?;
    let new = start(&programs.new, &[])?;
    let short_ids = [
        start(&programs.old, &["ids=random"])?,
        start(&programs.new, &["ids=random"])?,
    ];
    let directions = [
        ("old-new", [&old, &new], &short_ids[0]),
        ("new-old", [&new, &old], &short_ids[1]),
    ];
    println!("| what one revision does and the other sees | old, then new | new, then old |");
    println!("|---|---|---|");
    let mut failures = Vec::new();
    for (number, cell) in cells.iter().enumerate() {
        print!("| {} |", cell.title);
        for (direction, pair, short_ids) in &directions {
            let pair = match cell.title.contains("8 bytes") {
                true => [*short_ids, pair[1]],
                false => *pair,
            };
            let outcome = match cell.is_known_to(pair) {
                true => cell.run(pair, &format!("cell-{number}-{direction}")),
                false if !cell.is_known_to([&new, &new]) => {
                    Err("this revision lacks a call".into())
                }
                false => Ok("unknown"),
            };
            print!(" {} |", outcome.as_ref().unwrap_or(&"FAILED"));
            let failure = outcome.err();
            failures.extend(failure.map(|it| format!("{}, {direction}: {it}", cell.title)));
        }
        println!();
    }
    if !failures.is_empty() {
        return Err(failures.join("\n"));
    }
    let unnamed = unnamed(&cells, &programs.new, &server)?;
    if !unnamed.is_empty() {
        return Err(format!("no cell has {}", unnamed.join(", ")));
    }
    keyspace::wait_until_explained(&server)
}

/// The calls of the new revision that no cell makes.
fn unnamed(cells: &[Cell], program: &std::path::Path, server: &Server) -> Result<Vec<String>> {
    let made: BTreeSet<&str> = cells.iter().flat_map(|it| it.calls()).collect();
    let caller = Caller::start(program, &server.url(), &[]).map_err(|error| error.to_string())?;
    let names = caller.names().iter();
    Ok(names
        .filter(|name| !made.contains(name.as_str()))
        .cloned()
        .collect())
}

fn parse(text: &'static str) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    for line in text.lines() {
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        match (line.strip_prefix("  "), cells.last_mut()) {
            (Some(step), Some(cell)) => cell.steps.push(Step::parse(step)),
            _ => cells.push(Cell {
                title: line,
                steps: Vec::new(),
            }),
        }
    }
    cells
}

impl Cell {
    fn calls(&self) -> impl Iterator<Item = &'static str> {
        self.steps.iter().map(|step| step.call[0])
    }

    fn is_known_to(&self, pair: [&Caller; 2]) -> bool {
        self.steps
            .iter()
            .all(|step| pair[step.process].knows(step.call[0]))
    }

    fn run(&self, pair: [&Caller; 2], queue: &str) -> Result<&'static str> {
        let other = format!("{queue}-other");
        let mut known = HashMap::from([("Q", queue.to_owned()), ("R", other)]);
        for step in &self.steps {
            step.run(pair[step.process], &mut known)?;
        }
        Ok("ok")
    }
}

impl Step {
    fn parse(line: &'static str) -> Self {
        let (until, line) = match line.strip_prefix("until ") {
            Some(line) => (true, line),
            None => (false, line),
        };
        let (call, answer) = line.split_once(" => ").unwrap_or((line, ""));
        let (process, call) = call.split_once(' ').expect("a step names a process");
        Self {
            until,
            process: usize::from(process == "2"),
            call: call.split(' ').collect(),
            answer: answer.split_whitespace().collect(),
        }
    }

    fn run(&self, caller: &Caller, known: &mut HashMap<&'static str, String>) -> Result<()> {
        let words: Vec<String> = self.call.iter().map(|it| spelled(it, known)).collect();
        let call = words.join(" ");
        let deadline = Instant::now() + PATIENCE;
        loop {
            let outcome = caller.call(&call);
            if let Outcome::Ok(tokens) = &outcome
                && self.fits(tokens, known)
            {
                return Ok(());
            }
            if !self.until || Instant::now() > deadline {
                let expected = self.answer.join(" ");
                return Err(format!("{call} answered {outcome}, not {expected:?}"));
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// True if the tokens are the expected ones. Remembers those that have a name.
    fn fits(&self, tokens: &[String], known: &mut HashMap<&'static str, String>) -> bool {
        if tokens.len() != self.answer.len() {
            return false;
        }
        tokens.iter().zip(&self.answer).all(|(token, expected)| {
            if *expected == "_" {
                return true;
            }
            if expected.starts_with('$') && !known.contains_key(expected) {
                known.insert(*expected, token.clone());
            }
            *token == spelled(expected, known)
        })
    }
}

/// Replaces a word of a step by the queue or the token that it stands for.
fn spelled(word: &str, known: &HashMap<&'static str, String>) -> String {
    let (name, rest) = match word.strip_suffix("/unlisted") {
        Some(name) => (name, "/unlisted"),
        None => (word, ""),
    };
    let spelled = known.get(name).map_or(name, String::as_str);
    format!("{spelled}{rest}")
}

/// Long, for a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(20);
