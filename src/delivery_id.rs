//! The id of a delivery.

use std::fmt;

use crate::wire::script::Origin;

/// Names a delivery: the same in all attempts at an element, and no other delivery has it.
///
/// A handler that is idempotent by this id does its work once: store the id with the work, and skip an
/// id that is stored. As text it has 52 lower-case hexadecimal digits.
///
/// An element gets its id when a consumer claims it first. So these have a new id: an element that was
/// put back from the [dead letters](crate::DeadLetters), and one whose first claim was lost in a failover
/// of Redis or with data that it had not saved.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct DeliveryId(Origin);

impl DeliveryId {
    pub(crate) fn new(origin: Origin) -> Self {
        Self(origin)
    }
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(Origin(bytes)) = self;
        bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeliveryId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_two_digits_for_each_byte() {
        let mut origin = [0; Origin::LEN];
        (origin[0], origin[25]) = (0xa5, 7);
        let text = DeliveryId::new(Origin(origin)).to_string();
        assert_eq!(text, format!("a5{}07", "00".repeat(24)));
    }
}
