//! How values are taken apart, for implementations of [`JavaObject`].

use crate::java::{JavaObject, JavaValue, Mismatch, Name, Object};

impl JavaValue {
    /// The object in it, which must be of this very class.
    ///
    /// # Errors
    ///
    /// - [`Mismatch`] if it is anything else.
    pub fn into_object(self, class: impl Into<Name>) -> Result<Object, Mismatch> {
        let class = class.into();
        match self {
            Self::Object(object) if object.class == class => Ok(object),
            other => Err(Mismatch::new(class, &other)),
        }
    }

    /// The name of the constant in it, which must be one of this enum.
    ///
    /// # Errors
    ///
    /// - [`Mismatch`] if it is anything else.
    pub fn into_constant(self, class: impl Into<Name>) -> Result<Name, Mismatch> {
        let class = class.into();
        match self {
            Self::Enum(constant) if constant.class == class => Ok(constant.name),
            other => Err(Mismatch::new(class, &other)),
        }
    }
}

impl Object {
    /// Takes the value of a field out and reads it.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::java::JavaValue;
    ///
    /// let money = JavaValue::object("com.example.Money", [("cents", JavaValue::Long(1999))]);
    /// let mut money = money.into_object("com.example.Money")?;
    /// assert_eq!(money.read::<i64>("cents")?, 1999);
    /// assert_eq!(money.read::<Option<String>>("currency")?, None);
    /// # Ok::<(), redisson_codec::java::Mismatch>(())
    /// ```
    ///
    /// # Errors
    ///
    /// - [`Mismatch`] if the value is not what `T` stands for; a field that the object does not
    ///   have is `null`.
    pub fn read<T: JavaObject>(&mut self, field: &'static str) -> Result<T, Mismatch> {
        T::from_java(self.take(field)).map_err(|error| error.within(field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_other_classes_are_refused() {
        let order = JavaValue::object("Order", [("id", JavaValue::from(3))]);
        let error = order.clone().into_object("Customer").unwrap_err();
        assert_eq!(error.to_string(), "expected Customer, found Order");
        assert!(order.into_constant("Order").is_err());
        let paid = JavaValue::constant("Status", "PAID");
        assert_eq!(paid.into_constant("Status").unwrap(), "PAID");
    }
}
