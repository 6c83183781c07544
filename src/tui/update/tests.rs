//! What each key does on each screen.

use jiff::Timestamp;

use super::*;
use crate::run::{Run, StepId};
use crate::tui::fixture::{self, COLOUR, ago, feed, live, model, settings, shown};
use crate::tui::model::{Origin, Settings};

pub(super) fn press(model: &mut Model, code: KeyCode) -> Vec<Effect> {
    update(model, Message::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

pub(super) fn typed(model: &mut Model, keys: &str) -> Vec<Effect> {
    keys.chars().flat_map(|key| press(model, KeyCode::Char(key))).collect()
}

fn control(model: &mut Model, key: char) -> Vec<Effect> {
    update(model, Message::Key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL)))
}

pub(super) fn see(model: &mut Model, runs: Vec<Run>) {
    assert!(update(model, Message::Cluster { runs: runs.into(), feed: feed(&live()), now: ago(0) }).is_empty());
}

fn dashboard() -> Model {
    shown(fixture::retrying(), COLOUR, (100, 30))
}

fn list() -> Model {
    model(settings(COLOUR), (100, 30), fixture::several(), feed(&live()))
}

fn step(model: &Model) -> StepId {
    model.step().unwrap().id
}

fn name(model: &Model) -> String {
    model.run().map(|run| format!("{}/{}", run.namespace, run.name)).unwrap_or_default()
}

#[test]
fn the_selection_follows_the_upgrade_until_the_user_moves_it() {
    let mut model = shown(fixture::rolling(), COLOUR, (100, 30));
    assert_eq!(step(&model), StepId::RailsRollout);
    see(&mut model, vec![fixture::retrying()]);
    assert_eq!(step(&model), StepId::PostMigrations);
    assert!(typed(&mut model, "kk").is_empty());
    assert_eq!(step(&model), StepId::PreMigrations);
    see(&mut model, vec![fixture::rolling()]);
    assert_eq!(step(&model), StepId::PreMigrations);
    assert!(press(&mut model, KeyCode::Esc).is_empty());
    assert_eq!(step(&model), StepId::RailsRollout);
}

#[test]
fn the_command_of_a_rollout_is_copied_like_that_of_a_gate() {
    let mut model = shown(fixture::stuck(), COLOUR, (100, 30));
    let command = "kubectl -n gitlab describe pod/gitlab-webservice-default-78b658444d-wjlvt";
    assert_eq!(typed(&mut model, "c"), [Effect::Copy(command.into())]);
}

#[test]
fn the_selection_stops_at_both_ends() {
    let mut model = dashboard();
    assert!(typed(&mut model, "jjjjjjjj").is_empty());
    assert_eq!(step(&model), StepId::BatchedMigrations);
    assert!(typed(&mut model, "gk").is_empty());
    assert_eq!(step(&model), StepId::PreMigrations);
    assert!(typed(&mut model, "G").is_empty());
    assert_eq!(step(&model), StepId::BatchedMigrations);
}

#[test]
fn c_copies_the_command_of_the_selected_gate_as_it_is_typed_into_a_shell() {
    let target = crate::gate::Target { context: Some("prod eu".into()), kubeconfig: None };
    let settings = Settings { target, ..settings(COLOUR) };
    let mut model = model(settings, (100, 30), vec![fixture::retrying()], feed(&live()));
    let command = format!("kubectl --context 'prod eu' -n gitlab logs job/{} -c migrations --previous", fixture::JOB);
    assert_eq!(typed(&mut model, "c"), [Effect::Copy(command)]);
}

#[test]
fn a_step_without_a_command_says_so() {
    let mut model = dashboard();
    assert!(typed(&mut model, "gc").is_empty());
    assert!(!model.notice.unwrap().good);
}

#[test]
fn the_notice_tells_what_became_of_a_copy_and_goes_by_itself() {
    let mut model = dashboard();
    assert!(update(&mut model, Message::Copied(Outcome::Copied)).is_empty());
    assert_eq!(model.notice.as_ref().unwrap().text, "copied");
    let sent = update(&mut model, Message::Copied(Outcome::SentToTerminal(vec![27])));
    assert_eq!(sent, [Effect::Write(vec![27])]);
    assert_eq!(model.notice.as_ref().unwrap().text, "sent to the terminal");
    for beat in 0..NOTICE {
        assert!(model.notice.is_some(), "{beat}");
        assert!(update(&mut model, Message::Tick(ago(0))).is_empty());
    }
    assert_eq!(model.notice, None);
}

