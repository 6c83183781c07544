//! The time line as a picture: a lane for each step, its states as bars, each attempt below, on an axis of time.
//!
//! Places along the line are shares of its width, so that words keep their size from a phone to a wall. Every state has a
//! pattern and its word; the table below the picture tells the same.

use jiff::Timestamp;

use super::markup::Markup;

use crate::report::document::{TimeLine, Times, took};
use crate::report::hops::{Hop, Lane, Shade, Stretch};
use crate::report::jobs::{How, Told};

/// Heights, in pixels.
const AXIS: usize = 22;
const HOP: usize = 24;
/// Of a lane: its title alone, with its bar, and with its attempts.
const TITLE: usize = 22;
const WITH_BAR: usize = 46;
const WITH_ATTEMPTS: usize = 58;
const BAR: usize = 18;
const ATTEMPT: usize = 7;
/// The least share of the width, in percent, that a bar with its word in it has.
const ROOM: f64 = 9.0;
/// The least width of a bar that is seen, in percent.
const LEAST: f64 = 0.25;

/// Draws it; `number` is that of the picture in its page.
pub(super) fn draw(markup: &mut Markup, line: &TimeLine<'_>, times: Times, number: usize) {
    let picture = Picture { line, times, number };
    markup.element("figure", &[], |figure| {
        picture.draw(figure);
        figure.line();
        picture.legend(figure);
    });
}

struct Picture<'a> {
    line: &'a TimeLine<'a>,
    times: Times,
    number: usize,
}

