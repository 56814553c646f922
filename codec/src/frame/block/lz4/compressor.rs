//! Makes the same blocks as the reference implementation, which Java calls.
//!
//! Many blocks become the same text, and `remove` compares blocks. So this looks for copies where
//! the reference does, with the same table, the same hashes and the same strides.

/// Compresses `text` to one block, which it appends to `block`.
pub(crate) fn compress(text: &[u8], block: &mut Vec<u8>) {
    let mut anchor = 0;
    if text.len() >= SHORTEST_TEXT {
        let mut search = Search::new(text);
        while let Some(mut copy) = search.find(anchor) {
            let mut literals = &text[anchor..copy.at];
            // Copies in a row have no literals between them.
            loop {
                push_sequence(block, literals, &copy);
                anchor = copy.at + copy.length;
                match search.find_at(anchor) {
                    Some(next) => (copy, literals) = (next, &[]),
                    None => break,
                }
            }
        }
    }
    super::push_literals(block, &text[anchor..]);
}

/// Bytes of the text that repeat those `back` bytes earlier.
struct Copy {
    at: usize,
    back: usize,
    length: usize,
}

struct Search<'a> {
    text: &'a [u8],
    seen: Seen,
    next: usize,
}

/// Where bytes with a hash were seen last; 0 if never. Texts with positions of 16 bits have a larger
/// table, and another hash.
enum Seen {
    Small(Vec<u16>),
    Large(Vec<u32>),
}

impl<'a> Search<'a> {
    fn new(text: &'a [u8]) -> Self {
        let mut search = Self {
            text,
            seen: match text.len() < SMALL {
                true => Seen::Small(vec![0; 1 << 13]),
                false => Seen::Large(vec![0; 1 << 12]),
            },
            next: 1,
        };
        search.replace(0);
        search
    }

    /// The first copy from the next position on, or none up to the last literals.
    fn find(&mut self, anchor: usize) -> Option<Copy> {
        let (mut at, mut stride, mut attempts) = (self.next, 1, 1 << STRIDE_BITS);
        loop {
            // The reference gives up before it looks here if the next position is too far.
            let next = at + stride;
            if next > self.last_start() {
                return None;
            }
            stride = attempts >> STRIDE_BITS;
            attempts += 1;

            let earlier = self.replace(at);
            if self.repeats(earlier, at) {
                return Some(self.copy(earlier, at, anchor));
            }
            at = next;
        }
    }

    /// A copy that starts right behind another, which ends before `at`.
    fn find_at(&mut self, at: usize) -> Option<Copy> {
        self.next = at + 1;
        if at >= self.last_start() {
            return None;
        }
        self.replace(at - 2);
        let earlier = self.replace(at);
        self.repeats(earlier, at)
            .then(|| self.copy(earlier, at, at))
    }

    /// The copy at `at` in full: back to `anchor` at most, and on to the last literals.
    fn copy(&self, mut earlier: usize, mut at: usize, anchor: usize) -> Copy {
        let back = at - earlier;
        let end = at + SHORTEST_COPY;
        while at > anchor && earlier > 0 && self.text[at - 1] == self.text[earlier - 1] {
            at -= 1;
            earlier -= 1;
        }
        let rest = &self.text[end..self.text.len() - LAST_LITERALS];
        let before = &self.text[end - back..];
        let more = rest.iter().zip(before).take_while(|(a, b)| a == b).count();
        Copy {
            at,
            back,
            length: end + more - at,
        }
    }

    fn repeats(&self, earlier: usize, at: usize) -> bool {
        let piece = |from: usize| &self.text[from..from + SHORTEST_COPY];
        at - earlier <= FARTHEST && piece(earlier) == piece(at)
    }

