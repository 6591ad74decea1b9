import { describe, expect, test } from "bun:test";
import { existsSync, lstatSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isHermesError } from "../../src/base/errors.ts";
import {
  getConfigValue,
  repairEnvFile,
  setConfigValue,
  setEnvValue,
  unsetConfigValue,
} from "../../src/config/index.ts";
import { createHome, type TestHome } from "./home.ts";

const set = (home: TestHome, key: string, value: string) =>
  setConfigValue({ home: home.path, environment: {} }, key, value);

function failure(run: () => unknown): { code: string; message: string; hint: string | undefined } {
  try {
    run();
  } catch (error) {
    if (isHermesError(error)) return { code: error.code, message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("where a value goes", () => {
  test.each([
    ["openrouter_api_key", "sk-x", "OPENROUTER_API_KEY=sk-x\n"],
    ["MY_SERVICE_TOKEN", "t", "MY_SERVICE_TOKEN=t\n"],
    ["TELEGRAM_HOME_CHANNEL", "5", "TELEGRAM_HOME_CHANNEL=5\n"],
    ["FAL_KEY", "k", "FAL_KEY=k\n"],
    ["terminal_ssh_host", "h", "TERMINAL_SSH_HOST=h\n"],
    ["OPENAI_BASE_URL", "http://h/v1", "OPENAI_BASE_URL=http://h/v1\n"],
  ])("%s %s → .env", (key, value, written) => {
    using home = createHome();
    set(home, key, value);
    expect(home.read(".env")).toBe(written);
    expect(existsSync(home.file("config.yaml"))).toBe(false);
  });

  test.each([
    ["model", "gpt-x", "model:\n  default: gpt-x\n"],
    ["display.compact", "yes", "display:\n  compact: true\n"],
    ["display.compact", "OFF", "display:\n  compact: false\n"],
    ["compression.threshold", "0.7", "compression:\n  threshold: 0.7\n"],
    ["agent.max_turns", "12", "agent:\n  max_turns: 12\n"],
    ["agent.system_prompt", "", 'agent:\n  system_prompt: ""\n'],
    ["agent.system_prompt", "5", 'agent:\n  system_prompt: "5"\n'],
    ["display.skin", "true", 'display:\n  skin: "true"\n'],
    ["approvals.mode", "off", "approvals:\n  mode: off\n"],
    ["x.y.z", "1", "x:\n  y:\n    z: 1\n"],
    ["x.on", "on", "x:\n  on: true\n"],
    ["x.text", "1.2.3", "x:\n  text: 1.2.3\n"],
    ["command_allowlist", "a b, c", "command_allowlist:\n  - a b\n  - c\n"],
    ["command_allowlist", '["a", "b"]', "command_allowlist:\n  - a\n  - b\n"],
    ["command_allowlist", "", "command_allowlist: []\n"],
    ["mcp_servers.x.url", "http://h", "mcp_servers:\n  x:\n    url: http://h\n"],
  ])("%s %j → config.yaml", (key, value, written) => {
    using home = createHome();
    set(home, key, value);
    expect(home.read("config.yaml")).toBe(written);
  });

  test("settings that the original mirrors are in both files", () => {
    using home = createHome();
    set(home, "terminal.backend", "docker");
    set(home, "terminal.timeout", "300");
    set(home, "terminal.persistent_shell", "no");
    set(home, "terminal.cwd", "/tmp");
    expect(home.read("config.yaml")).toBe(
      "terminal:\n  backend: docker\n  timeout: 300\n  persistent_shell: false\n  cwd: /tmp\n",
    );
    expect(home.read(".env")).toBe("TERMINAL_ENV=docker\nTERMINAL_TIMEOUT=300\nTERMINAL_PERSISTENT_SHELL=false\n");
  });
});

describe("what stays", () => {
  test("comments, order, unknown keys, quotes and templates survive an edit", () => {
    const config = `# head
model:
  default: "gpt-x" # mine
  provider: \${PROVIDER}

# own things
nobody_knows: [1, 2] # kept
agent:
  # how many
  max_turns: 3
`;
    using home = createHome({ config });
    set(home, "agent.max_turns", "4");
    set(home, "agent.verbose", "true");
    expect(home.read("config.yaml")).toBe(config.replace("max_turns: 3", "max_turns: 4\n  verbose: true"));
  });

  test.each([
    "agent:\n    max_turns: 3\n    personalities:\n        a: b\n",
    "agent:\n  max_turns: 3\ntoolsets:\n- a\n- b\n",
    "agent:\n  max_turns: 3\ntoolsets:\n  - a\n  - b\n",
    "agent: { max_turns: 3 } # flow\ntoolsets: [ a, b ]\n",
    "agent: {max_turns: 3}\n",
    "# a\r\nagent:\r\n  max_turns: 3 # b\r\n",
    "agent:\n  max_turns: 3\n  system_prompt: |\n    two\n    lines\n  verbose:   false\n",
    "base: &b\n  max_turns: 3\nagent:\n  <<: *b\n  max_turns: 3\n",
  ])("the layout of %j is kept", (config) => {
    using home = createHome({ config });
    set(home, "agent.max_turns", "3");
    expect(home.read("config.yaml")).toBe(config.replace("verbose:   false", "verbose: false"));
  });

  test("defaults and expanded secrets are not written", () => {
    using home = createHome({ config: "model:\n  api_key: ${MY_KEY}\n", env: "MY_KEY=aaaabbbbcccc\n" });
    set(home, "model.default", "m");
    expect(home.read("config.yaml")).toBe("model:\n  api_key: ${MY_KEY}\n  default: m\n");
  });

  test("a model written as a text keeps its name when another part is set", () => {
    using home = createHome({ config: "model: gpt-x\n" });
    set(home, "model.provider", "openrouter");
    expect(home.load().values.model).toMatchObject({ default: "gpt-x", provider: "openrouter" });
    set(home, "model", "gpt-y");
    expect(home.load().values.model).toMatchObject({ default: "gpt-y", provider: "openrouter" });
  });

  test("a number in the key is an index where there is a list", () => {
    using home = createHome({
      config: "custom_providers:\n  - name: a\n    base_url: http://a\n  - name: b\n    base_url: http://b\n",
    });
    set(home, "custom_providers.1.model", "m");
    expect(home.load().values.custom_providers).toEqual([
      { name: "a", base_url: "http://a" },
      { name: "b", base_url: "http://b", model: "m" },
    ]);
  });

  test("a place that a list does not have is refused, its end is appended to", () => {
    const config = "custom_providers:\n  - name: a\n    base_url: http://a\ncommand_allowlist: []\n";
    using home = createHome({ config });
    for (const key of [
      "custom_providers.5.name",
      "custom_providers.-1.name",
      "custom_providers.x",
      "custom_providers.01.name",
      "command_allowlist.999999999",
    ]) {
      expect([key, failure(() => set(home, key, "m")).code]).toEqual([key, "E_CONFIG_KEY"]);
    }
    expect(failure(() => set(home, "custom_providers.2.name", "m")).message).toBe(
      'custom_providers is a list of 1; "2" is no place in it',
    );
    expect(home.read("config.yaml")).toBe(config);
    set(home, "custom_providers.1.name", "b");
    set(home, "custom_providers.1.base_url", "http://b");
    set(home, "command_allowlist.0", "ls");
    expect(home.load().values.custom_providers).toEqual([
      { name: "a", base_url: "http://a" },
      { name: "b", base_url: "http://b" },
    ]);
    expect(home.load().values.command_allowlist).toEqual(["ls"]);
  });

  test("an empty section is filled, a scalar in the way is replaced", () => {
    using home = createHome({ config: "agent:\ndisplay: 5\n" });
    set(home, "agent.max_turns", "7");
    set(home, "display.skin", "mono");
    expect(home.read("config.yaml")).toBe("agent:\n  max_turns: 7\ndisplay:\n  skin: mono\n");
  });

  test("new files are 0600, an admin's mode and a symlink are kept", () => {
    using home = createHome();
    set(home, "model", "m");
    set(home, "A_TOKEN", "t");
    const mode = (name: string): number => statSync(home.file(name)).mode & 0o777;
    expect([mode("config.yaml"), mode(".env")]).toEqual([0o600, 0o600]);
    using linked = createHome();
    const real = join(linked.path, "..", "dotfiles.env");
    writeFileSync(real, "X=1\n", { mode: 0o640 });
    symlinkSync(real, linked.file(".env"));
    set(linked, "A_TOKEN", "t");
    expect(lstatSync(linked.file(".env")).isSymbolicLink()).toBe(true);
    expect([linked.read(".env"), statSync(real).mode & 0o777]).toEqual(["X=1\nA_TOKEN=t\n", 0o640]);
  });
});

describe("what is refused", () => {
  test.each(["a: [1\n", "a: b: c\n", "- x\n"])("a broken file (%j) is never written over", (config) => {
    using home = createHome({ config });
    expect(failure(() => set(home, "model.default", "m")).code).toBe("E_CONFIG_SYNTAX");
    expect(home.read("config.yaml")).toBe(config);
    expect(readdirSync(home.path)).toEqual(["config.yaml"]);
  });

  test("a key written twice must be repaired by hand", () => {
    const config = "agent:\n  max_turns: 3\n  max_turns: 4\n";
    using home = createHome({ config });
    expect(failure(() => set(home, "agent.max_turns", "5")).message).toContain(
      "config.yaml:3: this key is written twice",
    );
    expect(home.read("config.yaml")).toBe(config);
  });

  test.each([
    ["agent.max_turns", "-5", "agent.max_turns must be at least 1, not -5"],
    ["agent.max_turns", "many", 'agent.max_turns must be a whole number, not "many"'],
    ["display.compact", "perhaps", 'display.compact must be true or false, not "perhaps"'],
    ["approvals.mode", "never", 'approvals.mode must be one of manual, smart, off, not "never"'],
    ["display", "x", "display is a section with its own keys"],
    ["mcp_servers", "x", "mcp_servers must be a section, not a list"],
  ])("%s %s", (key, value, message) => {
    using home = createHome();
    expect(failure(() => set(home, key, value))).toMatchObject({ code: "E_CONFIG_VALUE", message });
    expect(readdirSync(home.path)).toEqual([]);
  });

  test.each(["", "a..b", ".a", "a.", "__proto__.x"])("the key %j is none", (key) => {
    using home = createHome();
    expect(failure(() => set(home, key, "x")).code).toBe("E_CONFIG_KEY");
  });

  test.each([
    ["PATH", "cannot be set"],
    ["LD_PRELOAD", "cannot be set"],
    ["HERMES_HOME", "cannot be set"],
    ["1X", "is no name"],
    ["A-B", "is no name"],
    ["A=B", "is no name"],
  ])("the variable %s", (name, reason) => {
    using home = createHome();
    const found = failure(() => setEnvValue({ home: home.path }, name, "x"));
    expect([found.code, found.message.includes(reason)]).toEqual(["E_CONFIG_KEY", true]);
  });

  test("an unknown key is written with a warning that names the nearest one", () => {
    using home = createHome();
    expect(set(home, "modell.default", "m").warning).toBe(
      'hermes has no key "modell.default"; did you mean model.default?',
    );
    expect(home.read("config.yaml")).toBe("modell:\n  default: m\n");
  });
});

describe("getting", () => {
  test("a setting, a section, an entry of a map and of a list", () => {
    using home = createHome({ config: "mcp_servers:\n  x:\n    args: [a, b]\nmodel: m\n" });
    const config = home.load();
    expect(getConfigValue(config, "model.default")).toBe("m");
    expect(getConfigValue(config, "session_reset")).toEqual({
      mode: "both",
      idle_minutes: 1440,
      at_hour: 4,
      notify: true,
    });
    expect(getConfigValue(config, "mcp_servers.x.args.1")).toBe("b");
  });

  test.each(["modl", "model.defalt", "model.default.x", "mcp_servers.nope", "toString", "model.constructor"])(
    "%s is an error",
    (key) => {
      using home = createHome();
      expect(failure(() => getConfigValue(home.load(), key)).code).toBe("E_CONFIG_UNKNOWN_KEY");
    },
  );

  test("the error names the nearest key", () => {
    using home = createHome();
    expect(failure(() => getConfigValue(home.load(), "model.defalt")).hint).toBe("did you mean model.default?");
  });
});

describe("unset", () => {
  test("the key goes, its comments' neighbours stay, an empty section goes with it", () => {
    using home = createHome({
      config: "# head\nagent:\n  max_turns: 3 # three\n\ndisplay:\n  skin: mono\n  compact: true\n",
    });
    expect(unsetConfigValue(home.path, "agent.max_turns")).toEqual({
      key: "agent.max_turns",
      path: home.file("config.yaml"),
    });
    unsetConfigValue(home.path, "display.skin");
    expect(home.read("config.yaml")).toBe("# head\ndisplay:\n  compact: true\n");
  });

  test("an entry of a list, a section, and a model written as a text", () => {
    using home = createHome({ config: "model: x\nagent:\n  max_turns: 3\ncommand_allowlist:\n  - a\n  - b\n" });
    unsetConfigValue(home.path, "command_allowlist.0");
    unsetConfigValue(home.path, "agent");
    unsetConfigValue(home.path, "model.default");
    expect(home.read("config.yaml")).toBe("command_allowlist:\n  - b\n");
  });

  test("names of .env, and what is mirrored there", () => {
    using home = createHome({ env: "# keys\nA_TOKEN=1\nexport B_TOKEN=2\r\nA_TOKEN='3\n4'\n" });
    unsetConfigValue(home.path, "a_token");
    expect(home.read(".env")).toBe("# keys\nexport B_TOKEN=2\r\n");
    set(home, "terminal.timeout", "5");
    unsetConfigValue(home.path, "terminal.timeout");
    expect(home.read(".env")).toBe("# keys\nexport B_TOKEN=2\r\n");
    expect(home.load().values.terminal.timeout).toBe(180);
  });

  test("what is not set is an error and changes nothing", () => {
    using home = createHome({ config: "agent:\n  max_turns: 3\n" });
    for (const key of ["agent.verbose", "nobody.knows", "agent.max_turns.deep", "X_TOKEN"]) {
      expect([key, failure(() => unsetConfigValue(home.path, key)).code]).toEqual([key, "E_CONFIG_NOT_SET"]);
    }
    expect(home.read("config.yaml")).toBe("agent:\n  max_turns: 3\n");
    expect(existsSync(home.file(".env"))).toBe(false);
  });
});

describe("lines of .env that hold several settings", () => {
  test.each([
    [
      "ANTHROPIC_API_KEY=sk-ant-xxxOPENAI_BASE_URL=https://h/v1",
      "ANTHROPIC_API_KEY=sk-ant-xxx\nOPENAI_BASE_URL=https://h/v1",
    ],
    ["FAL_KEY=111FIRECRAWL_API_KEY=222GITHUB_TOKEN=333", "FAL_KEY=111\nFIRECRAWL_API_KEY=222\nGITHUB_TOKEN=333"],
    ["OPENAI_BASE_URL=https://h/v1?key=abc", undefined],
    ["FOO=1BAR=2", undefined],
    ["# comment OPENAI_API_KEY=", undefined],
    ["GLM_API_KEY=x", undefined],
    ["ZAI_API_KEY=xGLM_API_KEY=y", "ZAI_API_KEY=x\nGLM_API_KEY=y"],
    ["ZAI_API_KEY=a_GLM_API_KEY=y", undefined],
    ["OPENAI_API_KEY='xGLM_API_KEY=y'", undefined],
  ])("%s", (line, apart) => {
    using home = createHome({ env: `A=1\n${line}\n` });
    const warned = home.load().warnings.filter((warning) => warning.text.includes("line 2 holds")).length;
    expect([warned, repairEnvFile(home.path)]).toEqual(apart === undefined ? [0, 0] : [1, 1]);
    expect(home.read(".env")).toBe(`A=1\n${apart ?? line}\n`);
  });

  test("both count before the repair, and setting one does not lose the other", () => {
    using home = createHome({ env: "OPENAI_API_KEY=sk-1OPENAI_BASE_URL=http://h/v1\n" });
    expect(home.load().environment).toMatchObject({ OPENAI_API_KEY: "sk-1", OPENAI_BASE_URL: "http://h/v1" });
    set(home, "OPENAI_API_KEY", "sk-2");
    expect(home.read(".env")).toBe("OPENAI_API_KEY=sk-2\nOPENAI_BASE_URL=http://h/v1\n");
  });
});
