//! Downloads: where they may go, and what ends them.

use std::time::Duration;

use jp_fetch::{DownloadError, DownloadLimits, FetchError, FetchSettings, Fetcher};
use jp_test::{Answer, Https};

const BYTES: u32 = 4 << 20;

fn limits() -> DownloadLimits {
    DownloadLimits {
        bytes: BYTES.into(),
        idle: Duration::from_secs(5),
        total: Duration::from_secs(15),
    }
}

/// The file, and the size that the server told.
async fn download(
    server: &Https,
    url: &str,
    limits: &DownloadLimits,
) -> Result<(Vec<u8>, Option<u64>), DownloadError> {
    let settings = FetchSettings { ca_file: Some(server.ca_file()), ..FetchSettings::default() };
    let (mut file, mut told) = (Vec::new(), None);
    let mut keep = |piece: &[u8], total| {
        file.extend_from_slice(piece);
        told = total;
        Ok(())
    };
    Fetcher::new(settings).download(url, limits, &mut keep).await?;
    Ok((file, told))
}

#[tokio::test]
async fn a_file_comes_whole_over_any_number_of_hops() {
    let big = vec![7; 3 << 20];
    let file = big.clone();
    let server = Https::start(move |path| match path {
        "/big" => Answer::File(file.clone()),
        "/empty" => Answer::File(Vec::new()),
        _ => Answer::Redirect("/big".to_owned()),
    });
    let got = download(&server, &server.url("/moved"), &limits()).await.unwrap();
    assert_eq!(got, (big, Some(3 << 20)));
    assert_eq!(download(&server, &server.url("/empty"), &limits()).await.unwrap().0, b"");
    assert_eq!(server.requests(), ["/moved", "/big", "/empty"]);
}

#[tokio::test]
async fn no_hop_leaves_tls() {
    let server = Https::start(|path| match path {
        "/down" => Answer::Redirect("http://localhost:1/file?key=1".to_owned()),
        "/file" => Answer::Redirect("file:///etc/passwd".to_owned()),
        _ => Answer::Redirect("/round".to_owned()),
    });
    let error = download(&server, "http://localhost:1/x", &limits()).await.unwrap_err();
    assert!(matches!(error, DownloadError::Plain { from: None, .. }), "{error:?}");
    let error = download(&server, &server.url("/down"), &limits()).await.unwrap_err().to_string();
    let from = server.url("/down");
    let start = format!("{from} leads elsewhere: http://localhost:1/file");
    assert!(error.starts_with(&start) && error.contains("not an https URL"), "{error}");
    let error = download(&server, &server.url("/file"), &limits()).await.unwrap_err();
    assert!(matches!(error, DownloadError::Fetch(FetchError::Failed { .. })), "{error:?}");
    let error = download(&server, &server.url("/round"), &limits()).await.unwrap_err().to_string();
    assert_eq!(error, "localhost: there were more than 10 redirects");
}

#[tokio::test]
async fn what_is_not_the_file_is_an_error() {
    let server = Https::start(|path| match path {
        "/half" => Answer::Half(vec![1; 1000]),
        "/stuck" => Answer::Stuck(vec![1; 1000]),
        "/endless" => Answer::Endless,
        "/large" => Answer::File(vec![1; BYTES as usize + 1]),
        _ => Answer::Status(404),
    });
    let error = download(&server, &server.url("/none"), &limits()).await.unwrap_err().to_string();
    assert_eq!(error, "localhost: it answers with status 404");
    let error = download(&server, &server.url("/half"), &limits()).await.unwrap_err();
    assert!(matches!(error, DownloadError::Fetch(FetchError::Failed { .. })), "{error:?}");
    for path in ["/large", "/endless"] {
        let error = download(&server, &server.url(path), &limits()).await.unwrap_err();
        assert!(matches!(error, DownloadError::Fetch(FetchError::TooLarge { .. })), "{error:?}");
    }
    let short = Duration::from_millis(300);
    let idle = DownloadLimits { idle: short, ..limits() };
    let error = download(&server, &server.url("/stuck"), &idle).await.unwrap_err();
    assert!(matches!(error, DownloadError::Silent { .. }), "{error:?}");
    let total = DownloadLimits { total: short, ..limits() };
    let error = download(&server, &server.url("/stuck"), &total).await.unwrap_err();
    assert!(matches!(error, DownloadError::Fetch(FetchError::Timeout { .. })), "{error:?}");
    let strangers = Fetcher::new(FetchSettings::default());
    let error = strangers.download(&server.url("/none"), &limits(), &mut |_, _| Ok(())).await;
    assert!(matches!(error, Err(DownloadError::Fetch(FetchError::Failed { .. }))), "{error:?}");
}
