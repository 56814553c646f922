//! What this crate and real Redisson promise each other, version by version.
//!
//! A test is named for the version and for what holds with it, so `cargo test -p interop 4_7_0`
//! runs one version and `cargo test -p interop members` one scenario.

mod backlog;
mod consumers;
mod crash;
mod crowd;
mod dead_letters;
mod elements;
mod expiry;
mod hints;
mod malformed;
mod mapped;
mod members;
mod messages;
mod objects;
mod old_format;
mod orders;
mod periodic;
mod placed;
mod raw;
mod renamed;
mod reschedule;
mod sharded;
mod skew;
mod stage;
mod takers;
mod unlisted;
mod uuids;

/// The scenarios that hold with every version that writes the layout of this crate.
macro_rules! contract {
    ($module:ident, $version:literal) => {
        mod $module {
            use crate::stage::Roles;

            #[test]
            fn elements_pass_in_all_roles_codecs_and_names() {
                crate::elements::pass($version, &Roles::ALL);
            }

            #[test]
            fn elements_of_a_killed_producer_arrive_by_the_other_language() {
                crate::crash::producer_killed_before_due($version);
            }

            #[test]
            fn four_processes_that_transfer_at_once_neither_lose_nor_duplicate() {
                crate::crowd::conserves_with_all_transferring($version);
            }

            #[test]
            fn a_long_backlog_is_moved_by_both_languages_at_once() {
                crate::backlog::moved_by_both_at_once($version);
            }

            #[test]
            fn every_way_to_take_in_both_languages_at_once_neither_loses_nor_duplicates() {
                crate::takers::conserve($version);
            }

            #[test]
            fn consumers_that_acknowledge_share_a_queue_with_java() {
                crate::consumers::share($version);
            }

            #[test]
            fn dead_letters_that_java_takes_while_rust_puts_them_back_are_conserved() {
                crate::dead_letters::taken_while_they_go_back($version);
            }

            #[test]
            fn objects_of_java_classes_are_offered_found_and_taken_by_their_payloads() {
                crate::objects::are_shared($version);
            }

            #[test]
            fn orders_that_rust_holds_as_structs_pass_with_every_codec() {
                crate::orders::pass($version);
            }

            #[test]
            fn uuids_in_plain_json_are_texts() {
                crate::uuids::pass($version, false);
            }

            #[test]
            fn messages_wake_java_on_time_and_are_the_scores_of_heads() {
                crate::messages::wake_java($version);
            }

            #[test]
            fn elements_that_rust_reschedules_are_moved_by_java_on_time() {
                crate::reschedule::wakes_java($version);
            }

            #[test]
            fn elements_that_rust_puts_in_the_place_of_others_are_moved_by_java_on_time() {
                crate::placed::wake_java($version);
            }

            #[test]
            fn queues_that_rust_renames_copies_and_deletes_are_followed_by_java() {
                crate::renamed::followed_by_java($version);
            }

            #[test]
            fn queues_with_mapped_names_are_shared() {
                crate::mapped::shared($version);
            }

            #[test]
            fn hints_of_what_java_did_reach_rust_on_time() {
                crate::hints::of_java_reach_rust($version);
            }

            #[test]
            fn members_with_either_kind_of_id_are_transferred_by_java() {
                crate::members::transferred_by_java($version);
            }

            #[test]
            fn periodic_offers_are_fired_ahead_for_java_to_take() {
                crate::periodic::fired_ahead_for_java($version);
            }

            #[test]
            fn members_that_expire_are_transferred_by_java() {
                crate::expiry::delivered_by_java($version);
            }

            #[test]
            fn unlisted_members_are_moved_by_java_and_not_seen() {
                crate::unlisted::moved_and_not_seen_by_java($version);
            }

            #[test]
            fn unlisted_members_are_conserved_beside_the_listed_ones_of_java() {
                crate::unlisted::conserved_beside_listed_ones($version);
            }

            #[test]
            fn shards_are_the_queues_of_both_languages() {
                crate::sharded::shared($version);
            }

            #[test]
            fn malformed_members_are_gone_before_java_meets_them() {
                crate::malformed::quarantined_ahead_of_java($version);
            }
        }
    };
}

contract!(redisson_3_21_1, "3.21.1");
contract!(redisson_3_23_4, "3.23.4");
contract!(redisson_3_52_0, "3.52.0");
contract!(redisson_4_7_0, "4.7.0");

/// From 4.2.0 to 4.4.x, the codecs of JSON write a class that they wrote neither before nor after.
mod redisson_4_3_1 {
    #[test]
    fn orders_that_rust_holds_as_structs_pass_with_every_codec() {
        crate::orders::pass("4.3.1");
    }

    #[test]
    fn uuids_in_plain_json_have_their_class() {
        crate::uuids::pass("4.3.1", true);
    }
}

/// The last minor version of the old layout, `dLc0`.
mod redisson_3_20_1 {
    #[test]
    fn elements_pass_in_all_roles_that_it_can_have() {
        crate::old_format::elements_pass();
    }

    #[test]
    fn members_of_the_old_layout_are_changed_by_rust_and_moved_by_java() {
        crate::old_format::members_are_changed();
    }

    #[test]
    fn payloads_of_zeros_arrive_as_they_were_offered() {
        crate::old_format::zeros_arrive();
    }

    #[test]
    fn four_processes_on_mixed_members_neither_lose_nor_duplicate() {
        crate::old_format::crowd_conserves();
    }
}
