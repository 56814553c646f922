//! What a command of the driver says.

use redis::{Arg, Cmd};

/// Its name and its arguments.
pub(crate) fn words(command: &Cmd) -> impl Iterator<Item = &[u8]> {
    command.args_iter().filter_map(|it| match it {
        Arg::Simple(word) => Some(word),
        _ => None,
    })
}

/// The bytes of all its words.
pub(crate) fn size_of(command: &Cmd) -> usize {
    words(command).map(<[u8]>::len).sum()
}
