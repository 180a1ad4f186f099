//! The program killed while it works: what it leaves is always usable.

use std::time::Duration;

use jp_test::Signal;

use super::workspace;

#[test]
fn a_killed_program_never_leaves_a_store_that_does_not_list() {
    let env = workspace();
    for round in 0..30_u64 {
        let running = env.jp(["conversation", "new", "-t", "killed"]).spawn();
        std::thread::sleep(Duration::from_micros(round * 300));
        running.signal(Signal::KILL);
        let _ = running.wait();
        let listing = env.jp(["conversation", "ls", "--json"]).run().success();
        assert_eq!(listing.stderr(), "");
        for line in listing.stdout().lines() {
            let conversation: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(conversation["title"], "killed");
        }
    }
}

#[test]
fn a_killed_init_is_completed_by_the_next() {
    for round in 0..20_u64 {
        let env = jp_test::env!();
        let running = env.jp(["init"]).spawn();
        std::thread::sleep(Duration::from_micros(round * 400));
        running.signal(Signal::KILL);
        let _ = running.wait();
        env.jp(["init"]).run().success();
        env.jp(["config", "show"]).run().success();
        env.jp(["conversation", "new"]).run().success();
    }
}
