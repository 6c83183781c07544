//! The rules, each on what the programs of the chart print.

use super::rule::Rule;
use super::{Excerpt, ExcerptKind, MOST, excerpt};

/// What a migration prints that fails for a lock, as the chart's Job writes it to its log.
fn rails() -> String {
    let frames = |path: &str, from: usize, name: &str| {
        (1..=40).map(|line| format!("{path}:{}:in '{name}'\n", from + line)).collect::<String>()
    };
    format!(
        "Checking database connection\n\
         Performing migrations (this will initialize if needed)\n\
         main: == 20260930120000 AddColumn: migrating ==========\n\
         main: == 20260930120000 AddColumn: migrated (0.1s) ====\n\
         main: == 20261001120000 AddIndexToCiBuildsOnProject: migrating ==================\n\
         main: -- transaction_open?(nil)\n\
         main:    -> 0.0000s\n\
         main: -- add_index(:ci_builds, [:project_id, :status], {{:algorithm=>:concurrently}})\n\
         rake aborted!\n\
         StandardError: An error has occurred, all later migrations canceled:\n\n\
         PG::LockNotAvailable: ERROR:  canceling statement due to lock timeout\n\
         CONTEXT:  while waiting for ShareLock on relation ci_builds\n\n\
         {}Caused by:\n\
         ActiveRecord::LockWaitTimeout: PG::LockNotAvailable: ERROR:  canceling statement due to lock timeout\n\
         {}Tasks: TOP => db:migrate\n\
         (See full trace by running task with --trace)",
        frames("/srv/gitlab/lib/gitlab/database/migration_helpers.rb", 100, "block in add_concurrent_index"),
        frames("/srv/gitlab/vendor/bundle/ruby/3.2.0/gems/activerecord-7.1.5/lib/connection.rb", 200, "exec"),
    )
}

fn told(log: &str) -> (ExcerptKind, Vec<String>, Option<String>) {
    let excerpt = excerpt(&log.lines().collect::<Vec<_>>()).unwrap();
    (excerpt.kind, excerpt.lines, excerpt.migration)
}

#[track_caller]
pub(super) fn error(log: &str, lines: &[&str]) {
    let (kind, told, _) = told(log);
    assert_eq!((kind, told), (ExcerptKind::Error, lines.iter().map(|line| (*line).to_owned()).collect()), "{log}");
}

#[test]
fn a_failed_migration_is_told_by_what_made_it_fail_and_by_its_name() {
    let (kind, lines, migration) = told(&rails());
    assert_eq!(kind, ExcerptKind::Error);
    assert_eq!(
        lines,
        [
            "PG::LockNotAvailable: ERROR:  canceling statement due to lock timeout",
            "CONTEXT:  while waiting for ShareLock on relation ci_builds",
        ]
    );
    assert_eq!(migration.as_deref(), Some("20261001120000 AddIndexToCiBuildsOnProject"));
}

#[test]
fn a_migration_that_ended_is_not_the_one_that_was_running() {
    let begins = "ci: == 20261001120000 AddIndex: migrating ====";
    let ends = "ci: == 20261001120000 AddIndex: migrated (0.1s) ====";
    assert_eq!(told(&format!("{begins}\nKilled")).2.as_deref(), Some("20261001120000 AddIndex"));
    assert_eq!(told(&format!("{begins}\n{ends}\nKilled")).2, None);
    assert_eq!(told("a == 1: migrating\nKilled").2, None);
}

#[test]
fn of_a_failed_migration_whose_beginning_is_lost_the_cause_is_told() {
    let rails = rails();
    let (_, cut) = rails.split_once("CONTEXT:").unwrap();
    error(
        cut,
        &["ActiveRecord::LockWaitTimeout: PG::LockNotAvailable: ERROR:  canceling statement due to lock timeout"],
    );
}

#[test]
fn a_root_cause_comes_first_where_the_exception_does_not_say_it() {
    let report = "rake aborted!\nGitlab::Database::MigrationError: the migration failed\n/srv/a.rb:1:in `b'\n\n\
                  Caused by:\nActiveRecord::StatementInvalid: it failed\n/srv/a.rb:2:in `c'\n\n\
                  Caused by:\nPG::DiskFull: ERROR:  could not extend file\nHINT:  Check free disk space.\n/srv/a.rb:3:in `d'";
    error(
        report,
        &[
            "PG::DiskFull: ERROR:  could not extend file",
            "HINT:  Check free disk space.",
            "Gitlab::Database::MigrationError: the migration failed",
        ],
    );
}

