//! Leaving a server.

/// How to leave a server that is not the master any more, or soon will not be.
#[cfg_attr(
    not(all(feature = "cluster", feature = "sentinel")),
    expect(dead_code, reason = "clusters and Sentinels leave in different ways")
)]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leave<'a> {
    /// With all that waits for its replies.
    Now,
    /// The same, unless this one is the server: then only with what waits on earlier connections.
    For(&'a str),
    /// Later calls connect again. What waits for a reply still gets it.
    Later,
}
