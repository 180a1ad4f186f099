//! What holds when no layer says anything.

use serde_json::json;

use super::merged;
use crate::AppConfig;

/// 072-321 among others.
#[test]
fn the_built_in_defaults_are_these() {
    let config = merged(Vec::new());
    assert_eq!(config.app, AppConfig::default());
    assert_eq!(
        config.get(None).unwrap(),
        json!({
            "assistant": {
                "name": "JP",
                "instructions": [],
                "model": { "id": {}, "parameters": {} },
            },
            "conversation": {
                "tools": {
                    "*": {
                        "enable": true,
                        "run": "ask",
                        "result": "unattended",
                    "retries": 3,
                    "timeout_secs": 600,
                        "runtime": "stdio",
                        "style": { "show_arguments": true, "show_result": true },
                    },
                },
            },
            "plugins": {
                "auto_install": true,
                "shutdown_timeout_secs": 5,
                // 072-275
                "registry": "https://jp.computer/plugins.json",
                "command": {},
            },
            "project": { "backend": "fs" },
            "sandbox": {
                "default": "workspace",
                "allow_degraded": false,
                "presets": [],
                "read": [],
                "write": [],
                "sensitive_paths": [],
            },
            "server": { "web": { "bind": "127.0.0.1", "port": 3141 } },
            "style": {
                "color": "auto",
                "color_depth": "auto",
                "markdown": {},
                "control_sequences": "strip",
            },
            "vfs": {
                "file_bytes": 10_000_000,
                "message_bytes": 16_777_216,
                "request_timeout_secs": 60,
                "cancel_grace_secs": 5,
                "kill_after_secs": 2,
                "http_timeout_secs": 30,
                "process_timeout_secs": 600,
            },
        })
    );
}

#[test]
fn an_empty_file_changes_nothing() {
    for text in ["", "\n\n", "# nothing\n", "\u{FEFF}"] {
        assert_eq!(super::config(text).app, AppConfig::default());
    }
}

#[test]
fn without_layers_there_is_nothing_to_warn_of() {
    assert!(merged(Vec::new()).warnings().is_empty());
    assert_eq!(merged(Vec::new()).warnings().render(false), "");
}
