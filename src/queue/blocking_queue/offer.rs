use super::BlockingQueue;
use crate::error::Result;
use crate::side::Side;

/// Adding elements.
impl<T: 'static> BlockingQueue<T> {
    /// Appends `value`, which can be taken at once.
    #[doc(alias = "add")]
    #[doc(alias = "addLast")]
    #[doc(alias = "offerLast")]
    #[doc(alias = "put")]
    #[doc(alias = "putLast")]
    pub async fn offer(&self, value: &T) -> Result<()> {
        self.core.target_offer(&self.core.encode(value)?).await
    }

    /// Puts `value` in front of all others, so that it is taken next.
    #[doc(alias = "addFirst")]
    #[doc(alias = "push")]
    #[doc(alias = "putFirst")]
    pub async fn offer_first(&self, value: &T) -> Result<()> {
        let payload = self.core.encode(value)?;
        self.core.target_offer_all(Side::First, &[payload]).await?;
        Ok(())
    }

    /// Appends all values in their order; returns how many elements the list has then.
    ///
    /// Up to 1,000 values that have 256 KiB between them are added together: all or none of them,
    /// with nothing in between.
    #[doc(alias = "addLast")]
    #[doc(alias = "offer_all")]
    pub async fn add_all<'a>(&self, values: impl IntoIterator<Item = &'a T>) -> Result<usize> {
        let payloads: Vec<_> = self.core.encode_all(values)?;
        self.core.target_offer_all(Side::Last, &payloads).await
    }

    /// Puts one value after the other in front of all others, so that the last of them is taken
    /// next; returns how many elements the list has then.
    ///
    /// Sends `LPUSH`; otherwise as [`add_all`](Self::add_all).
    #[doc(alias = "addFirst")]
    pub async fn add_all_first<'a>(
        &self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> Result<usize> {
        let payloads: Vec<_> = self.core.encode_all(values)?;
        self.core.target_offer_all(Side::First, &payloads).await
    }

    /// Puts values in front of all others with [`add_all_first`](Self::add_all_first), unless the
    /// list is empty: then adds nothing and returns 0.
    pub async fn add_first_if_exists<'a>(
        &self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> Result<usize> {
        let payloads: Vec<_> = self.core.encode_all(values)?;
        self.core
            .target_offer_if_exists(Side::First, &payloads)
            .await
    }

    /// Appends values with [`add_all`](Self::add_all), unless the list is empty: then adds nothing and
    /// returns 0.
    pub async fn add_last_if_exists<'a>(
        &self,
        values: impl IntoIterator<Item = &'a T>,
    ) -> Result<usize> {
        let payloads: Vec<_> = self.core.encode_all(values)?;
        self.core
            .target_offer_if_exists(Side::Last, &payloads)
            .await
    }
}
