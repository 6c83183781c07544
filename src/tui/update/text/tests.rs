//! What keys do to logs and objects.

use ratatui::crossterm::event::KeyCode;

use super::super::tests::{press, see, typed};
use super::*;
use crate::clipboard::Outcome;
use crate::tui::fixture::{self, COLOUR, feed, live, model, settings, shown, with_job};
use crate::tui::frames::{drawn, text};
use crate::tui::model::{Message, Mode, Screen, Settings};
use crate::tui::text_frames::{written, written_rollout};
use crate::tui::update::update;

fn opened(keys: &str) -> Model {
    let mut model = shown(fixture::logged(), COLOUR, (100, 30));
    assert_eq!(typed(&mut model, keys), []);
    model
}

fn logs(model: &Model) -> &Logs {
    match model.screen() {
        Screen::Logs(_, logs) => logs,
        screen => panic!("{screen:?}"),
    }
}

/// Container and attempt of the run that is shown, and whether its end is followed.
fn at(model: &Model) -> (&str, Option<usize>, bool) {
    let Screen::Logs(reading, logs) = model.screen() else { panic!("{:?}", model.screen()) };
    let run = logs.run().unwrap();
    (&run.run.container, logs.attempt().map(|(number, _)| number), reading.pager.sticks() && logs.is_live())
}

fn notice(model: &Model) -> &str {
    model.notice.as_ref().map(|notice| notice.text.as_str()).unwrap_or_default()
}

fn lines(model: &Model) -> Vec<String> {
    text(&drawn(model)).lines().map(str::to_owned).collect()
}

