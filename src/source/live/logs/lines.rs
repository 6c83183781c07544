//! Lines out of a stream of bytes, with a bound on what waits for its end.

use crate::cluster::LONGEST_LINE;

/// The most bytes of a line that are looked at: its time, and twice the text that is kept, as what a program prints for a
/// terminal is longer than what one reads there.
const LONGEST: usize = 2 * LONGEST_LINE;

/// The lines of a stream that comes in pieces. Of a line that does not end, only its beginning is kept.
#[derive(Debug, Default)]
pub(super) struct Lines {
    begun: Vec<u8>,
}

impl Lines {
    /// Takes in a piece, and hands each line that ends in it to `line`.
    pub(super) fn take_in(&mut self, piece: &[u8], mut line: impl FnMut(&[u8])) {
        let mut rest = piece;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (last, after) = (&rest[..end], &rest[end + 1..]);
            if self.begun.is_empty() {
                line(&last[..last.len().min(LONGEST)]);
            } else {
                self.begin(last);
                line(&self.begun);
                self.begun.clear();
            }
            rest = after;
        }
        self.begin(rest);
    }

    /// The line that the stream ended in, if it ended in one.
    pub(super) fn last(&self) -> Option<&[u8]> {
        (!self.begun.is_empty()).then_some(&self.begun)
    }

    fn begin(&mut self, piece: &[u8]) {
        let room = LONGEST.saturating_sub(self.begun.len());
        self.begun.extend_from_slice(&piece[..piece.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&str]) -> (Vec<String>, Option<String>) {
        let text = |line: &[u8]| String::from_utf8(line.to_vec()).unwrap();
        let (mut splitter, mut lines) = (Lines::default(), Vec::new());
        pieces.iter().for_each(|piece| splitter.take_in(piece.as_bytes(), |line| lines.push(text(line))));
        (lines, splitter.last().map(text))
    }

    #[test]
    fn a_line_may_come_in_pieces_and_a_piece_may_hold_lines() {
        let (whole, last) = lines(&["a\nb", "c", "\n\nd\ne"]);
        assert_eq!(whole, ["a", "bc", "", "d"]);
        assert_eq!(last.as_deref(), Some("e"));
    }

    #[test]
    fn of_a_line_without_end_the_beginning_is_kept_and_the_next_line_is_whole() {
        let mut splitter = Lines::default();
        let megabyte = vec![b'x'; 1 << 20];
        for _ in 0..200 {
            splitter.take_in(&megabyte, |_| panic!("it has no end"));
        }
        assert!(splitter.begun.capacity() <= 2 * LONGEST, "{} bytes", splitter.begun.capacity());
        let mut lengths = Vec::new();
        splitter.take_in(b"x\nnext\n", |line| lengths.push(line.len()));
        splitter.take_in(&[megabyte.as_slice(), b"\n"].concat(), |line| lengths.push(line.len()));
        assert_eq!(lengths, [LONGEST, 4, LONGEST]);
    }
}
