//! When the next frame may come. What changes after a quiet moment is drawn at once. Where change follows change, nobody
//! could read each of them, and frames become fewer; a key has its frame soon all the same.

use std::time::Duration;

use tokio::time::Instant;

/// The least time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// The least time between two frames of a flood: each wait is twice the one before, up to this.
const FLOOD: Duration = Duration::from_millis(100);

/// When the next frame may come.
#[derive(Debug)]
pub(super) struct Cadence {
    /// When the last one was drawn.
    drawn: Option<Instant>,
    /// How long the next one has to wait after it.
    wait: Duration,
    /// Since when there is something to draw.
    changed: Option<Instant>,
}

impl Cadence {
    /// There is a first frame to draw.
    pub(super) fn new(now: Instant) -> Self {
        Self { drawn: None, wait: FRAME, changed: Some(now) }
    }

    /// Something changed on the screen, by what a person did or not.
    pub(super) fn change(&mut self, now: Instant, asked: bool) {
        self.changed.get_or_insert(now);
        if asked {
            self.wait = FRAME;
        }
    }

    /// When to draw, if there is something to draw.
    pub(super) fn due(&self) -> Option<Instant> {
        let changed = self.changed?;
        Some(self.drawn.map_or(changed, |drawn| changed.max(drawn + self.wait)))
    }

    /// A frame was drawn.
    pub(super) fn drew(&mut self, now: Instant) {
        let waited = self.changed.take() < self.drawn.map(|drawn| drawn + self.wait);
        self.wait = if waited { FLOOD.min(self.wait * 2) } else { FRAME };
        self.drawn = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Has changes come in that rhythm, of milliseconds, and returns after how many each frame came.
    fn frames(cadence: &mut Cadence, begin: Instant, changes: impl Iterator<Item = u64>) -> Vec<u64> {
        let mut drawn = Vec::new();
        let mut draw_until = |cadence: &mut Cadence, now: Instant| {
            while let Some(due) = cadence.due().filter(|due| *due <= now) {
                cadence.drew(due);
                drawn.push((due - begin).as_millis() as u64);
            }
        };
        for change in changes {
            let now = begin + Duration::from_millis(change);
            draw_until(cadence, now);
            cadence.change(now, false);
            draw_until(cadence, now);
        }
        draw_until(cadence, begin + Duration::from_secs(60));
        drawn
    }

    fn idle(now: Instant) -> Cadence {
        let mut cadence = Cadence::new(now);
        cadence.drew(now);
        cadence
    }

    #[test]
    fn the_first_frame_comes_at_once_and_none_without_a_change() {
        let now = Instant::now();
        let mut cadence = Cadence::new(now);
        assert_eq!(cadence.due(), Some(now));
        cadence.drew(now);
        assert_eq!(cadence.due(), None);
    }

    #[test]
    fn what_changes_now_and_then_is_drawn_at_once_and_what_follows_soon() {
        let now = Instant::now();
        assert_eq!(frames(&mut idle(now), now, [100, 103, 200, 204, 300].into_iter()), [100, 116, 200, 216, 300]);
    }

    #[test]
    fn a_flood_is_drawn_ever_less_often_down_to_a_least_rate() {
        let now = Instant::now();
        let drawn = frames(&mut idle(now), now, (100..1000).step_by(10));
        assert_eq!(drawn[..7], [100, 116, 148, 212, 312, 412, 512]);
    }

    #[test]
    fn after_a_flood_all_is_as_before_it() {
        let now = Instant::now();
        let changes = (100..1000).step_by(10).chain([1200, 1205]);
        let drawn = frames(&mut idle(now), now, changes);
        assert_eq!(drawn[drawn.len() - 2..], [1200, 1216]);
    }

    #[test]
    fn a_key_in_a_flood_does_not_wait_for_it() {
        let now = Instant::now();
        let mut cadence = idle(now);
        let last = *frames(&mut cadence, now, (100..1000).step_by(10)).last().unwrap();
        let last = now + Duration::from_millis(last);
        cadence.change(last + Duration::from_millis(5), false);
        assert_eq!(cadence.due(), Some(last + FLOOD));
        cadence.change(last + Duration::from_millis(6), true);
        assert_eq!(cadence.due(), Some(last + FRAME));
    }
}
