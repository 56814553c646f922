//! Holds samples back while the exporter renders, because it would lose them.

use std::sync::{Arc, RwLock};

use ::metrics::{
    Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};
use metrics_exporter_prometheus::PrometheusRecorder;

/// Passes everything on. Samples wait while the gate is closed.
pub(super) struct Gated {
    recorder: PrometheusRecorder,
    gate: Arc<RwLock<()>>,
}

impl Gated {
    pub(super) fn new(recorder: PrometheusRecorder, gate: Arc<RwLock<()>>) -> Self {
        Self { recorder, gate }
    }
}

impl Recorder for Gated {
    fn describe_counter(&self, key: KeyName, unit: Option<Unit>, text: SharedString) {
        self.recorder.describe_counter(key, unit, text);
    }

    fn describe_gauge(&self, key: KeyName, unit: Option<Unit>, text: SharedString) {
        self.recorder.describe_gauge(key, unit, text);
    }

    fn describe_histogram(&self, key: KeyName, unit: Option<Unit>, text: SharedString) {
        self.recorder.describe_histogram(key, unit, text);
    }

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        self.recorder.register_counter(key, metadata)
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        self.recorder.register_gauge(key, metadata)
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(Arc::new(GatedHistogram {
            histogram: self.recorder.register_histogram(key, metadata),
            gate: Arc::clone(&self.gate),
        }))
    }
}

struct GatedHistogram {
    histogram: Histogram,
    gate: Arc<RwLock<()>>,
}

impl HistogramFn for GatedHistogram {
    fn record(&self, value: f64) {
        let _open = self.gate.read().unwrap();
        self.histogram.record(value);
    }
}
