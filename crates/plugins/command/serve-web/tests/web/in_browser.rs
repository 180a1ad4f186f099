//! The web view in Chromium: what somebody sees and does.

use serde_json::{Value, json};

use crate::{
    browser::Browser,
    sample, store,
    web::{Web, workspace},
};

const WHEN: &str = "2026-03-18T13:19:13Z";
const AT_END: &str = "innerHeight + scrollY >= document.body.scrollHeight - 2";
const OVERFLOW: &str =
    "document.documentElement.scrollWidth > document.documentElement.clientWidth";

#[tokio::test]
async fn find_open_and_read() {
    let env = workspace();
    sample::write(&env);
    let web = Web::start(&env);
    let browser = Browser::enter(&web, &env, 1280, 900).await;
    // What was printed led here, and the token is out of sight.
    assert_eq!(browser.eval("location.href").await, json!(format!("{}/", web.url)));
    assert_eq!(browser.eval("document.querySelectorAll('.conversation').length").await, json!(12));
    browser.wait_for("document.querySelector('.live').dataset.state === 'on'").await;
    browser.picture("list").await;
    // Search.
    browser.find("#q").await.send_keys("watcher MACOS\u{e007}").await.unwrap();
    browser.wait_for("document.querySelectorAll('.conversation').length === 1").await;
    assert_eq!(browser.find("#q").await.prop("value").await.unwrap().unwrap(), "watcher MACOS");
    // A filter applies by itself.
    browser.open(&web.url).await;
    browser.eval("(document.querySelector('[name=title]').value = 'without', document.querySelector('[name=title]').dispatchEvent(new Event('change')), true)").await;
    browser.wait_for("location.search.includes('title=without')").await;
    browser.wait_for("document.querySelectorAll('.conversation').length === 1").await;
    browser.wait_for("document.querySelector('.conversation .untitled') !== null").await;
    // Open.
    browser.open(&web.url).await;
    browser.find(".conversation").await.click().await.unwrap();
    browser
        .wait_for("document.querySelector('h1').textContent.startsWith('Make config errors')")
        .await;
    assert_eq!(browser.eval("document.querySelectorAll('.turn').length").await, json!(2));
    assert!(
        browser.eval("document.querySelectorAll('pre.code .hk').length > 3").await == json!(true)
    );
    // Details are closed until somebody wants them.
    let shown = "document.querySelector('details.reasoning .body').checkVisibility({contentVisibilityAuto: false, checkOpacity: false}) && document.querySelector('details.reasoning').open";
    assert_eq!(browser.eval(shown).await, json!(false));
    browser.find("details.reasoning summary").await.click().await.unwrap();
    assert_eq!(browser.eval(shown).await, json!(true));
    browser.find("details.reasoning summary").await.click().await.unwrap();
    browser.find("h1").await.click().await.unwrap();
    browser.eval("scrollTo(0, 0)").await;
    browser.picture("conversation").await;
    // The address of a turn leads to it.
    let address = browser.eval("document.querySelector('#turn-2 h2 a').href").await;
    browser.open(address.as_str().unwrap()).await;
    browser.wait_for("document.querySelector('#turn-2').classList.contains('here')").await;
    browser.end().await;
}