    /// Remembers `at` and says which position with the same hash it replaces.
    fn replace(&mut self, at: usize) -> usize {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.text[at..at + 8]);
        let bytes = u64::from_le_bytes(bytes);
        match &mut self.seen {
            Seen::Small(seen) => {
                let hash = (bytes as u32).wrapping_mul(2_654_435_761) >> (32 - 13);
                usize::from(std::mem::replace(&mut seen[hash as usize], at as u16))
            }
            Seen::Large(seen) => {
                let hash = (bytes << 24).wrapping_mul(889_523_592_379) >> (64 - 12);
                std::mem::replace(&mut seen[hash as usize], at as u32) as usize
            }
        }
    }

    /// The end of the positions where a copy may start.
    fn last_start(&self) -> usize {
        self.text.len() - SHORTEST_TEXT + 2
    }
}

/// Appends `literals` and `copy`.
fn push_sequence(block: &mut Vec<u8>, literals: &[u8], copy: &Copy) {
    let token = block.len();
    super::push_literals(block, literals);
    let more = copy.length - SHORTEST_COPY;
    block[token] |= more.min(15) as u8;
    block.extend((copy.back as u16).to_le_bytes());
    super::push_run(block, more);
}

const SHORTEST_COPY: usize = 4;
const SHORTEST_TEXT: usize = 13;
const LAST_LITERALS: usize = 5;
const FARTHEST: usize = 65_535;
const SMALL: usize = (64 << 10) + 11;
const STRIDE_BITS: u32 = 6;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frame::block::lz4::{decompress, length};

    fn block_of(text: &[u8]) -> Vec<u8> {
        let mut block = Vec::new();
        compress(text, &mut block);
        block
    }

    /// Pieces that come again, near and far, in texts of both sizes.
    fn text() -> impl Strategy<Value = Vec<u8>> {
        let piece = (prop::collection::vec(any::<u8>(), 1..30), 1..40_usize);
        let pieces = prop::collection::vec(piece, 0..20);
        (pieces, prop::sample::select(vec![1, 1, 1, 20])).prop_map(|(pieces, times)| {
            let pieces = pieces.iter().flat_map(|(it, times)| it.repeat(*times));
            pieces.collect::<Vec<_>>().repeat(times)
        })
    }

    proptest! {
        /// Another implementation reads what this one writes, and this one what the other writes.
        #[test]
        fn blocks_are_those_of_lz4(text in text()) {
            let block = block_of(&text);
            prop_assert_eq!(length(&block), Ok(text.len()));
            prop_assert_eq!(decompress(&block, text.len()).unwrap(), &text[..]);
            prop_assert_eq!(lz4_flex::block::decompress(&block, text.len()).unwrap(), &text[..]);

            let other = lz4_flex::block::compress(&text);
            prop_assert_eq!(length(&other), Ok(text.len()));
            prop_assert_eq!(decompress(&other, text.len()).unwrap(), text);
        }
    }

    /// Compressed with `LZ4Codec` of Redisson 3.23.4 and 4.7.0 to get these results. Texts of
    /// 65,547 bytes and more have the other table.
    #[test]
    fn blocks_match_redisson() {
        for (size, compressed, hash) in [
            (300, 123, 0x0d7e_14c5_ef7f_cf13),
            (65_546, 16_664, 0x1fb2_ad4d_cf63_4916),
            (65_547, 16_614, 0x7430_acad_a3a3_5977),
            (300_000, 74_656, 0x718d_cd67_a714_8982),
        ] {
            let block = block_of(&orders(size));
            assert_eq!((block.len(), fnv(&block)), (compressed, hash), "{size}");
        }
    }

    /// The same text in every run.
    fn orders(size: usize) -> Vec<u8> {
        let mut text = String::new();
        let mut random: u32 = 7;
        while text.len() < size {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (id, paid) = (random >> 12, random >> 31 == 0);
            text += &format!("{{\"orderId\":\"A-{id}\",\"paid\":{paid}}},");
        }
        text.truncate(size);
        text.into()
    }

    fn fnv(bytes: &[u8]) -> u64 {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
    }
}