impl Picture<'_> {
    fn draw(&self, markup: &mut Markup) {
        let (title, words) = (format!("t{}", self.number), format!("d{}", self.number));
        let height = self.height().to_string();
        let label = format!("{title} {words}");
        let attributes = [
            ("class", "line"),
            ("xmlns", "http://www.w3.org/2000/svg"),
            ("role", "img"),
            ("aria-labelledby", &label),
            ("width", "100%"),
            ("height", &height),
        ];
        markup.element("svg", &attributes, |svg| {
            svg.leaf("title", &[("id", &title)], &format!("Time line of {}", self.line.name));
            svg.leaf("desc", &[("id", &words)], &self.description());
            svg.element("defs", &[], |defs| Shade::ALL.into_iter().for_each(|shade| self.pattern(defs, shade)));
            svg.line();
            self.axis(svg, &height);
            let mut top = AXIS;
            for hop in self.line.hops {
                top = self.hop(svg, hop, top, &height);
            }
            for (from, to) in self.line.outages {
                self.outage(svg, *from, *to, &height);
            }
        });
    }

    fn height(&self) -> usize {
        AXIS + self
            .line
            .hops
            .iter()
            .map(|hop| self.header() + hop.lanes.iter().map(height_of).sum::<usize>())
            .sum::<usize>()
    }

    /// How high the header of a hop is: where there is one hop, it needs none.
    fn header(&self) -> usize {
        if self.line.hops.len() > 1 { HOP } else { 0 }
    }

    /// The picture in words.
    fn description(&self) -> String {
        let mut words =
            format!("From {} to {} UTC.", self.times.time(self.line.axis.from()), self.times.time(self.line.axis.to()));
        for hop in self.line.hops {
            if let Some(version) = hop.version.as_ref().filter(|_| self.header() > 0) {
                words += &format!(" Hop {version}.");
            }
            for lane in &hop.lanes {
                words += &format!(" {}: {}.", lane.step.title(), self.note(lane));
            }
        }
        words
    }

    /// How a step stands, in a line.
    fn note(&self, lane: &Lane) -> String {
        let mut words = lane.state.to_owned();
        if let (Some(started), Some(ended)) = (lane.started, lane.ended) {
            words += &format!(" in {}", took(ended.duration_since(started)));
        }
        if let Some(tried) = lane.jobs.last().and_then(|job| job.tried) {
            words += &format!(", {}", tried.counted());
        }
        words
    }

    fn axis(&self, svg: &mut Markup, height: &str) {
        let ticks = self.line.axis.ticks();
        let minutes = ticks.iter().all(|tick| tick.as_second() % 60 == 0);
        for (number, tick) in ticks.into_iter().enumerate() {
            let place = self.line.axis.place(tick);
            let x = percent(place);
            svg.empty("line", &[("class", "grid"), ("x1", &x), ("x2", &x), ("y1", "16"), ("y2", height)]);
            let anchor = match place {
                ..0.03 => "start",
                0.97.. => "end",
                _ => "middle",
            };
            let class = if number % 2 == 1 { "faint odd" } else { "faint" };
            let words = if minutes { self.times.minute(tick) } else { self.times.time(tick) };
            svg.leaf("text", &[("class", class), ("x", &x), ("y", "12"), ("text-anchor", anchor)], &words);
        }
        svg.line();
    }

    /// Draws a hop from that height on, and says where it ends.
    fn hop(&self, svg: &mut Markup, hop: &Hop, mut top: usize, height: &str) -> usize {
        if self.header() > 0 {
            if let Some(began) = hop.began {
                let x = self.x(began);
                let y = top.to_string();
                svg.empty("line", &[("class", "edge"), ("x1", &x), ("x2", &x), ("y1", &y), ("y2", height)]);
            }
            let words = match &hop.version {
                Some(version) => format!("Hop {version}"),
                None => "Hop".to_owned(),
            };
            svg.leaf("text", &[("class", "hop"), ("x", "0"), ("y", &(top + 16).to_string())], &words);
            top += HOP;
        }
        for lane in &hop.lanes {
            self.lane(svg, lane, top);
            svg.line();
            top += height_of(lane);
        }
        top
    }

    fn lane(&self, svg: &mut Markup, lane: &Lane, top: usize) {
        let y = |below: usize| (top + below).to_string();
        svg.element("text", &[("x", "0"), ("y", &y(14))], |text| {
            text.text(lane.step.title());
            text.leaf("tspan", &[("class", "faint")], &format!("  {}", self.note(lane)));
        });
        for stretch in &lane.stretches {
            self.bar(svg, stretch, top + 20);
        }
        for attempt in lane.jobs.iter().flat_map(|job| &job.attempts) {
            self.attempt(svg, attempt, top + 20 + BAR + 3);
        }
        for (time, number) in lane.failures() {
            let words = format!("Attempt {number} failed at {}", self.times.time(time));
            svg.element("text", &[("class", "mark"), ("x", &self.x(time)), ("y", &y(20 + BAR + 13))], |mark| {
                mark.leaf("title", &[], &words);
                mark.text("✖");
            });
        }
        for deadline in lane.jobs.iter().filter_map(|job| job.deadline).filter(|at| self.line.axis.holds(*at)) {
            let x = self.x(deadline);
            let attributes =
                [("class", "deadline"), ("x1", &*x), ("x2", &*x), ("y1", &*y(17)), ("y2", &*y(20 + BAR + ATTEMPT + 5))];
            svg.element("line", &attributes, |mark| {
                mark.leaf("title", &[], &format!("Deadline at {}", self.times.time(deadline)));
            });
        }
    }

    fn bar(&self, svg: &mut Markup, stretch: &Stretch, top: usize) {
        let Stretch { shade, from, to } = *stretch;
        let (left, width) = self.extent(from, to);
        let (y, bar) = (top.to_string(), BAR.to_string());
        // In a picture of its own, a word that is too long is cut and not drawn over what follows.
        let attributes = [("x", &*percent(left)), ("y", &*y), ("width", &*format!("{width:.3}%")), ("height", &*bar)];
        svg.element("svg", &attributes, |svg| {
            let words = format!(
                "{} from {} to {} ({})",
                shade.word(),
                self.times.time(from),
                self.times.time(to),
                took(to.duration_since(from))
            );
            svg.leaf("title", &[], &words);
            self.fill(svg, shade, &bar);
            if width >= ROOM {
                self.label(svg, shade);
            }
        });
    }

    /// The word of a state, on a ground without its pattern.
    fn label(&self, svg: &mut Markup, shade: Shade) {
        let word = shade.word();
        let (class, ground) = match shade {
            Shade::Unwatched => ("label dark", "ground".to_owned()),
            _ => ("label", format!("{word}-fill")),
        };
        let width = (word.len() * 7 + 8).to_string();
        svg.empty("rect", &[("class", &ground), ("x", "2"), ("y", "2"), ("width", &width), ("height", "14")]);
        svg.leaf("text", &[("class", class), ("x", "5"), ("y", "13")], word);
    }

    fn attempt(&self, svg: &mut Markup, attempt: &Told, top: usize) {
        let started = attempt.started.or(attempt.ended);
        let Some((from, to)) = started.zip(attempt.ended.or(Some(self.line.axis.to()))) else { return };
        let (left, width) = self.extent(from, to);
        let (class, outcome) = looks(&attempt.outcome);
        let (x, y) = (percent(left), top.to_string());
        let (width, height) = (format!("{width:.3}%"), ATTEMPT.to_string());
        let attributes = [("class", class), ("x", &x), ("y", &y), ("width", &width), ("height", &height)];
        svg.element("rect", &attributes, |bar| {
            let words = format!(
                "Attempt {} {outcome}: from {} to {} ({})",
                attempt.number,
                self.times.time(from),
                self.times.time(to),
                took(to.duration_since(from))
            );
            bar.leaf("title", &[], &words);
        });
    }

    fn outage(&self, svg: &mut Markup, from: Timestamp, to: Timestamp, height: &str) {
        let (left, width) = self.extent(from, to);
        let fill = format!("url(#p{}-outage)", self.number);
        let (x, width, y) = (percent(left), format!("{width:.3}%"), AXIS.to_string());
        let attributes = [("fill", &*fill), ("x", &*x), ("y", &*y), ("width", &*width), ("height", height)];
        svg.element("rect", &attributes, |rect| {
            let words = format!("The cluster did not answer from {} to {}", self.times.time(from), self.times.time(to));
            rect.leaf("title", &[], &words);
        });
    }

    /// Where a bar begins, as a share, and how wide it is, in percent.
    fn extent(&self, from: Timestamp, to: Timestamp) -> (f64, f64) {
        let (left, right) = (self.line.axis.place(from), self.line.axis.place(to));
        // What ends at the end of the line and is too short to be seen begins before.
        let left = left.min(1.0 - LEAST / 100.0);
        (left, ((right - left) * 100.0).max(LEAST))
    }

    fn x(&self, time: Timestamp) -> String {
        percent(self.line.axis.place(time))
    }

    /// A state, as what fills a picture of that height.
    fn fill(&self, svg: &mut Markup, shade: Shade, height: &str) {
        if shade == Shade::Unwatched {
            let attributes = [("class", "unwatched"), ("width", "100%"), ("height", height)];
            return svg.empty("rect", &attributes);
        }
        let class = format!("{}-fill", shade.word());
        svg.empty("rect", &[("class", &class), ("width", "100%"), ("height", height)]);
        if shade != Shade::Running {
            let fill = format!("url(#p{}-{})", self.number, shade.word());
            svg.empty("rect", &[("fill", &fill), ("width", "100%"), ("height", height)]);
        }
    }

    /// The pattern of a state: what is running has none. The one of an outage comes with that of what nobody watched.
    fn pattern(&self, defs: &mut Markup, shade: Shade) {
        let (name, class, path) = match shade {
            Shade::Running => return,
            Shade::Retrying => ("retrying", "stripe", "M-2 2 L2 -2 M0 8 L8 0 M6 10 L10 6"),
            Shade::Blocked => ("blocked", "stripe", "M4 0 L4 8"),
            Shade::Failing => ("failing", "stripe", "M0 0 L8 8 M0 8 L8 0"),
            Shade::Suspended => ("suspended", "stripe", "M0 4 L8 4"),
            Shade::Unwatched => ("outage", "outage", "M-2 6 L2 10 M0 0 L8 8 M6 -2 L10 2"),
        };
        let id = format!("p{}-{name}", self.number);
        let attributes = [("id", &*id), ("width", "8"), ("height", "8"), ("patternUnits", "userSpaceOnUse")];
        defs.element("pattern", &attributes, |pattern| pattern.empty("path", &[("class", class), ("d", path)]));
    }

    /// What the patterns and marks mean, those that the picture has.
    fn legend(&self, markup: &mut Markup) {
        let lanes = || self.line.hops.iter().flat_map(|hop| &hop.lanes);
        let has = |shade: &Shade| lanes().flat_map(|lane| &lane.stretches).any(|stretch| stretch.shade == *shade);
        let sign = |list: &mut Markup, words: &str, draw: &dyn Fn(&mut Markup)| {
            list.element("li", &[], |item| {
                item.element("svg", &[("aria-hidden", "true"), ("width", "28"), ("height", "12")], |svg| draw(svg));
                item.text(words);
            });
        };
        markup.element("ul", &[("class", "legend")], |list| {
            for shade in Shade::ALL.into_iter().filter(has) {
                sign(list, shade.word(), &|svg| self.fill(svg, shade, "12"));
            }
            let attempts = || lanes().flat_map(|lane| &lane.jobs).flat_map(|job| &job.attempts);
            for (words, look) in [
                ("an attempt that runs", "running-fill"),
                ("an attempt that ended well", "done-fill"),
                ("an attempt that was stopped", "suspended-fill"),
            ] {
                if attempts().any(|attempt| looks(&attempt.outcome).0 == look) {
                    sign(list, words, &|svg| {
                        svg.empty("rect", &[("class", look), ("y", "3"), ("width", "100%"), ("height", "7")]);
                    });
                }
            }
            if lanes().any(|lane| lane.failures().next().is_some()) {
                sign(list, "an attempt, and where it failed", &|svg| {
                    svg.empty("rect", &[("class", "failing-fill"), ("y", "3"), ("width", "20"), ("height", "7")]);
                    svg.leaf("text", &[("class", "mark"), ("x", "20"), ("y", "11")], "✖");
                });
            }
            let deadlines = || lanes().flat_map(|lane| &lane.jobs).filter_map(|job| job.deadline);
            if deadlines().any(|at| self.line.axis.holds(at)) {
                sign(list, "deadline", &|svg| {
                    svg.empty("line", &[("class", "deadline"), ("x1", "14"), ("x2", "14"), ("y1", "0"), ("y2", "12")]);
                });
            }
            if !self.line.outages.is_empty() {
                let fill = format!("url(#p{}-outage)", self.number);
                sign(list, "the cluster did not answer", &|svg| {
                    svg.empty("rect", &[("fill", &fill), ("width", "100%"), ("height", "12")]);
                });
            }
        });
    }
}

/// How an attempt looks, and what became of it in words.
fn looks(outcome: &How) -> (&'static str, &'static str) {
    match outcome {
        How::Running => ("running-fill", "runs"),
        How::Succeeded => ("done-fill", "succeeded"),
        How::Stopped => ("suspended-fill", "was stopped"),
        How::Failed(_) => ("failing-fill", "failed"),
    }
}

fn height_of(lane: &Lane) -> usize {
    match (lane.jobs.iter().any(|job| !job.attempts.is_empty()), lane.stretches.is_empty()) {
        (true, _) => WITH_ATTEMPTS,
        (false, false) => WITH_BAR,
        (false, true) => TITLE,
    }
}

fn percent(share: f64) -> String {
    format!("{:.3}%", share * 100.0)
}
