//! Every span of this process, as a subscriber sees it.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, ClientBuilder, DelayedQueue};
use testbed::{Server, eventually};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

/// How long to wait for what must happen; generous, for the machine may be busy.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// One span.
#[derive(Clone, Debug)]
pub(crate) struct Captured {
    pub(crate) id: u64,
    pub(crate) name: &'static str,
    pub(crate) level: Level,
    pub(crate) fields: BTreeMap<&'static str, String>,
    /// The name of the span in which it was made.
    pub(crate) parent: Option<&'static str>,
    pub(crate) has_ended: bool,
}

static SPANS: Mutex<Vec<Captured>> = Mutex::new(Vec::new());

/// Captures spans from now on, in all threads.
pub(crate) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let subscriber = tracing_subscriber::registry().with(Capture);
        tracing::subscriber::set_global_default(subscriber).unwrap();
    });
}

/// The spans of this name about this queue, the oldest first.
pub(crate) fn spans(queue: &str, name: &str) -> Vec<Captured> {
    let about =
        |it: &&Captured| it.name == name && it.fields.get("queue").is_some_and(|it| it == queue);
    all().iter().filter(about).cloned().collect()
}

/// Waits until there are `count` such spans that have ended.
pub(crate) fn ended(queue: &str, name: &str, count: usize) -> Vec<Captured> {
    let has_ended = || spans(queue, name).iter().filter(|it| it.has_ended).count() >= count;
    eventually(&format!("{count} spans {name} end"), has_ended);
    spans(queue, name)
}

/// Everything that was captured, as text.
pub(crate) fn everything() -> String {
    format!("{:?}", *all())
}

/// A queue of strings by a client of its own.
pub(crate) async fn queue(
    builder: ClientBuilder,
    server: &Server,
    name: &str,
) -> DelayedQueue<String> {
    let client: Client = builder.connect(server.url()).await.unwrap();
    client.delayed_queue(name, StringCodec).unwrap()
}

fn all() -> MutexGuard<'static, Vec<Captured>> {
    SPANS.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Capture;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Capture {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.is_span()
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let parent = context.span(id).and_then(|it| it.parent());
        all().push(Captured {
            id: id.into_u64(),
            name: attributes.metadata().name(),
            level: *attributes.metadata().level(),
            fields: fields.0,
            parent: parent.map(|it| it.name()),
            has_ended: false,
        });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        values.record(&mut fields);
        with_open(id, |span| span.fields.extend(fields.0));
    }

    fn on_close(&self, id: Id, _: Context<'_, S>) {
        with_open(&id, |span| span.has_ended = true);
    }
}

/// Changes the span of this id. The registry uses ids of spans that have ended again.
fn with_open(id: &Id, change: impl FnOnce(&mut Captured)) {
    let mut spans = all();
    let open = spans
        .iter_mut()
        .rfind(|it| it.id == id.into_u64() && !it.has_ended);
    if let Some(span) = open {
        change(span);
    }
}

#[derive(Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}
