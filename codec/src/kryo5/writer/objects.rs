use super::Writer;
use super::class_of::is_plain;
use crate::java::{Fields, Mismatch, Name, Surplus, View};
use crate::kryo5::Result;
use crate::kryo5::classes::{Class, Field};
use crate::kryo5::declared::{Bound, Declared};
use crate::kryo5::form::Form;

impl<'a> Writer<'a> {
    pub(super) fn object(
        &mut self,
        object: &dyn Fields,
        class: &Class,
        declared: Option<&'a Declared>,
    ) -> Result<()> {
        match class.form {
            Form::Object(place) => {
                let shape = self.classes.shape(place);
                let (groups, own) = (&shape.groups, shape.parameters);
                let before = self.bindings.push(groups, own, declared, self.classes);
                self.fields(object, place, true)?;
                self.bindings = before;
                Ok(())
            }
            Form::Record(place) => self.fields(object, place, false),
            _ => self.object_of_jdk(object, class),
        }
    }

    fn fields(&mut self, object: &dyn Fields, place: usize, has_arguments: bool) -> Result<()> {
        let classes = self.classes;
        let shape = classes.shape(place);
        let places = shape
            .places
            .of(object, shape.fields.iter().map(|it| &*it.name));
        let places = places.map_err(|Surplus(name)| {
            let what = format!("class {} has no such field", shape.name);
            Mismatch::because(what).within(&name)
        })?;
        for (i, field) in shape.fields.iter().enumerate() {
            let Some(place) = places.get(i) else {
                let what = format!("field of class {} is missing", shape.name);
                return Err(Mismatch::because(what).within(field.name.as_str()));
            };
            let mut written = Ok(());
            object.field(place, &mut |value| {
                written = self.field(value, field, has_arguments);
            });
            written.map_err(|fault| fault.within(field.name.as_str()))?;
        }
        Ok(())
    }

    fn field(&mut self, value: &View<'_>, field: &'a Field, has_arguments: bool) -> Result<()> {
        let declared = &field.declared;
        let below = has_arguments.then_some(declared);
        match &declared.bound {
            Bound::Primitive(class) if is_plain(value, class.form) => self.leaf(value, class),
            Bound::Primitive(_) => Err(self.no_primitive(value, &declared.name)),
            Bound::Final(class) => self.value_or_null(value, class, below),
            Bound::Open | Bound::Variable { .. } => self.open_field(value, field, below),
        }
    }

    /// A field whose declared type does not tell the class.
    #[inline(never)]
    fn open_field(
        &mut self,
        value: &View<'_>,
        field: &'a Field,
        below: Option<&'a Declared>,
    ) -> Result<()> {
        if let Bound::Variable { .. } = field.declared.bound
            && let Some(class) = self.bindings.class(Some(&field.declared), self.classes)
        {
            return self.value_or_null(value, &class, below);
        }
        if value.is_null() {
            self.output.byte(0);
            return Ok(());
        }
        if let Some(class) = field.fitting.get()
            && self.is_of(value, class)
        {
            self.tag(class)?;
            return self.value(value, class, below);
        }
        let class = self.class_of(value)?;
        if !self.classes.field_fits(field, &class) {
            let what = format!("expected {}, found {}", field.holds, class.name);
            return Err(Mismatch::because(what));
        }
        self.tag(&class)?;
        self.value(value, &class, below)
    }

    #[cold]
    fn no_primitive(&self, value: &View<'_>, declared: &Name) -> Mismatch {
        if value.is_null() {
            return Mismatch::because(format!("expected {declared}, found null"));
        }
        match self.class_of(value) {
            Ok(class) => Mismatch::because(format!("expected {declared}, found {}", class.name)),
            Err(fault) => fault,
        }
    }
}
