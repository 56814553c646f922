//! What Java's own serialization writes of a class, as far as its code shows.

use cafebabe::ClassFile;
use cafebabe::attributes::AttributeData;
use cafebabe::bytecode::Opcode;

/// What Java serialization writes for an object of a class.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Serialized {
    Fields,
    /// The fields, and more behind them.
    More,
    /// Anything: the class has code of its own for that.
    Own,
}

/// Looks at the first calls that `writeObject` makes with its stream.
pub(crate) fn of(file: &ClassFile<'_>) -> Serialized {
    if (file.interfaces.iter()).any(|it| &**it == "java/io/Externalizable") {
        return Serialized::Own;
    }
    let method = file.methods.iter().find(|it| {
        it.name == "writeObject" && it.descriptor.to_string() == "(Ljava/io/ObjectOutputStream;)V"
    });
    let Some(method) = method else {
        return Serialized::Fields;
    };
    let code = method.attributes.iter().filter_map(|it| match &it.data {
        AttributeData::Code(code) => code.bytecode.as_ref(),
        _ => None,
    });
    let calls = code.flat_map(|it| &it.opcodes).filter_map(|(_, code)| {
        let called = match code {
            Opcode::Invokevirtual(called)
            | Opcode::Invokespecial(called)
            | Opcode::Invokestatic(called)
            | Opcode::Invokeinterface(called, _) => called,
            _ => return None,
        };
        let is_of_stream =
            is_output(&called.class_name) || is_output(&called.name_and_type.descriptor);
        is_of_stream.then(|| called.name_and_type.name.to_string())
    });
    let calls: Vec<String> = calls.collect();
    match calls.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["defaultWriteObject"] => Serialized::Fields,
        ["defaultWriteObject", ..] => Serialized::More,
        ["putFields", .., "writeFields"] if calls.len() == 2 => Serialized::Fields,
        ["putFields", ..] => Serialized::More,
        _ => Serialized::Own,
    }
}

/// True if a class, or the type of an argument, is a stream that writes.
fn is_output(name: &str) -> bool {
    name.contains("java/io/") && name.contains("Output") && !name.contains("PutField")
}
