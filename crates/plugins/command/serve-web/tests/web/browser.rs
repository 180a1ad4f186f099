//! Chromium, driven through its driver.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use fantoccini::{
    Client, ClientBuilder, Locator,
    actions::{InputSource as _, KeyAction, KeyActions},
    elements::Element,
    wd::WebDriverCompatibleCommand,
};
use hyper_util::client::legacy::connect::HttpConnector;
use jp_test::{Running, TestEnv};
use serde_json::{Value, json};

use crate::web::Web;

/// How long anything in a browser may take.
const LIMIT: Duration = Duration::from_mins(1);

/// A browser with one window.
pub(crate) struct Browser {
    pub(crate) client: Client,
    _driver: Running,
}

impl Browser {
    /// Starts one with a page of this size.
    pub(crate) async fn start(env: &TestEnv, width: u32, height: u32) -> Self {
        let driver = env.command("/usr/bin/chromedriver", ["--port=0"]).timeout(LIMIT * 5).spawn();
        driver.expect_stdout("started successfully on port");
        let text = driver.stdout_so_far();
        let port = text.split("on port ").last().unwrap();
        let port: String = port.chars().take_while(char::is_ascii_digit).collect();
        let window = format!("--window-size={width},{height}");
        // Tests may run as root, in a container without much shared memory.
        let args = [
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
            &window,
        ];
        let capabilities = json!({
            "goog:chromeOptions": { "args": args, "binary": "/usr/bin/chromium" },
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let capabilities = capabilities.as_object().unwrap().clone();
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .unwrap();
        let browser = Self { client, _driver: driver };
        // The window has a frame; the page is to have this size.
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        browser.cdp("Emulation.setDeviceMetricsOverride", size).await;
        browser
    }

    /// Starts one with the address that was printed, as somebody does who has just read it.
    pub(crate) async fn enter(web: &Web, env: &TestEnv, width: u32, height: u32) -> Self {
        let browser = Self::start(env, width, height).await;
        browser.open(&web.entrance).await;
        browser
    }

    pub(crate) async fn open(&self, url: &str) {
        self.client.goto(url).await.unwrap();
    }

    /// The value of an expression in the page.
    pub(crate) async fn eval(&self, script: &str) -> Value {
        self.client.execute(&format!("return {script}"), Vec::new()).await.unwrap()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(crate) fn wait_for<'a>(&'a self, script: &'a str) -> impl Future<Output = ()> + 'a {
        let caller = std::panic::Location::caller();
        async move {
            let end = Instant::now() + LIMIT;
            while self.eval(script).await != json!(true) {
                assert!(Instant::now() < end, "{caller}: `{script}` does not become true");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }

    pub(crate) async fn find(&self, css: &str) -> Element {
        self.client.find(Locator::Css(css)).await.unwrap()
    }

    /// Presses keys as somebody would who looks at the page.
    pub(crate) async fn press(&self, keys: &str) {
        for value in keys.chars() {
            let press = KeyActions::new("keys".to_owned())
                .then(KeyAction::Down { value })
                .then(KeyAction::Up { value });
            self.client.perform_actions(press).await.unwrap();
        }
    }

    /// A command of the developer tools.
    pub(crate) async fn cdp(&self, command: &str, params: Value) -> Value {
        let body = json!({ "cmd": command, "params": params });
        self.client.issue_cmd(Command { path: "goog/cdp/execute", body }).await.unwrap()
    }

    /// What went wrong in the page since the last time, by the console.
    pub(crate) async fn errors(&self) -> Vec<String> {
        let command = Command { path: "se/log", body: json!({ "type": "browser" }) };
        let log = self.client.issue_cmd(command).await.unwrap();
        let entries = log.as_array().unwrap().iter().filter(|entry| entry["level"] != "INFO");
        entries.map(|entry| entry["message"].to_string()).collect()
    }

    /// Keeps a picture of the window under `target/screenshots`, for people.
    pub(crate) async fn picture(&self, name: &str) -> Vec<u8> {
        let bytes = self.client.screenshot().await.unwrap();
        let target = PathBuf::from(env!("CARGO_BIN_EXE_jp-serve-web"));
        let dir = target.ancestors().nth(2).unwrap().join("screenshots");
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join(format!("{name}.png")), &bytes).unwrap();
        bytes
    }

    /// Ends the browser, which must have had nothing to complain about.
    pub(crate) async fn end(self) {
        let errors = self.errors().await;
        self.client.close().await.unwrap();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

/// A command of this driver that is in no standard.
#[derive(Debug)]
struct Command {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Command {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}
