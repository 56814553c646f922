//! Classes as Java's serialization describes them.

use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use smallvec::SmallVec;

use super::class::{Kind, WriteObject};
use super::stream::tag;
use super::{Class, Fields, Found, JavaType, Name, Places, Schema, Surplus, View, compare, jdk};
use crate::hash::HashMap;

mod table;

/// Classes that were described before. They are no part of a schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known(Arc<RwLock<HashMap<Name, Arc<Descriptor>>>>);

impl Eq for Known {}

impl PartialEq for Known {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What serialization sends about a class before the first object of it.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "marshalling"),
    expect(
        dead_code,
        reason = "only `MarshallingCodec` asks for an order by names, and for records"
    )
)]
pub(crate) struct Descriptor {
    pub(crate) name: Name,
    pub(crate) uid: i64,
    pub(crate) flags: u8,
    /// Primitive types first, then by name.
    pub(crate) fields: Vec<DescribedField>,
    /// The places of `fields` in the order of their names alone.
    pub(crate) by_name: Vec<usize>,
    pub(crate) super_class: Option<Arc<Self>>,
    pub(crate) is_record: bool,
    pub(crate) is_abstract: bool,
    /// The fields of the class, and behind them those of the classes that it extends.
    all_fields: Vec<Name>,
    places: Places,
}

#[derive(Debug)]
pub(crate) struct DescribedField {
    pub(crate) name: Name,
    /// As in class files: `I`, `[B`, `Ljava/lang/String;`.
    pub(crate) signature: Name,
    pub(crate) declared: JavaType,
    /// The one class of values, if it is checked, and whether null is refused.
    only: Option<(Name, bool)>,
}

impl DescribedField {
    /// True if a field of this type can hold the value. Only primitive types and the final classes
    /// of `java.lang` are checked.
    pub(crate) fn takes(&self, value: &View<'_>) -> bool {
        match &self.only {
            None => true,
            Some((_, false)) if value.is_null() => true,
            Some((class, _)) => value.class_name() == *class,
        }
    }
}

/// The class that values of a declared type must have, if it is checked.
fn only(declared: &JavaType) -> Option<(Name, bool)> {
    if declared.is_primitive() {
        return Some((declared.clone().boxed().name().clone(), true));
    }
    let name = declared.name();
    let is_known = name.starts_with("java.lang.") && jdk::is_final(name);
    is_known.then(|| (name.clone(), false))
}

/// A value cannot be written.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{class}: {reason}")]
pub(crate) struct Unwritable {
    pub(crate) class: Name,
    pub(crate) reason: &'static str,
}

impl Unwritable {
    pub(crate) fn of(value: &View<'_>, reason: &'static str) -> Self {
        Self {
            class: value.class_name(),
            reason,
        }
    }
}

/// A class of the JDK, and what its `ObjectStreamClass` holds.
struct Jdk {
    name: &'static str,
    uid: u64,
    flags: u8,
    /// Signature and name.
    fields: &'static [(&'static str, &'static str)],
    super_class: Option<&'static str>,
}

impl Descriptor {
    pub(crate) const WRITES_DATA: u8 = tag::WRITES_DATA;
    pub(crate) const SERIALIZABLE: u8 = tag::SERIALIZABLE;
    pub(crate) const EXTERNALIZABLE: u8 = tag::EXTERNALIZABLE;
    pub(crate) const ENUM: u8 = 0x10;

    /// True if an end mark follows what an object sends for this class.
    pub(crate) fn is_ended(&self) -> bool {
        self.flags & (Self::WRITES_DATA | Self::EXTERNALIZABLE) != 0
    }

