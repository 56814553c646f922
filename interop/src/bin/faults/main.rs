//! Faults of servers, networks and processes, and what each costs: elements, and time.
//!
//! `tests/faults.sh` runs this:
//!
//! ```text
//! faults [FAULT...|all|short|soak] [--seconds N] [--seed N] [--minutes N] [--margin MS]
//!        [--peer redisson] [--java yes] [--caller PATH]
//! ```
//!
//! For each fault, producers and consumers in processes of their own share one queue. The [`ledger`]
//! notes what was offered, acknowledged and delivered, and when the fault began and ended. At the
//! end it adds up, and a row says what became of the elements. `docs/reliability.md` says what each
//! column means, and what each fault may cost.

use std::process::ExitCode;

use arguments::Arguments;

mod arguments;
mod bed;
mod confirm;
mod faults;
mod figures;
mod fleet;
mod ledger;
mod load;
mod run;
mod stall;
mod table;
mod worker;

/// The error is a sentence that says what is wrong.
type Result<T, E = String> = std::result::Result<T, E>;

fn main() -> ExitCode {
    match Arguments::of_process().and_then(|it| run::all(&it)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("faults: {error}");
            ExitCode::FAILURE
        }
    }
}

const QUEUE: &str = "orders";
const NO_PANIC: &str = "nothing panics while this is locked";
