//! Messages of every length, the descriptors beside them, and ends at every moment.

use std::{
    fs::File,
    io::{ErrorKind, Read as _, Write as _},
};

use rustix::{
    io::{FdFlags, fcntl_getfd, ioctl_fionbio},
    net::{Shutdown, send, shutdown},
    pipe::pipe,
};

use super::*;

/// One that nobody waits for without an end: a test that would is over at once.
fn pair() -> (Socket, Socket) {
    let (one, other) = Socket::pair().unwrap();
    for socket in [&one, &other] {
        ioctl_fionbio(socket, true).unwrap();
    }
    (one, other)
}

fn received<M: DeserializeOwned>(from: &Socket) -> M {
    from.receive().unwrap().unwrap().0
}

#[test]
fn messages_arrive_as_they_were_sent_whatever_their_length() {
    let (one, other) = pair();
    for length in [0, 1, 2, 127, 128, 4096, LARGEST - 3] {
        let message = "x".repeat(length);
        one.send(&message, &[]).unwrap();
        // A short one behind it takes nothing of it, and gets nothing of it.
        one.send(&"next", &[]).unwrap();
        assert_eq!(received::<String>(&other), message);
        assert_eq!(received::<String>(&other), "next");
    }
    let error = one.send(&"x".repeat(LARGEST), &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(other.receive::<String>().unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn a_look_takes_nothing() {
    let (one, other) = pair();
    let (reader, writer) = pipe().unwrap();
    one.send(&"first", &[reader.as_fd()]).unwrap();
    one.send(&"second one", &[]).unwrap();
    drop(reader);
    for _ in 0..3 {
        assert_eq!(other.next_length().unwrap(), 6);
    }
    let (message, with) = other.receive::<String>().unwrap().unwrap();
    assert_eq!((message.as_str(), with.len()), ("first", 1));
    assert_eq!(other.next_length().unwrap(), 11);
    assert!(fcntl_getfd(&with[0]).unwrap().contains(FdFlags::CLOEXEC));
    // There is one copy of the descriptor and no more: the pipe ends with it.
    File::from(writer.try_clone().unwrap()).write_all(b"there").unwrap();
    let mut text = [0; 5];
    let mut reader = File::from(with.into_iter().next().unwrap());
    reader.read_exact(&mut text).unwrap();
    assert_eq!(&text, b"there");
    drop(reader);
    let error = File::from(writer).write_all(b"nobody").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
}

#[test]
fn what_was_peeked_at_is_there_for_whoever_receives_it() {
    let (one, other) = pair();
    let (reader, writer) = pipe().unwrap();
    one.send(&"order", &[reader.as_fd()]).unwrap();
    drop(reader);
    for _ in 0..2 {
        let (message, with) = other.peek::<String>().unwrap().unwrap();
        assert_eq!((message.as_str(), with.len()), ("order", 1));
        assert!(fcntl_getfd(&with[0]).unwrap().contains(FdFlags::CLOEXEC));
    }
    let (message, with) = other.receive::<String>().unwrap().unwrap();
    assert_eq!((message.as_str(), with.len()), ("order", 1));
    assert_eq!(other.peek::<String>().unwrap_err().kind(), ErrorKind::WouldBlock);
    drop(with);
    // What was peeked at was closed again: nobody is left who could read.
    let error = File::from(writer).write_all(b"nobody").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    drop(one);
    assert!(other.peek::<String>().unwrap().is_none());
}

#[test]
fn a_message_that_is_longer_than_it_seemed_is_an_error_and_leaves_no_descriptor() {
    let (one, other) = pair();
    let (reader, writer) = pipe().unwrap();
    // As if another process had taken the short message that was looked at.
    one.send(&"longer than three", &[reader.as_fd()]).unwrap();
    drop(reader);
    assert!(other.receive_at_most::<String>(3, RecvFlags::empty()).is_err());
    let error = File::from(writer).write_all(b"nobody").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
}

#[test]
fn descriptors_are_counted() {
    let (one, other) = pair();
    let (reader, _writer) = pipe().unwrap();
    let many = |count| vec![reader.as_fd(); count];
    one.send(&"five", &many(DESCRIPTORS)).unwrap();
    assert_eq!(other.receive::<String>().unwrap().unwrap().1.len(), DESCRIPTORS);
    let error = one.send(&"six", &many(DESCRIPTORS + 1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn what_is_no_message_is_an_error_and_the_next_is_one() {
    let (one, other) = pair();
    send(&one, &[0xff; 9], SendFlags::empty()).unwrap();
    one.send(&"next", &[]).unwrap();
    assert!(other.receive::<String>().is_err());
    assert_eq!(received::<String>(&other), "next");
}

#[test]
fn an_end_comes_after_all_that_was_said() {
    let (one, other) = pair();
    assert!(!other.is_left());
    one.send(&"last words", &[]).unwrap();
    // What the other side has not read makes its end a reset, which is told first.
    other.send(&"never read", &[]).unwrap();
    drop(one);
    assert!(other.is_left());
    assert_eq!(received::<String>(&other), "last words");
    for _ in 0..2 {
        assert!(other.receive::<String>().unwrap().is_none());
    }
    assert_eq!(other.send(&"hello", &[]).unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[test]
fn who_has_shut_the_socket_has_left_it() {
    let (one, other) = pair();
    shutdown(&one, Shutdown::Both).unwrap();
    assert!(other.is_left());
    assert!(other.receive::<String>().unwrap().is_none());
}
