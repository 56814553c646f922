//! What Jackson calls the fields and the constants of a class, by the annotations of the class and
//! of those above it.

use std::collections::{BTreeMap, BTreeSet};

use super::annotations::Naming;
use super::java_class::{JavaClass, Kind};

/// What Jackson calls the fields and the constants of a class.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Jackson {
    /// The members of the class itself that have another name in JSON, or none.
    Names(Vec<(String, Option<String>)>),
    /// No schema can say it. These annotations decide.
    Unknown(BTreeSet<String>),
}

impl Jackson {
    /// `chain` is the class, and the classes and the interfaces above it, the nearest first.
    pub(crate) fn of(chain: &[JavaClass]) -> Self {
        let Some(class) = chain.first() else {
            return Self::Names(Vec::new());
        };
        if chain.iter().all(|it| it.annotations.is_empty()) {
            return Self::Names(Vec::new());
        }
        let annotations = || chain.iter().map(|it| &it.annotations);
        let mut unknown: BTreeSet<String> =
            annotations().flat_map(|it| it.unknown.clone()).collect();
        if !class.is_open() && annotations().any(|it| it.is_tagged) {
            unknown.insert("@JsonTypeInfo".to_owned());
        }
        let names = Names::of(chain);
        let own = names.of_class(class);
        let mut written: Vec<String> = own.values().flatten().cloned().collect();
        for (i, above) in chain.iter().enumerate().skip(1) {
            let inherited = names.of_class(above);
            // The schema of the super class names its fields.
            if inherited != Names::of(&of_class(chain, i)).of_class(above) {
                unknown.insert(format!("what renames fields of {}", above.name));
            }
            let nearer = &chain[..i];
            let is_hidden = |it: &str| nearer.iter().any(|class| place(class, it).is_some());
            let inherited = inherited.into_iter().filter(|it| !is_hidden(&it.0));
            written.extend(inherited.filter_map(|it| it.1));
        }
        let fields = chain.iter().flat_map(|it| &it.fields);
        let fields: BTreeSet<&String> = fields.map(|it| &it.name).collect();
        let mut loose = annotations().flat_map(|it| &it.loose);
        if let Some(property) = loose.find(|it| fields.contains(it)) {
            unknown.insert(format!("what renames {property}, which is inherited"));
        }
        let mut taken = class.annotations.taken.iter();
        if let Some(property) = taken.find(|it| !written.contains(it)) {
            unknown.insert(format!("@JsonProperty(\"{property}\") of a parameter"));
        }
        let count = written.len();
        written.sort();
        written.dedup();
        if written.len() < count {
            unknown.insert("two properties of one name".to_owned());
        }
        if !unknown.is_empty() {
            return Self::Unknown(unknown);
        }
        let is_other =
            |(member, written): &(String, Option<String>)| written.as_ref() != Some(member);
        let mut own: Vec<_> = own.into_iter().filter(is_other).collect();
        own.sort_by_key(|it| place(class, &it.0));
        Self::Names(own)
    }

    /// True if annotations change nothing.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, Self::Names(names) if names.is_empty())
    }
}

/// The rules for all fields of an object.
struct Names {
    naming: Naming,
    ignored: BTreeSet<String>,
}

impl Names {
    fn of(chain: &[JavaClass]) -> Self {
        let mut namings = chain.iter().filter_map(|it| it.annotations.naming);
        let ignored = chain.iter().flat_map(|it| it.annotations.ignored.clone());
        Self {
            naming: namings.next().unwrap_or(Naming::Java),
            ignored: ignored.collect(),
        }
    }

    /// The names that the fields or the constants of a class have in JSON.
    fn of_class(&self, class: &JavaClass) -> BTreeMap<String, Option<String>> {
        let is_enum = matches!(class.kind, Kind::Enum { .. });
        let named = members(class).into_iter().map(|member| {
            let written = match class.annotations.names.get(member) {
                Some(written) => written.clone(),
                None if is_enum => Some(member.clone()),
                None => Some(self.naming.apply(member)),
            };
            let written = written.filter(|it| is_enum || !self.ignored.contains(it));
            (member.clone(), written)
        });
        named.collect()
    }
}

fn members(class: &JavaClass) -> Vec<&String> {
    match &class.kind {
        Kind::Enum { constants, .. } => constants.iter().collect(),
        _ => class.fields.iter().map(|it| &it.name).collect(),
    }
}

fn place(class: &JavaClass, member: &str) -> Option<usize> {
    members(class).iter().position(|it| *it == member)
}

/// The class at this place of the chain, and what is above it.
fn of_class(chain: &[JavaClass], place: usize) -> Vec<JavaClass> {
    let mut own = vec![chain[place].clone()];
    let mut next = 0;
    while let Some(class) = own.get(next) {
        let above = class.super_class.iter().chain(&class.interfaces);
        let above: Vec<JavaClass> = above
            .filter_map(|it| chain.iter().find(|other| other.name == it.name))
            .cloned()
            .collect();
        next += 1;
        for it in above {
            if !own.iter().any(|other| other.name == it.name) {
                own.push(it);
            }
        }
    }
    own
}
