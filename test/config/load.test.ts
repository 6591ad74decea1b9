import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { findHeldSecrets, forgetSecrets } from "../../src/base/held-secrets.ts";
import { configKeys } from "../../src/config/index.ts";
import { createHome } from "./home.ts";

describe("defaults", () => {
  test("a home without files has every default and no warning", () => {
    using home = createHome();
    const { values, warnings, broken } = home.load();
    expect([warnings, broken]).toEqual([[], undefined]);
    expect(values.agent.max_turns).toBe(90);
    expect(values.terminal.timeout).toBe(180);
    expect(values.compression).toMatchObject({
      enabled: true,
      threshold: 0.5,
      target_ratio: 0.2,
      protect_first_n: 3,
      protect_last_n: 20,
    });
    expect(values.approvals).toMatchObject({ mode: "manual", timeout: 60 });
    expect(values.tool_output).toEqual({ max_bytes: 50_000, max_lines: 2000, max_line_length: 2000 });
    expect(values.auxiliary.compression.timeout).toBe(120);
    expect(values.display.streaming).toBe(true);
    expect(values["_config_version"]).toBe(11);
  });

  test.each(["", "\n", "# only a comment\n", "---\n", "null\n", "\uFEFF"])(
    "a file with nothing in it (%j) is fine",
    (config) => {
      using home = createHome({ config });
      expect(home.load().broken).toBeUndefined();
      expect(home.load().values.agent.max_turns).toBe(90);
    },
  );

  test("an empty section means its defaults", () => {
    using home = createHome({ config: "display:\nagent: null\nterminal: ~\n" });
    const { values, warnings } = home.load();
    expect(warnings).toEqual([]);
    expect([values.display.skin, values.agent.max_turns, values.terminal.backend]).toEqual(["default", 90, "local"]);
  });

  test("changing one home's values leaves the defaults of the next alone", () => {
    using home = createHome();
    home.load().values.command_allowlist.push("x");
    expect(home.load().values.command_allowlist).toEqual([]);
  });

  test("every key has a description, and its default is of its own type", () => {
    using home = createHome();
    const keys = configKeys();
    expect(keys.filter((entry) => entry.description === "")).toEqual([]);
    expect(keys.length).toBeGreaterThan(150);
    expect(home.warnings()).toEqual([]);
  });
});

describe("precedence", () => {
  test("the file wins over .env, .env over the environment, the environment over the default", () => {
    const environment = { HERMES_MAX_ITERATIONS: "11" };
    using none = createHome();
    expect(none.load(environment).values.agent.max_turns).toBe(11);
    using env = createHome({ env: "HERMES_MAX_ITERATIONS=12\n" });
    expect(env.load(environment).values.agent.max_turns).toBe(12);
    using both = createHome({ env: "HERMES_MAX_ITERATIONS=12\n", config: "agent:\n  max_turns: 13\n" });
    expect(both.load(environment).values.agent.max_turns).toBe(13);
  });

  test("a bad number in the environment is the default and a warning", () => {
    using home = createHome();
    expect(home.load({ HERMES_MAX_ITERATIONS: "abc" }).values.agent.max_turns).toBe(90);
    expect(home.warnings({ HERMES_MAX_ITERATIONS: "abc" })).toEqual([
      'environment: HERMES_MAX_ITERATIONS: must be a whole number, not "abc"; the default 90 is used',
    ]);
  });

  test("the returned environment has .env over what was inherited", () => {
    using home = createHome({ env: "OPENAI_API_KEY=file\nEMPTY=\n" });
    const { environment } = home.load({ OPENAI_API_KEY: "shell", EMPTY: "kept", OTHER: "x" });
    expect(environment).toEqual({ OPENAI_API_KEY: "file", EMPTY: "kept", OTHER: "x" });
  });

  test("names that decide how programs start are not taken from .env", () => {
    using home = createHome({ env: "PATH=/evil\nLD_PRELOAD=/x.so\nHERMES_HOME=/y\nGOOD=1\n" });
    const { environment, warnings } = home.load({ PATH: "/bin" });
    expect(environment).toEqual({ PATH: "/bin", GOOD: "1" });
    expect(warnings.map((warning) => warning.key)).toEqual(["PATH", "LD_PRELOAD", "HERMES_HOME"]);
  });
});

