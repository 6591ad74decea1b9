import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHome, type TestHome } from "./home.ts";

const main = join(import.meta.dir, "../../src/main.ts");

async function hermes(home: TestHome, args: string[], environment: Record<string, string> = {}) {
  const child = Bun.spawn([process.execPath, main, "config", ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env["PATH"] ?? "", HOME: join(home.path, ".."), HERMES_HOME: home.path, ...environment },
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout: stdout.replaceAll(home.path, "HOME").replaceAll("~/home", "HOME"), stderr };
}

describe("show and get", () => {
  test("what differs from the defaults is shown, secrets masked", async () => {
    using home = createHome({ config: "model:\n  default: m\n  api_key: sk-aaaabbbbccccdddd\n" });
    const run = await hermes(home, ["show"]);
    expect(run).toEqual({ code: 0, stdout: "model.default: m\nmodel.api_key: sk-a...dddd\n", stderr: "" });
    const json = await hermes(home, ["show", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({ "model.default": "m", "model.api_key": "sk-a...dddd" });
  });

  test("--all lists every key, a key its section", async () => {
    using home = createHome();
    const all = await hermes(home, ["show", "--all"]);
    expect(all.stdout.split("\n").length).toBeGreaterThan(150);
    expect((await hermes(home, ["show", "human_delay"])).stdout).toBe(
      "human_delay.mode: off\nhuman_delay.min_ms: 800\nhuman_delay.max_ms: 2500\n",
    );
    expect((await hermes(home, ["show"])).stdout).toContain("every setting has its default");
  });

  test("get prints one value alone, as text or JSON", async () => {
    using home = createHome({ config: 'model: "m x"\n', env: "OPENAI_API_KEY=sk-aaaabbbbccccdddd\n" });
    expect((await hermes(home, ["get", "model.default"])).stdout).toBe("m x\n");
    expect((await hermes(home, ["get", "model.default", "--json"])).stdout).toBe('"m x"\n');
    expect((await hermes(home, ["get", "OPENAI_API_KEY"])).stdout).toBe("sk-a...dddd\n");
  });

  test("an unknown key is exit 1 with the nearest one, a missing one is exit 2", async () => {
    using home = createHome();
    expect(await hermes(home, ["get", "agent.max_turn"])).toEqual({
      code: 1,
      stdout: "",
      stderr: 'error: there is no setting "agent.max_turn"\n  try: did you mean agent.max_turns?\n',
    });
    expect((await hermes(home, ["get"])).code).toBe(2);
    expect((await hermes(home, ["frob"])).code).toBe(2);
  });

  test("path prints both files", async () => {
    using home = createHome();
    expect((await hermes(home, ["path"])).stdout).toBe("HOME/config.yaml\nHOME/.env\n");
    expect(JSON.parse((await hermes(home, ["path", "--json"])).stdout)).toEqual({
      config: "HOME/config.yaml",
      env: "HOME/.env",
    });
  });
});

describe("set", () => {
  test("says what was written where, and never prints a secret", async () => {
    using home = createHome();
    expect((await hermes(home, ["set", "terminal.timeout", "300"])).stdout).toBe(
      "✓ Set terminal.timeout = 300 in HOME/config.yaml\n",
    );
    expect((await hermes(home, ["set", "openai_api_key", "sk-aaaabbbbccccdddd"])).stdout).toBe(
      "✓ Set OPENAI_API_KEY = *** in HOME/.env\n",
    );
    expect((await hermes(home, ["set", "display.skin", ""])).code).toBe(0);
    expect(home.read("config.yaml")).toContain('skin: ""');
  });

  test("a wrong value is exit 1, a missing one exit 2, and both write nothing", async () => {
    using home = createHome();
    const wrong = await hermes(home, ["set", "terminal.timeout", "soon"]);
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      'error: terminal.timeout must be a whole number, not "soon"\n  try: hermes config get terminal.timeout shows the present value\n',
    ]);
    expect((await hermes(home, ["set", "terminal.timeout"])).code).toBe(2);
    expect((await hermes(home, ["set", "a", "b", "c"])).code).toBe(2);
    expect(existsSync(home.file("config.yaml"))).toBe(false);
  });

  test("a broken config.yaml is left alone", async () => {
    using home = createHome({ config: "a: [\n" });
    const run = await hermes(home, ["set", "a", "b"]);
    expect([run.code, home.read("config.yaml")]).toEqual([1, "a: [\n"]);
    expect(run.stderr).toContain("hermes config edit");
  });
});