/// What is saved, and under which name.
fn saved(model: &mut Model) -> (String, String) {
    match typed(model, "s").as_slice() {
        [Effect::Save { name, text }] => (name.clone(), text.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_log_of_the_running_attempt_opens_and_its_end_is_followed() {
    assert_eq!(at(&opened("l")), ("migrations", Some(4), true));
    assert_eq!(at(&opened("p")), ("migrations", Some(3), false));
    let mut model = opened("l");
    assert_eq!(press(&mut model, KeyCode::Esc), []);
    assert_eq!(model.screen(), Screen::Dashboard);
    let mut model = shown(fixture::logged(), COLOUR, (100, 30));
    assert_eq!(press(&mut model, KeyCode::Enter), []);
    assert_eq!(typed(&mut model, "l"), []);
    assert_eq!(at(&model).1, Some(4));
    assert_eq!(press(&mut model, KeyCode::Esc), []);
    assert_eq!(model.screen(), Screen::Detail);
}

#[test]
fn where_nothing_runs_the_newest_log_opens() {
    let mut run = fixture::logged();
    with_job(&mut run, |job| {
        job.history.pop();
        job.logs.pop();
    });
    let mut model = shown(run, COLOUR, (100, 30));
    assert_eq!(typed(&mut model, "l"), []);
    assert_eq!(at(&model), ("migrations", Some(3), true));
}

#[test]
fn it_goes_attempt_by_attempt_also_where_the_pod_is_gone_and_to_other_containers() {
    let mut model = opened("l");
    for (key, attempt) in [('[', 3), ('p', 2), ('[', 1)] {
        assert_eq!(typed(&mut model, &key.to_string()), []);
        assert_eq!(at(&model), ("migrations", Some(attempt), false));
    }
    assert_eq!(logs(&model).pod().map(|pod| pod.gone), Some(true));
    assert_eq!(typed(&mut model, "["), []);
    assert_eq!((at(&model).1, notice(&model)), (Some(1), "there is no attempt before"));
    assert_eq!(typed(&mut model, "]]]"), []);
    assert_eq!(at(&model), ("migrations", Some(4), true), "back at the newest, it is followed again");
    assert_eq!(press(&mut model, KeyCode::Tab), []);
    assert_eq!(at(&model), ("configure", None, false));
    assert_eq!(press(&mut model, KeyCode::Tab), []);
    assert_eq!(at(&model), ("migrations", Some(4), true));
}

#[test]
fn attempts_are_numbered_as_the_job_counts_them() {
    let mut run = fixture::logged();
    with_job(&mut run, |job| job.attempts = crate::gate::Attempts::new(5, 0, 6, true));
    let mut model = shown(run, COLOUR, (100, 30));
    assert_eq!(typed(&mut model, "l"), []);
    assert!(lines(&model)[2].contains("attempt 6 of 6"), "5 of 6 failed: {}", lines(&model)[2]);
    assert_eq!(typed(&mut model, "["), []);
    assert_eq!(saved(&mut model).0, "gitlab-migrations-5f2c9a1e-attempt-5-migrations.log");
}

#[test]
fn a_new_attempt_is_shown_where_one_follows_and_nowhere_else() {
    for (keys, attempt) in [("l", 5), ("lk", 4), ("lkf", 5), ("lkG", 5), ("lf", 4), ("l[", 3), ("l[f", 5), ("l[]", 5)] {
        let mut model = opened(keys);
        see(&mut model, vec![fixture::logged_later()]);
        assert_eq!(at(&model).1, Some(attempt), "{keys}");
    }
}

#[test]
fn what_is_read_stays_when_new_runs_shift_the_others_and_when_the_job_leaves_the_upgrade() {
    let mut model = opened("l[[[g");
    let before = lines(&model);
    let mut later = fixture::logged_later();
    with_job(&mut later, |job| drop(job.logs.remove(0)));
    see(&mut model, vec![later]);
    assert_eq!(at(&model).1, Some(1));
    assert_eq!(lines(&model)[6..], before[6..]);
    see(&mut model, vec![fixture::rolling()]);
    assert_eq!(lines(&model)[6..], before[6..]);
    see(&mut model, Vec::new());
    assert_eq!(lines(&model)[6..], before[6..]);
    assert_eq!(press(&mut model, KeyCode::Esc), []);
    assert_eq!(model.screen(), Screen::Waiting);
}

#[test]
fn esc_drops_the_search_first() {
    let mut model = opened("l/lock");
    assert_eq!(model.searched(), Some("lock"));
    assert_eq!(typed(&mut model, "q"), [], "it is typed");
    assert_eq!(press(&mut model, KeyCode::Backspace), []);
    assert_eq!(press(&mut model, KeyCode::Enter), []);
    assert_eq!((model.searched(), &model.typing), (Some("lock"), &None));
    assert_eq!(typed(&mut model, "nN"), []);
    assert_eq!(press(&mut model, KeyCode::Esc), []);
    assert_eq!(model.searched(), None);
    assert_eq!(at(&model).1, Some(4));
    assert_eq!(press(&mut model, KeyCode::Esc), []);
    assert_eq!(model.screen(), Screen::Dashboard);
    let mut model = opened("l/");
    assert_eq!(press(&mut model, KeyCode::Enter), []);
    assert_eq!(model.searched(), None, "nothing was searched");
    assert_eq!(typed(&mut model, "/lo"), []);
    assert_eq!(press(&mut model, KeyCode::Esc), []);
    assert_eq!((model.searched(), at(&model).2), (None, true), "back where it began");
}

#[test]
fn a_search_goes_with_to_the_next_log() {
    let mut model = opened("l/lock");
    assert_eq!(press(&mut model, KeyCode::Enter), []);
    assert_eq!(typed(&mut model, "[n"), []);
    let Screen::Logs(reading, _) = model.screen() else { panic!("logs") };
    let search = reading.pager.search.as_ref().unwrap();
    assert_eq!((search.count(), search.number()), (10, Some(5)));
}

#[test]
fn a_log_is_saved_with_times_and_without_colours() {
    let mut model = opened("l[");
    let (name, text) = saved(&mut model);
    assert_eq!(name, "gitlab-migrations-5f2c9a1e-attempt-3-migrations.log");
    assert_eq!(text.lines().count(), 40);
    assert_eq!(text.lines().next(), Some("2026-11-29T14:25:41Z == 20261001120000 AddIndexToCiBuilds: migrating ==="));
    assert!(!text.contains('\u{1b}'));
    assert_eq!(update(&mut model, Message::Saved(Ok(format!("./{name}")))), []);
    assert_eq!(notice(&model), "saved to ./gitlab-migrations-5f2c9a1e-attempt-3-migrations.log");
    assert_eq!(update(&mut model, Message::Saved(Err("not saved: no".into()))), []);
    assert_eq!(notice(&model), "not saved: no");
    let mut nothing = shown(fixture::running(), COLOUR, (100, 30));
    assert_eq!(typed(&mut nothing, "ls"), []);
    assert_eq!(notice(&nothing), "there is nothing to save");
}

#[test]
fn in_logs_the_command_of_their_gate_is_copied_whatever_is_selected_meanwhile() {
    let mut model = shown(fixture::logged(), COLOUR, (100, 30));
    let command = model.command().unwrap();
    assert_eq!(typed(&mut model, "l"), []);
    see(&mut model, vec![fixture::rolling()]);
    assert_eq!(typed(&mut model, "c"), [Effect::Copy(command)]);
}

#[test]
fn an_object_is_copied_and_saved_whole() {
    let mut model = shown(written(), COLOUR, (60, 15));
    assert_eq!(typed(&mut model, "y"), []);
    let copied = match typed(&mut model, "c").as_slice() {
        [Effect::Copy(text)] => text.clone(),
        other => panic!("{other:?}"),
    };
    assert!(copied.starts_with("apiVersion: batch/v1\nkind: Job\n") && copied.contains("toolbox:v18.10.1"), "{copied}");
    let (name, text) = saved(&mut model);
    assert_eq!((name.as_str(), &text), ("job-gitlab-migrations-5f2c9a1e.yaml", &copied));
    assert_eq!(update(&mut model, Message::Copied(Outcome::ShowAlone(copied))), []);
    assert_eq!(notice(&model), "nothing here takes it: s saves it in a file");
    assert!(matches!(model.screen(), Screen::Object(..)), "the screen of a text alone is for one line");
    assert_eq!(press(&mut model, KeyCode::Esc), []);
    assert_eq!(typed(&mut model, "d"), []);
    let (name, _) = saved(&mut model);
    assert_eq!(name, "job-gitlab-migrations-5f2c9a1e-described.txt");
}

#[test]
fn an_object_that_changes_or_goes_is_shown_as_it_is_and_says_so() {
    let mut model = shown(written(), COLOUR, (100, 30));
    assert_eq!(typed(&mut model, "y/backoff"), []);
    assert!(lines(&model)[2].contains("/backoff 1 of 1"), "{}", lines(&model)[2]);
    let mut gone = written();
    with_job(&mut gone, |job| job.gone = true);
    see(&mut model, vec![gone]);
    assert!(lines(&model)[2].contains("(deleted; as it was last)"), "{}", lines(&model)[2]);
    assert!(lines(&model)[2].contains("/backoff 1 of 1"), "it is searched anew: {}", lines(&model)[2]);
}

#[test]
fn the_deployments_of_a_rollout_are_read_together_and_stay_as_they_were_when_it_leaves_the_screen() {
    let mut model = shown(written_rollout(), COLOUR, (100, 30));
    assert_eq!(typed(&mut model, "y"), []);
    let (name, text) = saved(&mut model);
    assert_eq!(name, "gitlab-rails-rollout.yaml");
    assert_eq!(text.lines().filter(|line| *line == "kind: Deployment").count(), 2, "{text}");
    assert_eq!(text.lines().filter(|line| *line == "---").count(), 1, "{text}");
    let mut model = shown(written_rollout(), COLOUR, (100, 30));
    assert_eq!(typed(&mut model, "d"), []);
    let (name, before) = saved(&mut model);
    assert_eq!(name, "gitlab-rails-rollout-described.txt");
    let mut later = written_rollout();
    let StepBody::Rollout(rollout) = &mut later.steps[1].body else { panic!("a rollout") };
    rollout.workloads[1].replicas.clear();
    see(&mut model, vec![later]);
    let (_, after) = saved(&mut model);
    let pods = |text: &str| text.lines().filter(|line| line.starts_with("Pod gitlab-")).count();
    assert_eq!((pods(&before), pods(&after)), (6, 4));
    see(&mut model, Vec::new());
    assert_eq!(saved(&mut model).1, after);
}

#[test]
fn in_the_list_the_resource_is_shown_as_yaml() {
    let mut runs = fixture::several();
    runs[1].manifest = written().manifest;
    let mut model = model(settings(COLOUR), (100, 30), runs, feed(&live()));
    assert_eq!(typed(&mut model, "y"), []);
    assert_eq!(notice(&model), "the object was not kept");
    assert_eq!(typed(&mut model, "jy"), []);
    assert!(lines(&model)[2].starts_with(" gitlabcore/gitlab  as YAML"), "{}", lines(&model)[2]);
    see(&mut model, Vec::new());
    assert!(lines(&model)[2].contains("deleted"), "{}", lines(&model)[2]);
}

#[test]
fn where_there_is_nothing_to_read_it_says_why() {
    let mut model = shown(fixture::rolling(), COLOUR, (100, 30));
    for (keys, told) in [
        ("l", "a rollout has no log of its own"),
        ("y", "the object was not kept"),
        ("d", "the object was not kept"),
        ("jl", "there is no Job yet, and so no log"),
        ("y", "there is no Job yet"),
        ("jd", "no Deployment of it was seen"),
        ("kkkd", "the object was not kept"),
        ("p", "there is no attempt before"),
    ] {
        assert_eq!(typed(&mut model, keys), []);
        assert_eq!((notice(&model), model.screen()), (told, Screen::Dashboard), "{keys}");
    }
}

#[test]
fn what_is_redacted_cannot_be_read() {
    let settings = Settings { redact: true, ..settings(COLOUR) };
    for key in ["l", "p", "y", "d"] {
        let mut model = model(settings.clone(), (100, 30), vec![fixture::logged()], feed(&live()));
        assert_eq!(typed(&mut model, key), []);
        assert_eq!((notice(&model), model.screen()), ("--redact hides logs and objects", Screen::Dashboard), "{key}");
    }
    let kiosk = Settings { mode: Mode::Kiosk, ..settings };
    let mut model = model(kiosk, (100, 30), vec![fixture::logged()], feed(&live()));
    assert_eq!(typed(&mut model, "lpyd"), []);
    assert_eq!((notice(&model), model.screen()), ("", Screen::Kiosk));
}

#[test]
fn keys_move_in_a_text() {
    let top = |model: &Model| {
        let Screen::Logs(reading, _) = model.screen() else { panic!("logs") };
        reading.pager.position(reading.text(), view::text_room(model)).unwrap().0
    };
    let mut model = opened("lwg");
    assert_eq!(top(&model), 1);
    for (key, line) in [(KeyCode::Char('j'), 2), (KeyCode::Down, 3), (KeyCode::Char('k'), 2), (KeyCode::End, 38)] {
        assert_eq!(press(&mut model, key), []);
        assert_eq!(top(&model), line, "{key}");
    }
    assert_eq!(press(&mut model, KeyCode::Home), []);
    assert_eq!(press(&mut model, KeyCode::PageDown), []);
    assert_eq!(top(&model), 22);
    assert_eq!(press(&mut model, KeyCode::PageUp), []);
    assert_eq!(top(&model), 1);
    let cut = lines(&model);
    assert_eq!(press(&mut model, KeyCode::Right), []);
    assert_ne!(lines(&model), cut);
    assert_eq!(press(&mut model, KeyCode::Left), []);
    assert_eq!(lines(&model), cut);
    assert_eq!(typed(&mut model, "t"), []);
    assert!(lines(&model)[6].starts_with(" 14:30:27.000 =="), "{}", lines(&model)[6]);
}