describe("older ways to write", () => {
  test.each([
    ["model: gpt-x", { default: "gpt-x", provider: "" }],
    ["model:\n  model: old", { default: "old" }],
    ["model:\n  model: old\n  default: new", { default: "new" }],
    ["provider: openrouter\nmodel:\n  provider: anthropic", { provider: "anthropic" }],
    [
      "provider: openrouter\nbase_url: http://h/v1\nmodel: m",
      { default: "m", provider: "openrouter", base_url: "http://h/v1" },
    ],
  ])("%j", (config, expected) => {
    using home = createHome({ config });
    expect(home.load().values.model).toMatchObject(expected);
    expect(home.warnings()).toEqual([]);
  });

  test("max_turns at the root counts unless the agent section has one", () => {
    using root = createHome({ config: "max_turns: 5\n" });
    expect(root.load().values.agent.max_turns).toBe(5);
    using both = createHome({ config: "max_turns: 5\nagent:\n  max_turns: 6\n" });
    expect(both.load().values.agent.max_turns).toBe(6);
  });

  test("terminal.env_type, checkpoints as a word, toolsets as a text", () => {
    using home = createHome({ config: "terminal:\n  env_type: docker\ncheckpoints: false\ntoolsets: web\n" });
    const { values, warnings } = home.load();
    expect([values.terminal.backend, values.checkpoints.enabled, values.toolsets]).toEqual(["docker", false, ["web"]]);
    expect(warnings).toEqual([]);
  });

  test.each(["off", "false", "no"])(
    "approvals.mode and tool_progress written as %s mean off where that is a word",
    (word) => {
      using home = createHome({ config: `approvals:\n  mode: ${word}\ndisplay:\n  tool_progress: ${word}\n` });
      const { values } = home.load();
      expect([values.approvals.mode, values.display.tool_progress]).toEqual(
        word === "no" ? ["manual", "all"] : ["off", "off"],
      );
    },
  );

  test.each(["yes", "on", "True", "'1'"])("a switch may be written %s", (word) => {
    using home = createHome({ config: `display:\n  compact: ${word}\n` });
    expect(home.load().values.display.compact).toBe(true);
  });
});

