//! The order of the properties of a struct, worked out once.

use std::cell::RefCell;

use crate::java::compare;

thread_local! {
    /// The structs that the thread has written.
    static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// A struct, as far as it is written: properties that are left out make another one.
struct Known {
    names: Vec<&'static str>,
    /// The places of the names, the first in Java's order first. Empty if they are in order.
    order: Vec<u16>,
}

/// The most structs that a thread knows.
const MOST: usize = 64;

/// Calls `sort` with the places of `items` in the order of their names, unless they are in order.
///
/// Jackson sorts by `String.compareTo`, which looks at UTF-16 and not at code points.
pub(super) fn with<T>(items: &[T], name: impl Fn(&T) -> &'static str, sort: impl FnOnce(&[u16])) {
    KNOWN.with_borrow_mut(|known| {
        // The addresses of literals tell them apart; two with equal texts cost only a place.
        let is_same = |it: &Known| {
            let mut both = it.names.iter().zip(items);
            it.names.len() == items.len() && both.all(|(a, b)| std::ptr::eq(*a, name(b)))
        };
        let place = known.iter().position(is_same).unwrap_or_else(|| {
            if known.len() == MOST {
                known.clear();
            }
            let names: Vec<_> = items.iter().map(&name).collect();
            let mut order: Vec<u16> = (0..=u16::MAX).take(names.len()).collect();
            order.sort_by(|a, b| compare(names[usize::from(*a)], names[usize::from(*b)]));
            if order.is_sorted() {
                order.clear();
            }
            known.push(Known { names, order });
            known.len() - 1
        });
        if !known[place].order.is_empty() {
            sort(&known[place].order);
        }
    });
}
