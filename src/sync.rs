//! Locks that outlive a panic in one of their holders.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, whether or not a holder panicked: no holder in this crate leaves its state half
/// changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