#[test]
fn the_command_that_finalizes_a_background_migration_is_told_whole() {
    let command = r#"        sudo gitlab-rake gitlab:background_migrations:finalize[CopyColumnUsingBackgroundMigrationJob,ci_builds,id,'[["id"]\,["id_convert_to_bigint"]]']"#;
    let expected = "Expected batched background migration for the given configuration to be marked as 'finished', but it is 'active':   {:job_class_name=>\"CopyColumnUsingBackgroundMigrationJob\"}";
    let shell = "Finalize it manually by running the following command in a `bash` or `sh` shell:";
    let links = [
        "For more information, check the documentation",
        "        https://docs.gitlab.com/ee/update/background_migrations.html",
    ];
    let message = format!("{expected}\n\n{shell}\n\n{command}\n\n{}\n\n{}\n", links[0], links[1]);
    let trace = "/srv/gitlab/lib/gitlab/database/migrations/batched_background_migration_helpers.rb:9:in `up'";
    let whole = [expected, shell, command, links[0], links[1]];
    error(
        &format!(
            "rake aborted!\nStandardError: An error has occurred, all later migrations canceled:\n\n{message}{trace}"
        ),
        &whole,
    );
    error(&format!("{message}{trace}\nTasks: TOP => db:migrate"), &whole);
}

#[test]
fn each_rule_finds_what_it_is_for() {
    let python =
        "Traceback (most recent call last):\n  File \"/a.py\", line 3, in <module>\n    main()\nKeyError: 'host'";
    let go = "panic: runtime error: index out of range [3]\n\ngoroutine 1 [running]:\nmain.main()\n        /src/main.go:9 +0x1d";
    let unready = "Checking: main\nDatabase Schema - main (gitlabhq_production) - current: 0, codebase: 20231218062505\nNOTICE: Database has not been initialized yet.\nWARNING: Not all services were operational, with data migrations completed.\nIf this container continues to fail, please see: https://docs.gitlab.com/charts";
    let login = "connection to server at \"10.0.0.5\", port 5432 failed: FATAL:  password authentication failed for user \"gitlab\"";
    let refused = "PG::ConnectionBad: could not connect to server: Connection refused\n        Is the server running on host \"db\" and accepting\n        TCP/IP connections on port 5432?";
    let cases: &[(Rule, &str, &str)] = &[
        (
            Rule::Aborted,
            "rails aborted!\nActiveRecord::NoDatabaseError: We could not find your database: gitlab.",
            "ActiveRecord::NoDatabaseError: We could not find your database: gitlab.",
        ),
        (
            Rule::Aborted,
            "rake aborted!\nNoMethodError: undefined method `x' for nil\n/a.rb:1:in 'y'\nTasks: TOP => gitlab:db:configure",
            "NoMethodError: undefined method `x' for nil",
        ),
        (
            Rule::Aborted,
            "rake aborted!\nStandardError: Your current database version is too old to be migrated.",
            "StandardError: Your current database version is too old to be migrated.",
        ),
        (
            Rule::Uncaught,
            "/srv/bin/x.rb:3:in `fetch': key not found: \"DB\" (KeyError)\n        from /srv/bin/x.rb:3:in `<main>'",
            "KeyError: key not found: \"DB\"",
        ),
        (Rule::Traceback, python, "KeyError: 'host'"),
        (Rule::Panic, go, "panic: runtime error: index out of range [3]"),
        (
            Rule::Exception,
            "ActiveRecord::StatementInvalid: PG::UndefinedTable: ERROR:  relation \"x\" does not exist",
            "ActiveRecord::StatementInvalid: PG::UndefinedTable: ERROR:  relation \"x\" does not exist",
        ),
        (Rule::Exception, refused, "PG::ConnectionBad: could not connect to server: Connection refused"),
        (Rule::Fatal, login, login),
        (
            Rule::Fatal,
            "psql: error: could not translate host name \"db\" to address: Name or service not known",
            "psql: error: could not translate host name \"db\" to address: Name or service not known",
        ),
        (
            Rule::Dependency,
            "Checking: main\nError checking main: There is an issue connecting to your database.\n\nPlease check your database configuration.\nWARNING: Not all services were operational, with data migrations completed.",
            "Error checking main: There is an issue connecting to your database.",
        ),
        (Rule::Unready, unready, "WARNING: Not all services were operational, with data migrations completed."),
        (
            Rule::Json,
            "{\"severity\":\"INFO\",\"message\":\"start\"}\n{\"severity\":\"ERROR\",\"message\":\"no lease\"}\n{\"level\":\"info\",\"msg\":\"bye\"}",
            "no lease",
        ),
        (Rule::Json, "{\"level\":\"fatal\",\"msg\":\"no route\"}", "no route"),
        (Rule::Killed, "migrating\nKilled", "Killed"),
        (
            Rule::Killed,
            "/scripts/db-migrate: line 22:    12 Killed                  bundle exec rake db:migrate",
            "/scripts/db-migrate: line 22:    12 Killed                  bundle exec rake db:migrate",
        ),
        (
            Rule::GaveUp,
            "could not read a numeric batched background migrations count (consecutive failures: 10)\ngiving up after 10 consecutive failures reading the batched background migrations",
            "giving up after 10 consecutive failures reading the batched background migrations",
        ),
        (Rule::Shell, "sh: 3: gitlab-rake: not found", "sh: 3: gitlab-rake: not found"),
        (Rule::Error, "Error: no configuration\nbye", "Error: no configuration"),
        (Rule::Error, "time=12 level=error msg=\"no lease\"", "time=12 level=error msg=\"no lease\""),
    ];
    for (rule, log, telling) in cases {
        let kept = Rule::ALL.into_iter().find(|rule| log.lines().any(|line| rule.keeps(line)));
        assert_eq!(kept, Some(*rule), "{log}");
        let (kind, lines, _) = told(log);
        assert_eq!((kind, lines[0].as_str()), (ExcerptKind::Error, *telling), "{log}");
    }
    let missing =
        Rule::ALL.into_iter().filter(|rule| *rule != Rule::Unfinished && cases.iter().all(|(of, ..)| of != rule));
    assert_eq!(missing.collect::<Vec<_>>(), [], "rules without an example");
}