describe("mistakes", () => {
  test("a wrong type is the default and a warning with its line", () => {
    using home = createHome({ config: "# mine\nterminal:\n  timeout: soon\n  env_passthrough: {a: 1}\n" });
    expect(home.load().values.terminal).toMatchObject({ timeout: 180, env_passthrough: [] });
    expect(home.warnings()).toEqual([
      'config.yaml:3: terminal.timeout: must be a whole number, not "soon"; the default 180 is used',
      "config.yaml:4: terminal.env_passthrough: must be a list, not a section; the default [] is used",
    ]);
  });

  test("an unknown key is kept out and named with the nearest one and its line", () => {
    using home = createHome({ config: "agent:\n  max_turn: 3\ntermnal:\n  timeout: 1\n" });
    expect(home.warnings()).toEqual([
      "config.yaml:3: termnal: unknown key; did you mean terminal?",
      "config.yaml:2: agent.max_turn: unknown key; did you mean agent.max_turns?",
    ]);
  });

  test("a key in the wrong section points to the right one", () => {
    using home = createHome({ config: "agent:\n  protect_last_n: 3\n" });
    expect(home.warnings()).toEqual([
      "config.yaml:2: agent.protect_last_n: unknown key; did you mean compression.protect_last_n?",
    ]);
  });

  test.each([
    ["agent:\n  max_turns: -5\n", "config.yaml:2: agent.max_turns: must be at least 1, not -5; the default 90 is used"],
    ["agent: 5\n", "config.yaml:1: agent: must be a section, not 5"],
    ["approvals: [a]\n", "config.yaml:1: approvals: must be a section, not a list"],
    [
      "approvals:\n  mode: maybe\n",
      'config.yaml:2: approvals.mode: must be one of manual, smart, off, not "maybe"; the default "manual" is used',
    ],
    [
      "compression:\n  threshold: 7\n",
      "config.yaml:2: compression.threshold: must be at most 1, not 7; the default 0.5 is used",
    ],
    ["agent:\n  max_turns: 3\n  max_turns: 4\n", "config.yaml:3: this key is written twice; the last one counts"],
  ])("%j is a warning", (config, warning) => {
    using home = createHome({ config });
    expect(home.warnings()).toEqual([warning]);
  });

  test("a key written twice counts as its last one", () => {
    using home = createHome({ config: "agent:\n  max_turns: 3\n  max_turns: 4\n" });
    expect(home.load().values.agent.max_turns).toBe(4);
  });

  test("one bad entry of a list does not take the good ones with it", () => {
    using home = createHome({ config: "custom_providers:\n  - name: a\n    base_url: http://h/v1\n  - nonsense\n" });
    expect(home.load().values.custom_providers).toEqual([{ name: "a", base_url: "http://h/v1" }]);
    expect(home.warnings()[0]).toStartWith("config.yaml:1: custom_providers: 1 of 2 entries are not usable");
  });

  test("the value of a secret is never in a warning", () => {
    using home = createHome({ config: "model:\n  api_key: [sk-secret-value]\n" });
    expect(home.warnings().join()).not.toContain("sk-secret");
    expect(home.warnings()).toHaveLength(1);
  });

  test.each([
    ["a: [1, 2\n", "E_CONFIG_SYNTAX"],
    ["a: b: c\n", "E_CONFIG_SYNTAX"],
    ["- a\n- b\n", "E_CONFIG_SYNTAX"],
    ["just text", "E_CONFIG_SYNTAX"],
    ["\tx: 1\n", "E_CONFIG_SYNTAX"],
    [
      "a: &a [x, x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n",
      "E_CONFIG_SYNTAX",
    ],
  ])("%j is broken: defaults are used and the reason is given", (config, code) => {
    using home = createHome({ config });
    const { broken, values } = home.load();
    expect([broken?.code, broken?.hint, values.agent.max_turns]).toEqual([code, "hermes config edit", 90]);
    expect(broken?.message).toContain("config.yaml:");
  });

  test("a file that is no text, and a folder in its place, are broken", () => {
    using home = createHome({ config: "" });
    require("node:fs").writeFileSync(home.file("config.yaml"), Buffer.from([0x61, 0xff, 0xfe, 0x00]));
    expect(home.load().broken?.message).toContain("it is not UTF-8 text");
    rmSync(home.file("config.yaml"));
    mkdirSync(home.file("config.yaml"));
    expect(home.load().broken?.code).toBe("E_CONFIG_READ");
  });
});

describe("variables", () => {
  const environment = { HOST: "h", PORT: "80" };

  test.each([
    ['"${HOST}:${PORT}"', "h:80"],
    ['"${NOPE}"', "${NOPE}"],
    ['"$HOST"', "$HOST"],
    ['{a: ["${HOST}", 3, null]}', { a: ["h", 3, null] }],
    ['{"${HOST}": 1}', { "${HOST}": 1 }],
  ])("%s", (written, expected) => {
    using home = createHome({ config: `mcp_servers:\n  x: ${written}\n` });
    expect(home.load(environment).values.mcp_servers["x"]).toEqual(expected);
  });

  test("a number may come from a variable, also from .env", () => {
    using home = createHome({ config: 'terminal:\n  timeout: "${SECONDS_MAX}"\n', env: "SECONDS_MAX=7\n" });
    expect(home.load().values.terminal.timeout).toBe(7);
    expect(home.warnings()).toEqual([]);
  });
});

test("secrets of .env, environment and config are held for redaction", () => {
  using home = createHome({
    env: "MY_TOKEN=aaaabbbbccccdddd\nNAME=plainplainplain\n",
    config: "model:\n  api_key: eeeeffffgggghhhh\nmcp_servers:\n  x:\n    headers:\n      api_key: ${OTHER_KEY}\n",
  });
  forgetSecrets();
  home.load({ OTHER_KEY: "iiiijjjjkkkkllll" });
  const found = (text: string): number => findHeldSecrets(text).length;
  expect(found("aaaabbbbccccdddd")).toBe(1);
  expect(found("eeeeffffgggghhhh")).toBe(1);
  expect(found("iiiijjjjkkkkllll")).toBe(1);
  expect(found("plainplainplain")).toBe(0);
  forgetSecrets();
});
