//! What a tool only points to, read: a model has no other way to see it.
//!
//! The server that gave a link is asked for it. It is put behind the link, which stays. Links into the web are
//! not for the server to answer, and stay as they are.

use jp_mcp::Client;
use jp_tool::{Blocks, ContentBlock, Resource, ResourceData};
use tokio_util::sync::CancellationToken;

/// How many links of one answer are followed, and how much they may lead to together.
const MOST: usize = 5;
const BYTES: usize = 256 << 10;

/// Reads what the links of an answer lead to. What cannot be read, or is too much, stays a link.
pub(super) async fn follow(
    client: &Client,
    content: Blocks,
    cancel: &CancellationToken,
) -> (Blocks, Vec<String>) {
    let Blocks { blocks, malformed } = content;
    let (mut all, mut warnings) = (Vec::with_capacity(blocks.len()), Vec::new());
    let (mut followed, mut left) = (0, BYTES);
    for block in blocks {
        let uri = match &block {
            ContentBlock::ResourceLink(link) if followed < MOST && !is_web(&link.uri) => {
                Some(link.uri.clone())
            }
            _ => None,
        };
        all.push(block);
        let Some(uri) = uri else { continue };
        followed += 1;
        let read = tokio::select! {
            read = client.read_resource(&uri) => read,
            () = cancel.cancelled() => continue,
        };
        let read = match read {
            Ok(read) => read.blocks,
            // Not every link leads to something that can be read here, and the answer is whole without it.
            Err(error) => {
                tracing::debug!(%error, uri, "a link was not followed");
                continue;
            }
        };
        let size = read.iter().map(size).sum::<usize>();
        match left.checked_sub(size) {
            Some(less) => {
                left = less;
                all.extend(read);
            }
            None => warnings.push(format!("`{uri}` is too large to be shown with its link")),
        }
    }
    (Blocks { blocks: all, malformed }, warnings)
}

fn is_web(uri: &str) -> bool {
    let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
    ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web))
}

fn size(block: &ContentBlock) -> usize {
    match block {
        ContentBlock::Resource { resource: Resource { data, .. }, .. } => match data {
            ResourceData::Text(text) | ResourceData::Blob(text) => text.len(),
        },
        _ => 0,
    }
}
