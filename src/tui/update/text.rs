//! What keys do to a text: logs, and objects.

use super::notify;
use crate::cluster::LogLine;
use crate::run::StepBody;
use crate::tape::Shown;
use crate::tui::keymap::{Action, Place};
use crate::tui::model::{Effect, Model, Over, Typing};
use crate::tui::pager::{Move, Pager, Room, Text};
use crate::tui::reading::{Form, Logs, Object, Reading, Subject, Which};
use crate::tui::view;

/// Opens a text about what is selected.
pub(super) fn open(model: &mut Model, place: Place, action: Action) {
    if model.settings.redact {
        return notify(model, "--redact hides logs and objects", false);
    }
    let opened = match action {
        Action::Logs => logs(model, Which::Live),
        Action::Before => logs(model, Which::Before),
        Action::Yaml if place == Place::Instances => {
            let listed = model.listed();
            let run = listed.get(model.row(&listed));
            run.ok_or("nothing is selected")
                .and_then(|run| Object::resource(run, &model.settings.zone).ok_or(NOT_KEPT))
                .map(Reading::object)
        }
        Action::Yaml => object(model, Form::Yaml),
        Action::Describe => object(model, Form::Described),
        _ => return,
    };
    match opened {
        Ok(reading) => model.over.push(Over::Text(Box::new(reading))),
        Err(problem) => notify(model, problem, false),
    }
}

const NOT_KEPT: &str = "the object was not kept";

fn logs(model: &Model, which: Which) -> Result<Reading, &'static str> {
    let step = model.step().ok_or("no step is selected")?;
    let gate = match &step.body {
        StepBody::Gate(gate) => gate,
        StepBody::Rollout(_) => return Err("a rollout has no log of its own"),
        StepBody::Stage(_) => return Err("the operator does this step itself, so it has no log here"),
    };
    let job = gate.job.clone().ok_or("there is no Job yet, and so no log")?;
    let mut logs = Logs::new(step.id, job);
    if which != Which::Live && !logs.show(which) {
        return Err("there is no attempt before");
    }
    Ok(Reading::logs(logs))
}

fn object(model: &Model, form: Form) -> Result<Reading, &'static str> {
    let (run, step) = model.run().zip(model.step()).ok_or("no step is selected")?;
    let nothing = match &step.body {
        StepBody::Gate(gate) if gate.job.is_none() => "there is no Job yet",
        StepBody::Rollout(rollout) if rollout.workloads.is_empty() => "no Deployment of it was seen",
        StepBody::Stage(_) if form == Form::Described => {
            "this step has no object of its own: y shows the whole resource"
        }
        _ => NOT_KEPT,
    };
    Object::step(form, run, step, &model.settings.zone).ok_or(nothing).map(Reading::object)
}

/// Takes in what became of the texts that are read. One about a Job that was not there yet at the moment that is shown is
/// closed.
pub(super) fn see(model: &mut Model) {
    let (moment, past) = match &model.shown {
        Shown::Now | Shown::Frontier(_) => (&model.frontier, false),
        Shown::Past(moment, _) => (&**moment, true),
    };
    let open = model.over.len();
    model.over.retain_mut(|over| {
        let Over::Text(reading) = over else { return true };
        reading.see(&moment.runs, &model.settings.zone);
        !past || reading.is_among(&moment.runs) || reading.began().is_none_or(|began| began <= moment.time)
    });
    if model.over.len() < open {
        notify(model, "it was not there yet", false);
    }
}

/// Does what a key does to the text; `None` where it is none of a text.
pub(super) fn act(model: &mut Model, action: Action) -> Option<Vec<Effect>> {
    let page = isize::try_from(view::text_room(model).rows.saturating_sub(2).max(1)).unwrap_or(1);
    match action {
        Action::Up => go(model, Move::By(-1)),
        Action::Down => go(model, Move::By(1)),
        Action::PageUp => go(model, Move::By(-page)),
        Action::PageDown => go(model, Move::By(page)),
        Action::First => go(model, Move::First),
        Action::Last => go(model, Move::Last),
        Action::Left => with(model, |pager, text, room| pager.aside(false, text, room)),
        Action::Right => with(model, |pager, text, room| pager.aside(true, text, room)),
        Action::Wrap => with(model, Pager::wrap),
        Action::Times => with(model, |pager, _, _| pager.times = !pager.times),
        Action::Follow => follow(model),
        Action::Before => turn(model, Which::Before, "there is no attempt before"),
        Action::After => turn(model, Which::After, "there is no attempt after"),
        Action::NextContainer => turn(model, Which::NextContainer, "there is no other container"),
        Action::Search => {
            with(model, Pager::search);
            model.typing = Some(Typing::Search);
        }
        Action::NextMatch => with(model, |pager, text, room| pager.next_match(true, text, room)),
        Action::MatchBefore => with(model, |pager, text, room| pager.next_match(false, text, room)),
        Action::Erase => retype(model, |pattern| {
            pattern.truncate(pattern.len() - pattern.chars().next_back().map_or(0, char::len_utf8))
        }),
        Action::KeepSearch => {
            model.typing = None;
            if model.searched() == Some("") {
                with(model, |pager, _, _| pager.drop_search(true));
            }
        }
        Action::DropSearch => {
            model.typing = None;
            with(model, |pager, _, _| pager.drop_search(true));
        }
        Action::Back if model.searched().is_some() => with(model, |pager, _, _| pager.drop_search(false)),
        Action::Save => return Some(save(model)),
        Action::Copy => return copy(model),
        _ => return None,
    }
    Some(Vec::new())
}