    /// A class of objects.
    pub(crate) fn new(
        name: Name,
        uid: i64,
        flags: u8,
        fields: Vec<DescribedField>,
        super_class: Option<Arc<Self>>,
    ) -> Self {
        let mut by_name: Vec<usize> = (0..fields.len()).collect();
        by_name.sort_by(|a, b| compare(&fields[*a].name, &fields[*b].name));
        let own = fields.iter().map(|it| it.name.clone());
        let inherited = super_class
            .iter()
            .flat_map(|it| it.all_fields.iter().cloned());
        Self {
            name,
            uid,
            flags,
            all_fields: own.chain(inherited).collect(),
            fields,
            by_name,
            super_class,
            is_record: false,
            is_abstract: false,
            places: Places::default(),
        }
    }

    /// The class itself, the class that it extends, and so on.
    pub(crate) fn lineage(&self) -> impl DoubleEndedIterator<Item = &Self> {
        let lineage = std::iter::successors(Some(self), |it| it.super_class.as_deref());
        lineage.collect::<SmallVec<[&Self; 4]>>().into_iter()
    }

    /// The names of the fields of the class, and behind them those of the classes that it extends.
    pub(crate) fn all_fields(&self) -> &[Name] {
        &self.all_fields
    }

    /// Where an object of this class has [`all_fields`](Self::all_fields).
    pub(crate) fn places(&self, object: &dyn Fields) -> Result<Found<'_>, Surplus> {
        self.places
            .of(object, self.all_fields.iter().map(Name::as_str))
    }

    /// What is known of a class that is no array.
    ///
    /// # Errors
    ///
    /// - [`Unwritable`] if neither the JDK's table nor `schema` has it, or if it has no
    ///   `serialVersionUID`.
    pub(crate) fn of(class: &Name, schema: &Schema) -> Result<Arc<Self>, Unwritable> {
        if let Some(known) = JDK.get(class.as_str()) {
            return Ok(Arc::clone(known));
        }
        let known = &schema.descriptors.0;
        let found = known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = found.get(class) {
            return Ok(Arc::clone(found));
        }
        drop(found);
        let made = Arc::new(Self::make(class, schema)?);
        // Only classes of the schema and enums of the JDK come here, so it does not grow for ever.
        let mut known = known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(class.clone(), Arc::clone(&made));
        Ok(made)
    }

    fn make(class: &Name, schema: &Schema) -> Result<Self, Unwritable> {
        let unwritable = |reason| Unwritable {
            class: class.clone(),
            reason,
        };
        if jdk::enums().get(class).is_some() {
            return Ok(Self::of_enum(class.clone()));
        }
        let Some(described) = schema.get(class) else {
            return Err(unwritable("no class of this name can be written"));
        };
        match described.serialized {
            WriteObject::Fields => {}
            WriteObject::More => {
                return Err(unwritable("it is only read: it has more than fields"));
            }
            WriteObject::Own => return Err(unwritable("only its own code can write it")),
        }
        let uid = match (&described.kind, described.serial_version_uid) {
            (Kind::Enum { .. }, _) => return Ok(Self::of_enum(described.name.clone())),
            (_, Some(uid)) => uid,
            // All versions of a record are compatible.
            (Kind::Record, None) => 0,
            (Kind::Object, None) => return Err(unwritable("the schema has no uid for it")),
        };
        let super_class = described.super_class.as_ref().map(JavaType::name);
        let super_class = super_class.filter(|it| **it != "java.lang.Object");
        let super_class = super_class.map(|it| Self::of(it, schema)).transpose()?;
        let name = described.name.clone();
        Ok(Self {
            is_record: described.kind == Kind::Record,
            is_abstract: described.is_abstract,
            ..Self::new(
                name,
                uid,
                Self::SERIALIZABLE,
                fields(described),
                super_class,
            )
        })
    }

    fn of_jdk(known: &Jdk) -> Self {
        let fields = known.fields.iter().map(|(signature, name)| DescribedField {
            name: Name::new(name),
            signature: Name::new(signature),
            declared: JavaType::object(),
            only: None,
        });
        let super_class = known.super_class.and_then(|name| {
            let place = table::JDK.binary_search_by_key(&name, |it| it.name);
            Some(Arc::new(Self::of_jdk(&table::JDK[place.ok()?])))
        });
        let uid = known.uid.cast_signed();
        Self::new(
            Name::new(known.name),
            uid,
            known.flags,
            fields.collect(),
            super_class,
        )
    }

    pub(crate) fn of_enum(name: Name) -> Self {
        let flags = Self::SERIALIZABLE | Self::ENUM;
        Self::new(
            name,
            0,
            flags,
            Vec::new(),
            JDK.get("java.lang.Enum").cloned(),
        )
    }
}

