//! Asking a sealed program which tools are in it: by `init`, and answered by `result`.
//!
//! Nothing is done for a program that only describes itself, so whatever it asks for is refused.

use std::sync::Arc;

use jp_project::NullProjectFiles;
use jp_tool::{Invocation, SchemaResponse};
use jp_vfs::{End, Host, Limits, ToolAccess, gate::Gate};

use super::{DescribeError, PATIENCE};
use crate::tool::{
    local::LocalProgram,
    runtime::vfs::{description, init, served::Served},
};

pub(super) async fn ask(
    program: &LocalProgram,
    invocation: &Invocation,
) -> Result<(SchemaResponse, Vec<String>), DescribeError> {
    let (running, warnings) = program.start_sealed(invocation).await?;
    let access = ToolAccess::new(&invocation.tool.name, &program.key, None, None);
    let gate = Gate::new(Arc::new(access), Arc::new(NullProjectFiles), "/nonexistent".into());
    let host = Arc::new(Host::without_means(Limits::default()));
    let served = Served::new(running, init(invocation.clone()), gate, host, false)
        .map_err(|error| said(error.to_string(), String::new()))?;
    let end = tokio::time::timeout(PATIENCE, served.session.end()).await;
    let (answer, printed) = match end {
        Err(_) => return Err(DescribeError::Time { printed: served.gone().await }),
        Ok(end) => (description(end), served.gone().await),
    };
    let schema = answer.map_err(|end| said(instead(*end), printed))?;
    Ok((schema, warnings))
}

/// What it did instead of describing itself.
fn instead(end: End) -> String {
    match end {
        End::Failed(error) => format!("failed: {}", error.message),
        End::Closed => "ended without an answer".to_owned(),
        End::Unreadable(reason) => format!("gave an answer that makes no sense: {reason}"),
        _ => "answered with something else".to_owned(),
    }
}

fn said(what: String, printed: String) -> DescribeError {
    DescribeError::Said { what, printed }
}
