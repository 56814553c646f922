//! Values that have been read, handed over level by level.

use super::{Contents, Each, FieldTaker, FieldsSource, Source, Taker};
use crate::java::{Array, JavaValue, Mismatch, Name, Object};

impl JavaValue {
    /// Hands the value over to `to`, level by level.
    pub fn hand<T>(self, to: impl FnOnce(Source<'_>) -> T) -> T {
        match self {
            Self::Array(Array { class, items }) => to(Source::Array(&class, &mut elements(items))),
            Self::Collection(it) => to(Source::Collection(
                &it.class,
                &it.comparator,
                &mut elements(it.items),
            )),
            Self::Map(it) => to(Source::Map(
                &it.class,
                &it.comparator,
                &mut pairs(it.entries),
            )),
            Self::Optional(content) => {
                let mut content = content.into_iter();
                to(Source::Optional(&mut Each {
                    len: content.len(),
                    read: |to: &mut Taker<'_>| content.try_for_each(|it| it.hand(&mut *to)),
                }))
            }
            Self::Object(Object { class, fields }) => {
                to(Source::Object(&class, &mut Fields(fields)))
            }
            value => to(Source::Value(value)),
        }
    }
}

fn elements(mut items: Vec<JavaValue>) -> impl Contents {
    Each {
        len: items.len(),
        read: move |to: &mut Taker<'_>| {
            let mut items = items.drain(..).enumerate();
            items.try_for_each(|(place, item)| {
                item.hand(&mut *to).map_err(|error| error.at_place(place))
            })
        },
    }
}

fn pairs(mut entries: Vec<(JavaValue, JavaValue)>) -> impl Contents {
    Each {
        len: entries.len(),
        read: move |to: &mut Taker<'_>| {
            let mut entries = entries.drain(..).enumerate();
            entries.try_for_each(|(place, (key, value))| {
                key.hand(&mut *to).map_err(|error| error.at_key(place))?;
                value.hand(&mut *to).map_err(|error| error.at_place(place))
            })
        },
    }
}

/// The fields of an object.
struct Fields(Vec<(Name, JavaValue)>);

impl FieldsSource for Fields {
    fn each(
        &mut self,
        names: Option<&'static [&'static str]>,
        to: &mut FieldTaker<'_>,
    ) -> Result<(), Mismatch> {
        let mut hand = |place, name: &Name, value: JavaValue| {
            value
                .hand(|value| to(place, name, value))
                .map_err(|error| error.within(name.to_string()))
        };
        let Some(names) = names else {
            let mut fields = self.0.drain(..).enumerate();
            return fields.try_for_each(|(place, (name, value))| hand(place, &name, value));
        };
        for (place, wanted) in names.iter().enumerate() {
            let Some(found) = self.0.iter().position(|(name, _)| name == wanted) else {
                continue;
            };
            // If two fields share a name, a search for it now finds the other one.
            let taken = (Name::new(""), JavaValue::Null);
            let (name, value) = std::mem::replace(&mut self.0[found], taken);
            hand(place, &name, value)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A class can hide a field of its super class, and each keeps its own value.
    #[test]
    fn of_two_fields_with_one_name_the_first_is_that_of_the_sub_class() {
        let fields = [("amount", 3), ("amount", 1), ("zone", 2)];
        let object = JavaValue::object("Shadow", fields.map(|(name, it)| (name, it.into())));
        let mut taken = Vec::new();
        let taken = object.hand(|object| {
            object.into_object("Shadow")?.each(
                Some(&["zone", "amount", "none", "amount"]),
                &mut |place, name, value| {
                    taken.push((place, name.to_string(), value.into_value()?));
                    Ok(())
                },
            )?;
            Ok::<_, Mismatch>(taken)
        });
        let expected = [(0, "zone", 2), (1, "amount", 3), (3, "amount", 1)];
        let expected = expected.map(|(place, name, it)| (place, name.to_owned(), it.into()));
        assert_eq!(taken.unwrap(), expected);
    }
}