static JDK: LazyLock<HashMap<&str, Arc<Descriptor>>> = LazyLock::new(|| {
    let all = table::JDK.iter();
    all.map(|it| (it.name, Arc::new(Descriptor::of_jdk(it))))
        .collect()
});

fn fields(class: &Class) -> Vec<DescribedField> {
    let mut fields: Vec<DescribedField> = class
        .fields
        .iter()
        .map(|field| {
            // A type variable is what it extends to the virtual machine.
            let erased = |name: &str| {
                let is_variable = class.parameters.iter().any(|it| it == name);
                is_variable.then(|| class.bound_of(name))
            };
            let declared = field.declared.bind(&erased);
            DescribedField {
                name: field.name.clone(),
                signature: signature(&declared),
                only: only(&declared),
                declared,
            }
        })
        .collect();
    fields.sort_by(|a, b| {
        let objects_last = |it: &DescribedField| !it.declared.is_primitive();
        let by_name = compare(&a.name, &b.name);
        objects_last(a).cmp(&objects_last(b)).then(by_name)
    });
    fields
}

/// The type as in class files.
fn signature(declared: &JavaType) -> Name {
    let array = declared.array();
    // The name of an array of the type, without its bracket: `[J`, `[Ljava.lang.String;`.
    array.name()[1..].replace('.', "/").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_the_jdk_are_in_order_for_the_search() {
        assert!(table::JDK.is_sorted_by_key(|it| it.name));
        let list = Descriptor::of(&"java.util.ArrayList".into(), &Schema::new()).unwrap();
        assert_eq!(list.uid.cast_unsigned(), 0x7881_d21d_99c7_619d);
        assert!(Descriptor::of(&"java.time.Month".into(), &Schema::new()).is_ok());
    }

    #[test]
    fn fields_are_ordered_as_java_orders_them() {
        let schema = Schema::from_json(
            r#"{"Box": {"uid": -7, "extends": "java.lang.Object", "parameters": ["T"], "fields": {
                "zone": "int", "value": "T", "all": "java.util.List<T>", "array": "long[][]",
                "names": "java.lang.String[]", "count": "long", "Z": "boolean"}}}"#,
        );
        let descriptor = Descriptor::of(&"Box".into(), &schema.unwrap()).unwrap();
        let shown: Vec<_> = descriptor
            .fields
            .iter()
            .map(|it| format!("{} {}", it.signature, it.name))
            .collect();
        assert_eq!(
            shown,
            [
                "Z Z",
                "J count",
                "I zone",
                "Ljava/util/List; all",
                "[[J array",
                "[Ljava/lang/String; names",
                "Ljava/lang/Object; value",
            ]
        );
        assert_eq!(descriptor.uid, -7);
        assert!(descriptor.super_class.is_none());
    }

    #[test]
    fn classes_without_a_uid_are_refused() {
        let schema = r#"{"A": {}, "R": {"record": {}}, "E": {"enum": []}}"#;
        let schema = Schema::from_json(schema).unwrap();
        assert_eq!(
            Descriptor::of(&"A".into(), &schema)
                .unwrap_err()
                .to_string(),
            "A: the schema has no uid for it"
        );
        assert_eq!(
            Descriptor::of(&"B".into(), &schema)
                .unwrap_err()
                .to_string(),
            "B: no class of this name can be written"
        );
        assert_eq!(Descriptor::of(&"R".into(), &schema).unwrap().uid, 0);
        assert_eq!(Descriptor::of(&"E".into(), &schema).unwrap().flags, 0x12);
    }
}
