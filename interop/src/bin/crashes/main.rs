//! What crashes of consumers cost: processes killed at each step of an element, together with faults
//! of Redis, and processes that stand still for longer than their leases.
//!
//! `tests/crashes.sh` runs this:
//!
//! ```text
//! crashes [all|short|matrix|fences] [--elements N] [--late N] [--seed N]
//! ```
//!
//! Consumers are processes of their own, which this program starts as `crashes consume`; see
//! [`consumer`]. Each says what it does in lines on its stdout, and they reach the [`ledger`] also if
//! the process is killed right after. `docs/crashes.md` says what each crash may cost, and
//! describes the tables.

use std::{env, process::ExitCode};

use arguments::{Arguments, Role};

mod arguments;
mod bed;
mod consumer;
mod fault;
mod fences;
mod fuse;
mod ledger;
mod matrix;
mod process;
mod step;
mod store;

/// The error is a sentence that says what is wrong.
type Result<T, E = String> = std::result::Result<T, E>;

fn main() -> ExitCode {
    match Role::parse(env::args().skip(1)).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("crashes: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(role: Role) -> Result<()> {
    let Arguments {
        with_matrix,
        with_fences,
        ref plan,
    } = match role {
        Role::Consumer(orders) => return consumer::run(orders),
        Role::Supervisor(arguments) => arguments,
    };
    println!("seed {}", plan.seed);
    let matrix = with_matrix.then(|| matrix::run(plan));
    let fences = with_fences.then(|| fences::run(plan));
    matrix.into_iter().chain(fences).collect()
}

const QUEUE: &str = "orders";
const NO_PANIC: &str = "nothing panics while this is locked";
