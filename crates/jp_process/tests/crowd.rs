//! A hundred calls at once. The only test of its file: it counts the descriptors of its process.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]

mod common;

use common::{TIERS, World, children, descriptors, wait_until};

const CROWD: usize = 100;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_hundred_calls_at_once_leave_nothing() {
    // D11-176
    let world = std::sync::Arc::new(World::new());
    // The helper has a descriptor here, and stays.
    assert!(world.run(world.call(TIERS[0], "exit 0")).await.unwrap().exit.is_success());
    let before = descriptors();
    let calls: Vec<_> = (0..CROWD)
        .map(|index| {
            let world = world.clone();
            // Long orders: however many lie before the helper, it is not taken for dead.
            let long = "x".repeat(index % 4 * 10_000);
            let script = "$0 daemon x 2; $0 flood both 1000000; cat; exit $(( $$ > 0 ? 3 : 4 ))";
            let script = format!(": {long}; {script}");
            let mut call = world.call(TIERS[index % TIERS.len()], &script);
            call.input = index.to_string().into_bytes();
            tokio::spawn(async move { world.run(call).await })
        })
        .collect();
    for (index, call) in calls.into_iter().enumerate() {
        let finished = call.await.unwrap().unwrap();
        assert_eq!(finished.exit.to_string(), "exited with code 3");
        assert_eq!(finished.stderr.bytes.len(), 1_000_000);
        assert_eq!(&finished.stdout.bytes[1_000_000..], index.to_string().as_bytes());
        assert_eq!(finished.stopped, None);
    }
    world.assert_no_program();
    assert_eq!(descriptors(), before);
    // The helper is the only child that there ever was.
    assert_eq!(children().len(), 1);
    let world = std::sync::Arc::into_inner(world).unwrap();
    world.assert_end();
    wait_until(|| children().is_empty(), || format!("{:?}", children()));
}
