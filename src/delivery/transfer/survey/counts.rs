//! Counting the places of a list that are empty by now.

/// Counts places, and says how many before a given place were counted, in O(log N). A Fenwick tree.
#[derive(Debug)]
pub(super) struct Counts(Vec<u32>);

impl Counts {
    pub(super) fn new(places: usize) -> Self {
        Self(vec![0; places + 1])
    }

    pub(super) fn add(&mut self, place: u32) {
        let mut node = place as usize + 1;
        while let Some(count) = self.0.get_mut(node) {
            *count += 1;
            node += lowest_bit(node);
        }
    }

    pub(super) fn before(&self, place: u32) -> u32 {
        let mut counted = 0;
        let mut node = place as usize;
        while node > 0 {
            counted += self.0[node];
            node -= lowest_bit(node);
        }
        counted
    }
}

fn lowest_bit(number: usize) -> usize {
    number & number.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_of_places_before() {
        let mut counts = Counts::new(1_000);
        let mut naive = vec![0; 1_000];
        for place in (0..1_000).step_by(7).chain([999, 0, 500]) {
            counts.add(place);
            naive[place as usize] += 1;
        }
        for place in 0..1_000 {
            let before = &naive[..place as usize];
            assert_eq!(counts.before(place), before.iter().sum::<u32>());
        }
    }
}
