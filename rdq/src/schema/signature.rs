//! Reads the types in class files: descriptors, and signatures, which have the type arguments.

use super::java_type::{Argument, JavaType};

/// What the signature of a class declares.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct ClassSignature {
    pub(crate) parameters: Vec<Parameter>,
    /// The super class, then the interfaces.
    pub(crate) supers: Vec<JavaType>,
}

/// A type parameter with its first bound.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) bound: JavaType,
}

/// Reads the descriptor or the signature of a field: `[J`, `Ljava/util/List<TT;>;`.
pub(crate) fn field(text: &str) -> Option<JavaType> {
    let mut reader = Reader { rest: text };
    let read = reader.read(0)?;
    reader.rest.is_empty().then_some(read)
}

/// Reads the signature of a class: `<T:Ljava/lang/Object;>Lcom/example/Box<TT;>;`.
pub(crate) fn class(text: &str) -> Option<ClassSignature> {
    let mut reader = Reader { rest: text };
    let mut signature = ClassSignature::default();
    if reader.skip("<") {
        while !reader.skip(">") {
            signature.parameters.push(reader.parameter()?);
        }
    }
    while !reader.rest.is_empty() {
        signature.supers.push(reader.read(0)?);
    }
    Some(signature)
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// No type of a real class nests as deep.
    const DEEPEST: usize = 64;

    fn skip(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads up to the first of these characters, which stays.
    fn until(&mut self, ends: &str) -> Option<&'a str> {
        let end = self.rest.find(|it| ends.contains(it))?;
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// `T:Ljava/lang/Object;`, or `T::Ljava/lang/Comparable<TT;>;` if no bound is a class.
    fn parameter(&mut self) -> Option<Parameter> {
        let name = self.until(":")?.to_owned();
        let mut bounds = Vec::new();
        while self.skip(":") {
            if !self.rest.starts_with(':') {
                bounds.push(self.read(0)?);
            }
        }
        let bound = bounds.into_iter().next()?;
        Some(Parameter { name, bound })
    }

    fn read(&mut self, depth: usize) -> Option<JavaType> {
        if depth > Self::DEEPEST {
            return None;
        }
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        let primitive = |name| Some(JavaType::new(name));
        match letter {
            'B' => primitive("byte"),
            'C' => primitive("char"),
            'D' => primitive("double"),
            'F' => primitive("float"),
            'I' => primitive("int"),
            'J' => primitive("long"),
            'S' => primitive("short"),
            'Z' => primitive("boolean"),
            '[' => {
                let mut array = self.read(depth + 1)?;
                array.dimensions += 1;
                Some(array)
            }
            'T' => {
                let name = self.until(";")?;
                self.skip(";").then(|| JavaType::variable(name))
            }
            'L' => self.class(depth),
            _ => None,
        }
    }

    fn class(&mut self, depth: usize) -> Option<JavaType> {
        let mut read = JavaType::new(self.until("<.;")?.replace('/', "."));
        loop {
            if self.skip("<") {
                read.arguments.clear();
                while !self.skip(">") {
                    read.arguments.push(self.argument(depth + 1)?);
                }
            }
            if self.skip(";") {
                return Some(read);
            }
            // A class inside of a generic one, whose arguments no codec looks at.
            if !self.skip(".") {
                return None;
            }
            read = JavaType::new(format!("{}${}", read.name, self.until("<.;")?));
        }
    }

    fn argument(&mut self, depth: usize) -> Option<Argument> {
        if self.skip("*") {
            return Some(Argument::Any);
        }
        if self.skip("+") {
            let bound = self.read(depth)?;
            // `? extends Object` says no more than `?`.
            let is_any = bound == JavaType::object();
            return Some(match is_any {
                true => Argument::Any,
                false => Argument::Extends(bound),
            });
        }
        if self.skip("-") {
            return self.read(depth).map(Argument::Super);
        }
        self.read(depth).map(Argument::Exactly)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_as_java_source_spells_them() {
        for (signature, spelt) in [
            ("J", "long"),
            ("[[I", "int[][]"),
            ("Ljava/lang/String;", "java.lang.String"),
            ("[Ljava/lang/String;", "java.lang.String[]"),
            ("TT;", "T"),
            ("[TT;", "T[]"),
            (
                "Ljava/util/Map<Ljava/lang/String;[J>;",
                "java.util.Map<java.lang.String, long[]>",
            ),
            ("Ljava/util/List<*>;", "java.util.List<?>"),
            ("Ljava/util/List<+Ljava/lang/Object;>;", "java.util.List<?>"),
            (
                "Ljava/util/List<+Ljava/lang/Number;>;",
                "java.util.List<? extends java.lang.Number>",
            ),
            (
                "Ljava/util/List<-Ljava/util/List<TT;>;>;",
                "java.util.List<? super java.util.List<T>>",
            ),
            (
                "Lcom/example/Outer<TT;>.Inner<TU;>;",
                "com.example.Outer$Inner<U>",
            ),
            ("Lcom/example/Заказ;", "com.example.Заказ"),
        ] {
            assert_eq!(field(signature).unwrap().to_string(), spelt);
        }
    }

    #[test]
    fn parameters_have_their_first_bound() {
        let read = class(
            "<T:Ljava/lang/Object;U::Ljava/lang/Comparable<TU;>;:Ljava/io/Serializable;\
             >Lcom/example/Box<TT;>;Ljava/io/Serializable;",
        );
        let read = read.unwrap();
        let parameters = read
            .parameters
            .iter()
            .map(|it| (it.name.as_str(), it.bound.to_string()));
        let expected = [
            ("T", "java.lang.Object".to_owned()),
            ("U", "java.lang.Comparable<U>".to_owned()),
        ];
        assert_eq!(parameters.collect::<Vec<_>>(), expected);
        let supers: Vec<_> = read.supers.iter().map(JavaType::to_string).collect();
        assert_eq!(supers, ["com.example.Box<T>", "java.io.Serializable"]);
    }

    #[test]
    fn what_is_no_type_is_refused() {
        for text in [
            "",
            "Q",
            "L;",
            "Ljava/util/List<",
            "Ljava/util/List<J;",
            "JJ",
            "T;",
        ] {
            assert_eq!(field(text), None, "{text}");
        }
        assert_eq!(field(&"[".repeat(1_000_000)), None);
        assert_eq!(class("<T>"), None);
    }
}