#[test]
fn a_command_that_stands_alone_goes_with_any_key() {
    let mut model = dashboard();
    assert!(update(&mut model, Message::Copied(Outcome::ShowAlone("kubectl".into()))).is_empty());
    assert_eq!(model.screen(), Screen::Alone("kubectl"));
    assert!(typed(&mut model, "q").is_empty());
    assert_eq!(model.screen(), Screen::Dashboard);
}

#[test]
fn screens_are_entered_and_left_again() {
    let mut model = dashboard();
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert_eq!(model.screen(), Screen::Detail);
    assert!(typed(&mut model, "?").is_empty());
    assert_eq!(model.screen(), Screen::Help);
    assert!(press(&mut model, KeyCode::Esc).is_empty());
    assert_eq!(model.screen(), Screen::Detail);
    assert!(press(&mut model, KeyCode::Esc).is_empty());
    assert_eq!(model.screen(), Screen::Dashboard);
    assert!(press(&mut model, KeyCode::Esc).is_empty());
    assert_eq!(model.screen(), Screen::Dashboard);
}

#[test]
fn a_detail_scrolls_to_its_end_and_no_further() {
    let mut model = shown(fixture::failed(), COLOUR, (60, 15));
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert!(typed(&mut model, "G").is_empty());
    let end = model.scroll();
    assert_eq!(end, view::longest_scroll(&model));
    assert!(end > 0);
    assert!(typed(&mut model, "jj ").is_empty());
    assert_eq!(model.scroll(), end);
    assert!(typed(&mut model, "k").is_empty());
    assert_eq!(model.scroll(), end - 1);
    assert!(typed(&mut model, "g").is_empty());
    assert_eq!(model.scroll(), 0);
    // A larger terminal shows more of it, and the next key starts from what is seen.
    assert!(typed(&mut model, "G").is_empty());
    assert!(update(&mut model, Message::Resize((200, 60).into())).is_empty());
    assert!(typed(&mut model, "k").is_empty());
    assert!(model.scroll() < view::longest_scroll(&model).max(1));
}

#[test]
fn an_instance_is_opened_from_the_list_and_left_again() {
    let mut model = list();
    assert_eq!(model.screen(), Screen::Instances);
    assert!(typed(&mut model, "jj").is_empty());
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert_eq!(model.screen(), Screen::Dashboard);
    assert_eq!(name(&model), "gitlab-staging/gitlab");
    // Others come and go, and it stays.
    let mut fewer = fixture::several();
    fewer.remove(0);
    see(&mut model, fewer);
    assert_eq!(name(&model), "gitlab-staging/gitlab");
    assert!(press(&mut model, KeyCode::Esc).is_empty());
    assert_eq!(model.screen(), Screen::Instances);
    assert_eq!(model.row(&model.listed()), 1);
}

#[test]
fn an_instance_that_is_gone_leads_back_to_the_list() {
    let mut model = list();
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert_eq!(model.screen(), Screen::Detail);
    see(&mut model, fixture::several().split_off(1));
    assert_eq!(model.screen(), Screen::Instances);
    see(&mut model, Vec::new());
    assert_eq!(model.screen(), Screen::Waiting);
}

#[test]
fn the_detail_of_an_instance_that_is_gone_does_not_open_with_another() {
    let mut model = list();
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert_eq!(model.screen(), Screen::Detail);
    see(&mut model, fixture::several().split_off(1));
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert_eq!(model.screen(), Screen::Dashboard);
}

#[test]
fn the_filter_takes_every_character_and_narrows_the_list() {
    let mut model = list();
    assert!(typed(&mut model, "/Staging/q").is_empty());
    assert_eq!(model.filter, "Staging/q");
    assert!(model.listed().is_empty());
    assert!(press(&mut model, KeyCode::Backspace).is_empty());
    assert_eq!(model.listed().len(), 2);
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert!(typed(&mut model, "j").is_empty());
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert_eq!(name(&model), "gitlab-staging/second");
    assert!(press(&mut model, KeyCode::Esc).is_empty());
    assert!(press(&mut model, KeyCode::Esc).is_empty());
    assert_eq!(model.listed().len(), 4);
}

