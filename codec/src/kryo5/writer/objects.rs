use super::Writer;
use crate::java::{JavaValue, Name, Object};
use crate::kryo5::classes::{Class, Field};
use crate::kryo5::declared::{Bound, Known, Within};
use crate::kryo5::fault::{Fault, Result};
use crate::kryo5::form::Form;

impl<'a> Writer<'a> {
    pub(super) fn object(
        &mut self,
        object: &Object,
        class: &Class,
        within: Option<Within<'a>>,
    ) -> Result<()> {
        match class.form {
            Form::Object(place) => {
                let shape = self.classes.shape(place);
                let (groups, own) = (&shape.groups, shape.parameters);
                let before = self.bindings.push(groups, own, within, self.classes);
                self.fields(object, place, true)?;
                self.bindings = before;
                Ok(())
            }
            Form::Record(place) => self.fields(object, place, false),
            _ => self.object_of_jdk(object, class),
        }
    }

    fn fields(&mut self, object: &Object, place: usize, has_arguments: bool) -> Result<()> {
        let shape = self.classes.shape(place);
        let is_aligned = is_aligned(object, &shape.fields);
        if !is_aligned && let Some(name) = surplus(object, &shape.fields) {
            let what = format!("class {} has no such field", shape.name);
            return Err(Fault::new(what).within(name));
        }
        for (i, field) in shape.fields.iter().enumerate() {
            let value = match is_aligned {
                true => object.fields.get(i),
                false => {
                    let mut namesakes = object.fields.iter().filter(|it| it.0 == field.name);
                    namesakes.nth(field.namesakes)
                }
            };
            let Some((_, value)) = value else {
                let what = format!("field of class {} is missing", shape.name);
                return Err(Fault::new(what).within(&field.name));
            };
            self.field(value, field, has_arguments)
                .map_err(|fault| fault.within(&field.name))?;
        }
        Ok(())
    }

    fn field(&mut self, value: &JavaValue, field: &'a Field, has_arguments: bool) -> Result<()> {
        let within = Within {
            declared: &field.declared,
        };
        let declared = &within.declared.name;
        if let Bound::Primitive(form) = within.declared.bound {
            if value.is_null() {
                return Err(Fault::new(format!("expected {declared}, found null")));
            }
            let class = self.class_of(value)?;
            if class.form != form {
                let what = format!("expected {declared}, found {}", class.name);
                return Err(Fault::new(what));
            }
            return self.content(value, &class, None);
        }
        let below = has_arguments.then_some(within);
        let known = self.bindings.resolve(within, self.classes);
        if let Known::Class(class) = known {
            return self.value_or_null(value, &class, below);
        }
        if value.is_null() {
            self.output.byte(0);
            return Ok(());
        }
        let class = self.class_of(value)?;
        if !self.classes.fits(&field.holds, &class) {
            let what = format!("expected {}, found {}", field.holds, class.name);
            return Err(Fault::new(what));
        }
        self.tag(&class)?;
        self.value(value, &class, below)
    }
}

/// The first field of the object that the class does not have, or that the object has too often.
fn surplus<'o>(object: &'o Object, fields: &[Field]) -> Option<&'o Name> {
    let mut names = object.fields.iter().map(|(name, _)| name);
    names.find(|name| {
        let given = object.fields.iter().filter(|it| it.0 == **name).count();
        given > fields.iter().filter(|it| it.name == **name).count()
    })
}

/// True if the fields stand in the order in which they are written, as those of read objects do.
fn is_aligned(object: &Object, fields: &[Field]) -> bool {
    object.fields.len() == fields.len()
        && object.fields.iter().zip(fields).all(|(a, b)| a.0 == b.name)
}
