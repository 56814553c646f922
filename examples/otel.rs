//! One trace from the offer of an order to its handler, with OpenTelemetry. The producer and the
//! consumer are two clients, as in two services.
//!
//! ```sh
//! cargo run --example otel
//! ```
//!
//! Prints each span with its trace and its parent. A service would export them instead, with the
//! crate `opentelemetry-otlp` for example. Uses the Redis of `REDIS_URL`, or the one on this machine.

use std::time::Duration;

use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};
use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{
    Client, DelayedQueue, DeliveryInfo, HandlerError, Result, TraceCarrier,
};
use tokio::sync::Notify;
use tracing::{Instrument, Span, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Carries the W3C `traceparent` from offers to handlers.
struct TraceParent;

impl TraceCarrier for TraceParent {
    fn inject(&self, offer: &Span) -> Option<String> {
        let context = offer.context();
        let is_sampled = context.span().span_context().is_sampled();
        let mut fields = std::collections::HashMap::new();
        TraceContextPropagator::new().inject_context(&context, &mut fields);
        fields.remove("traceparent").filter(|_| is_sampled)
    }

    fn extract(&self, handle: &Span, context: &str) {
        let fields = [("traceparent".to_owned(), context.to_owned())];
        let fields = std::collections::HashMap::from(fields);
        let parent = TraceContextPropagator::new().extract(&fields);
        // It fails only if the span has been entered, or nobody listens to it.
        let _ = handle.set_parent(parent);
    }
}

/// Prints spans as they end.
#[derive(Debug)]
struct Print;

impl SpanExporter for Print {
    async fn export(&self, spans: Vec<SpanData>) -> OTelSdkResult {
        for span in spans {
            let (trace, id) = (span.span_context.trace_id(), span.span_context.span_id());
            println!(
                "{}: trace {trace}, span {id}, parent {}",
                span.name, span.parent_span_id
            );
        }
        Ok(())
    }
}

async fn queue(url: &str) -> Result<(Client, DelayedQueue<String>)> {
    let client = Client::builder()
        .trace_carrier(TraceParent)
        .connect(url)
        .await?;
    let orders = client.delayed_queue("example-traced", StringCodec)?;
    Ok((client, orders))
}

#[tokio::main]
async fn main() -> Result<()> {
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(Print)
        .build();
    let tracer = provider.tracer("orders");
    tracing_subscriber::registry()
        .with(LevelFilter::INFO)
        .with(tracing_opentelemetry::layer().with_tracer(tracer))
        .init();
    let url = std::env::var("REDIS_URL").unwrap_or_else(|_| "redis://127.0.0.1/".to_owned());

    let (producer, orders) = queue(&url).await?;
    let request = async {
        // Other spans of the service join the same trace.
        orders
            .offer(&"order 17".to_owned(), Duration::from_secs(1))
            .await
    };
    request.instrument(info_span!("request")).await?;

    let (consumer, orders) = queue(&url).await?;
    let done = std::sync::Arc::new(Notify::new());
    let finish = std::sync::Arc::clone(&done);
    let handler = move |order: String, _: DeliveryInfo| {
        let finish = std::sync::Arc::clone(&finish);
        async move {
            info_span!("ship").in_scope(|| println!("{order} is shipped"));
            finish.notify_one();
            Ok::<(), HandlerError>(())
        }
    };
    let until = async move { done.notified().await };
    orders
        .consumer()
        .build()?
        .run(1, handler)
        .until(until)
        .await;
    producer.shutdown().await?;
    consumer.shutdown().await
}
