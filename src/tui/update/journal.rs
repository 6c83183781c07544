//! What becomes of the runs: shown, noted in the journal, and told to somebody who does not look.

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::Timestamp;

use super::text;
use crate::cluster::Feed;
use crate::run::Run;
use crate::tape::Moment;
use crate::tui::model::{Effect, Model};

/// Takes in how the runs and the feed stand now.
pub(super) fn take_in(model: &mut Model, runs: Arc<[Run]>, feed: Feed, now: Timestamp) -> Vec<Effect> {
    let seen = model.journals.see(&model.frontier.runs, &runs, &feed, now);
    model.frontier = Moment { runs, feed, time: now };
    text::see(model);
    model.untold.extend(seen.news);
    let told = tell(model);
    let asked = seen.asked.into_iter().map(Effect::Recall);
    let changed = seen.changed.into_iter().map(Effect::Keep);
    asked.chain(changed).chain(told).collect()
}

/// Tells somebody who does not look at the terminal what is new, all of it at once. What becomes new soon after waits for
/// the next beat: ten Jobs that fail in one second do not ring ten times.
pub(super) fn tell(model: &mut Model) -> Option<Effect> {
    if model.told_in == Some(model.beat) {
        return None;
    }
    let mut news = std::mem::take(&mut model.untold);
    news.sort_by_key(|(news, ..)| Reverse(*news));
    let bytes = model.settings.notices.bytes(&news, model.settings.redact).filter(|_| !model.attended)?;
    model.told_in = Some(model.beat);
    Some(Effect::Write(bytes))
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::cluster::{Uid, WatchState};
    use crate::journal::How;
    use crate::notify::{Notices, Notify};
    use crate::tui::Settings;
    use crate::tui::fixture::{
        self, COLOUR, ago, feed, heard, live, recalled, running, settings, told, told_of_several, tried,
    };
    use crate::tui::model::{Message, Screen};
    use crate::tui::update::update;
    use crate::tui::view;

    fn press(model: &mut Model, code: KeyCode) {
        assert_eq!(update(model, Message::Key(KeyEvent::new(code, KeyModifiers::NONE))), []);
    }

    fn typed(model: &mut Model, keys: &str) {
        keys.chars().for_each(|key| press(model, KeyCode::Char(key)));
    }

    fn uid() -> Uid {
        Uid("core-1".into())
    }

    fn empty() -> Model {
        Model::new(settings(COLOUR), (100, 30).into(), ago(0))
    }

    /// A model that tells of everything, in which the journal of a running gate has begun.
    fn telling(redact: bool) -> Model {
        let notices = Notices::detect(Notify::All, |name| (name == "TERM").then(|| "xterm".to_owned()));
        let settings = Settings { notices, redact, ..settings(COLOUR) };
        let mut model = fixture::model(settings, (100, 30), vec![running()], feed(&live()));
        assert_eq!(recalled(&mut model, None, 900), [Effect::Keep(uid())]);
        model
    }

    fn written(effects: &[Effect]) -> Vec<String> {
        let bytes = effects.iter().filter_map(|effect| match effect {
            Effect::Write(bytes) => Some(String::from_utf8(bytes.clone()).unwrap()),
            _ => None,
        });
        bytes.collect()
    }

    #[test]
    fn what_was_kept_of_a_run_is_asked_for_once_and_the_journal_goes_on_from_it() {
        let mut model = empty();
        assert_eq!(heard(&mut model, vec![tried(1)], 10), [Effect::Recall(uid())]);
        assert_eq!(heard(&mut model, vec![tried(1)], 9), []);
        assert_eq!(recalled(&mut model, None, 8), [Effect::Keep(uid())]);
        let kept = model.journal(&uid()).cloned();
        let mut again = empty();
        let _ = heard(&mut again, vec![tried(2)], 7);
        assert_eq!(recalled(&mut again, kept, 6), [Effect::Keep(uid())]);
        let last = again.journal(&uid()).unwrap().entries().next_back().unwrap().clone();
        assert_eq!((last.how, last.tally().as_str()), (How::Meanwhile, "2 of 6 failed"));
    }

    #[test]
    fn a_failed_attempt_is_kept_and_told_once() {
        let mut model = telling(false);
        let effects = heard(&mut model, vec![tried(1)], 800);
        assert_eq!(effects[0], Effect::Keep(uid()));
        let told = written(&effects);
        assert!(told[0].starts_with("\x1b]9;gatewatch gitlab/gitlab: Full migrations: retrying, 1 of 6"), "{told:?}");
        assert_eq!(told.len(), 1);
        assert_eq!(heard(&mut model, vec![tried(1)], 700), []);
    }

    #[test]
    fn nobody_is_told_who_looks_at_the_terminal() {
        let mut model = telling(false);
        for (attended, failed, told) in [(true, 1, 0), (false, 2, 1), (true, 3, 0)] {
            assert_eq!(update(&mut model, Message::Attended(attended)), []);
            assert_eq!(written(&heard(&mut model, vec![tried(failed)], 500)).len(), told, "{failed}");
        }
    }

    #[test]
    fn what_becomes_new_within_a_second_is_told_at_its_end_in_one() {
        let mut model = telling(false);
        let beat = |model: &mut Model| written(&update(model, Message::Tick(ago(0))));
        assert_eq!(written(&heard(&mut model, vec![tried(1)], 800)).len(), 1);
        for failed in [2, 3, 4] {
            assert_eq!(written(&heard(&mut model, vec![tried(failed)], 799)).len(), 0);
        }
        let told = beat(&mut model);
        assert!(told[0].contains("2 of 6 failed") && told[0].contains("(and 2 more)"), "{told:?}");
        assert_eq!((told.len(), beat(&mut model).len()), (1, 0));
        assert_eq!(written(&heard(&mut model, vec![tried(5)], 700)).len(), 1);
        // Who looks at the terminal by then needs no word of what waited.
        assert_eq!(written(&heard(&mut model, vec![tried(6)], 700)).len(), 0);
        let _ = update(&mut model, Message::Attended(true));
        assert_eq!(beat(&mut model).len(), 0);
        let _ = update(&mut model, Message::Attended(false));
        assert_eq!(beat(&mut model).len(), 0);
    }

    #[test]
    fn an_outage_and_its_end_are_told_where_all_is() {
        let mut model = telling(false);
        let broken = WatchState::Broken { since: ago(300), error: "connection refused".into() };
        let mut hear = |state: &WatchState| {
            let _ = update(&mut model, Message::Tick(ago(300)));
            let runs = model.runs().to_vec();
            written(&update(&mut model, Message::Cluster { runs: runs.into(), feed: feed(state), now: ago(300) }))
        };
        assert_eq!(hear(&broken), ["\x1b]9;gatewatch: The cluster does not answer: connection refused\x07\x07"]);
        assert_eq!(hear(&live()), ["\x1b]9;gatewatch: The cluster answers again\x07\x07"]);
    }

    #[test]
    fn what_is_redacted_is_neither_told_nor_shown() {
        let mut model = telling(true);
        let told = written(&heard(&mut model, vec![tried(1)], 800));
        assert_eq!(told, ["\x1b]9;gatewatch gitlab/gitlab: Full migrations: retrying, 1 of 6 failed\x07\x07"]);
        typed(&mut model, "J");
        let shown: String = crate::tui::frames::text(&crate::tui::frames::drawn(&model));
        assert!(shown.contains("1 of 6 failed") && !shown.contains("PG::"), "{shown}");
    }

    #[test]
    fn that_nothing_can_be_kept_is_said() {
        let mut model = empty();
        assert_eq!(update(&mut model, Message::Unkept("cannot keep".into())), []);
        assert!(model.notice.is_some_and(|notice| !notice.good && notice.text == "cannot keep"));
    }

    #[test]
    fn the_journal_opens_from_every_screen_and_goes_back_to_it() {
        let mut dashboard = told(COLOUR, (100, 30));
        let mut detail = told(COLOUR, (100, 30));
        press(&mut detail, KeyCode::Enter);
        let mut list = told_of_several(COLOUR, (100, 30));
        let mut gone = told(COLOUR, (100, 30));
        let _ = heard(&mut gone, Vec::new(), 1);
        let screens = [Screen::Dashboard, Screen::Detail, Screen::Instances, Screen::Waiting];
        for (model, screen) in [&mut dashboard, &mut detail, &mut list, &mut gone].into_iter().zip(screens) {
            for back in [KeyCode::Esc, KeyCode::Char('J')] {
                assert_eq!(model.screen(), screen);
                typed(model, "J");
                assert_eq!(model.screen(), Screen::Journal);
                assert!(view::longest_scroll(model) > 0, "{screen:?}");
                press(model, back);
            }
        }
    }

    #[test]
    fn the_journal_stays_at_its_end_until_it_is_scrolled_and_again_at_the_end() {
        let mut model = told(COLOUR, (60, 15));
        typed(&mut model, "J");
        let shows_last = |model: &Model| model.scroll() >= view::longest_scroll(model);
        assert!(shows_last(&model));
        let _ = heard(&mut model, vec![fixture::settled()], 1);
        assert!(shows_last(&model), "it moves on with what comes");
        typed(&mut model, "kk");
        let first = model.scroll();
        assert_eq!(first, view::longest_scroll(&model) - 2);
        let _ = heard(&mut model, vec![fixture::failed()], 0);
        assert_eq!(model.scroll(), first, "what is read stays where it is");
        typed(&mut model, "G");
        let _ = heard(&mut model, vec![fixture::settled()], 0);
        assert!(shows_last(&model));
        typed(&mut model, "g");
        assert_eq!(model.scroll(), 0);
    }

    #[test]
    fn an_opened_instance_has_its_own_journal_and_the_list_has_all() {
        let mut model = told_of_several(COLOUR, (100, 60));
        typed(&mut model, "J");
        let all = view::longest_scroll(&model);
        press(&mut model, KeyCode::Esc);
        press(&mut model, KeyCode::Enter);
        assert_eq!(model.screen(), Screen::Dashboard);
        typed(&mut model, "J");
        assert!(view::longest_scroll(&model) < all || all == 0);
        let shown = crate::tui::frames::text(&crate::tui::frames::drawn(&model));
        assert!(shown.contains("Journal   gitlab/gitlab") && !shown.contains("gitlab-staging"), "{shown}");
    }
}
