//! What reaches a plugin, and in which order.

use std::time::Duration;

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    net::unix::pipe,
    sync::mpsc,
    time::timeout,
};

use super::*;

const SOON: Duration = Duration::from_secs(10);

/// More than a pipe holds.
const MUCH: usize = 1 << 20;

async fn read_to_end(receiver: pipe::Receiver) -> String {
    let mut text = String::new();
    let mut reader = BufReader::new(receiver);
    timeout(SOON, reader.read_to_string(&mut text)).await.unwrap().unwrap();
    text
}

fn line(byte: u8, length: usize) -> Vec<u8> {
    let mut line = vec![byte; length];
    line.push(b'\n');
    line
}

#[tokio::test]
async fn lines_arrive_in_their_order_and_count_until_they_are_written() {
    let (sender, receiver) = pipe::pipe().unwrap();
    let outbox = Arc::new(Outbox::new(sender));
    outbox.push(line(b'a', MUCH));
    outbox.push(line(b'b', 3));
    assert_eq!(outbox.bytes(), MUCH + 5);
    let writer = tokio::spawn(Arc::clone(&outbox).serve());
    let mut reader = BufReader::new(receiver);
    for expected in [line(b'a', MUCH), line(b'b', 3)] {
        let mut found = Vec::new();
        timeout(SOON, reader.read_until(b'\n', &mut found)).await.unwrap().unwrap();
        assert_eq!(found, expected);
    }
    assert_eq!(outbox.bytes(), 0);
    outbox.close();
    timeout(SOON, writer).await.unwrap().unwrap();
    assert_eq!(timeout(SOON, reader.read_u8()).await.unwrap().ok(), None, "its input has ended");
}

#[tokio::test]
async fn a_shutdown_goes_before_what_waits_and_never_into_a_line() {
    let (sender, receiver) = pipe::pipe().unwrap();
    let outbox = Arc::new(Outbox::new(sender));
    let writer = tokio::spawn(Arc::clone(&outbox).serve());
    outbox.push(line(b'a', MUCH));
    // The first line is half written now.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(outbox.bytes() < MUCH);
    outbox.push(line(b'b', 3));
    outbox.push_first(b"shutdown\n".to_vec());
    let reading = tokio::spawn(read_to_end(receiver));
    while outbox.bytes() > 0 {
        timeout(SOON, outbox.room()).await.unwrap();
    }
    outbox.close();
    timeout(SOON, writer).await.unwrap().unwrap();
    let text = reading.await.unwrap();
    let lines: Vec<_> = text.lines().map(|line| &line[..line.len().min(8)]).collect();
    assert_eq!(lines, ["aaaaaaaa", "shutdown", "bbb"]);
}

#[tokio::test]
async fn a_line_in_pieces_is_one_line() {
    let (sender, receiver) = pipe::pipe().unwrap();
    let outbox = Arc::new(Outbox::new(sender));
    let writer = tokio::spawn(Arc::clone(&outbox).serve());
    let (more, next) = mpsc::channel(2);
    outbox.push_pieces(b"one ".to_vec(), next);
    assert_eq!(rustix::pipe::fcntl_getpipe_size(&receiver).unwrap(), WIDE);
    outbox.push(b"after\n".to_vec());
    let reading = tokio::spawn(read_to_end(receiver));
    for piece in ["two ", "three\n"] {
        tokio::time::sleep(Duration::from_millis(20)).await;
        outbox.push_first(b"shutdown\n".to_vec());
        more.send(piece.into()).await.unwrap();
        outbox.poke();
    }
    drop(more);
    outbox.poke();
    tokio::time::sleep(Duration::from_millis(100)).await;
    outbox.close();
    timeout(SOON, writer).await.unwrap().unwrap();
    assert_eq!(reading.await.unwrap(), "one two three\nshutdown\nshutdown\nafter\n");
}

#[tokio::test]
async fn a_plugin_that_does_not_read_any_more_loses_what_was_meant_for_it() {
    let (sender, receiver) = pipe::pipe().unwrap();
    let outbox = Arc::new(Outbox::new(sender));
    drop(receiver);
    outbox.push(line(b'a', MUCH));
    timeout(SOON, Arc::clone(&outbox).serve()).await.unwrap();
    outbox.push(line(b'a', MUCH));
    assert_eq!(outbox.bytes(), 0);
}
