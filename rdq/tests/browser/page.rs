//! A page of the browser, used as people use it: by what it shows, with the mouse and the keyboard.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use testbed::until;

use crate::chrome::Chrome;

pub(crate) struct Page {
    chrome: Chrome,
    session: String,
}

impl Page {
    /// Opens this URL in a new browser.
    pub(crate) fn open(url: &str) -> Self {
        let chrome = Chrome::start();
        let target = chrome.call(None, "Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = chrome.call(None, "Target.attachToTarget", attach);
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let page = Self { chrome, session };
        for domain in ["Log", "Page", "Runtime"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.size(1200, 900);
        page.call("Page.navigate", json!({ "url": url }));
        page
    }

    pub(crate) fn size(&self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Prefers `light` or `dark` colors.
    pub(crate) fn prefer(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    /// Shows times as in this place, such as `Asia/Kolkata`.
    pub(crate) fn move_to(&self, zone: &str) {
        self.call(
            "Emulation.setTimezoneOverride",
            json!({ "timezoneId": zone }),
        );
    }

    /// Saves files to this folder.
    pub(crate) fn save_to(&self, folder: &Path) {
        let params = json!({ "behavior": "allow", "downloadPath": folder });
        self.chrome
            .call(None, "Browser.setDownloadBehavior", params);
    }

    /// The value of an expression of JavaScript. The functions are those of `page.js`.
    pub(crate) fn eval(&self, expression: &str) -> Value {
        let expression = format!("{{{}\n{expression}}}", include_str!("page.js"));
        let params = json!({ "expression": expression, "returnByValue": true });
        let result = self.call("Runtime.evaluate", params);
        let error = &result["exceptionDetails"];
        assert!(error.is_null(), "{expression}: {error}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&self, expression: &str) {
        until(expression, || match self.eval(expression) {
            Value::Bool(true) => Ok(()),
            value => Err(format!("{value}\n{}", self.shown())),
        });
    }

    /// What to say when a test fails.
    fn shown(&self) -> String {
        format!("the page shows: {}", self.eval("front().innerText"))
    }

    /// Waits until this text is on the page, or in the dialog that is open.
    pub(crate) fn sees(&self, text: &str) {
        self.wait(&format!("front().innerText.includes({})", json!(text)));
    }

    /// Clicks the control of this name with the mouse, as soon as it can be.
    pub(crate) fn click(&self, name: &str) {
        let place = format!("place({})", json!(name));
        let place = until(name, || {
            // A control that moves is not to be clicked yet.
            let [before, now] = [self.eval(&place), self.eval(&place)];
            let stands = now.is_object() && now == before;
            stands.then_some(now).ok_or_else(|| self.shown())
        });
        for kind in ["mousePressed", "mouseReleased"] {
            let mut event = json!({ "type": kind, "button": "left", "clickCount": 1 });
            (event["x"], event["y"]) = (place["x"].clone(), place["y"].clone());
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key: a letter, or `Enter`, `Escape`, `Tab`, `ArrowRight`.
    pub(crate) fn press(&self, key: &str) {
        let (code, text) = match key {
            "Enter" => (13, "\r"),
            "Escape" => (27, ""),
            "Tab" => (9, ""),
            "ArrowRight" => (39, ""),
            letter => (0, letter),
        };
        let kind = if text.is_empty() {
            "rawKeyDown"
        } else {
            "keyDown"
        };
        let down = json!({ "type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", down);
        let up = json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", up);
    }

    /// Types a text where the focus is.
    pub(crate) fn type_in(&self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Presses Tab until the control of this name has the focus, and checks that it shows it.
    pub(crate) fn tab_to(&self, name: &str) {
        let has_focus = format!(
            "find({0}) !== null && find({0}) === document.activeElement",
            json!(name)
        );
        for _ in 0..40 {
            self.press("Tab");
            if self.eval(&has_focus) == true {
                let outline = self.eval("getComputedStyle(document.activeElement).outlineStyle");
                assert_ne!(
                    outline, "none",
                    "{name} does not show that it has the focus"
                );
                return;
            }
        }
        panic!("Tab does not reach {name}");
    }

    /// Asserts that nothing is wider than the window.
    pub(crate) fn fits(&self) {
        let wide = self.eval(
            "const limit = innerWidth; [...document.querySelectorAll('body *')].filter((it) => it.getBoundingClientRect().right > limit + 1).map((it) => it.outerHTML.slice(0, 80))",
        );
        assert_eq!(wide, json!([]), "too wide");
        assert_eq!(
            self.eval("document.scrollingElement.scrollWidth <= innerWidth"),
            true
        );
    }

    /// Asserts that all texts can be read: a contrast of 4.5 to what is behind them (WCAG AA).
    pub(crate) fn is_readable(&self) {
        assert_eq!(self.eval("faint()"), json!([]), "too little contrast");
    }

    /// Writes what the window shows to a file in the folder that `SCREENSHOTS` names, if it does.
    pub(crate) fn picture(&self, name: &str) {
        let Ok(folder) = std::env::var("SCREENSHOTS") else {
            return;
        };
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let png = STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
        std::fs::write(format!("{folder}/{name}.png"), png).unwrap();
    }

    /// Asserts that the page has complained about nothing: no error, no warning, no violation of
    /// its content security policy.
    pub(crate) fn is_content(&self) {
        let problems = self.chrome.problems();
        assert!(problems.is_empty(), "{problems:#?}");
    }

    /// Waits for a complaint with this text in it, and takes it. Others must not come before it.
    pub(crate) fn complains(&self, text: &str) {
        let problems = until(text, || match self.chrome.problems() {
            none if none.is_empty() => Err(self.shown()),
            problems => Ok(problems),
        });
        assert!(problems.iter().all(|it| it.contains(text)), "{problems:#?}");
    }

    fn call(&self, method: &str, params: Value) -> Value {
        self.chrome.call(Some(&self.session), method, params)
    }
}
