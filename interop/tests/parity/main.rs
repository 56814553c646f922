//! Every method that both this crate and real Redisson have, on the same data.
//!
//! Each row of a table is one call: Java makes it on one queue, Rust on another that holds the
//! same, and then the answers, the keys in Redis and the messages must be the same. Where they are
//! not, the row says why and what each side does, so that a change of either is noticed.

mod answer;
mod delayed;
mod keyspace;
mod list;
mod outcome;
mod row;
mod stage;
mod take;

/// All tables, with one version of Redisson.
macro_rules! parity {
    ($module:ident, $version:literal) => {
        mod $module {
            #[test]
            fn calls_on_what_is_not_yet_due_do_the_same_in_both_languages() {
                crate::stage::run($version, crate::delayed::rows());
            }

            #[test]
            fn calls_on_all_that_is_not_yet_due_do_the_same_in_both_languages() {
                crate::stage::run($version, crate::keyspace::rows());
            }

            #[test]
            fn calls_on_the_target_list_do_the_same_in_both_languages() {
                crate::stage::run($version, crate::list::rows());
            }

            #[test]
            fn calls_that_take_do_the_same_in_both_languages() {
                crate::stage::run($version, crate::take::rows());
            }
        }
    };
}

parity!(redisson_3_21_1, "3.21.1");
parity!(redisson_3_23_4, "3.23.4");
parity!(redisson_3_52_0, "3.52.0");
parity!(redisson_4_7_0, "4.7.0");
