//! A clock that is off.

use jiff::SignedDuration;

use crate::field::{Field, SECOND};

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_ten_minutes_slow() {
    let mut field = Field::with_clock("15:33:50", SignedDuration::from_mins(-10));
    field.pass(SECOND).await;
    eprintln!("{}", field.watcher.screen());
    field.pass_until("15:34:36").await;
    eprintln!("{}", field.watcher.screen());
    field.pass_until("15:36:36").await;
    eprintln!("{}", field.watcher.screen());
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_ten_minutes_fast() {
    let mut field = Field::with_clock("15:33:50", SignedDuration::from_mins(10));
    field.pass(SECOND).await;
    eprintln!("{}", field.watcher.screen());
    field.pass_until("15:36:36").await;
    eprintln!("{}", field.watcher.screen());
}
