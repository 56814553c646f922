//! Handlers for the kinds of elements of one queue.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::{DeliveryInfo, HandlerError};

/// Handlers for the kinds of elements of one queue, such as those that a field `type` tells apart.
///
/// If the kinds are the variants of a Rust enum, a `match` in the handler is simpler, and the
/// compiler checks that it is complete. A router is for kinds whose handlers are registered in many
/// places, like the map from an enum to a bean by which Java services dispatch.
///
/// # Examples
///
/// ```no_run
/// use redisson_delayed_queue::{Consumer, DeliveryInfo, HandlerError, Router};
///
/// #[derive(serde::Deserialize)]
/// #[serde(rename_all = "camelCase")]
/// struct Message { r#type: String, order_id: u64 }
///
/// async fn cancel(message: Message, _: DeliveryInfo) -> Result<(), HandlerError> { Ok(()) }
/// async fn remind(message: Message, _: DeliveryInfo) -> Result<(), HandlerError> { Ok(()) }
///
/// # async fn run(consumer: Consumer<Message>) {
/// let router = Router::by(|message: &Message| message.r#type.clone())
///     .on("ORDER_TIMEOUT", cancel)
///     .on("PAYMENT_REMINDER", remind);
/// consumer.run(16, router.into_handler()).await;
/// # }
/// ```
#[must_use = "a router handles nothing until it is the handler of a consumer"]
pub struct Router<T, K = String> {
    kind_of: Box<dyn Fn(&T) -> K + Send + Sync>,
    handlers: HashMap<K, Handler<T>>,
    otherwise: Option<Handler<T>>,
}

type Handled = BoxFuture<'static, Result<(), HandlerError>>;
type Handler<T> = Box<dyn Fn(T, DeliveryInfo) -> Handled + Send + Sync>;

impl<T: 'static, K: Eq + Hash + fmt::Debug + Send + Sync + 'static> Router<T, K> {
    /// A router that knows no kind yet. `kind_of` tells the kind of an element.
    pub fn by(kind_of: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        Self {
            kind_of: Box::new(kind_of),
            handlers: HashMap::new(),
            otherwise: None,
        }
    }

    /// Adds the handler of a kind, or replaces it.
    pub fn on<H, F>(mut self, kind: impl Into<K>, handler: H) -> Self
    where
        H: Fn(T, DeliveryInfo) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), HandlerError>> + Send + 'static,
    {
        self.handlers.insert(kind.into(), boxed(handler));
        self
    }

    /// Sets the handler of all other kinds. Default: the attempt fails and the element comes again,
    /// because a newer version of the service may know its kind. After the last attempt it is a dead
    /// letter.
    pub fn otherwise<H, F>(mut self, handler: H) -> Self
    where
        H: Fn(T, DeliveryInfo) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), HandlerError>> + Send + 'static,
    {
        self.otherwise = Some(boxed(handler));
        self
    }

    /// The handler for [`Consumer::run`](super::Consumer::run).
    pub fn into_handler(self) -> impl Fn(T, DeliveryInfo) -> Handled + Send + Sync + 'static {
        move |value, info| {
            let kind = (self.kind_of)(&value);
            match self.handlers.get(&kind).or(self.otherwise.as_ref()) {
                Some(handler) => handler(value, info),
                None => {
                    let problem = format!("this service has no handler for the kind {kind:?}");
                    async { Err(HandlerError::retry(problem)) }.boxed()
                }
            }
        }
    }
}

fn boxed<T, H, F>(handler: H) -> Handler<T>
where
    H: Fn(T, DeliveryInfo) -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), HandlerError>> + Send + 'static,
{
    Box::new(move |value, info| handler(value, info).boxed())
}

impl<T, K: fmt::Debug> fmt::Debug for Router<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router")
            .field("kinds", &self.handlers.keys())
            .field("has_otherwise", &self.otherwise.is_some())
            .finish_non_exhaustive()
    }
}
