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

    /// The same object with the fields of `base`, an object of its super class, behind its own.
    ///
    /// Changes nothing unless both are objects.
    #[must_use]
    pub fn extending(mut self, base: JavaValue) -> Self {
        if let (Self::Object(object), Self::Object(base)) = (&mut self, base) {
            object.fields.extend(base.fields);
        }
        self
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

    /// Takes out all fields but the `own` ones of its class, as an object of the super `class`.
    ///
    /// Of two fields with one name the second is taken out: it is that of the super class.
    #[must_use]
    pub fn base(&mut self, class: impl Into<Name>, own: &[&str]) -> JavaValue {
        let mut own = own.to_vec();
        let (kept, taken) = std::mem::take(&mut self.fields)
            .into_iter()
            .partition(|(name, _)| match own.iter().position(|it| name == it) {
                Some(place) => {
                    own.swap_remove(place);
                    true
                }
                None => false,
            });
        self.fields = kept;
        JavaValue::Object(Object {
            class: class.into(),
            fields: taken,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class can hide a field of its super class, and each keeps its own value.
    #[test]
    fn hidden_fields_go_to_the_super_class() {
        let base = JavaValue::object("Payment", [("amount", 1.into()), ("zone", 2.into())]);
        let shadow = JavaValue::object("Shadow", [("amount", JavaValue::from(3))]);
        let mut whole = shadow
            .extending(base.clone())
            .into_object("Shadow")
            .unwrap();

        assert_eq!(whole.fields.len(), 3);
        assert_eq!(whole.base("Payment", &["amount"]), base);
        assert_eq!(whole.read::<i32>("amount").unwrap(), 3);
        assert!(whole.read::<i32>("zone").is_err());
    }

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