#[test]
fn another_namespace_is_typed_and_watched_or_not_after_all() {
    let mut model = dashboard();
    assert_eq!(typed(&mut model, "nstaginx"), []);
    assert_eq!(press(&mut model, KeyCode::Backspace), []);
    assert_eq!(typed(&mut model, "g"), []);
    assert_eq!(press(&mut model, KeyCode::Enter), [Effect::Watch(Some("staging".into()))]);
    assert_eq!(typed(&mut model, "n*"), []);
    assert_eq!(press(&mut model, KeyCode::Enter), [Effect::Watch(None)]);
    assert_eq!(typed(&mut model, "nx"), []);
    assert_eq!(press(&mut model, KeyCode::Esc), []);
    assert_eq!(typed(&mut model, "n"), []);
    assert_eq!(press(&mut model, KeyCode::Enter), []);
    assert_eq!(typed(&mut model, "nA b"), []);
    assert_eq!(press(&mut model, KeyCode::Enter), [], "no namespace can be named so");
    assert!(model.notice.as_ref().is_some_and(|notice| !notice.good));
    assert_eq!(typed(&mut model, "q"), [Effect::Quit]);
}

#[test]
fn a_recording_has_no_other_namespace() {
    let settings = Settings { origin: Origin::Replay, ..settings(COLOUR) };
    let mut model = model(settings, (100, 30), vec![fixture::retrying()], feed(&live()));
    assert_eq!(typed(&mut model, "n"), []);
    assert_eq!(typed(&mut model, "q"), [Effect::Quit]);
}

#[test]
fn keys_quit_and_suspend() {
    let mut model = dashboard();
    assert_eq!(typed(&mut model, "q"), [Effect::Quit]);
    assert_eq!(control(&mut model, 'c'), [Effect::Quit]);
    assert_eq!(control(&mut model, 'z'), [Effect::Suspend]);
    let mut typing = list();
    assert!(typed(&mut typing, "/").is_empty());
    assert_eq!(control(&mut typing, 'c'), [Effect::Quit]);
}

#[test]
fn grafana_24742_a_kiosk_can_be_edited_by_passers_by() {
    let settings = Settings { mode: Mode::Kiosk, ..settings(COLOUR) };
    let mut model = model(settings, (100, 30), fixture::several(), feed(&live()));
    let before = format!("{model:?}");
    let named = [KeyCode::Enter, KeyCode::Esc, KeyCode::Up, KeyCode::Down, KeyCode::Home, KeyCode::End];
    for key in (' '..='~').map(KeyCode::Char).chain(named) {
        assert!(press(&mut model, key).is_empty(), "{key}");
    }
    for key in ('a'..='z').filter(|key| *key != 'c') {
        assert!(control(&mut model, key).is_empty(), "Ctrl-{key}");
    }
    assert_eq!(format!("{model:?}"), before);
    assert_eq!(control(&mut model, 'c'), [Effect::Quit]);
}

#[test]
fn what_is_redacted_cannot_be_copied() {
    let settings = Settings { redact: true, ..settings(COLOUR) };
    let mut model = model(settings, (100, 30), vec![fixture::retrying()], feed(&live()));
    assert!(typed(&mut model, "c").is_empty());
}

#[test]
fn time_goes_on_with_the_tick() {
    let mut model = dashboard();
    let later: Timestamp = ago(-5);
    assert!(update(&mut model, Message::Tick(later)).is_empty());
    assert_eq!((model.now(), model.beat), (later, 1));
}

#[test]
fn a_recording_that_ends_by_a_fault_is_told_and_stays_told() {
    let settings = Settings { recorder: RecorderState::On, ..settings(COLOUR) };
    let mut model = model(settings, (100, 30), vec![fixture::retrying()], feed(&live()));
    assert_eq!(update(&mut model, Message::Unrecorded("no space left".into())), []);
    assert!(model.notice.as_ref().is_some_and(|notice| notice.text == "no space left" && !notice.good));
    (0..60).for_each(|_| drop(update(&mut model, Message::Tick(ago(0)))));
    assert_eq!((model.notice, model.recorder), (None, RecorderState::Failed));
}
