use crate::kryo5::classes::Class;
use crate::kryo5::declared::{Bindings, Declared};

/// The objects that a payload with references has held so far.
///
/// Only where they stand is kept: one that is met again is read again.
#[derive(Debug)]
pub(super) struct References<'a> {
    objects: Vec<Met<'a>>,
    /// How many objects are being read again, one inside the other.
    again: usize,
    /// How many bytes may still be read again. Each object could hold the last one twice.
    budget: usize,
}

#[derive(Debug)]
struct Met<'a> {
    class: Class,
    declared: Option<&'a Declared>,
    bindings: Bindings,
    start: usize,
    /// `None` while it is being read.
    end: Option<usize>,
}

/// How to read an object again.
pub(super) struct Meeting<'a> {
    pub(super) class: Class,
    pub(super) declared: Option<&'a Declared>,
    pub(super) bindings: Bindings,
    pub(super) start: usize,
}

impl<'a> References<'a> {
    pub(super) fn new(payload: usize) -> Self {
        Self {
            objects: Vec::new(),
            again: 0,
            budget: payload.saturating_mul(8).saturating_add(64 * 1024),
        }
    }

    /// Gives the next object its number, unless it has one.
    pub(super) fn begin(
        &mut self,
        class: &Class,
        declared: Option<&'a Declared>,
        start: usize,
        bindings: &Bindings,
    ) -> Option<usize> {
        if self.again > 0 {
            return None;
        }
        self.objects.push(Met {
            class: class.clone(),
            declared,
            bindings: bindings.clone(),
            start,
            end: None,
        });
        Some(self.objects.len() - 1)
    }

    pub(super) fn end(&mut self, number: Option<usize>, end: usize) {
        if let Some(object) = number.and_then(|it| self.objects.get_mut(it)) {
            object.end = Some(end);
        }
    }

    /// Says how to read an object again; [`References::leave`] must follow.
    pub(super) fn meet(&mut self, number: usize) -> Result<Meeting<'a>, String> {
        let Some(object) = self.objects.get(number) else {
            return Err(format!("no object has the number {number}"));
        };
        let Some(end) = object.end else {
            return Err(format!("object {number} holds itself"));
        };
        let length = end - object.start;
        let meeting = Meeting {
            class: object.class.clone(),
            declared: object.declared,
            bindings: object.bindings.clone(),
            start: object.start,
        };
        // Objects of no bytes count too, or there could be any number of them.
        self.charge(length + 1)?;
        self.again += 1;
        Ok(meeting)
    }

    /// Counts what an object has beside its bytes.
    pub(super) fn charge(&mut self, size: usize) -> Result<(), String> {
        let left = self.budget.checked_sub(size);
        self.budget = left.ok_or("shared objects make the value too large")?;
        Ok(())
    }

    pub(super) fn leave(&mut self) {
        self.again -= 1;
    }

    pub(super) fn is_reading_again(&self) -> bool {
        self.again > 0
    }
}
