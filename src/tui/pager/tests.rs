//! Moves, the end that is followed, searches, and what they cost.

use std::collections::VecDeque;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;

const ROOM: Room = Room { columns: 10, rows: 4 };

fn lines(texts: &[&str]) -> VecDeque<Arc<LogLine>> {
    texts.iter().map(|text| Arc::new(LogLine::printed(text.as_bytes()))).collect()
}

fn numbered(count: usize) -> VecDeque<Arc<LogLine>> {
    (0..count).map(|number| Arc::new(LogLine::printed(format!("line {number}").as_bytes()))).collect()
}

/// What is seen, a row a text.
fn seen(pager: &Pager, text: Text<'_>) -> Vec<String> {
    pager.rows(text, ROOM).map(|row| row.line.text[row.range].to_owned()).collect()
}

fn typed(pager: &mut Pager, pattern: &str, text: Text<'_>) {
    pager.search(text, ROOM);
    pattern.chars().for_each(|character| pager.retype(|pattern| pattern.push(character), text, ROOM));
}

#[test]
fn moves_stop_at_both_ends() {
    let lines = numbered(10);
    let text = Text::whole(&lines);
    let mut pager = Pager::at_start();
    pager.go(Move::By(-1), text, ROOM);
    assert_eq!(seen(&pager, text), ["line 0", "line 1", "line 2", "line 3"]);
    pager.go(Move::By(2), text, ROOM);
    assert_eq!(pager.position(text, ROOM), Some((3, 6)));
    pager.go(Move::By(99), text, ROOM);
    assert_eq!(seen(&pager, text), ["line 6", "line 7", "line 8", "line 9"]);
    pager.go(Move::First, text, ROOM);
    assert_eq!(pager.position(text, ROOM), Some((1, 4)));
}

#[test]
fn a_line_that_is_longer_than_the_screen_breaks_and_is_scrolled_row_by_row() {
    let lines = lines(&["abcdefghijklmnopqrstuvwxyz", "", "日本語日本語", "end"]);
    let text = Text::whole(&lines);
    let mut pager = Pager { wraps: true, ..Pager::at_start() };
    assert_eq!(seen(&pager, text), ["abcdefghij", "klmnopqrst", "uvwxyz", ""]);
    pager.go(Move::By(1), text, ROOM);
    assert_eq!(seen(&pager, text), ["klmnopqrst", "uvwxyz", "", "日本語日本"]);
    pager.go(Move::By(1), text, ROOM);
    pager.go(Move::By(1), text, ROOM);
    assert_eq!(seen(&pager, text), ["", "日本語日本", "語", "end"]);
    pager.go(Move::By(-2), text, ROOM);
    assert_eq!(seen(&pager, text)[0], "klmnopqrst");
    pager.wrap(text, ROOM);
    assert_eq!(seen(&pager, text)[0], "abcdefghijklmnopqrstuvwxyz", "the same line is at the top");
}

#[test]
fn the_end_is_followed_until_one_scrolls_up() {
    let mut lines = numbered(10);
    let mut pager = Pager::at_end();
    let end = |pager: &Pager, lines: &VecDeque<_>| seen(pager, Text::whole(lines)).pop().unwrap();
    assert_eq!(end(&pager, &lines), "line 9");
    lines.extend(numbered(12).split_off(10));
    assert_eq!(end(&pager, &lines), "line 11");
    pager.go(Move::By(1), Text::whole(&lines), ROOM);
    assert!(pager.sticks());
    pager.go(Move::By(-1), Text::whole(&lines), ROOM);
    assert!(!pager.sticks());
    lines.extend(numbered(20).split_off(12));
    assert_eq!(end(&pager, &lines), "line 10");
    pager.go(Move::Last, Text::whole(&lines), ROOM);
    assert!(pager.sticks());
    assert_eq!(end(&pager, &lines), "line 19");
}

#[test]
fn a_text_that_is_seen_whole_is_followed_whatever_is_pressed() {
    let lines = numbered(2);
    let mut pager = Pager::at_end();
    pager.go(Move::By(-5), Text::whole(&lines), ROOM);
    assert!(pager.sticks());
}

