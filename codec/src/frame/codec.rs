//! The public type of each frame, made by one macro, and the limit on its size.

use bytes::Bytes;

use crate::{Codec, Error};

/// Makes a codec that compresses what another codec writes.
///
/// The compression is two functions. `$compress` turns content into a payload. `$decompress` turns
/// a payload into content. It also gets the [`Bound`], and must check it before it reserves memory.
macro_rules! frame_codec {
    ($(#[$attribute:meta])* $name:ident, $compress:path, $decompress:path) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<C> {
            inner: $crate::frame::codec::Inner<C>,
        }

        impl<C> $name<C> {
            /// Makes the codec, with `codec` for the content.
            #[must_use]
            pub const fn new(codec: C) -> Self {
                Self {
                    inner: $crate::frame::codec::Inner::new(codec),
                }
            }

            /// Sets the largest content in bytes: what the inner codec may write, and what a
            /// payload may decompress to.
            ///
            /// Default: 64 MiB, at most 2 GiB.
            #[must_use]
            pub fn max_size(mut self, bytes: usize) -> Self {
                self.inner.bound = $crate::frame::codec::Bound::new(bytes);
                self
            }
        }

        impl<T, C: $crate::Codec<T>> $crate::Codec<T> for $name<C> {
            fn encode(&self, value: &T) -> Result<bytes::Bytes, $crate::Error> {
                let content = self.inner.write(value)?;
                Ok($compress(&content)?.into())
            }

            fn decode(&self, payload: bytes::Bytes) -> Result<T, $crate::Error> {
                self.inner.read($decompress(&payload, self.inner.bound)?)
            }
        }
    };
}

pub(super) use frame_codec;

/// The codec inside a frame, and how many bytes it may write and read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner<C> {
    codec: C,
    pub(super) bound: Bound,
}

impl<C> Inner<C> {
    pub(super) const fn new(codec: C) -> Self {
        Self {
            codec,
            bound: Bound::DEFAULT,
        }
    }

    pub(super) fn write<T>(&self, value: &T) -> Result<Bytes, Error>
    where
        C: Codec<T>,
    {
        let content = self.codec.encode(value)?;
        self.bound
            .refuse_above(content.len(), "value is too large to compress")?;
        Ok(content)
    }

    pub(super) fn read<T>(&self, content: Vec<u8>) -> Result<T, Error>
    where
        C: Codec<T>,
    {
        self.codec.decode(content.into()).map_err(|error| {
            Error::with_source("the inner codec refuses the decompressed payload", error)
        })
    }
}

/// The largest content in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound(usize);

impl Bound {
    /// 64 MiB: more than anyone should keep in Redis, and little for a process.
    const DEFAULT: Self = Self(64 << 20);

    /// Java has no longer arrays, and no larger length fits into the headers.
    const LARGEST: usize = i32::MAX as usize;

    pub(super) fn new(bytes: usize) -> Self {
        Self(bytes.min(Self::LARGEST))
    }

    /// Refuses to decompress a payload to more bytes.
    pub(super) fn check(self, bytes: usize) -> Result<(), Error> {
        self.refuse_above(bytes, "decompressed payload is too large")
    }

    fn refuse_above(self, bytes: usize, reason: &'static str) -> Result<(), Error> {
        if bytes <= self.0 {
            return Ok(());
        }
        let details = format!("{bytes} bytes, and {} are allowed", self.0);
        Err(Error::with_source(reason, details))
    }
}
