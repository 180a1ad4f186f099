//! The client of rmcp, in both eras, with a person who answers.

use std::{process::Stdio, time::Duration};

use jp_test::rmcp_client;
use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        CallToolRequestParams, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    },
    service::RequestContext,
};
use serde_json::json;
use tokio::{process::Command, time::timeout};

use crate::{
    session::{ERAS, text},
    studio::Studio,
};

const LIMIT: Duration = Duration::from_mins(5);

/// Wants version 2.0.0 of everything.
struct Person;

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        rmcp_client::config(true)
    }

    async fn create_elicitation(
        &self,
        _request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "version": "2.0.0" })))
    }
}

/// D31-066, with a client that drives the rounds by itself.
#[tokio::test]
async fn a_question_is_answered_and_the_item_read() {
    let studio = Studio::new();
    for era in ERAS {
        let mut command = Command::from(studio.command());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let streams = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let client = rmcp_client::connect(Person, streams, era).await;
        assert_eq!(client.list_all_tools().await.unwrap().len(), 6);
        let arguments = json!({ "name": "paint", "item": "Color" });
        let call = CallToolRequestParams::new("crate_item")
            .with_arguments(arguments.as_object().unwrap().clone());
        let result = timeout(LIMIT, client.call_tool(call)).await.unwrap().unwrap();
        let result = serde_json::to_value(result).unwrap();
        assert!(text(&result).contains("Like grass."), "{era:?}: {result}");
        client.cancel().await.unwrap();
        timeout(LIMIT, child.wait()).await.unwrap().unwrap();
    }
}
