import type { Environment } from "../base/env.ts";
import { findHeldSecrets } from "../base/held-secrets.ts";

export interface ChildEnvironmentOptions {
  /** further names that commands may see */
  passthrough: string[];
  /** absolute path of the hermes home, given to children as `HERMES_HOME` */
  home: string;
}

const allowedNames = new Set(
  `PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM TERMINFO COLORTERM COLUMNS LINES TZ TMPDIR TMP TEMP PWD HOSTNAME
   EDITOR VISUAL PAGER NO_COLOR FORCE_COLOR CLICOLOR CI DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS
   SSH_AUTH_SOCK SSH_AGENT_PID GPG_TTY MANPATH INFOPATH LS_COLORS LESS
   HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY FTP_PROXY http_proxy https_proxy no_proxy all_proxy ftp_proxy
   SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS NODE_PATH NODE_ENV
   JAVA_HOME JDK_HOME M2_HOME MAVEN_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT KOTLIN_HOME
   GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOPROXY GOFLAGS CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN
   NVM_DIR NVM_BIN FNM_DIR VOLTA_HOME PNPM_HOME BUN_INSTALL DENO_DIR DENO_INSTALL ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR
   PYENV_ROOT PYENV_VERSION RBENV_ROOT RBENV_VERSION GEM_HOME GEM_PATH BUNDLE_PATH COMPOSER_HOME
   PYTHONPATH PYTHONHOME PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING VIRTUAL_ENV PIP_CACHE_DIR UV_CACHE_DIR
   PKG_CONFIG_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH LIBRARY_PATH CPATH CC CXX CFLAGS CXXFLAGS LDFLAGS MAKEFLAGS
   DOTNET_ROOT FLUTTER_ROOT DART_HOME HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY NIX_PATH NIX_PROFILES
   DOCKER_HOST CONTAINER_HOST SystemRoot WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA USERPROFILE`.split(/\s+/),
);
const allowedPrefixes = /^(?:LC_|XDG_|CONDA_|SDKMAN_|GIT_AUTHOR_|GIT_COMMITTER_)/;
const secretName = /KEY|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)|CREDENTIAL|AUTH(?!OR|ORITY$|_SOCK$)/i;

/** they change what bash runs or how it reads a command, so that something else would run than was judged */
const shellControl =
  /^(?:POSIXLY_CORRECT|SHELLOPTS|BASHOPTS|BASH_ENV|ENV|BASH_FUNC_.*|BASH_LOADABLES_PATH|PROMPT_COMMAND|PS4|IFS|GLOBIGNORE)$/s;

const ownCredentials = new RegExp(
  `^(?:(?:OPENAI|AZURE_OPENAI|ANTHROPIC|OPENROUTER|GOOGLE|GEMINI|VERTEX|DEEPSEEK|MISTRAL|GROQ|TOGETHER|PERPLEXITY|COHERE|FIREWORKS|XAI|GLM|ZAI|KIMI|MOONSHOT|MINIMAX|NOUS|HELICONE|PARALLEL|FIRECRAWL|TAVILY|EXA|BRAVE|ELEVENLABS|FAL|DASHSCOPE|QWEN|CEREBRAS|NVIDIA|HUGGINGFACE|OLLAMA|COPILOT|AI_GATEWAY|HERMES|TELEGRAM|DISCORD|SLACK|WHATSAPP|SIGNAL|MATRIX|MATTERMOST|HASS|EMAIL|TWILIO)_.*(?:API_?KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)|CLAUDE_CODE_OAUTH_TOKEN|HF_TOKEN|SUDO_PASSWORD|HERMES_YOLO_MODE|HERMES_REDACT_SECRETS)$`,
  "i",
);

/**
 * The environment of a command the agent runs: only what a developer's tools need, and the passed-through names.
 * Left out whatever is asked: the agent's own provider and platform credentials, and variables that change how bash
 * reads a command. A value that contains a held secret is left out unless its name is passed through.
 */
export function childEnvironment(environment: Environment, options: ChildEnvironmentOptions): Record<string, string> {
  const passed = new Set(options.passthrough);
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || shellControl.test(name)) continue;
    if (passed.has(name) ? !ownCredentials.test(name) : isHarmless(name, value)) result[name] = value;
  }
  result["HERMES_HOME"] = options.home;
  return result;
}

function isHarmless(name: string, value: string): boolean {
  const isKnown = allowedNames.has(name) || allowedPrefixes.test(name);
  return isKnown && !secretName.test(name) && findHeldSecrets(value).length === 0;
}

/** The argv that runs a command as it was judged: by bash, without start-up files. */
export function commandArgv(command: string): string[] {
  return ["bash", "--norc", "--noprofile", "-c", command];
}
