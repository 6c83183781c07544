//! The Jobs there are, one a line: what `gatewatch job` says to whoever names none.

use std::io;

use jiff::Timestamp;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::status::{Look, StatusFormat};
use super::style::{BOLD, of_word, painted};
use super::text::{WIDTH, lines, wrap};
use super::{Missing, Why, feed};
use crate::gate::{GateJob, GateState, Tally};
use crate::run::{Run, Step, span};

/// How many blanks stand between two columns.
const GAP: usize = 2;
/// As much of a name is told at the least, and of what it is: with three of them and all other columns, 80 are not passed. Of
/// several clusters there are four.
const LEAST: usize = 12;
const LEAST_OF_FOUR: usize = 8;

/// How many columns there are.
const COLUMNS: usize = 9;
/// The titles of the columns; that of contexts is told where there are several clusters, that of namespaces where there are
/// several of these.
const TITLES: [&str; COLUMNS] = ["CONTEXT", "NAMESPACE", "NAME", "STATE", "DONE", "FAILED", "TOOK", "AGE", "WHAT"];
/// The column that is coloured.
const STATE: usize = 3;
/// The columns whose texts are cut where there is no room for them, the first to be cut first.
const CUT: [usize; 4] = [8, 2, 1, 0];

/// Prints the Jobs of a look as a table for people, or as [`Look::print`] does in any other format.
///
/// # Errors
/// What writing to `out` gives.
pub fn print_jobs(look: &Look<'_>, format: StatusFormat, out: &mut impl io::Write) -> io::Result<()> {
    match format {
        StatusFormat::Text => out.write_all(text(look).as_bytes()),
        format => look.print(format, out),
    }
}

fn text(look: &Look<'_>) -> String {
    let sentences = feed::sentences(look.feed, look.time);
    let mut parts: Vec<String> = sentences.iter().map(|sentence| lines(wrap(sentence, WIDTH))).collect();
    match look.runs {
        [] if look.missing.is_empty() => parts.push("There are no Jobs.\n".into()),
        [] => parts.extend(look.missing.iter().map(none)),
        runs => parts.push(table(runs, look.time)),
    }
    parts.join("\n")
}

/// That there are none, in each of several clusters by its name.
fn none(missing: &Missing) -> String {
    let place = missing.cluster.as_ref().map(|cluster| format!("{cluster}: ")).unwrap_or_default();
    let none = match missing.why {
        Why::Permission => "The server does not let us see Jobs.",
        Why::Unsaid => "It is not known whether there are Jobs.",
        Why::Definition | Why::Instance => "There are no Jobs.",
    };
    lines(wrap(&(place + none), WIDTH))
}

/// The runs as a table of at most [`WIDTH`] columns.
fn table(runs: &[Run], time: Timestamp) -> String {
    let several = runs.iter().any(|run| runs.first().is_some_and(|first| first.namespace != run.namespace));
    let namespace = |run: &Run| if several { run.namespace.clone() } else { String::new() };
    let mut rows: Vec<[String; COLUMNS]> = vec![TITLES.map(str::to_owned)];
    rows.extend(runs.iter().map(|run| row(run, namespace(run), time)));
    let mut widths = [0; COLUMNS];
    for (column, width) in widths.iter_mut().enumerate() {
        *width = rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
        // A column of which no row says anything has no title.
        if rows.iter().skip(1).all(|row| row[column].is_empty()) {
            rows[0][column].clear();
            *width = 0;
        }
    }
    let least = if widths[0] > 0 { LEAST_OF_FOUR } else { LEAST };
    for column in CUT {
        let taken = |widths: &[usize; COLUMNS]| {
            let shown = widths.iter().filter(|width| **width > 0).count();
            widths.iter().sum::<usize>() + GAP * shown.saturating_sub(1)
        };
        let over = taken(&widths).saturating_sub(WIDTH);
        widths[column] = widths[column].saturating_sub(over).max(least.min(widths[column]));
    }
    rows.iter().enumerate().map(|(number, row)| line(row, &widths, number == 0)).collect()
}

fn line(row: &[String; COLUMNS], widths: &[usize; COLUMNS], title: bool) -> String {
    let mut line = String::new();
    let mut blanks = 0;
    for (column, (text, width)) in row.iter().zip(widths).enumerate() {
        if *width == 0 {
            continue;
        }
        let text = cut(text, *width);
        let style = match column {
            _ if title => BOLD,
            STATE => of_word(&text),
            _ => anstyle::Style::new(),
        };
        if !text.is_empty() {
            line += &" ".repeat(blanks);
            blanks = 0;
            line += &painted(&text, style);
        }
        blanks += width - text.width() + GAP;
    }
    line + "\n"
}

fn row(run: &Run, namespace: String, time: Timestamp) -> [String; COLUMNS] {
    let step = run.steps.first();
    let gate = step.and_then(Step::gate);
    let job = gate.and_then(|gate| gate.job.as_ref());
    // One that is suspended takes no time.
    let runs = step.is_some_and(|step| step.begun() && gate.is_none_or(|gate| gate.state != GateState::Suspended));
    let took = step.and_then(|step| step.took(time)).filter(|_| runs);
    [
        run.cluster.as_deref().unwrap_or_default().to_owned(),
        namespace,
        run.name.clone(),
        run.word().to_owned(),
        job.and_then(|job| job.progress.as_ref()).map(|progress| progress.brief()).unwrap_or_default(),
        job.filter(|job| job.attempts.any()).map(|job| failed(job.attempts.tally())).unwrap_or_default(),
        took.map(span).unwrap_or_default(),
        run.started.map(|started| span(time.duration_since(started))).unwrap_or_default(),
        what(run, job),
    ]
}

