//! Any line of a sealed tool: it is refused with a code of the protocol, or read, and what was read can be
//! written and is read again as the same.
#![no_main]

use jp_tool::vfs::{Call, Id, Params, Response, ToHost, ToolNotification, write_line};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    match ToHost::parse(line) {
        Ok(ToHost::Request(request)) => match Call::parse(&request) {
            Ok(call) => same(&request.id, &call),
            Err(error) => answer(Some(request.id), error),
        },
        Ok(ToHost::Notification(notification)) => {
            let Ok(read) = ToolNotification::parse(&notification) else { return };
            let mut wire = Vec::new();
            write_line(&read, &mut wire).expect("what was read can be written");
            assert_eq!(wire.iter().filter(|byte| **byte == b'\n').count(), 1);
        }
        Err(refusal) => answer(refusal.id, refusal.error),
    }
});

fn same(id: &Id, call: &Call) {
    let mut wire = Vec::new();
    match call {
        Call::FsRead(params) => write_line(&params.request(id), &mut wire),
        Call::FsWrite(params) => write_line(&params.request(id), &mut wire),
        Call::FsGrep(params) => write_line(&params.request(id), &mut wire),
        Call::FsRename(params) => write_line(&params.request(id), &mut wire),
        Call::ProcessRun(params) => write_line(&params.request(id), &mut wire),
        _ => return,
    }
    .expect("what was read can be written");
    let Ok(ToHost::Request(again)) = ToHost::parse(&wire) else { panic!("it is a request") };
    assert_eq!(&again.id, id);
    assert_eq!(&Call::parse(&again).expect("it is the same call"), call);
}

fn answer(id: Option<Id>, error: jp_tool::vfs::ErrorObject) {
    assert!(error.code().is_some(), "a code of the protocol");
    let mut wire = Vec::new();
    write_line(&Response::<()> { id, outcome: Err(error) }, &mut wire).expect("it can be written");
    assert!(wire.len() < 20_000, "an error quotes only a part");
}
