//! Whole schedules of the simulation.

use std::process::{Command, Output};

fn sim(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sim"));
    command.args(arguments).output().expect("it runs")
}

/// The trace is a hash of all that reached the server and when, with the random ids in it.
#[test]
fn a_seed_gives_the_same_trace_each_time() {
    for seed in ["1", "2", "3"] {
        let [first, second] = [sim(&["--seed", seed]), sim(&["--seed", seed])];
        assert!(first.status.success(), "{first:?}");
        assert_eq!(first, second);
    }
    assert_ne!(sim(&["--seed", "1"]).stdout, sim(&["--seed", "2"]).stdout);
}
