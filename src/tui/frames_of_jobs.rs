//! The frames of plain Jobs: a list of few and of hundreds, and a kiosk that shows them in turn.

use ratatui::crossterm::event::KeyCode;

use super::fixture::{COLOUR, ago, feed, live, model, settings};
use super::frames::{compare, drawn, every_size, pressed, text};
use super::model::{BEATS_A_PAGE, Message, Mode, Model, Settings};
use super::theme::Theme;
use super::update::update;
use crate::cluster::{JobPick, Pick, Selection, Uid};
use crate::gate::{Attempts, Gate, GateState, Progress};
use crate::run::{HookDeletion, MadeBy, Run, sample};

/// So many Jobs, of which every fiftieth from the eighth on failed and every twentieth is retrying.
fn jobs(count: usize) -> Vec<Run> {
    (1..=count).map(job).collect()
}

fn job(number: usize) -> Run {
    let state = match number {
        _ if number % 50 == 8 => GateState::Failed(sample::exhausted()),
        _ if number % 20 == 5 => GateState::Retrying { next_restart: None },
        _ if number % 10 == 3 => GateState::Running { finishing: false },
        11 => GateState::Suspended,
        _ => GateState::Done,
    };
    let mut gate: Gate = sample::gate(state, 0);
    let done = matches!(gate.state, GateState::Done);
    if let Some(job) = &mut gate.job {
        job.name = format!("import-{number:03}");
        job.started = Some(ago(3600 - 10 * i64::try_from(number % 90).unwrap()));
        job.ended = job.ended.map(|_| ago(60));
        job.deadline = None;
        let failed = u32::from(number % 50 == 8) * 2 + u32::from(number % 20 == 5);
        job.attempts = Attempts::new(0, failed, 1, false);
        if number % 10 == 3 {
            job.progress = Some(Progress { succeeded: 7, wanted: Some(10), running: 2, parallelism: 2, indexes: None });
        }
    }
    let made_by = match number % 3 {
        0 => Some(MadeBy::Owner { kind: "CronJob".into(), name: "import".into() }),
        1 if !done => Some(MadeBy::Helm {
            release: Some("shop".into()),
            hooks: vec!["pre-install".into(), "pre-upgrade".into()],
            weight: 0,
            deleted: vec![HookDeletion::BeforeNext],
        }),
        _ => None,
    };
    let started = gate.job.as_ref().and_then(|job| job.started);
    let name = format!("import-{number:03}");
    Run { uid: Uid(format!("job/shop/{name}")), name, made_by, started, ..sample::job_run(gate) }
}

fn list(count: usize) -> impl Fn(Theme, (u16, u16)) -> Model {
    move |theme, size| model(settings(theme), size, jobs(count), feed(&live()))
}

fn kiosk(count: usize) -> impl Fn(Theme, (u16, u16)) -> Model {
    move |theme, size| {
        let settings = Settings { mode: Mode::Kiosk, ..settings(theme) };
        model(settings, size, jobs(count), feed(&live()))
    }
}

#[test]
fn a_list_of_jobs_tells_what_fails_however_many_there_are() {
    every_size("jobs-1", list(1));
    every_size("jobs-12", list(12));
    every_size("jobs-200", list(200));
    for size in [(60, 15), (100, 30), (200, 60)] {
        let shown = text(&drawn(&list(200)(COLOUR, size)));
        assert!(shown.contains("200 Jobs: 4 failed"), "{shown}");
    }
}

#[test]
fn the_jobs_in_a_state_are_found_by_its_word() {
    let keys = [KeyCode::Char('/')].into_iter().chain("failed".chars().map(KeyCode::Char));
    let shown = text(&drawn(&pressed(list(200)(COLOUR, (100, 30)), &keys.collect::<Vec<_>>())));
    let found: Vec<&str> = ["import-008", "import-058", "import-108", "import-158"].into_iter().collect();
    assert!(found.iter().all(|name| shown.contains(name)) && !shown.contains("import-001"), "{shown}");
}

#[test]
fn a_kiosk_does_not_show_jobs_that_are_done_while_others_are_not() {
    every_size("jobs-kiosk", kiosk(12));
    let mut model = kiosk(200)(COLOUR, (100, 30));
    let pages = jobs(200).iter().filter(|run| run.word() != "done").count();
    for page in 0..pages {
        model.beat = page * BEATS_A_PAGE;
        let shown = model.run().unwrap();
        assert_ne!(shown.word(), "done");
    }
    let done =
        super::fixture::model(Settings { mode: Mode::Kiosk, ..settings(COLOUR) }, (100, 30), jobs(2), feed(&live()));
    assert_eq!(done.pages().len(), 2, "where all are done, they are shown");
    compare("jobs-kiosk-done", text(&drawn(&done)));
}

#[test]
fn help_and_the_journal_speak_of_no_upgrade_where_there_are_only_jobs() {
    let settings = Settings { selection: Selection::of([Pick::Job(JobPick::All)]), ..settings(COLOUR) };
    let jobs_alone = super::fixture::model(settings, (200, 160), jobs(12), feed(&live()));
    let help = text(&drawn(&pressed(jobs_alone, &[KeyCode::Char('?')])));
    assert!(help.contains("States of a step") && help.contains("the Job has failed"), "{help}");
    assert!(["gate", "upgrade", "nstance"].iter().all(|word| !help.replace("gatewatch", "").contains(word)), "{help}");
    let mut model = list(12)(COLOUR, (100, 30));
    let recalls: Vec<_> = model.runs().iter().map(|run| run.uid.clone()).collect();
    for run in recalls {
        let (runs, now) = (jobs(12).into(), ago(0));
        let _ = update(&mut model, Message::Recalled { run, journal: None, runs, feed: feed(&live()), now });
    }
    let journal = text(&drawn(&pressed(model, &[KeyCode::Char('J')])));
    assert!(journal.contains("Job failed") && !journal.to_lowercase().contains("upgrad"), "{journal}");
}
