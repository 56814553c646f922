//! The stream of `java.io.ObjectOutputStream`, which describes each class before its first object.

use std::sync::Arc;

use super::graph::{ClassInfo, Graph, NodeId, Texts};
use super::{Cursor, JavaValue, Malformed};

mod class;
mod content;
pub(crate) mod tag;

/// Reads the objects of one stream, one after the other.
///
/// A later object may refer to parts of an earlier one, so one reader reads them all. Do not use it
/// after an error.
#[derive(Debug)]
pub(crate) struct Reader {
    graph: Graph,
    handles: Vec<Handle>,
    started: bool,
}

/// What the stream has numbered, to refer to it later.
#[derive(Clone, Debug)]
enum Handle {
    /// A class whose fields have not been read yet.
    OpenClass,
    Class(Arc<ClassInfo>),
    Node(NodeId),
}

impl Reader {
    pub(crate) fn new() -> Self {
        Self {
            graph: Graph::new(Texts::Bytes),
            handles: Vec::new(),
            started: false,
        }
    }

    /// Reads one object from the start of `bytes`, and returns the number of bytes that it took.
    /// The header of the stream comes before the first object. An object that is `levels` deep in
    /// another value may nest that many levels less.
    ///
    /// # Errors
    ///
    /// - [`Malformed`] if `bytes` do not begin with an object, or with one that no
    ///   [`JavaValue`] can hold.
    pub(crate) fn read(
        &mut self,
        levels: usize,
        bytes: &[u8],
    ) -> Result<(JavaValue, usize), Malformed> {
        let mut content = Content {
            from: Cursor::new(bytes),
            graph: &mut self.graph,
            handles: &mut self.handles,
            depth: levels,
        };
        if !self.started {
            content.header()?;
            self.started = true;
        }
        let item = content.item()?;
        let length = content.from.offset();
        let value = self.graph.value(&item, length)?;
        Ok((value, length))
    }
}

/// One object under way.
struct Content<'a> {
    from: Cursor<'a>,
    graph: &'a mut Graph,
    handles: &'a mut Vec<Handle>,
    depth: usize,
}

#[cfg(test)]
mod tests;
