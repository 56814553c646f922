//! What this crate and real Redisson promise each other on clusters, with Sentinels and over TLS.
//!
//! A test is named for the version, the topology and what holds. `FAILOVERS=20` replaces the master
//! so often, instead of twice, and then runs two processes of Redisson for comparison.

mod elements;
mod failover;
mod ledger;
mod place;
mod reschedule;
mod stage;

use place::Place;
use stage::Stage;

/// Runs a scenario with a peer of each language. If `FAILOVERS` is set, two processes of Redisson
/// show then how they fare alone.
fn run(version: &'static str, place: fn() -> Place, scenario: fn(&mut Stage)) {
    scenario(&mut Stage::of_both(version, place()));
    if failover::asked_for().is_some() {
        scenario(&mut Stage::of_java(version, place()));
    }
}

fn elements(stage: &mut Stage) {
    elements::pass(stage);
    reschedule::wakes_java(stage);
}

fn elements_and_failovers(stage: &mut Stage) {
    elements(stage);
    failover::loses_nothing(stage);
}

/// The scenarios with one version of Redisson.
macro_rules! topologies {
    ($module:ident, $version:literal) => {
        mod $module {
            use crate::{elements, elements_and_failovers, place::Place, run};

            #[test]
            fn elements_pass_on_a_cluster_also_after_failovers() {
                run($version, Place::cluster, elements_and_failovers);
            }

            #[test]
            fn elements_pass_with_sentinels_also_after_failovers() {
                run($version, Place::sentinels, elements_and_failovers);
            }

            #[test]
            fn elements_pass_over_tls() {
                run($version, Place::tls, elements);
            }
        }
    };
}

topologies!(redisson_3_23_4, "3.23.4");
topologies!(redisson_4_7_0, "4.7.0");