/// How much failed, of how much where there is a limit.
fn failed(tally: Tally) -> String {
    match tally.limit {
        Some(limit) => format!("{}/{limit}", tally.failed),
        None => tally.failed.to_string(),
    }
}

/// What a Job is: what made it, and how it counts what is done; of a plain one nothing is to be said.
fn what(run: &Run, job: Option<&GateJob>) -> String {
    let counts = job.and_then(|job| job.progress.as_ref()).map(|progress| match (&progress.indexes, progress.wanted) {
        (Some(_), _) => "Indexed",
        (None, Some(_)) => "parallel",
        (None, None) => "work queue",
    });
    let gone = job.filter(|job| job.gone).map(|_| "deleted since");
    let made_by = run.made_by.as_ref().map(|made_by| made_by.to_string());
    let managed =
        job.and_then(|job| job.terms.managed_by.as_ref()).map(|controller| format!("managed by {controller}"));
    let words = made_by.into_iter().chain(counts.map(str::to_owned)).chain(managed).chain(gone.map(str::to_owned));
    words.collect::<Vec<_>>().join(", ")
}

/// As much of a text as has room in `width` columns, with a sign where that is not all.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut taken = 0;
    let fits = |character: &char| {
        taken += character.width().unwrap_or(0);
        taken < width
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Feed;
    use crate::gate::{Attempts, Target};
    use crate::run::{HookDeletion, MadeBy, sample};

    fn shown(runs: &[Run]) -> String {
        let target = Target::default();
        let look = Look { runs, missing: &[], feed: &Feed::default(), time: sample::time("15:20:24"), target: &target };
        let mut out = Vec::new();
        print_jobs(&look, StatusFormat::Text, &mut out).unwrap();
        anstream::adapter::strip_bytes(&out).into_vec().try_into().unwrap()
    }

    fn hook(name: &str, state: GateState, failed: u32) -> Run {
        let mut gate = sample::gate(state, 0);
        gate.job.as_mut().unwrap().attempts = Attempts::new(0, failed, 1, false);
        Run {
            name: name.into(),
            made_by: Some(MadeBy::Helm {
                release: Some("shop".into()),
                hooks: vec!["pre-upgrade".into()],
                weight: 0,
                deleted: vec![HookDeletion::BeforeNext],
            }),
            ..sample::job_run(gate)
        }
    }

    #[test]
    fn the_jobs_there_are_stand_one_a_line_and_what_no_row_tells_has_no_column() {
        let plain = sample::job_run(sample::gate(GateState::Done, 0));
        insta::assert_snapshot!(shown(std::slice::from_ref(&plain)), @r"
        NAME     STATE  TOOK   AGE
        reindex  done   4m12s  20m24s
        ");
        let failed = hook("migrate", GateState::Failed(sample::exhausted()), 2);
        insta::assert_snapshot!(shown(&[failed, sample::job_run(sample::indexed())]), @r"
        NAME     STATE    DONE  FAILED  TOOK    AGE     WHAT
        migrate  failed         2/2     4m12s   20m24s  Helm hook pre-upgrade of releas…
        reindex  running  3/6           20m24s  20m24s  Indexed, managed by kueue.x-k8s…
        ");
    }

    #[test]
    fn of_several_clusters_each_row_says_which_it_is_of() {
        let of =
            |cluster: &str| Run { cluster: Some(cluster.into()), ..sample::job_run(sample::gate(GateState::Done, 0)) };
        insta::assert_snapshot!(shown(&[of("eu"), of("us")]), @r"
        CONTEXT  NAME     STATE  TOOK   AGE
        eu       reindex  done   4m12s  20m24s
        us       reindex  done   4m12s  20m24s
        ");
    }

    #[test]
    fn no_line_is_wider_than_a_terminal_and_what_is_cut_says_so() {
        let mut long = hook(&"a-long-name".repeat(9), GateState::Running { finishing: false }, 1);
        long.namespace = "n".repeat(63);
        let other = Run { namespace: "日本".into(), ..long.clone() };
        let far = |run: &Run| Run { cluster: Some("a-cluster-far-away".into()), ..run.clone() };
        let of_several = shown(&[far(&long), far(&other)]);
        assert!(of_several.lines().all(|line| line.width() <= WIDTH), "{of_several}");
        let shown = shown(&[long, other]);
        assert!(shown.lines().all(|line| line.width() <= WIDTH), "{shown}");
        assert_eq!(
            shown.lines().next().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).as_deref(),
            Some("NAMESPACE NAME STATE FAILED TOOK AGE WHAT")
        );
        assert_eq!(shown.matches('…').count(), 5, "two names, one namespace, and twice what it is: {shown}");
    }

    #[test]
    fn that_there_are_none_is_told_and_other_formats_are_the_report() {
        assert_eq!(shown(&[]), "There are no Jobs.\n");
        let (runs, target) = ([sample::job_run(sample::indexed())], Target::default());
        let look =
            Look { runs: &runs, missing: &[], feed: &Feed::default(), time: sample::time("15:20:24"), target: &target };
        let mut out = Vec::new();
        print_jobs(&look, StatusFormat::Name, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "job.batch/reindex\n");
    }
}
