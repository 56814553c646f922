//! Medians and percentiles.

/// Figures from the smallest to the largest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures(Vec<f64>);

impl Figures {
    /// The percentile by nearest rank: `percent` of the figures do not exceed it. NaN without
    /// figures.
    pub(crate) fn percentile(&self, percent: f64) -> f64 {
        let rank = (self.0.len() as f64 * percent / 100.0).ceil() as usize;
        let place = rank.saturating_sub(1).min(self.0.len().saturating_sub(1));
        self.0.get(place).copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn median(&self) -> f64 {
        self.percentile(50.0)
    }

    pub(crate) fn max(&self) -> f64 {
        self.percentile(100.0)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().copied()
    }

    pub(crate) fn extend(&mut self, other: &Self) {
        self.0.extend(&other.0);
        self.0.sort_by(f64::total_cmp);
    }
}

impl FromIterator<f64> for Figures {
    fn from_iter<I: IntoIterator<Item = f64>>(figures: I) -> Self {
        let mut figures: Vec<f64> = figures.into_iter().collect();
        figures.sort_by(f64::total_cmp);
        Self(figures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let figures: Figures = (1..=200).rev().map(f64::from).collect();
        assert_eq!(figures.median(), 100.0);
        assert_eq!(figures.percentile(99.0), 198.0);
        assert_eq!(figures.percentile(99.9), 200.0);
        assert_eq!(figures.max(), 200.0);
        assert!(Figures::default().median().is_nan());
    }
}