#[test]
fn the_details_of_an_error_go_with_it_and_what_follows_does_not() {
    error(
        "psql:x.sql:3: ERROR:  syntax error at or near \"x\"\nLINE 1: x\n        ^\nHINT:  Read.\ncleaning up",
        &["psql:x.sql:3: ERROR:  syntax error at or near \"x\"", "LINE 1: x", "        ^", "HINT:  Read."],
    );
}

#[test]
fn what_merely_sounds_like_an_error_is_none() {
    for line in [
        "main: -- execute(\"SET statement_timeout TO 0\")",
        "Database Schema - main (gitlabhq_production) - current: 1, codebase: 1",
        "batched background migrations still pending: 12",
        "waiting for the batched background migrations to finish",
        "NOTICE:  table \"x\" does not exist, skipping",
        "0 errors",
    ] {
        assert_eq!(told(line).0, ExcerptKind::Tail, "{line}");
    }
}

#[test]
fn of_what_no_rule_finds_the_last_lines_are_the_tail() {
    let log: String = (0..50).map(|line| format!("line {line}\n\n")).collect();
    let (kind, lines, _) = told(&format!("{log}/srv/a.rb:3:in 'x'\n(See full trace by running task with --trace)\n\n"));
    assert_eq!((kind, lines.len()), (ExcerptKind::Tail, MOST));
    assert_eq!((lines[0].as_str(), lines[MOST - 1].as_str()), ("line 30", "line 49"));
    assert_eq!(excerpt(&["", "  "]), None);
    assert_eq!(told("rake aborted!\nTasks: TOP => x\nstop").1, ["stop"], "nothing follows");
}

#[test]
fn a_message_of_a_thousand_lines_is_cut() {
    let lines: String = (0..1000).map(|line| format!("at {line}\n")).collect();
    assert_eq!(told(&format!("rake aborted!\n{lines}")).1.len(), MOST);
}

#[test]
fn a_termination_message_of_one_line_is_what_it_is() {
    assert_eq!(Excerpt::of_message("PG::LockNotAvailable: ERROR"), None);
    let epilogue = "rake aborted!\nPG::LockNotAvailable: ERROR:  canceling statement\nTasks: TOP => db:migrate";
    assert_eq!(Excerpt::of_message(epilogue).unwrap().telling(), "PG::LockNotAvailable: ERROR:  canceling statement");
}
