//! The connection that listens.

/// The state of the connection on which the service listens to channels.
#[derive(Debug, Default)]
pub(super) enum Ear {
    /// No queue needs it yet.
    #[default]
    Unused,
    /// A connection is being made.
    Connecting {
        /// There was one before.
        was_lost: bool,
    },
    /// The connection of this number has the subscriptions.
    Listening(u64),
}