describe("unset", () => {
  test("says what was removed from where; what is not set is exit 1", async () => {
    using home = createHome({ config: "agent:\n  max_turns: 3\n", env: "OPENAI_API_KEY=sk-abcdefgh\n" });
    expect(await hermes(home, ["unset", "agent.max_turns"])).toEqual({
      code: 0,
      stdout: "✓ Removed agent.max_turns from HOME/config.yaml\n",
      stderr: "",
    });
    expect((await hermes(home, ["unset", "OPENAI_API_KEY"])).stdout).toBe("✓ Removed OPENAI_API_KEY from HOME/.env\n");
    expect(home.read(".env")).toBe("");
    const again = await hermes(home, ["unset", "OPENAI_API_KEY"]);
    expect([again.code, again.stderr.includes("does not set OPENAI_API_KEY")]).toEqual([1, true]);
  });
});

describe("check", () => {
  test("warnings come with their line and are no failure", async () => {
    using home = createHome({ config: "agent:\n  max_turn: 3\n" });
    expect(await hermes(home, ["check"])).toEqual({
      code: 0,
      stdout: "! HOME/config.yaml:2: agent.max_turn: unknown key; did you mean agent.max_turns?\n",
      stderr: "",
    });
  });

  test("a provider that there is not and an address that is none are told, when they are set and when checked", async () => {
    using home = createHome();
    const set = await hermes(home, ["set", "model.provider", "nosuch"]);
    expect([set.code, set.stderr.includes('there is no provider "nosuch"; there are ')]).toEqual([0, true]);
    expect((await hermes(home, ["set", "model.base_url", "ftp://x"])).stderr).toContain('"ftp://x" is not an http');
    expect((await hermes(home, ["check"])).stdout.split("\n")).toHaveLength(3);
    expect((await hermes(home, ["set", "model.provider", "ollama"])).stderr).toBe("");
    expect((await hermes(home, ["set", "model.base_url", "http://h/v1"])).stderr).toBe("");
    expect((await hermes(home, ["check"])).stdout).toStartWith("✓");
  });

  test("a broken file is exit 1, in JSON too", async () => {
    using home = createHome({ config: "a: b: c\n" });
    const run = await hermes(home, ["check"]);
    expect([run.code, run.stdout.startsWith("✗ HOME/config.yaml:1:")]).toEqual([1, true]);
    const json = await hermes(home, ["check", "--json"]);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ warnings: [], broken: { hint: "hermes config edit" } });
  });
});

describe("edit", () => {
  /** An editor that appends a line to the file. */
  function editor(home: TestHome, line: string): string {
    const path = home.file("editor");
    writeFileSync(path, `#!/bin/sh\n[ "$1" = --wait ] && shift\nprintf '%s\\n' '${line}' >> "$1"\n`);
    chmodSync(path, 0o755);
    return path;
  }

  test("opens the editor with its options and checks what was written", async () => {
    using home = createHome();
    const run = await hermes(home, ["edit"], { VISUAL: `${editor(home, "agnt: {}")} --wait`, EDITOR: "/bin/false" });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain("agnt: unknown key; did you mean agent?");
    expect(home.read("config.yaml")).toEndWith("agnt: {}\n");
    expect(statSync(home.file("config.yaml")).mode & 0o777).toBe(0o600);
  });

  test("a file that is broken afterwards is exit 1", async () => {
    using home = createHome({ config: "model: m\n" });
    const run = await hermes(home, ["edit"], { EDITOR: editor(home, "a: b: c") });
    expect(run.code).toBe(1);
  });

  test("without terminal and editor it refuses; an editor that fails is named", async () => {
    using home = createHome();
    const none = await hermes(home, ["edit"]);
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining("needs a terminal or an editor in $VISUAL or $EDITOR"),
    ]);
    const failing = await hermes(home, ["edit"], { EDITOR: "/bin/false" });
    expect([failing.code, failing.stderr]).toEqual([1, expect.stringContaining('"/bin/false" ended with 1')]);
  });
});
