//! Leaving a server.

/// How to leave a server that is not the master any more, or soon will not be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leave<'a> {
    /// Drops everything that waits for its replies.
    Now,
    /// The same, unless the connection leads to this server already: then drops only what waits on
    /// earlier connections.
    For(&'a str),
    /// Later calls connect again. Calls that wait for a reply still get it.
    Later,
}
