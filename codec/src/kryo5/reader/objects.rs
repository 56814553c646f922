use super::Reader;
use crate::java::{Constant, FieldTaker, FieldsSource, JavaValue, Mismatch, Source, Taker, skip};
use crate::kryo5::Result;
use crate::kryo5::classes::{Field, Shape};
use crate::kryo5::declared::{Bound, Declared};

impl<'a> Reader<'a> {
    pub(super) fn object(
        &mut self,
        place: usize,
        declared: Option<&'a Declared>,
        to: &mut Taker<'_>,
    ) -> Result<()> {
        let shape = self.classes.shape(place);
        let (groups, own) = (&shape.groups, shape.parameters);
        let before = self.bindings.push(groups, own, declared, self.classes);
        self.fields(shape, true, to)?;
        self.bindings = before;
        Ok(())
    }

    /// A record is written without regard to type arguments.
    pub(super) fn record(&mut self, place: usize, to: &mut Taker<'_>) -> Result<()> {
        self.fields(self.classes.shape(place), false, to)
    }

    fn fields(&mut self, shape: &'a Shape, has_arguments: bool, to: &mut Taker<'_>) -> Result<()> {
        let mut unread = Unread {
            reader: self,
            fields: shape.fields.iter(),
            shape,
            has_arguments,
        };
        to(Source::Object(&shape.name, &mut unread))?;
        // A type may have no use for them.
        unread.each(None, &mut |_, _, value| skip(value))
    }

    fn field(&mut self, field: &'a Field, has_arguments: bool, to: &mut Taker<'_>) -> Result<()> {
        let declared = &field.declared;
        let below = has_arguments.then_some(declared);
        match &field.declared.bound {
            Bound::Primitive(class) => self.leaf_to(class, to),
            Bound::Final(class) => self.value_or_null(class, below, to),
            Bound::Open | Bound::Variable { .. } => self.open_field(field, below, to),
        }
    }

    /// A field whose declared type does not tell the class.
    #[inline(never)]
    fn open_field(
        &mut self,
        field: &'a Field,
        below: Option<&'a Declared>,
        to: &mut Taker<'_>,
    ) -> Result<()> {
        if let Bound::Variable { .. } = field.declared.bound
            && let Some(class) = self.bindings.class(Some(&field.declared), self.classes)
        {
            return self.value_or_null(&class, below, to);
        }
        let start = self.input.offset();
        let Some(class) = self.class(field.fitting.get())? else {
            return to(Source::NULL);
        };
        if !self.classes.field_fits(field, &class) {
            let what = format!("expected {}, found {}", field.holds, class.name);
            return Err(Mismatch::at(start, what));
        }
        self.value(&class, below, to)
    }

    /// A constant of an enum, or null.
    pub(super) fn constant(&mut self, place: usize) -> Result<JavaValue> {
        let start = self.input.offset();
        let Some(ordinal) = self.input.length()? else {
            return Ok(JavaValue::Null);
        };
        let shape = self.classes.shape(place);
        let Some(constant) = shape.constants.get(ordinal) else {
            let what = format!("enum {} has no constant {ordinal}", shape.name);
            return Err(Mismatch::at(start, what));
        };
        Ok(JavaValue::Enum(Constant {
            class: shape.name.clone(),
            name: constant.name.clone(),
        }))
    }
}

/// The fields of an object.
struct Unread<'r, 'a> {
    reader: &'r mut Reader<'a>,
    shape: &'a Shape,
    fields: std::slice::Iter<'a, Field>,
    has_arguments: bool,
}

impl FieldsSource for Unread<'_, '_> {
    fn each(
        &mut self,
        names: Option<&'static [&'static str]>,
        to: &mut FieldTaker<'_>,
    ) -> Result<()> {
        let own = self.shape.fields.iter().map(|it| it.name.as_str());
        let places = names.map(|names| self.shape.places.among(names, own));
        for (number, field) in self.fields.by_ref().enumerate() {
            let place = match &places {
                Some(places) => places.get(number),
                None => Some(number),
            };
            let read = match place {
                Some(place) => self.reader.field(field, self.has_arguments, &mut |value| {
                    to(place, &field.name, value)
                }),
                None => (self.reader).field(field, self.has_arguments, &mut skip),
            };
            read.map_err(|fault| fault.within(field.name.as_str()))?;
        }
        Ok(())
    }
}
