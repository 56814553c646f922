use super::{Collection, JavaType, JavaValue, Map, Name};

impl JavaValue {
    /// Converts the value so that a field of type `declared` can hold it.
    ///
    /// - A list or an array becomes an array or a collection of the declared class. For an
    ///   interface it takes a usual class: a `LinkedHashSet` for `java.util.Set`, a `LinkedList`
    ///   for `java.util.Queue`, a `TreeSet` for `java.util.SortedSet`. Maps likewise.
    /// - An [`Instant`](super::Instant) becomes a `java.util.Date`, or a date of `java.sql`, cut to milliseconds.
    /// - An empty `EnumSet` or `EnumMap` gets the enum that the type names.
    /// - A text becomes a `java.net.URI`, `URL`, `java.util.Currency` or `StringBuilder`.
    /// - A value becomes the content of a `java.util.Optional`, and `null` an empty `Optional`.
    ///
    /// Converts elements, keys and values in the same way. Other values stay as they are.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::java::{JavaType, JavaValue};
    ///
    /// let declared: JavaType = "java.util.Map<java.lang.String, long[]>".parse()?;
    /// let counts = JavaValue::list([JavaValue::Long(1), JavaValue::Long(2)]);
    /// let JavaValue::Map(fitted) = JavaValue::map([("a".into(), counts)]).fit(&declared) else {
    ///     panic!("no map");
    /// };
    /// assert_eq!(fitted.entries[0].1.class_name(), "[J");
    /// # Ok::<(), redisson_codec::java::InvalidType>(())
    /// ```
    #[must_use]
    pub fn fit(self, declared: &JavaType) -> Self {
        Self::seen(|to| self.show(&mut |view| view.fit(declared, to)))
    }

    /// Gives a collection or a map this class. Other values stay as they are.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::java::JavaValue;
    ///
    /// let tags = JavaValue::list(["vip".into()]).held_by("java.util.LinkedList");
    /// assert_eq!(tags.class_name(), "java.util.LinkedList");
    /// ```
    #[must_use]
    pub fn held_by(mut self, class: impl Into<Name>) -> Self {
        if let Self::Collection(Collection { class: held, .. })
        | Self::Map(Map { class: held, .. }) = &mut self
        {
            *held = class.into();
        }
        self
    }
}

#[cfg(test)]
mod tests;
