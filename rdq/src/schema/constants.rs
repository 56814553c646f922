//! The constants of an enum, and which of them have bodies.

use cafebabe::attributes::AttributeData;
use cafebabe::bytecode::Opcode;
use cafebabe::{ClassFile, FieldAccessFlags, FieldInfo};

/// The constants of an enum in the order of their declaration.
pub(crate) struct Constants {
    pub(crate) names: Vec<String>,
    /// Those that have a class of their own.
    pub(crate) bodies: Vec<String>,
    /// Why codecs take a constant for one of another class.
    pub(crate) trap: Option<String>,
}

/// Reads the constants.
///
/// The initializer of the enum creates each constant and stores it into its field. Which class it
/// creates tells whether the constant has a body.
pub(crate) fn of(file: &ClassFile<'_>) -> Constants {
    let is_constant = |it: &&FieldInfo<'_>| it.access_flags.contains(FieldAccessFlags::ENUM);
    let fields = file.fields.iter().filter(is_constant);
    let names: Vec<String> = fields.map(|it| it.name.to_string()).collect();
    let mut bodies = Vec::new();
    let mut trap = None;
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
                bodies.push(name.to_string());
                // Java's compiler counts, Kotlin's takes the name of the constant.
                let expected = format!("{}${}", &*file.this_class, bodies.len());
                if **body != *expected {
                    let reason = format!(
                        "has the constant {name} of the class {}, and codecs expect {}",
                        body.replace('/', "."),
                        expected.replace('/', ".")
                    );
                    trap.get_or_insert(reason);
                }
            }
            _ => {}
        }
    }
    Constants {
        names,
        bodies,
        trap,
    }
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
