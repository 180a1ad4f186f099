//! The places of each preset. A line is one place: the variables that name it, in the order in which
//! they are looked at, and the usual place below the home directory.

use super::{Source, Spec};

const fn at(usual: &'static str) -> Source {
    Source { variables: &[], usual }
}

const fn by(variables: &'static [(&'static str, &'static str)], usual: &'static str) -> Source {
    Source { variables, usual }
}

pub(super) static RUST: Spec = Spec {
    toolchain: &[
        by(&[("CARGO_HOME", "bin")], ".cargo/bin"),
        by(&[("CARGO_HOME", "config.toml")], ".cargo/config.toml"),
        by(&[("CARGO_HOME", "config")], ".cargo/config"),
        by(&[("CARGO_HOME", "env")], ".cargo/env"),
        by(&[("RUSTUP_HOME", "")], ".rustup"),
    ],
    settings: &[],
    cache: &[
        by(&[("CARGO_HOME", "registry")], ".cargo/registry"),
        by(&[("CARGO_HOME", "git")], ".cargo/git"),
        by(&[("CARGO_HOME", ".package-cache")], ".cargo/.package-cache"),
        by(&[("CARGO_HOME", ".package-cache-mutate")], ".cargo/.package-cache-mutate"),
        by(&[("CARGO_TARGET_DIR", "")], ""),
        by(&[("SCCACHE_DIR", ""), ("XDG_CACHE_HOME", "sccache")], ".cache/sccache"),
    ],
    hidden: &[
        by(&[("CARGO_HOME", "credentials.toml")], ".cargo/credentials.toml"),
        by(&[("CARGO_HOME", "credentials")], ".cargo/credentials"),
    ],
};

pub(super) static NODE: Spec = Spec {
    toolchain: &[
        by(&[("NVM_DIR", "")], ".nvm"),
        by(&[("VOLTA_HOME", "")], ".volta"),
        by(&[("FNM_DIR", ""), ("XDG_DATA_HOME", "fnm")], ".local/share/fnm"),
        by(&[("N_PREFIX", "")], "n"),
        by(&[("npm_config_prefix", "")], ".npm-global"),
        by(&[("PNPM_HOME", ""), ("XDG_DATA_HOME", "pnpm")], ".local/share/pnpm"),
        by(&[("BUN_INSTALL", "bin")], ".bun/bin"),
        by(&[("DENO_INSTALL", "bin")], ".deno/bin"),
    ],
    settings: &[],
    cache: &[
        by(&[("npm_config_cache", "")], ".npm"),
        by(&[("YARN_CACHE_FOLDER", ""), ("XDG_CACHE_HOME", "yarn")], ".cache/yarn"),
        by(&[("YARN_GLOBAL_FOLDER", "")], ".yarn/berry"),
        by(&[("COREPACK_HOME", ""), ("XDG_CACHE_HOME", "node/corepack")], ".cache/node/corepack"),
        by(&[("XDG_CACHE_HOME", "pnpm")], ".cache/pnpm"),
        by(&[("PNPM_HOME", "store"), ("XDG_DATA_HOME", "pnpm/store")], ".local/share/pnpm/store"),
        by(&[("BUN_INSTALL", "install/cache")], ".bun/install/cache"),
        by(&[("DENO_DIR", ""), ("XDG_CACHE_HOME", "deno")], ".cache/deno"),
        at("Library/Caches/Yarn"),
        at("Library/Caches/node/corepack"),
    ],
    hidden: &[
        by(&[("npm_config_userconfig", "")], ".npmrc"),
        at(".yarnrc"),
        at(".yarnrc.yml"),
        by(&[("XDG_CONFIG_HOME", "pnpm/rc")], ".config/pnpm/rc"),
    ],
};

