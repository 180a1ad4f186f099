//! Tools that stay alive: states one way, input the other.

use jp_tool::ToolState;
use jp_vfs::End;
use serde_json::json;

use crate::world::World;

// D11-187 D11-188 D11-189 D11-190 D11-191 D11-192
#[test]
fn states_and_input() {
    let world = World::on_disk();
    let mut tool = world.start();
    assert_eq!((tool.session().states(), tool.session().state()), (0, None));
    tool.notify("state", json!({"type": "running"}));
    assert_eq!(tool.state_after(0).unwrap(), ToolState::Running { content: None });
    tool.notify("state", json!({"type": "running", "content": "half"}));
    assert!(matches!(tool.state_after(1).unwrap(), ToolState::Running { content: Some(_) }));
    assert_eq!(tool.code("fs.write", json!({"path": "a", "content": "x"})), 0);
    for input in [json!("y"), json!(true), json!({"deep": [1]}), json!(null)] {
        tool.session().apply(input.clone());
        let apply = json!({"jsonrpc": "2.0", "method": "apply", "params": {"input": input}});
        assert_eq!(tool.line(), apply);
        assert_eq!(tool.code("fs.read", json!({"path": "a"})), 0);
    }
    let question = json!({"id": "q", "text": "Stage?", "answer_type": "Boolean"});
    tool.notify("state", json!({"type": "waiting", "content": "hunk", "question": question}));
    let state = tool.state_after(2).unwrap();
    let ToolState::Waiting { content: Some(_), question } = &state else { panic!("{state:?}") };
    assert_eq!(question.id, "q");
    assert_eq!(tool.session().state(), Some(state), "the latest is kept");
    assert!(tool.is_served());
    tool.notify("state", json!({"type": "stopped", "result": "bye"}));
    assert_eq!(tool.state_after(3).unwrap(), ToolState::Stopped { result: "bye".into() });
    assert_eq!(tool.end(), End::Stopped(ToolState::Stopped { result: "bye".into() }));
    assert_eq!(tool.state_after(4), None);
    assert_eq!(tool.drained(), [] as [serde_json::Value; 0]);
}

// Only the latest state is kept, however many there were.
#[test]
fn many_states() {
    let world = World::on_disk();
    let mut tool = world.start();
    let line = |n: usize| {
        let params = json!({"type": "running", "content": format!("{n}")});
        json!({"jsonrpc": "2.0", "method": "state", "params": params}).to_string() + "\n"
    };
    tool.write((0..10_000).map(line).collect::<String>());
    let last = tool.state_after(9_999).unwrap();
    assert_eq!(last, ToolState::Running { content: Some("9999".into()) });
    assert_eq!(tool.session().states(), 10_000);
}
