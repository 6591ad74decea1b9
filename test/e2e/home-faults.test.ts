import { Database } from "bun:sqlite";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expectNoViolations } from "../fakes/openai.ts";
import { createWorld, expectFriendlyFailure, sessionIdOf, toolCall } from "./world.ts";

setDefaultTimeout(60_000);

/** A file system of a few hundred KB, where this user may mount one. */
function mountSmall(directory: string, options: string): Disposable | undefined {
  const { exitCode } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", options, "tmpfs", directory], { stderr: "ignore" });
  if (exitCode !== 0) return undefined;
  return {
    [Symbol.dispose]() {
      Bun.spawnSync(["umount", "-l", directory]);
    },
  };
}

describe.concurrent("a home that is in trouble", () => {
  test("a full disk ends the turn with a next step, and what was stored before is still there", async () => {
    await using world = await createWorld();
    rmSync(world.hermesHome, { recursive: true });
    mkdirSync(world.hermesHome);
    using disk = mountSmall(world.hermesHome, "size=700k");
    // without the right to mount, a limit on the size of files does
    const prefix = disk === undefined ? ["bash", "-c", 'trap "" XFSZ; ulimit -f 600; exec "$@"', "bash"] : [];
    world.fake.reply({ text: "small" });
    const first = await world.ask("does it fit?", ["-Q"], { prefix });
    expect(first.stdout).toBe("small\n");
    world.fake.always({ text: "x".repeat(900_000), pieceLength: 100_000 });
    const full = await world.run(["chat", "-c", "-q", "tell me a long story"], { prefix });
    expectFriendlyFailure(full);
    expect(full.stderr).toMatch(/disk/);
    const shown = await world.show(sessionIdOf(first));
    expect(shown.messages.map((message) => message.parts[0]?.text).slice(0, 3)).toEqual([
      "does it fit?",
      "small",
      "tell me a long story",
    ]);
    world.fake.always({ text: "short again" });
    expect((await world.run(["chat", "-c", "-Q", "-q", "shorter"], { prefix })).stdout).toBe("short again\n");
    expectNoViolations(world.fake);
  });

  test("pipes in the place of files are told, and nothing waits for them", async () => {
    await using world = await createWorld();
    mkdirSync(world.hermesHome, { recursive: true });
    const pipes = [
      ...["config.yaml", ".env", "SOUL.md"].map((name) => join(world.hermesHome, name)),
      ...["AGENTS.md", ".gitignore", "data.txt"].map((name) => join(world.cwd, name)),
    ];
    expect(Bun.spawnSync(["mkfifo", ...pipes]).exitCode).toBe(0);
    world.fake.reply(
      toolCall("search_files", { pattern: "needle" }),
      toolCall("read_file", { path: "data.txt" }),
      toolCall("patch", { path: "data.txt", old_string: "a", new_string: "b" }),
      toolCall("write_file", { path: "data.txt", content: "b" }),
      { text: "went on" },
    );
    const result = await world.ask("go", ["-Q"]);
    expect(result.stdout).toBe("went on\n");
    expect(result.stderr).toContain("config.yaml cannot be read: it is no regular file");
    expect(result.stderr).toContain(".env cannot be read: it is no regular file");
    const answers = (world.fake.requests.at(-1)?.body.messages ?? []).filter((message) => message.role === "tool");
    const refusals = answers.slice(1).map((message) => String(message.content));
    expect(refusals).toHaveLength(3);
    for (const refusal of refusals) expect(refusal).toMatch(/a device, pipe or socket|not a regular file/);
    expect((await world.run(["config", "check"])).code).toBe(1);
    expectFriendlyFailure(await world.run(["config", "set", "agent.max_turns", "5"]));
    expectFriendlyFailure(await world.run(["config", "set", "SOME_API_KEY", "5"]));
    for (const pipe of pipes) expect(lstatSync(pipe).isFIFO()).toBe(true);
    expectNoViolations(world.fake);
  });

  test("what the agent writes into the home is private, whatever the umask", async () => {
    await using world = await createWorld();
    const file = join(world.hermesHome, "skills", "own", "SKILL.md");
    world.fake.reply(toolCall("write_file", { path: file, content: "steps" }), { text: "done" });
    const prefix = ["bash", "-c", 'umask 000; exec "$@"', "bash"];
    expect((await world.ask("write it", ["-Q"], { prefix })).stdout).toBe("done\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(statSync(join(world.hermesHome, "hermes.db")).mode & 0o777).toBe(0o600);
  });

  test("a read-only home fails before anything is sent, naming the home and the way out", async () => {
    await using world = await createWorld();
    using disk = mountSmall(world.hermesHome, "size=100k,ro");
    if (disk === undefined) chmodSync(world.hermesHome, 0o500);
    const result = await world.ask("hello");
    expectFriendlyFailure(result);
    expect(result.stderr).toContain(world.hermesHome);
    expect(result.stderr).toContain("HERMES_HOME");
    expect(world.fake.requests).toHaveLength(0);
    expect((await world.run(["status"])).code).toBe(0);
    expect((await world.run(["sessions", "list"])).stdout).toBe("No sessions found.\n");
    chmodSync(world.root, 0o700);
    if (disk === undefined) chmodSync(world.hermesHome, 0o700);
  });

  test("a home that is a file is told as such", async () => {
    await using world = await createWorld();
    const file = join(world.root, "file");
    writeFileSync(file, "");
    expectFriendlyFailure(await world.ask("hello", [], { env: { HERMES_HOME: file } }));
    expect(readFileSync(file, "utf8")).toBe("");
  });

  test("a broken config.yaml is reported with its line, defaults are used, and the file stays as it is", async () => {
    await using world = await createWorld();
    const path = join(world.hermesHome, "config.yaml");
    const text = "model:\n  default: [unclosed\n# my notes\n";
    writeFileSync(path, text);
    world.fake.always({ text: "answered" });
    const result = await world.ask("hello");
    expect(result.stdout).toBe("answered\n");
    expect(result.stderr).toMatch(/^error: .*config\.yaml.*$/m);
    expect(result.stderr).toContain("defaults are used");
    expectFriendlyFailure(await world.run(["config", "set", "model.default", "other"]));
    const check = await world.run(["config", "check"]);
    expect(check.code).toBe(1);
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("a setting of the wrong kind is a warning, and its default is used", async () => {
    await using world = await createWorld();
    writeFileSync(join(world.hermesHome, "config.yaml"), "agent:\n  max_turns: many\nunknown_thing: 1\n");
    world.fake.always({ text: "answered" });
    const result = await world.ask("hello");
    expect(result.stdout).toBe("answered\n");
    expect(result.stderr).toContain("agent.max_turns");
    expect(result.code).toBe(0);
  });

  test("a database of a newer hermes is left untouched, with exit code 78", async () => {
    await using world = await createWorld();
    const path = join(world.hermesHome, "hermes.db");
    world.fake.reply({ text: "old" });
    await world.ask("hello");
    using database = new Database(path);
    database.run("PRAGMA user_version = 999");
    database.close();
    const before = readFileSync(path);
    for (const args of [
      ["chat", "-m", "test-model", "-q", "hi"],
      ["sessions", "list"],
    ]) {
      const result = await world.run(args);
      expectFriendlyFailure(result, 78);
      expect(result.stderr).toContain("update hermes");
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(world.fake.requests).toHaveLength(1);
  });

  test("a damaged database is set aside, told, and a fresh one is used", async () => {
    await using world = await createWorld();
    const damage = "this is no database ".repeat(1000);
    writeFileSync(join(world.hermesHome, "hermes.db"), damage);
    world.fake.always({ text: "fresh start" });
    const result = await world.ask("hello", ["-Q"]);
    expect(result.stdout).toBe("fresh start\n");
    expect(result.stderr).toMatch(/^warning: .*kept as .*hermes\.db\.damaged-/m);
    const aside = readdirSync(world.hermesHome).filter((name) => name.includes(".damaged-"));
    expect(aside).toHaveLength(1);
    expect(readFileSync(join(world.hermesHome, aside[0] ?? ""), "utf8")).toBe(damage);
    const again = await world.run(["chat", "-c", "-Q", "-q", "still?"]);
    expect(again.stderr).not.toContain("warning");
    expect(again.code).toBe(0);
  });

  test("a database with torn pages in its middle is told or set aside, never a crash", async () => {
    await using world = await createWorld();
    const path = join(world.hermesHome, "hermes.db");
    world.fake.always({ text: `fine ${"padding ".repeat(2000)}` });
    for (let turn = 0; turn < 3; turn += 1) expect((await world.ask(`question ${turn}`)).code).toBe(0);
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 8192, bytes.length - 4096);
    writeFileSync(path, bytes);
    for (const args of [
      ["sessions", "list"],
      ["sessions", "search", "question"],
      ["chat", "-m", "test-model", "-q", "hello"],
    ]) {
      const result = await world.run(args);
      if (result.code !== 0) expectFriendlyFailure(result);
      expect(result.stdout + result.stderr).not.toMatch(/^\s+at /m);
    }
  });

  test("folders where files should be, and files that are no text, do not stop an answer", async () => {
    await using world = await createWorld();
    for (const name of ["config.yaml", ".env"]) mkdirSync(join(world.hermesHome, name));
    writeFileSync(join(world.hermesHome, "logs"), "a file where a folder should be");
    writeFileSync(join(world.hermesHome, "SOUL.md"), Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]));
    writeFileSync(join(world.cwd, "AGENTS.md"), Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]));
    mkdirSync(join(world.cwd, "CLAUDE.md"));
    world.fake.reply({ text: "answered" });
    const result = await world.ask("hello");
    expect(result.stdout).toBe("answered\n");
    expect(result.stderr).toContain("config.yaml");
    expect(result.stderr).not.toMatch(/^\s+at /m);
    expectNoViolations(world.fake);
  });

  test("a question that is not UTF-8 arrives as well-formed text", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "answered" });
    const result = await world.run([], {
      prefix: ["bash", "-c", `printf 'caf\\xe9 \\0 end' | "$@" chat -m test-model -Q`, "bash"],
    });
    expect(result.stdout).toBe("answered\n");
    const asked = String(world.fake.requests[0]?.body.messages[1]?.content);
    expect(asked).toStartWith("caf\uFFFD ");
    expect(asked).toEndWith(" end");
    expect((await world.show(sessionIdOf(result))).messages[0]?.parts[0]?.text).toEndWith(" end");
  });

  test("a working directory that is gone is told, with what to do", async () => {
    await using world = await createWorld();
    const gone = join(world.root, "gone");
    mkdirSync(gone);
    const result = await world.run(["chat", "-m", "test-model", "-Q", "-q", "hi"], {
      cwd: gone,
      prefix: ["bash", "-c", 'rmdir "$PWD"; exec "$@"', "bash"],
    });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain("cd into a different directory");
    expect(result.stderr).not.toMatch(/^\s+at /m);
  });
});

