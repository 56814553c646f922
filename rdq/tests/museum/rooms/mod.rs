//! All rooms.

mod keys;
mod members;
mod movers;
mod servers;
mod users;

use crate::room::Room;

/// All rooms, in the order of `rdq doctor --checks` by their topics.
pub(crate) fn all() -> impl Iterator<Item = &'static Room> {
    let wings: [&'static [Room]; 5] = [
        &servers::ROOMS,
        &users::ROOMS,
        &keys::ROOMS,
        &movers::ROOMS,
        &members::ROOMS,
    ];
    wings.into_iter().flatten()
}