#[test]
fn lines_that_are_lost_at_the_beginning_shift_nothing() {
    let mut log = crate::cluster::Log::new(crate::cluster::Via::Followed);
    let line = |number: usize| LogLine::printed(format!("line {number}").as_bytes());
    (0..crate::cluster::FOLLOWED).for_each(|number| log.push(line(number)));
    let mut pager = Pager::at_start();
    pager.go(Move::By(100), Text::of(&log), ROOM);
    let before = seen(&pager, Text::of(&log));
    (0..50).for_each(|number| log.push(line(number)));
    assert_eq!(seen(&pager, Text::of(&log)), before);
    (0..500).for_each(|number| log.push(line(number)));
    assert_eq!(seen(&pager, Text::of(&log))[0], "line 550", "it is gone, and the first that is there is seen");
}

#[test]
fn to_the_side_it_goes_as_far_as_what_is_seen() {
    let lines = lines(&["abcdefghijklmnopqrstuvwxyz", "short"]);
    let text = Text::whole(&lines);
    let mut pager = Pager::at_start();
    for left in [8, 16, 16] {
        pager.aside(true, text, ROOM);
        assert_eq!(pager.left, left);
    }
    pager.aside(false, text, ROOM);
    assert_eq!(pager.left, 8);
    pager.wrap(text, ROOM);
    pager.aside(true, text, ROOM);
    assert_eq!(pager.left, 0, "lines that break have no side");
}

#[test]
fn a_search_finds_while_it_is_typed_and_goes_round() {
    let mut texts = vec!["plain"; 30];
    (texts[3], texts[17], texts[25]) = ("Lock here", "lock there", "LOCK");
    let lines = lines(&texts);
    let text = Text::whole(&lines);
    let mut pager = Pager::at_start();
    typed(&mut pager, "lock", text);
    let place = |pager: &Pager| {
        let search = pager.search.as_ref().unwrap();
        (search.count(), search.number(), search.at())
    };
    assert_eq!(place(&pager), (3, Some(1), Some(3)));
    for (forward, number, line) in [(true, 2, 17), (true, 3, 25), (true, 1, 3), (false, 3, 25), (false, 2, 17)] {
        pager.next_match(forward, text, ROOM);
        assert_eq!(place(&pager), (3, Some(number), Some(line)));
        assert!(pager.rows(text, ROOM).any(|row| row.number == line), "{line} is in sight");
    }
    // Once one has moved away, it goes on from what is seen.
    pager.go(Move::First, text, ROOM);
    pager.next_match(true, text, ROOM);
    assert_eq!(place(&pager).2, Some(3));
}

#[test]
fn case_matters_only_where_a_capital_is_typed() {
    let lines = lines(&["lock", "Lock", "LOCK", "ÄRGER", "ärger", "日本"]);
    let text = Text::whole(&lines);
    for (pattern, count) in
        [("lock", 3), ("Lock", 1), ("LOCK", 1), ("ärger", 2), ("Ä", 1), ("本", 1), ("", 0), ("zz", 0)]
    {
        let mut pager = Pager::at_start();
        typed(&mut pager, pattern, text);
        assert_eq!(pager.search.as_ref().map(Search::count), Some(count), "{pattern}");
    }
}

#[test]
fn a_search_that_is_dropped_while_it_is_typed_leads_back() {
    let mut texts = vec!["plain"; 30];
    texts[20] = "lock";
    let lines = lines(&texts);
    let text = Text::whole(&lines);
    let mut pager = Pager::at_end();
    typed(&mut pager, "lock", text);
    assert!(!pager.sticks());
    pager.drop_search(true);
    assert!(pager.sticks() && pager.search.is_none());
}

#[test]
fn what_is_found_in_a_long_line_comes_into_sight() {
    let long = format!("{}needle{}", "x".repeat(200), "y".repeat(200));
    let lines = lines(&["a", "b", &long, "c"]);
    let text = Text::whole(&lines);
    for wraps in [false, true] {
        let mut pager = Pager { wraps, ..Pager::at_start() };
        typed(&mut pager, "needle", text);
        let visible = pager.rows(text, ROOM).any(|row| {
            let from = row.range.start + from_column(&row.line.text[row.range.clone()], pager.left);
            (from..(from + ROOM.columns).min(row.range.end)).contains(&200)
        });
        assert!(visible, "wraps: {wraps}, {pager:?}");
    }
}

