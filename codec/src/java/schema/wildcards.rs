//! Wildcards without bounds.

use super::Schema;
use crate::java::JavaType;

impl Schema {
    /// The same classes, but `?` in a field stands for what the type parameter extends: Jackson 3 takes
    /// it so, and Jackson 2 for `Object`.
    pub(crate) fn with_bounded_wildcards(&self) -> Self {
        let mut bounded = self.clone();
        for class in bounded.classes.values_mut() {
            let fields = class.fields.iter_mut().map(|it| &mut it.declared);
            for declared in fields
                .chain(&mut class.interfaces)
                .chain(&mut class.super_class)
            {
                *declared = self.bounded(declared);
            }
        }
        bounded
    }

    fn bounded(&self, declared: &JavaType) -> JavaType {
        if let Some(component) = declared.component() {
            return self.bounded(&component).array();
        }
        let class = self.classes.get(declared.name());
        let arguments = declared
            .arguments()
            .iter()
            .enumerate()
            .map(|(at, argument)| {
                let parameter = class.and_then(|it| Some((it, it.parameters.get(at)?)));
                match parameter {
                    // Java allows no `Object` where the parameter extends something else.
                    Some((class, parameter)) if argument.is_named("java.lang.Object") => {
                        class.bound_of(parameter)
                    }
                    _ => self.bounded(argument),
                }
            });
        declared.clone().with_arguments(arguments)
    }
}
