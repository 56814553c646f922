//! Redisson 3.20.1, which writes and reads `dLc0` members, beside this crate, which reads both
//! layouts and writes `Bc0Lc0`.
//!
//! It must not transfer where Rust offers. Its script unpacks every due member as `dLc0`, so of
//! ours it takes the id for a number and finds the length of the payload 9 bytes early, in the
//! middle of the id: the script fails, at the same place each time, and nothing that is due moves
//! any more. It can offer and take wherever Rust transfers.

use interop::peer::Peer;

use crate::{
    crowd, elements, looks,
    stage::{Language, Roles},
};

/// All roles but those in which it would transfer what Rust offered.
pub(crate) fn elements_pass() {
    let possible =
        |roles: &Roles| roles.producer == Language::Java || roles.mover == Language::Rust;
    let roles: Vec<Roles> = Roles::ALL.into_iter().filter(possible).collect();
    elements::pass(VERSION, &roles);
}

/// Both layouts in one queue. The Java processes offer and take, the Rust ones transfer as well.
pub(crate) fn crowd_conserves() {
    crowd::conserves(VERSION, Peer::open_offering);
}

/// Only Java offers, because it cannot read the members of Rust.
pub(crate) fn looks_agree() {
    looks::agree_when_offered_by(VERSION, [Language::Java, Language::Java]);
}

const VERSION: &str = "3.20.1";
