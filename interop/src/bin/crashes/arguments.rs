//! What the command line says.

use crate::{Result, consumer::Orders, fault::Fault, step::Step};

/// What this process is.
pub(crate) enum Role {
    Supervisor(Arguments),
    Consumer(Orders),
}

pub(crate) struct Arguments {
    pub(crate) with_matrix: bool,
    pub(crate) with_fences: bool,
    pub(crate) plan: Plan,
}

/// How much is tried.
pub(crate) struct Plan {
    /// Each pair is a row of the matrix.
    pub(crate) cells: Vec<(Step, Fault)>,
    /// In each row of the matrix.
    pub(crate) elements: usize,
    /// How many processes outlive their lease in each row of the fences.
    pub(crate) late: usize,
    pub(crate) seed: u64,
}

impl Role {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self> {
        let words: Vec<String> = words.collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match &words[..] {
            ["consume", orders @ ..] => Orders::parse(orders).map(Self::Consumer),
            ["all", options @ ..] => Arguments::parse(true, true, Plan::full(), options),
            ["short", options @ ..] => Arguments::parse(true, true, Plan::short(), options),
            ["matrix", options @ ..] => Arguments::parse(true, false, Plan::full(), options),
            ["fences", options @ ..] => Arguments::parse(false, true, Plan::full(), options),
            options => Arguments::parse(true, true, Plan::full(), options),
        }
    }
}

impl Arguments {
    fn parse(with_matrix: bool, with_fences: bool, plan: Plan, options: &[&str]) -> Result<Role> {
        let mut plan = plan;
        for option in options.chunks(2) {
            let [name, value] = option else {
                return Err(USAGE.into());
            };
            let number = value.parse().map_err(|_| USAGE)?;
            match *name {
                "--elements" => plan.elements = number,
                "--late" => plan.late = number,
                "--seed" => plan.seed = number as u64,
                _ => return Err(USAGE.into()),
            }
        }
        Ok(Role::Supervisor(Self {
            with_matrix,
            with_fences,
            plan,
        }))
    }
}

impl Plan {
    fn full() -> Self {
        let faults = |step| Fault::ALL.map(|fault| (step, fault));
        Self {
            cells: Step::ALL.into_iter().flat_map(faults).collect(),
            elements: 1_000,
            late: 30,
            seed: rand::random_range(0..1_000_000),
        }
    }

    /// Those that tell most in little time.
    fn short() -> Self {
        Self {
            cells: vec![
                (Step::AfterClaim, Fault::Restart),
                (Step::AfterAckSent, Fault::Cut),
                (Step::DuringNack, Fault::Nothing),
            ],
            elements: 200,
            late: 3,
            ..Self::full()
        }
    }
}

const USAGE: &str = "usage: crashes [all|short|matrix|fences] [--elements N] [--late N] [--seed N]";