pub(super) static PYTHON: Spec = Spec {
    toolchain: &[
        by(&[("PYENV_ROOT", "")], ".pyenv"),
        by(&[("VIRTUAL_ENV", "")], ""),
        by(&[("CONDA_PREFIX", "")], ""),
        by(&[("PYTHONUSERBASE", "lib")], ".local/lib"),
        by(
            &[("UV_PYTHON_INSTALL_DIR", ""), ("XDG_DATA_HOME", "uv/python")],
            ".local/share/uv/python",
        ),
        by(&[("UV_TOOL_DIR", ""), ("XDG_DATA_HOME", "uv/tools")], ".local/share/uv/tools"),
        by(&[("PIPX_HOME", ""), ("XDG_DATA_HOME", "pipx")], ".local/share/pipx"),
        at(".local/bin"),
    ],
    settings: &[],
    cache: &[
        by(&[("PIP_CACHE_DIR", ""), ("XDG_CACHE_HOME", "pip")], ".cache/pip"),
        by(&[("UV_CACHE_DIR", ""), ("XDG_CACHE_HOME", "uv")], ".cache/uv"),
        by(&[("POETRY_CACHE_DIR", ""), ("XDG_CACHE_HOME", "pypoetry")], ".cache/pypoetry"),
        by(&[("RUFF_CACHE_DIR", "")], ""),
        by(&[("MYPY_CACHE_DIR", "")], ""),
        by(&[("PRE_COMMIT_HOME", ""), ("XDG_CACHE_HOME", "pre-commit")], ".cache/pre-commit"),
        at("Library/Caches/pip"),
    ],
    hidden: &[
        at(".pypirc"),
        at(".netrc"),
        by(&[("PIP_CONFIG_FILE", ""), ("XDG_CONFIG_HOME", "pip/pip.conf")], ".config/pip/pip.conf"),
        by(&[("XDG_CONFIG_HOME", "pypoetry/auth.toml")], ".config/pypoetry/auth.toml"),
    ],
};

pub(super) static GO: Spec = Spec {
    toolchain: &[
        by(&[("GOROOT", "")], "sdk"),
        by(&[("GOBIN", ""), ("GOPATH", "bin")], "go/bin"),
        by(&[("GOENV", ""), ("XDG_CONFIG_HOME", "go/env")], ".config/go/env"),
    ],
    settings: &[],
    cache: &[
        by(&[("GOMODCACHE", ""), ("GOPATH", "pkg/mod")], "go/pkg/mod"),
        by(&[("GOPATH", "pkg/sumdb")], "go/pkg/sumdb"),
        by(&[("GOCACHE", ""), ("XDG_CACHE_HOME", "go-build")], ".cache/go-build"),
        by(
            &[("GOLANGCI_LINT_CACHE", ""), ("XDG_CACHE_HOME", "golangci-lint")],
            ".cache/golangci-lint",
        ),
        at("Library/Caches/go-build"),
    ],
    hidden: &[at(".netrc")],
};

pub(super) static JAVA: Spec = Spec {
    toolchain: &[
        by(&[("JAVA_HOME", "")], ""),
        by(&[("SDKMAN_DIR", "")], ".sdkman"),
        at(".jdks"),
        at(".jenv"),
        by(&[("M2_HOME", "")], ""),
        by(&[("MAVEN_HOME", "")], ""),
        by(&[("GRADLE_HOME", "")], ""),
    ],
    settings: &[],
    cache: &[
        by(&[("GRADLE_USER_HOME", "caches")], ".gradle/caches"),
        by(&[("GRADLE_USER_HOME", "daemon")], ".gradle/daemon"),
        by(&[("GRADLE_USER_HOME", "jdks")], ".gradle/jdks"),
        by(&[("GRADLE_USER_HOME", "native")], ".gradle/native"),
        by(&[("GRADLE_USER_HOME", "notifications")], ".gradle/notifications"),
        by(&[("GRADLE_USER_HOME", "workers")], ".gradle/workers"),
        by(&[("GRADLE_USER_HOME", "wrapper")], ".gradle/wrapper"),
        by(&[("GRADLE_USER_HOME", ".tmp")], ".gradle/.tmp"),
        by(&[("M2", "repository")], ".m2/repository"),
        by(&[("M2", "wrapper")], ".m2/wrapper"),
    ],
    hidden: &[
        by(&[("GRADLE_USER_HOME", "gradle.properties")], ".gradle/gradle.properties"),
        by(&[("M2", "settings.xml")], ".m2/settings.xml"),
        by(&[("M2", "settings-security.xml")], ".m2/settings-security.xml"),
    ],
};

pub(super) static GIT: Spec = Spec {
    toolchain: &[by(&[("GIT_EXEC_PATH", "")], "")],
    // They may name proxies and hosts with passwords in them, so not every tool reads them.
    settings: &[
        by(&[("GIT_CONFIG_GLOBAL", "")], ".gitconfig"),
        by(&[("XDG_CONFIG_HOME", "git")], ".config/git"),
        by(&[("GIT_TEMPLATE_DIR", "")], ".git-templates"),
    ],
    cache: &[],
    hidden: &[
        at(".git-credentials"),
        at(".netrc"),
        by(&[("XDG_CONFIG_HOME", "git/credentials")], ".config/git/credentials"),
        by(&[("GH_CONFIG_DIR", ""), ("XDG_CONFIG_HOME", "gh")], ".config/gh"),
    ],
};
