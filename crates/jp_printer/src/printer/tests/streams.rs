//! What reaches the two streams and when, and what happens when one of them is closed.

use super::{record::Closed, *};

#[test]
fn a_stream_lets_go_before_the_other_is_written() {
    let record = printed(
        Settings::default(),
        &[Print::content("1"), Print::content("2"), Print::chrome("3"), Print::content("4")],
    );
    let write = |text: &str| Event::Write(text.to_owned());
    assert_eq!(
        record.events(),
        [
            (Stream::Stdout, write("1")),
            (Stream::Stdout, write("2")),
            (Stream::Stdout, Event::Flush),
            (Stream::Stderr, write("3")),
            (Stream::Stderr, Event::Flush),
            (Stream::Stdout, write("4")),
        ]
    );
}

#[test]
fn a_terminal_shows_each_print_at_once() {
    let record = printed(colored(), &[Print::content("1"), Print::content("")]);
    assert_eq!(
        record.events(),
        [(Stream::Stdout, Event::Write("1".to_owned())), (Stream::Stdout, Event::Flush),]
    );
}

#[test]
fn a_closed_pipe_is_an_error_and_no_panic() {
    let printer = Printer::new(Settings::default(), Closed, io::sink());
    let kind = |result: io::Result<()>| result.unwrap_err().kind();
    assert_eq!(kind(printer.print(Print::content("x"))), io::ErrorKind::BrokenPipe);
    assert_eq!(kind(printer.flush()), io::ErrorKind::BrokenPipe);
}

/// A buffer accepts the text and finds out at the flush, which the switch to stderr causes.
#[test]
fn an_error_is_seen_though_stdout_is_closed() {
    let record = Record::default();
    let stdout = io::BufWriter::new(Closed);
    let printer = Printer::new(Settings::default(), stdout, record.writer(Stream::Stderr));
    printer.print(Print::content("x")).unwrap();
    let error = printer.print(Print::error("still here")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert_eq!(record.written(Stream::Stderr), "still here");
}

#[test]
fn a_printer_is_shared_between_threads() {
    let record = Record::default();
    let printer = Printer::new(
        Settings::default(),
        record.writer(Stream::Stdout),
        record.writer(Stream::Stderr),
    );
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| printer.print(Print::content("line\n")).unwrap());
        }
    });
    assert_eq!(record.written(Stream::Stdout), "line\n".repeat(4));
}