#[tokio::test]
async fn keys() {
    let env = workspace();
    sample::write(&env);
    let turns = (1..=200).flat_map(|n| store::turn(&format!("q {n}"), &format!("a {n}")));
    store::write(&env, "16", Some("Long"), "2020-01-01T00:00:00Z", &turns.collect::<Vec<_>>());
    let web = Web::start(&env);
    let browser = Browser::enter(&web, &env, 1280, 900).await;
    browser.open(&web.url).await;
    let here = "document.querySelector('.conversation.here, .turn.here')";
    browser.press("jjk").await;
    assert_eq!(
        browser.eval(&format!("{here}.getAttribute('href')")).await,
        json!(format!("/c/{}", sample::MAIN))
    );
    browser.press("\u{e007}").await;
    browser.wait_for("document.body.classList.contains('reading')").await;
    browser.press("j").await;
    let first = browser.eval(&format!("{here}.id")).await;
    browser.press("j").await;
    assert_eq!(browser.eval(&format!("{here}.id")).await, json!("turn-2"), "after {first}");
    browser.press("k").await;
    assert_eq!(browser.eval(&format!("{here}.id")).await, json!("turn-1"));
    assert_eq!(
        browser.eval("document.querySelector('.outline .here a').hash").await,
        json!("#turn-1")
    );
    browser.press("o").await;
    assert_eq!(
        browser.eval("document.querySelectorAll('details.event:not([open])').length").await,
        json!(0)
    );
    browser.picture("details").await;
    browser.press("o").await;
    assert_eq!(
        browser.eval("document.querySelectorAll('details.event[open]').length").await,
        json!(0)
    );
    browser.press("?").await;
    assert_eq!(browser.eval("document.getElementById('keys').open").await, json!(true));
    browser.picture("keys").await;
    browser.press("\u{e00c}").await;
    assert_eq!(browser.eval("document.getElementById('keys').open").await, json!(false));
    browser.press("u").await;
    browser.wait_for("document.body.classList.contains('list')").await;
    browser.press("/").await;
    assert_eq!(browser.eval("document.activeElement.id").await, json!("q"));
    // In a field they are letters.
    browser.press("jt").await;
    assert_eq!(browser.eval("document.getElementById('q').value").await, json!("jt"));
    assert_eq!(browser.eval("document.documentElement.dataset.theme ?? null").await, Value::Null);
    // Pages.
    browser.open(&format!("{}/c/16", web.url)).await;
    browser.press("p").await;
    browser.wait_for("location.search.startsWith('?page=')").await;
    let page = browser.eval("location.search").await;
    browser.press("n").await;
    browser.wait_for(&format!("location.search !== {page}")).await;
    // To the end.
    browser.wait_for("document.querySelector('#turn-200') !== null").await;
    browser.eval("scrollTo(0, 0)").await;
    assert_eq!(browser.eval(AT_END).await, json!(false), "there is nothing to scroll");
    browser.press("G").await;
    browser.wait_for(AT_END).await;
    browser.end().await;
}

#[tokio::test]
async fn light_and_dark() {
    let env = workspace();
    sample::write(&env);
    let web = Web::start(&env);
    let browser = Browser::enter(&web, &env, 1280, 900).await;
    let paper = "getComputedStyle(document.body).backgroundColor";
    let prefer = |theme: &'static str| {
        let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
        browser.cdp("Emulation.setEmulatedMedia", json!({ "features": features }))
    };
    prefer("light").await;
    browser.open(&format!("{}/c/{}", web.url, sample::MAIN)).await;
    let light = browser.eval(paper).await;
    prefer("dark").await;
    browser.wait_for(&format!("{paper} !== {light}")).await;
    let dark = browser.eval(paper).await;
    browser.picture("conversation-dark").await;
    // What somebody chooses counts more, also on the next page.
    browser.press("t").await;
    browser.wait_for(&format!("{paper} === {light}")).await;
    browser.open(&web.url).await;
    assert_eq!(browser.eval(paper).await, light);
    browser.find("button.theme").await.click().await.unwrap();
    browser.wait_for(&format!("{paper} === {dark}")).await;
    browser.picture("list-dark").await;
    browser.end().await;
}

#[tokio::test]
async fn on_a_phone() {
    let env = workspace();
    sample::write(&env);
    store::write_every_event(&env, "17738399999");
    let wide = format!(
        "{}\n\n```\n{}\n```\n\n|{}|\n|{}|\n",
        "w".repeat(300),
        "code ".repeat(90),
        " a |".repeat(40),
        "---|".repeat(40)
    );
    store::write(
        &env,
        "15",
        Some(&"Wide".repeat(60)),
        "2020-01-01T00:00:00Z",
        &store::turn(&"q".repeat(200), &wide),
    );
    let web = Web::start_with(&env, &["--port=0"]);
    let browser = Browser::enter(&web, &env, 390, 844).await;
    let phone = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
    browser.cdp("Emulation.setDeviceMetricsOverride", phone).await;
    for (path, name) in [
        ("/", "list"),
        ("/c/15", "wide"),
        ("/c/17738399999", "every-event"),
        ("/c/latest", "conversation"),
    ] {
        browser.open(&format!("{}{path}", web.url)).await;
        browser.press("o").await;
        assert_eq!(browser.eval("innerWidth").await, json!(390), "{path}");
        assert_eq!(browser.eval(OVERFLOW).await, json!(false), "{path} is wider than the screen");
        browser.picture(&format!("phone-{name}")).await;
    }
    // What can be touched is large enough to be.
    browser.open(&web.url).await;
    let small = "[...document.querySelectorAll('.conversation, .words button, .filters select, .theme')].filter((e) => e.getBoundingClientRect().height < 32).length";
    assert_eq!(browser.eval(small).await, json!(0));
    browser.end().await;
}

