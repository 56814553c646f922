//! Whole schedules of the simulation.

use std::process::{Command, Output};

/// Schedules that once failed, or that show one accident each: the seed, and the accidents by number.
const SEEDS: &[(&str, &str)] = &[("1002", "0,2"), ("1", ""), ("1", "0,1,2,3,4")];

fn sim(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    command.args(arguments).output().expect("it runs")
}

/// The trace is a hash of all that reached the server and when, with the random ids in it.
#[test]
fn a_seed_gives_the_same_trace_each_time() {
    for seed in ["1", "2", "3"] {
        let [first, second] = [sim(&["--seed", seed]), sim(&["--seed", seed])];
        assert_eq!(first, second);
    }
    assert_ne!(sim(&["--seed", "1"]).stdout, sim(&["--seed", "2"]).stdout);
}

#[test]
fn schedules_that_once_failed_are_right() {
    for (seed, only) in SEEDS {
        let output = sim(&["--seed", seed, "--only", only]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "sim --seed {seed} --only {only}\n{text}"
        );
    }
}
