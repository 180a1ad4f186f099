//! Ending a connection so that the tool hears why.
//!
//! The danger is what the tool is still sending: a connection that is closed with something unread is
//! reset, and many programs then report the reset and never look at the answer. So what comes after
//! the answer is read for a while and thrown away.

use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::{HeaderMap, StatusCode, body::Incoming, header::EXPECT};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    time,
};

/// How long a connection is kept after its last words.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long the body of a request is read that was answered without it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Says something in plain text to somebody who speaks HTTP, and ends the connection.
pub(crate) async fn say(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    status: StatusCode,
    text: &str,
) {
    let words = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    );
    let farewell = async {
        stream.write_all(words.as_bytes()).await?;
        stream.shutdown().await?;
        let mut unread = [0; 4096];
        while stream.read(&mut unread).await? > 0 {}
        std::io::Result::Ok(())
    };
    // Neither outcome matters to anybody.
    let _ = time::timeout(FAREWELL, farewell).await;
}

/// Reads the body of a request that is answered without it, beside the answer.
pub(crate) fn read_away(headers: &HeaderMap, mut body: Incoming) {
    // Who asks first whether to send a body takes the answer for a no; reading would be a yes.
    if headers.contains_key(EXPECT) {
        return;
    }
    tokio::spawn(time::timeout(
        PATIENCE,
        async move { while let Some(Ok(_)) = body.frame().await {} },
    ));
}