/// A conversation can say what it wants: in the browser it is text.
#[tokio::test]
async fn scripts_stay_text() {
    let env = workspace();
    let attack = "<script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 2\"> \
        [click](javascript:window.hacked=3) ![p](http://127.0.0.1:9/p.png) <svg onload=window.hacked=4> \
        </title><style>body{display:none}</style>";
    let mut events = store::turn(attack, attack);
    events.extend(store::call(
        "<script>",
        attack,
        &json!({ attack: store::stored(attack) }),
        attack,
    ));
    events.push(store::at(json!({ "type": attack, "x": attack })));
    store::write(&env, "17", Some(attack), WHEN, &events);
    store::write_every_event(&env, "18");
    let web = Web::start(&env);
    let browser = Browser::enter(&web, &env, 1280, 900).await;
    for path in
        ["/", "/c/17", "/c/18", "/c/17/events/1", "/c/17/events/4", "/?q=%3Cscript%3E&in=content"]
    {
        browser.open(&format!("{}{path}", web.url)).await;
        browser.press("o").await;
        assert_eq!(browser.eval("window.hacked ?? null").await, Value::Null, "{path}");
        assert_eq!(browser.eval("document.scripts.length").await, json!(1), "{path}");
        let alien = "document.querySelectorAll('main img, main svg, main style, iframe, [onerror], [onload], a[href^=\"javascript\"]').length";
        assert_eq!(browser.eval(alien).await, json!(0), "{path}");
        let loaded = "performance.getEntriesByType('resource').filter((e) => !e.name.startsWith(location.origin)).length";
        assert_eq!(browser.eval(loaded).await, json!(0), "{path}");
    }
    browser.open(&format!("{}/c/17", web.url)).await;
    assert!(
        browser
            .eval("document.body.innerText.includes('<script>window.hacked = 1</script>')")
            .await
            == json!(true)
    );
    // And if something got through, the policy would stop it.
    browser.eval("(() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 5'; document.body.append(s); })()").await;
    assert_eq!(browser.eval("window.hacked ?? null").await, Value::Null);
    let errors = browser.errors().await;
    assert!(errors.len() == 1 && errors[0].contains("Content Security Policy"), "{errors:?}");
    browser.end().await;
}

#[tokio::test]
async fn a_page_follows_what_another_process_writes() {
    let env = workspace();
    let turns = (1..=20).flat_map(|n| store::turn(&format!("q {n}"), &format!("a {n}")));
    store::write(&env, "17738399530", Some("Talk"), WHEN, &turns.collect::<Vec<_>>());
    let web = Web::start(&env);
    let browser = Browser::enter(&web, &env, 1280, 900).await;
    browser.open(&format!("{}/c/17738399530", web.url)).await;
    browser.wait_for("document.querySelector('.live').dataset.state === 'on'").await;
    // Somebody who reads further up is not moved, but told.
    browser.eval("scrollTo(0, 0)").await;
    store::append(&env, "17738399530", &store::turn("and now?", "**now** this"));
    browser
        .wait_for("document.querySelector('#turn-21 .assistant strong')?.textContent === 'now'")
        .await;
    assert_eq!(browser.eval("scrollY").await, json!(0));
    assert_eq!(browser.eval("document.querySelector('.more').hidden").await, json!(false));
    browser.picture("live").await;
    browser.find(".more").await.click().await.unwrap();
    browser.wait_for(AT_END).await;
    // Somebody at the end stays there.
    let more = [json!({ "type": "chat_response", "message": "one more" })];
    store::append(&env, "17738399530", &more);
    browser.wait_for("document.querySelector('#turn-21').textContent.includes('one more')").await;
    browser.wait_for(AT_END).await;
    // A tool takes its time, and its result knows its name.
    let call =
        json!({ "type": "tool_call_request", "id": "tc_1", "name": "grep", "arguments": {} });
    store::append(&env, "17738399530", &[call]);
    browser.wait_for("document.querySelector('#turn-21 .call') !== null").await;
    let result =
        json!({ "type": "tool_call_response", "id": "tc_1", "content": "c", "is_error": false });
    store::append(&env, "17738399530", &[result]);
    browser.wait_for("document.querySelector('#turn-21 .result') !== null").await;
    assert_eq!(
        browser.eval("document.querySelector('#turn-21 .result code').textContent").await,
        json!("grep")
    );
    browser
        .wait_for("document.querySelector('.numbers').textContent === '21 turns · 66 events'")
        .await;
    let ids = "new Set([...document.querySelectorAll('.event')].map((e) => e.id)).size === document.querySelectorAll('.event').length";
    assert_eq!(browser.eval(ids).await, json!(true), "an event is there twice");
    // The list does, too.
    browser.open(&web.url).await;
    browser.wait_for("document.querySelector('.live').dataset.state === 'on'").await;
    env.jp(["conversation", "new", "-t", "Fresh from the shell"]).run().success();
    browser
        .wait_for(
            "document.querySelector('.conversation .title').textContent === 'Fresh from the shell'",
        )
        .await;
    let errors = browser.errors().await;
    assert!(errors.is_empty(), "{errors:#?}");
    // A server that ends is noticed; what is on the page stays.
    web.running.signal(jp_test::Signal::INT);
    browser.wait_for("document.querySelector('.live').dataset.state === 'off'").await;
    assert_eq!(browser.eval("document.querySelectorAll('.conversation').length").await, json!(2));
    // The console notes that nobody answers any more, and nothing else.
    browser.open("about:blank").await;
    let errors = browser.errors().await;
    assert!(errors.iter().all(|error| error.contains("net::ERR_")), "{errors:#?}");
    browser.end().await;
}

