//! The `serialVersionUID` of a class that declares none: a hash over what the class declares.
//!
//! Oracle: *Java Object Serialization Specification*, 4.6 Stream Unique Identifiers, and
//! `java.io.ObjectStreamClass.computeDefaultSUID`. The JDK's `serialver` prints the same numbers.

use cafebabe::{ClassFile, FieldInfo, MethodInfo};
use sha1_smol::Sha1;

const PUBLIC: u16 = 0x1;
const PRIVATE: u16 = 0x2;
const STATIC: u16 = 0x8;
const TRANSIENT: u16 = 0x80;
const INTERFACE: u16 = 0x200;
const ABSTRACT: u16 = 0x400;

/// The modifiers that count: of a class, of a field, and of a method.
const OF_CLASS: u16 = PUBLIC | 0x10 | INTERFACE | ABSTRACT;
const OF_FIELD: u16 = PUBLIC | PRIVATE | 0x4 | STATIC | 0x10 | 0x40 | TRANSIENT;
const OF_METHOD: u16 = PUBLIC | PRIVATE | 0x4 | STATIC | 0x10 | 0x20 | 0x100 | ABSTRACT | 0x800;

/// The number that Java computes. `modifiers` are those that `Class.getModifiers()` gives.
pub(crate) fn computed(class: &ClassFile<'_>, modifiers: u16) -> i64 {
    let mut data = Data(Vec::new());
    data.text(&class.this_class.replace('/', "."));
    data.number(class_modifiers(class, modifiers));

    let mut interfaces: Vec<_> = class
        .interfaces
        .iter()
        .map(|it| it.replace('/', "."))
        .collect();
    interfaces.sort_by_key(|it| utf16(it));
    interfaces.iter().for_each(|it| data.text(it));

    let mut fields: Vec<&FieldInfo<'_>> = class.fields.iter().collect();
    fields.sort_by_key(|it| utf16(&it.name));
    for field in fields {
        let modifiers = field.access_flags.bits() & OF_FIELD;
        if modifiers & PRIVATE == 0 || modifiers & (STATIC | TRANSIENT) == 0 {
            data.member(&field.name, modifiers, &field.descriptor.to_string());
        }
    }

    let (special, mut methods): (Vec<_>, Vec<_>) = class
        .methods
        .iter()
        .partition(|it| it.name.starts_with('<'));
    if special.iter().any(|it| it.name == "<clinit>") {
        data.member("<clinit>", STATIC, "()V");
    }
    let mut constructors = special;
    constructors.retain(|it| it.name == "<init>");
    for group in [&mut constructors, &mut methods] {
        group.sort_by_key(|it| (utf16(&it.name), utf16(&it.descriptor.to_string())));
        group.iter().for_each(|it| data.method(it));
    }

    let hash = Sha1::from(&data.0).digest().bytes();
    let first = hash.iter().take(8).rev();
    first
        .fold(0_u64, |uid, byte| uid << 8 | u64::from(*byte))
        .cast_signed()
}

/// Compilers of old set `abstract` for an interface if it declared methods, and only then.
fn class_modifiers(class: &ClassFile<'_>, modifiers: u16) -> u16 {
    let modifiers = modifiers & OF_CLASS;
    match (modifiers & INTERFACE != 0, class.methods.is_empty()) {
        (false, _) => modifiers,
        (true, false) => modifiers | ABSTRACT,
        (true, true) => modifiers & !ABSTRACT,
    }
}

/// Java compares names by these units.
fn utf16(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// What `java.io.DataOutputStream` would write.
struct Data(Vec<u8>);

impl Data {
    fn text(&mut self, text: &str) {
        let bytes = cesu8::to_java_cesu8(text);
        // No name in a class file is longer than 65,535 bytes.
        self.0.extend((bytes.len() as u16).to_be_bytes());
        self.0.extend_from_slice(&bytes);
    }

    fn number(&mut self, number: u16) {
        self.0.extend(u32::from(number).to_be_bytes());
    }

    fn member(&mut self, name: &str, modifiers: u16, signature: &str) {
        self.text(name);
        self.number(modifiers);
        self.text(signature);
    }

    fn method(&mut self, method: &MethodInfo<'_>) {
        let modifiers = method.access_flags.bits() & OF_METHOD;
        if modifiers & PRIVATE == 0 {
            let signature = method.descriptor.to_string().replace('/', ".");
            self.member(&method.name, modifiers, &signature);
        }
    }
}
