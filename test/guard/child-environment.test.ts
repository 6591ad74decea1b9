import { afterEach, expect, test } from "bun:test";
import { forgetSecrets, holdSecret } from "../../src/base/held-secrets.ts";
import { childEnvironment, commandArgv } from "../../src/guard/index.ts";

afterEach(forgetSecrets);

const home = "/home-of-ana/.hermes";
const child = (environment: Record<string, string>, passthrough: string[] = []): Record<string, string> =>
  childEnvironment(environment, { passthrough, home });

const developer = {
  PATH: "/usr/bin",
  HOME: "/home-of-ana",
  LANG: "en_US.UTF-8",
  LC_ALL: "C",
  TERM: "xterm",
  TZ: "Europe/Lisbon",
  USER: "ana",
  SHELL: "/bin/zsh",
  HTTPS_PROXY: "http://proxy:3128",
  no_proxy: "localhost",
  JAVA_HOME: "/opt/java",
  GOPATH: "/go",
  CARGO_HOME: "/cargo",
  NVM_DIR: "/nvm",
  VIRTUAL_ENV: "/venv",
  PYTHONPATH: "/lib",
  SSH_AUTH_SOCK: "/run/agent",
  GIT_AUTHOR_NAME: "Ana",
  XDG_RUNTIME_DIR: "/run/user/1",
};

test("what a developer needs stays", () => {
  expect(child(developer)).toEqual({ ...developer, HERMES_HOME: home });
});

test.each([
  "OPENAI_API_KEY",
  "ANTHROPIC_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "TELEGRAM_BOT_TOKEN",
  "AWS_SECRET_ACCESS_KEY",
  "SUDO_PASSWORD",
  "OPENAI_BASE_URL",
  "LLM_MODEL",
  "HERMES_YOLO_MODE",
  "LC_SECRET",
  "UNKNOWN_NAME",
  "LD_PRELOAD",
])("%s does not reach a command", (name) => {
  expect(child({ [name]: "value" })).toEqual({ HERMES_HOME: home });
});

test.each([
  "POSIXLY_CORRECT",
  "SHELLOPTS",
  "BASHOPTS",
  "BASH_ENV",
  "ENV",
  "BASH_FUNC_ls%%",
  "PROMPT_COMMAND",
  "PS4",
  "IFS",
])("%s does not reach a command, even when passed through", (name) => {
  expect(child({ [name]: "x" }, [name])).toEqual({ HERMES_HOME: home });
});

test("names that are passed through reach a command, the agent's own credentials do not", () => {
  const environment = {
    STRIPE_KEY: "st-1",
    NOTES: "n",
    OPENROUTER_API_KEY: "or-1",
    ANTHROPIC_TOKEN: "a",
    SUDO_PASSWORD: "s",
  };
  expect(child(environment, Object.keys(environment))).toEqual({ STRIPE_KEY: "st-1", NOTES: "n", HERMES_HOME: home });
});

test("a variable that holds a held secret is left out", () => {
  holdSecret("pr0xy-passw0rd");
  expect(child({ HTTPS_PROXY: "http://ana:pr0xy-passw0rd@proxy", PATH: "/bin" })).toEqual({
    PATH: "/bin",
    HERMES_HOME: home,
  });
});

test("a command is run by bash as it was judged: no start-up files, no POSIX mode, no imported functions", async () => {
  const text = 'echo "${x:-\'}"; echo RAN; echo "\'}"';
  const hostile = {
    PATH: process.env["PATH"] ?? "",
    POSIXLY_CORRECT: "1",
    BASH_ENV: "/dev/stdin",
    "BASH_FUNC_echo%%": "() { printf HIJACKED; }",
  };
  const running = Bun.spawn(commandArgv(text), { env: child(hostile), stdin: "ignore", stdout: "pipe" });
  const output = await new Response(running.stdout).text();
  expect(output.trim()).toBe("'}; echo RAN; echo '");
});
