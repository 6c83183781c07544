//! Whether anybody reads on.

use std::future::pending;
use std::os::fd::AsFd;

use tokio::io::Interest;
use tokio::net::unix::pipe::Sender;

/// Waits until nobody reads on what is written there, as in `… | head -1`, also where nothing is written: at the other
/// end of a pipe, which Linux tells at once (poll(2), `POLLERR`). Of all else this never ends.
pub(super) async fn left(out: impl AsFd) {
    let told = async {
        // Writing goes on to block, as on standard output it has to. What can't be watched, such as a file, is refused.
        let out = Sender::from_owned_fd_unchecked(out.as_fd().try_clone_to_owned()?)?;
        out.ready(Interest::ERROR).await
    };
    if told.await.is_err() {
        pending().await
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read, Write};
    use std::pin::pin;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    /// How long is waited for what does not come; on the clock of the test.
    const LONG: Duration = Duration::from_secs(3600);

    /// How long is waited for what comes at once.
    const BOUND: Duration = Duration::from_secs(20);

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_reads_has_not_left() {
        let (mut reader, mut writer) = io::pipe().unwrap();
        let mut left = pin!(left(writer.try_clone().unwrap()));
        for _ in 0..2 {
            assert!(timeout(LONG, &mut left).await.is_err());
            writer.write_all(b"read").unwrap();
            reader.read_exact(&mut [0; 4]).unwrap();
        }
    }

    #[tokio::test]
    async fn that_a_reader_leaves_is_noticed_without_a_word() {
        let (reader, writer) = io::pipe().unwrap();
        let waiting = tokio::spawn(left(writer));
        tokio::task::yield_now().await;
        drop(reader);
        timeout(BOUND, waiting).await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_leaves_a_file() {
        assert!(timeout(LONG, left(tempfile::tempfile().unwrap())).await.is_err());
    }
}