/// An answer that does not come is asked for again, and only what is here counts as seen.
#[tokio::test]
async fn what_could_not_be_had_is_asked_for_again() {
    let env = workspace();
    store::write(&env, "17", Some("Lost"), WHEN, &store::turn("a", "b"));
    let web = Web::start(&env);
    let browser = Browser::enter(&web, &env, 1280, 900).await;
    browser.open(&format!("{}/c/17", web.url)).await;
    browser.wait_for("document.querySelector('.live').dataset.state === 'on'").await;
    let lose = "(() => { \
        const real = window.fetch; \
        window.lost = 0; \
        window.seen = document.body.dataset.seen; \
        window.fetch = (...asked) => { \
            if (window.lost === 2) return real(...asked); \
            window.lost += 1; \
            return Promise.reject(new Error('lost')); \
        }; \
    })()";
    browser.eval(lose).await;
    store::append(&env, "17", &store::turn("and now?", "**now** this"));
    browser.wait_for("window.lost >= 1").await;
    browser.wait_for("document.querySelector('.live').dataset.state === 'off'").await;
    assert_eq!(browser.eval("document.body.dataset.seen === window.seen").await, json!(true));
    browser.wait_for("document.querySelector('#turn-2 strong')?.textContent === 'now'").await;
    browser.wait_for("document.querySelector('.live').dataset.state === 'on'").await;
    assert_eq!(browser.eval("window.lost").await, json!(2));
    assert_eq!(browser.eval("document.body.dataset.seen !== window.seen").await, json!(true));
    browser.end().await;
}

#[tokio::test]
async fn the_form_for_a_token_works() {
    let env = workspace();
    sample::write(&env);
    let web = Web::start_with(&env, &["--port=0", "--token=correct-horse-battery-staple"]);
    let browser = Browser::start(&env, 1280, 900).await;
    browser.open(&format!("{}/c/{}", web.url, sample::MAIN)).await;
    browser.picture("login").await;
    browser.find("[name=token]").await.send_keys("wrong\u{e007}").await.unwrap();
    browser.wait_for("document.querySelector('.wrong') !== null").await;
    browser
        .find("[name=token]")
        .await
        .send_keys("correct-horse-battery-staple\u{e007}")
        .await
        .unwrap();
    browser
        .wait_for("document.querySelector('h1').textContent.startsWith('Make config errors')")
        .await;
    assert_eq!(browser.eval("document.cookie").await, json!(""), "a script could read the cookie");
    // The two pages that asked for the token had that status, which the console notes.
    let errors = browser.errors().await;
    assert!(errors.iter().all(|error| error.contains("401")), "{errors:?}");
    browser.end().await;
}

/// Without scripts everything but following, keys and the theme works.
#[tokio::test]
async fn without_scripts() {
    let env = workspace();
    sample::write(&env);
    let web = Web::start(&env);
    let browser = Browser::enter(&web, &env, 1280, 900).await;
    browser.cdp("Emulation.setScriptExecutionDisabled", json!({ "value": true })).await;
    browser.open(&web.url).await;
    let search = browser.find("#q").await;
    search.send_keys("config errors").await.unwrap();
    browser.find(".words button").await.click().await.unwrap();
    browser.find(".conversation").await.click().await.unwrap();
    browser.find("details.reasoning summary").await.click().await.unwrap();
    let text = browser.find("details.reasoning .body").await.text().await.unwrap();
    assert!(text.contains("The parser keeps spans"), "{text}");
    assert!(!browser.find("button.theme").await.is_displayed().await.unwrap());
    browser.end().await;
}