describe.concurrent("time", () => {
  test("HERMES_TEST_NOW is the time of the session id and the date of the prompt", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "ok" });
    const env = { HERMES_TEST_NOW: "2031-03-15T09:24:37Z", TZ: "UTC" };
    const result = await world.ask("hello", [], { env });
    expect(sessionIdOf(result)).toMatch(/^20310315_0924(3[7-9]|[45]\d)_[0-9a-f]{6}$/);
    const prompt = String(world.fake.requests[0]?.body.messages[0]?.content);
    expect(prompt).toContain("Conversation started: Saturday, March 15, 2031");
    expect(prompt).not.toContain("09:24");
  });

  test("HERMES_TEST_NOW that is no date is refused", async () => {
    await using world = await createWorld();
    const result = await world.ask("hello", [], { env: { HERMES_TEST_NOW: "soon" } });
    expectFriendlyFailure(result);
    expect(result.stderr).toContain('HERMES_TEST_NOW: "soon" is not a date');
  });

  test("a clock that goes back a year between turns neither locks the session nor reorders it", async () => {
    await using world = await createWorld();
    world.fake.reply(toolCall("terminal", { command: "true" }), { text: "one" }, { text: "two" }, { text: "three" });
    const at = (now: string) => ({ env: { HERMES_TEST_NOW: now } });
    const id = sessionIdOf(await world.ask("first", [], at("2031-01-01T00:00:00Z")));
    const back = await world.run(["chat", "-r", id, "-q", "second"], at("2030-01-01T00:00:00Z"));
    expect(back.stdout).toBe("two\n");
    const forth = await world.run(["chat", "-r", id, "-q", "third"], at("2032-01-01T00:00:00Z"));
    expect(forth.stdout).toBe("three\n");
    const { messages } = await world.show(id);
    expect(messages.map((message) => message.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(messages.map((message) => message.role).join(" ")).toBe(
      "user assistant tool assistant user assistant user assistant",
    );
    expectNoViolations(world.fake);
  });
});