/// Changes what is searched.
pub(super) fn retype(model: &mut Model, edit: impl FnOnce(&mut String)) {
    if model.typing == Some(Typing::Search) {
        with(model, |pager, text, room| pager.retype(edit, text, room));
    }
}

fn with(model: &mut Model, change: impl FnOnce(&mut Pager, Text<'_>, Room)) {
    let room = view::text_room(model);
    if let Some(Over::Text(reading)) = model.over.last_mut() {
        let (text, pager) = reading.parts();
        change(pager, text, room);
    }
}

fn go(model: &mut Model, to: Move) {
    with(model, |pager, text, room| pager.go(to, text, room));
}

/// Follows the newest attempt; where that is done already, stays where it is.
fn follow(model: &mut Model) {
    let room = view::text_room(model);
    let Some(Over::Text(reading)) = model.over.last_mut() else { return };
    if let Subject::Logs(logs) = &mut reading.subject
        && (!logs.is_live() || !reading.pager.sticks())
    {
        if logs.show(Which::Live) {
            reading.pager.turn();
        }
        let (text, pager) = reading.parts();
        pager.stick(true, text, room);
        pager.refresh(text);
    } else {
        let (text, pager) = reading.parts();
        pager.stick(false, text, room);
    }
}

/// Shows the log of another run.
fn turn(model: &mut Model, which: Which, otherwise: &str) {
    let Some(Over::Text(reading)) = model.over.last_mut() else { return };
    let Subject::Logs(logs) = &mut reading.subject else { return };
    if logs.show(which) {
        reading.pager.turn();
        let (text, pager) = reading.parts();
        pager.refresh(text);
    } else {
        notify(model, otherwise, false);
    }
}

/// Copies an object whole; of a log the command is copied, as everywhere.
fn copy(model: &Model) -> Option<Vec<Effect>> {
    let Some(Over::Text(reading)) = model.over.last() else { return None };
    match &reading.subject {
        Subject::Logs(_) => None,
        Subject::Object(object) => {
            let lines = object.lines.iter().map(|line| format!("{}\n", line.text));
            Some(vec![Effect::Copy(lines.collect())])
        }
    }
}

/// Saves what is read, a log with the times of its lines.
fn save(model: &mut Model) -> Vec<Effect> {
    let Some(Over::Text(reading)) = model.over.last() else { return Vec::new() };
    let text = reading.text();
    let line = |line: &LogLine| match line.time {
        Some(time) => format!("{time} {}\n", line.text),
        None => format!("{}\n", line.text),
    };
    let lines: String = (text.first()..text.end()).filter_map(|number| text.line(number)).map(line).collect();
    if lines.is_empty() {
        notify(model, "there is nothing to save", false);
        return Vec::new();
    }
    let name = match &reading.subject {
        Subject::Logs(logs) => log_name(logs),
        Subject::Object(object) => match object.form() {
            Form::Yaml => format!("{}.yaml", object.file),
            Form::Described => format!("{}-described.txt", object.file),
        },
    };
    vec![Effect::Save { name, text: lines }]
}

/// `JOB-attempt-3-migrations.log`; of a run that is no attempt, its pod in place of the number.
fn log_name(logs: &Logs) -> String {
    let job = &logs.job.name;
    let Some(run) = logs.run() else { return format!("{job}.log") };
    match logs.attempt() {
        Some((number, _)) => format!("{job}-attempt-{number}-{}.log", run.run.container),
        None => format!("{}-{}.log", run.pod, run.run.container),
    }
}

#[cfg(test)]
mod tests;