#[test]
fn lines_that_come_are_searched_once_and_those_that_go_are_forgotten() {
    let mut log = crate::cluster::Log::new(crate::cluster::Via::Followed);
    let push =
        |log: &mut crate::cluster::Log, count: usize| (0..count).for_each(|_| log.push(LogLine::printed(b"lock")));
    push(&mut log, crate::cluster::FOLLOWED);
    let mut pager = Pager::at_end();
    typed(&mut pager, "lock", Text::of(&log));
    push(&mut log, 100);
    LOOKS.set(0);
    pager.refresh(Text::of(&log));
    assert!(LOOKS.get() < 110, "{} lines were looked at for 100 that came", LOOKS.get());
    let search = pager.search.as_ref().unwrap();
    assert_eq!(search.count(), crate::cluster::FOLLOWED);
    // A log that is read anew is another text.
    let mut anew = crate::cluster::Log::new(crate::cluster::Via::Previous);
    anew.push(LogLine::printed(b"plain"));
    pager.refresh(Text::of(&anew));
    assert_eq!(pager.search.as_ref().unwrap().count(), 0);
}

#[test]
fn a_screen_costs_what_it_holds_and_not_what_the_text_holds() {
    let long = "x".repeat(4096);
    let lines: VecDeque<Arc<LogLine>> =
        (0..5_000).map(|_| Arc::new(LogLine { text: long.clone(), ..LogLine::default() })).collect();
    let text = Text::whole(&lines);
    let room = Room { columns: 200, rows: 55 };
    for wraps in [false, true] {
        let mut pager = Pager { wraps, ..Pager::at_end() };
        for to in [Move::Last, Move::By(-1), Move::By(-50), Move::First, Move::By(50)] {
            pager.go(to, text, room);
            LOOKS.set(0);
            assert_eq!(pager.rows(text, room).count(), room.rows);
            // The end is looked for from the end on, and a row more on each side.
            assert!(LOOKS.get() <= 2 * room.rows + 4, "{to:?}, wraps: {wraps}: {} lines", LOOKS.get());
        }
    }
}

proptest! {
    #[test]
    fn any_text_in_any_room_is_shown_whole_and_moves_stay_in_it(
        texts in prop::collection::vec("[ -~äöü日本語é\u{301}🚀]{0,60}", 0..20),
        columns in 0_usize..40,
        rows in 0_usize..30,
        moves in prop::collection::vec(prop_oneof![
            Just(Move::First), Just(Move::Last), (-40_isize..40).prop_map(Move::By)], 0..12),
        wraps in any::<bool>(),
        times in any::<bool>(),
        pattern in "[ -~äé日]{0,2}",
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let lines = lines(&texts);
        let text = Text::whole(&lines);
        let room = Room { columns, rows };
        let mut pager = Pager { wraps, times, ..Pager::at_end() };
        pager.search(text, room);
        pattern.chars().for_each(|character| pager.retype(|pattern| pattern.push(character), text, room));
        for to in moves {
            pager.go(to, text, room);
            pager.next_match(true, text, room);
            pager.aside(true, text, room);
            let shown: Vec<Row<'_>> = pager.rows(text, room).collect();
            prop_assert!(shown.len() <= rows);
            for row in &shown {
                prop_assert!(row.line.text.get(row.range.clone()).is_some(), "{row:?}");
            }
        }
        // From the beginning on, row by row, nothing is left out.
        let mut pager = Pager { wraps, ..Pager::at_start() };
        pager.go(Move::First, text, Room { columns, rows: usize::MAX / 4 });
        let all: String = pager.rows(text, Room { columns, rows: 100_000 }).map(|row| row.line.text[row.range].to_owned()).collect();
        let whole: String = lines.iter().map(|line| line.text.clone()).collect();
        prop_assert_eq!(all, whole);
    }
}
