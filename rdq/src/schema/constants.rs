//! The constants of an enum, and which of them have bodies.

use cafebabe::attributes::AttributeData;
use cafebabe::bytecode::Opcode;
use cafebabe::{ClassFile, FieldAccessFlags, FieldInfo};

/// The constants of an enum in the order of their declaration.
pub(crate) struct Constants {
    pub(crate) names: Vec<String>,
    pub(crate) bodies: Vec<Body>,
}

/// A constant that has a class of its own.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Body {
    pub(crate) constant: String,
    pub(crate) class: String,
    /// True if codecs expect another name. Java's compiler counts, Kotlin's takes the name of the
    /// constant.
    pub(crate) is_named: bool,
}

/// Reads the constants.
///
/// The initializer of the enum creates each constant and stores it into its field. Which class it
/// creates tells whether the constant has a body.
pub(crate) fn of(file: &ClassFile<'_>) -> Constants {
    let is_constant = |it: &&FieldInfo<'_>| it.access_flags.contains(FieldAccessFlags::ENUM);
    let fields = file.fields.iter().filter(is_constant);
    let names: Vec<String> = fields.map(|it| it.name.to_string()).collect();
    let mut bodies: Vec<Body> = Vec::new();
    // The class of the first object since the last constant. Later ones are arguments.
    let mut created = None;
    for code in initializer(file) {
        match code {
            Opcode::New(class) => _ = created.get_or_insert(class),
            Opcode::Putstatic(field) => {
                let name = &field.name_and_type.name;
                let body = created.take().filter(|it| **it != *file.this_class);
                let Some(body) = body.filter(|_| names.iter().any(|it| it == name)) else {
                    continue;
                };
                let expected = format!("{}${}", &*file.this_class, bodies.len() + 1);
                bodies.push(Body {
                    constant: name.to_string(),
                    class: body.replace('/', "."),
                    is_named: **body != *expected,
                });
            }
            _ => {}
        }
    }
    Constants { names, bodies }
}

fn initializer<'f, 'a>(file: &'f ClassFile<'a>) -> impl Iterator<Item = &'f Opcode<'a>> {
    let method = file.methods.iter().find(|it| it.name == "<clinit>");
    let attributes = method.into_iter().flat_map(|it| &it.attributes);
    let code = attributes.filter_map(|it| match &it.data {
        AttributeData::Code(code) => code.bytecode.as_ref(),
        _ => None,
    });
    code.flat_map(|it| &it.opcodes).map(|(_, code)| code)
}
