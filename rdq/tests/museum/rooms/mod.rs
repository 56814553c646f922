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

/// A line for each room: its name, and what is found there.
pub(crate) fn lines() -> impl Iterator<Item = String> {
    let widest = all().map(|it| it.name.len()).max().unwrap_or(0);
    all().map(move |it| format!("{:widest$}  {}", it.name, it.finding))
}

/// The room of this name, or what to say instead.
pub(crate) fn named(name: &str) -> Result<&'static Room, String> {
    let room = all().find(|it| it.name == name);
    room.ok_or_else(|| format!("no room {name:?}: give a name of the first column"))
}
