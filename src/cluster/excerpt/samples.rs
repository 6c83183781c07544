//! Logs of migrations that failed, as people posted them in public reports, shortened; and the line that tells.

use super::tests::error;

#[test]
fn a_relation_that_is_left_from_a_restored_backup() {
    error(
        "== 20151103134857 CreateLfsObjects: migrating =================================\n\
         -- create_table(:lfs_objects)\n\
         rake aborted!\n\
         StandardError: An error has occurred, this and all later migrations canceled:\n\n\
         PG::DuplicateTable: ERROR:  relation \"lfs_objects\" already exists\n\
         : CREATE TABLE \"lfs_objects\" (\"id\" serial primary key)\n\
         /opt/gitlab/gems/activerecord-4.2.5/lib/active_record/postgresql_adapter.rb:592:in `async_exec'\n\
         Tasks: TOP => db:migrate\n\
         (See full trace by running task with --trace)",
        &[
            "PG::DuplicateTable: ERROR:  relation \"lfs_objects\" already exists",
            ": CREATE TABLE \"lfs_objects\" (\"id\" serial primary key)",
        ],
    );
}

#[test]
fn locks_that_were_not_to_be_had() {
    error(
        "main: == 20260301 AddForeignKey: migrating =====\n\
         main: -- execute(\"SET lock_timeout TO '100ms'\")\n\
         rake aborted!\n\
         StandardError: An error has occurred, all later migrations canceled:\n\n\
         configured attempts to obtain locks are exhausted\n\
         /srv/gitlab/lib/gitlab/database/with_lock_retries.rb:117:in 'Gitlab::Database::WithLockRetries#run'\n\n\
         Caused by:\n\
         Gitlab::Database::WithLockRetries::AttemptsExhaustedError: configured attempts to obtain locks are exhausted\n\
         /srv/gitlab/lib/gitlab/database/with_lock_retries.rb:117:in 'Gitlab::Database::WithLockRetries#run'\n\
         Tasks: TOP => db:migrate:main",
        &["configured attempts to obtain locks are exhausted"],
    );
}

#[test]
fn a_message_that_goes_on_over_lines_that_look_like_a_hash() {
    error(
        "rake aborted!\n\
         StandardError: An error has occurred, all later migrations canceled:\n\n\
         Expected batched background migration for the given configuration to be marked as 'finished', but it is 'active':\n\
         \x20 {:job_class_name=>\"CopyColumnUsingBackgroundMigrationJob\",\n\
         \x20  :table_name=>\"push_event_payloads\"}\n\
         /srv/gitlab/lib/gitlab/x.rb:9:in 'up'",
        &[
            "Expected batched background migration for the given configuration to be marked as 'finished', but it is 'active':",
            "  {:job_class_name=>\"CopyColumnUsingBackgroundMigrationJob\",",
            "   :table_name=>\"push_event_payloads\"}",
        ],
    );
}

#[test]
fn a_redis_that_is_not_there_and_a_deprecation_above() {
    error(
        "DEPRECATION WARNING: Support for Rails 7.0 errors is deprecated\n\
         rake aborted!\n\
         RedisClient::CannotConnectError: Connection refused - connect(2) for 10.0.0.7:6379\n\
         /srv/gitlab/vendor/bundle/ruby/3.2.0/gems/redis-client-0.22.2/lib/redis_client.rb:398:in `connect'\n\n\
         Caused by:\n\
         Errno::ECONNREFUSED: Connection refused - connect(2) for 10.0.0.7:6379\n\
         /srv/gitlab/vendor/bundle/ruby/3.2.0/gems/redis-client-0.22.2/lib/redis_client.rb:90:in `connect'\n\
         Tasks: TOP => gitlab:db:configure",
        &["RedisClient::CannotConnectError: Connection refused - connect(2) for 10.0.0.7:6379"],
    );
}

#[test]
fn a_gem_that_can_not_be_loaded() {
    error(
        "bundler: failed to load command: rake (/srv/gitlab/vendor/bundle/bin/rake)\n\
         /srv/gitlab/config/boot.rb:3:in `require': cannot load such file -- bootsnap/setup (LoadError)\n\
         \tfrom /srv/gitlab/config/boot.rb:3:in `<top (required)>'\n\
         \tfrom /srv/gitlab/Rakefile:6:in `require'",
        &["LoadError: cannot load such file -- bootsnap/setup"],
    );
}

#[test]
fn a_statement_that_took_too_long() {
    error(
        "ci: == 20260712 FinalizeBackfill: migrating =====\n\
         rake aborted!\n\
         StandardError: An error has occurred, all later migrations canceled:\n\n\
         PG::QueryCanceled: ERROR:  canceling statement due to statement timeout\n\
         /srv/gitlab/lib/x.rb:1:in 'exec'\n\n\
         Caused by:\n\
         ActiveRecord::QueryCanceled: PG::QueryCanceled: ERROR:  canceling statement due to statement timeout\n\
         /srv/gitlab/lib/x.rb:1:in 'exec'\n\n\
         Caused by:\n\
         PG::QueryCanceled: ERROR:  canceling statement due to statement timeout\n\
         /srv/gitlab/lib/x.rb:1:in 'exec'\n\
         Tasks: TOP => db:migrate:ci",
        &["PG::QueryCanceled: ERROR:  canceling statement due to statement timeout"],
    );
}

#[test]
fn a_database_that_came_up_late_is_not_why_a_migration_was_killed() {
    error(
        "Checking database connection\n\
         ActiveRecord::ConnectionNotEstablished: connection to server at \"10.0.0.5\" failed: Connection refused\n\
         retrying in 5 s\n\
         main: == 20260301 AddIndex: migrating =====\n\
         main: == 20260301 AddIndex: migrated (3.1s) =====\n\
         main: == 20260302 BackfillNamespaces: migrating =====\n\
         Killed",
        &["Killed"],
    );
}

#[test]
fn a_setting_that_can_not_be_decrypted() {
    error(
        "rake aborted!\n\
         OpenSSL::Cipher::CipherError: \n\
         /srv/gitlab/app/models/concerns/token.rb:22:in 'decrypt'\n\
         Tasks: TOP => gitlab:db:configure => db:seed_fu",
        &["OpenSSL::Cipher::CipherError: "],
    );
}

#[test]
fn a_rake_task_that_is_unknown_and_a_rails_that_aborts() {
    error(
        "rails aborted!\n\
         Don't know how to build task 'gitlab:db:cofigure' (See the list of available tasks with `rails --tasks`)\n\
         (See full trace by running task with --trace)",
        &["Don't know how to build task 'gitlab:db:cofigure' (See the list of available tasks with `rails --tasks`)"],
    );
}

#[test]
fn a_role_that_may_not_create_an_extension() {
    error(
        "rake aborted!\n\
         ActiveRecord::StatementInvalid: PG::InsufficientPrivilege: ERROR:  permission denied to create extension \"btree_gist\"\n\
         HINT:  Must be superuser to create this extension.\n\
         /srv/gitlab/db/structure.rb:1:in 'exec'\n\n\
         Caused by:\n\
         PG::InsufficientPrivilege: ERROR:  permission denied to create extension \"btree_gist\"\n\
         HINT:  Must be superuser to create this extension.\n\
         /srv/gitlab/db/structure.rb:1:in 'exec'\n\
         Tasks: TOP => gitlab:db:configure",
        &[
            "ActiveRecord::StatementInvalid: PG::InsufficientPrivilege: ERROR:  permission denied to create extension \"btree_gist\"",
            "HINT:  Must be superuser to create this extension.",
        ],
    );
}
