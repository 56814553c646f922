//! Members that nobody can read.

use crate::screen::Screen;
use crate::screen::number::count_of;
use crate::screen::shell::{command_line, with_command};

/// Tells how many members of a queue a verb has left out, if there are any.
pub(crate) fn tell(screen: Screen, queue: &str, count: u64) {
    if count == 0 {
        return;
    }
    let count = count_of(
        count,
        "member is left out, because nobody can read it",
        "members are left out, because nobody can read them",
    );
    let doctor = command_line(&["doctor"], queue, &[]);
    screen.note(&with_command(
        &format!("{count}. This explains it:"),
        &doctor,
    ));
}
