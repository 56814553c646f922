//! A stream between a process and the server.

use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream as the network sees it. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    sent: Vec<u8>,
    arrived: VecDeque<u8>,
    reader: Option<Waker>,
    /// The network broke it.
    is_cut: bool,
    /// The process dropped it.
    is_closed: bool,
}

impl Pipe {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end that the process holds.
    pub(crate) fn end(&self) -> End {
        End(self.clone())
    }

    /// Takes the bytes that the process has sent since the last call.
    pub(crate) fn take_sent(&self) -> Vec<u8> {
        std::mem::take(&mut self.state().sent)
    }

    /// Lets bytes arrive.
    pub(crate) fn arrive(&self, bytes: &[u8]) {
        let mut state = self.state();
        state.arrived.extend(bytes);
        let reader = state.reader.take();
        drop(state);
        reader.inspect(Waker::wake_by_ref);
    }

    /// Ends it for the process.
    pub(crate) fn cut(&self) {
        self.state().is_cut = true;
        self.arrive(&[]);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state().is_closed
    }
}

/// A stream as the process sees it.
#[derive(Debug)]
pub(crate) struct End(Pipe);

impl AsyncRead for End {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut state = self.0.state();
        if state.arrived.is_empty() && !state.is_cut {
            state.reader = Some(context.waker().clone());
            return Poll::Pending;
        }
        let size = state.arrived.len().min(buffer.remaining());
        buffer.put_slice(&state.arrived.drain(..size).collect::<Vec<u8>>());
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for End {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut state = self.0.state();
        if state.is_cut {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        state.sent.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.0.state().is_closed = true;
    }
}
