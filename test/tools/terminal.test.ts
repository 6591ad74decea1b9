import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { stripAnsi } from "../../src/tools/ansi.ts";
import { exitMeaning } from "../../src/tools/exit-meaning.ts";
import { foregroundRefusal } from "../../src/tools/foreground-guidance.ts";
import { createToolWorld } from "./tool-world.ts";

/** a zombie that nobody collects does not count */
const isAlive = (pid: number): boolean => {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/\) [ZX] /.test(readFileSync(file, "utf8"));
};

describe("terminal", () => {
  test.each([
    ["printf exact", "exact", 0],
    ["echo hi", "hi", 0],
    ["cat <<'E'\nx\nE", "x", 0],
    ["echo before; exit 3", "before", 3],
    ["echo out; echo err >&2; echo out2", "out\nerr\nout2", 0],
    ["kill -9 $$", "", 137],
    [`echo "\${x:-'}"; echo RAN; echo "'}"`, "'}; echo RAN; echo '", 0],
    ["printf 'ok\\xff\\xfeok'", "ok\ufffd\ufffdok", 0],
    ["printf '\\033[38;5;196mred\\033[0m'", "red", 0],
    ["trap 'echo bye' EXIT; echo hi", "hi\nbye", 0],
    ["set -e; false; echo never", "", 1],
  ])("runs %j", async (command, output, exitCode) => {
    await using world = createToolWorld();
    const { json } = await world.call("terminal", { command });
    expect(json).toMatchObject({ output, exit_code: exitCode, error: null });
  });

  test("decodes characters across the borders of reads", async () => {
    await using world = createToolWorld();
    const { json } = await world.call("terminal", {
      command: "for i in $(seq 100); do printf '日%.0s' $(seq 100); done",
    });
    expect(json["output"]).toBe("日".repeat(10_000));
  });

  test("cuts the middle out of a long output and counts what is missing", async () => {
    await using world = createToolWorld();
    const { json } = await world.call("terminal", { command: "head -c 60000 /dev/zero | tr '\\0' a" });
    const notice = "... [OUTPUT TRUNCATED - 10000 chars omitted out of 60000 total] ...";
    expect(json["output"]).toBe(`${"a".repeat(20_000)}\n\n${notice}\n\n${"a".repeat(30_000)}`);
  });

  test("keeps memory bounded while a command writes without end", async () => {
    await using world = createToolWorld();
    const result = await world.terminal.run(
      "yes",
      { cwd: world.root, timeoutMs: 700, env: { PATH: "/usr/bin:/bin" }, maxChars: 1000 },
      new AbortController().signal,
    );
    expect(result.output.length).toBe(1000);
    expect(result.droppedChars).toBeGreaterThan(1_000_000);
    expect(result.timedOut).toBe(true);
  });

  test("masks a secret that lies across the cut", async () => {
    await using world = createToolWorld();
    const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    const command = `head -c 19990 /dev/zero | tr '\\0' ' '; printf '%s' ${secret}; head -c 60000 /dev/zero | tr '\\0' ' '`;
    const { json } = await world.call("terminal", { command });
    expect(JSON.stringify(json)).not.toContain("ghp_abcdefghij");
  });

  test("stops at the timeout, keeps what was written, and ends what ignores SIGTERM", async () => {
    await using world = createToolWorld();
    const command = `trap '' TERM; bash -c 'trap "" TERM; echo $$ > grandchild; while :; do sleep 1; done' & echo partial; wait`;
    const run = await world.terminal.run(
      command,
      { cwd: world.root, timeoutMs: 800, env: { PATH: "/usr/bin:/bin" }, maxChars: 1000 },
      new AbortController().signal,
    );
    expect(run).toMatchObject({ exitCode: 124, timedOut: true, output: "partial\n" });
    expect(isAlive(Number(world.text("grandchild")))).toBe(false);
  });

  test("says that the time was over", async () => {
    await using world = createToolWorld();
    const { json, isError } = await world.call("terminal", { command: "echo partial; sleep 30", timeout: 1 });
    expect(json).toMatchObject({ output: "partial\n[Command timed out after 1s]", exit_code: 124 });
    expect(isError).toBe(true);
  });

  test("kills the whole group when the user interrupts", async () => {
    await using world = createToolWorld();
    const running = world.call("terminal", { command: "(echo $BASHPID > child; sleep 60); echo never" });
    while (!existsSync(world.path("child")) || world.text("child") === "") await Bun.sleep(10);
    world.stop();
    const { json } = await running;
    expect(json).toMatchObject({ output: "[Command interrupted — user sent a new message]", exit_code: 130 });
    expect(isAlive(Number(world.text("child")))).toBe(false);
  });

  test("returns although something left behind keeps the pipe open", async () => {
    await using world = createToolWorld();
    const result = await world.terminal.run(
      "sleep 60 & echo $! > left; echo done",
      { cwd: world.root, timeoutMs: 30_000, env: { PATH: "/usr/bin:/bin" }, maxChars: 1000 },
      new AbortController().signal,
    );
    expect(result).toMatchObject({ output: "done\n", exitCode: 0, timedOut: false });
    process.kill(Number(world.text("left")), "SIGKILL");
  });

  test("carries the working directory over, also for file tools", async () => {
    await using world = createToolWorld();
    world.put("sub/a.txt", "hello");
    await world.call("terminal", { command: "cd sub" });
    expect((await world.call("terminal", { command: "pwd" })).json["output"]).toBe(world.path("sub"));
    expect((await world.call("read_file", { path: "a.txt" })).json["content"]).toBe("1|hello");
  });

  test("leaves a session that works behind a link where it is", async () => {
    await using world = createToolWorld();
    mkdirSync(world.path("real"));
    symlinkSync(world.path("real"), world.path("link"));
    world.context.cwd = world.path("link");
    await world.call("terminal", { command: "true" });
    expect(world.context.cwd).toBe(world.path("link"));
  });

  test("ends a child that went into a session of its own when the time is over", async () => {
    await using world = createToolWorld();
    world.put("run.sh", "setsid bash -c 'echo $$ > child; while :; do sleep 1; done'\n");
    await world.call("terminal", { command: "bash run.sh; true", timeout: 1 });
    const pid = Number(world.text("child"));
    while (isAlive(pid)) await Bun.sleep(10);
    expect(pid).toBeGreaterThan(1);
  });

  test("keeps the directory of a command that ends with exit", async () => {
    await using world = createToolWorld();
    mkdirSync(world.path("sub"));
    await world.call("terminal", { command: "cd sub; exit 2" });
    expect(world.context.cwd).toBe(world.path("sub"));
  });

  test("does not move the session for one command in another directory", async () => {
    await using world = createToolWorld();
    mkdirSync(world.path("my dir"));
    const { json } = await world.call("terminal", { command: "pwd", workdir: "my dir" });
    expect(json["output"]).toBe(world.path("my dir"));
    expect(world.context.cwd).toBe(world.root);
  });

  test("goes on in the nearest folder that is left when its own was deleted", async () => {
    await using world = createToolWorld();
    mkdirSync(world.path("a/b"), { recursive: true });
    world.context.cwd = world.path("a/b");
    rmSync(world.path("a"), { recursive: true });
    const { json } = await world.call("terminal", { command: "pwd" });
    expect(json["output"]).toBe(world.root);
    expect(json["_warning"]).toContain("no longer exists");
  });

  test.each(["/a; rm -rf /", "/a$(x)", "/a\n/b", "/does/not/exist"])("refuses the workdir %j", async (workdir) => {
    await using world = createToolWorld();
    const { json } = await world.call("terminal", { command: "pwd", workdir });
    expect(json).toMatchObject({ exit_code: -1, output: "" });
    expect(world.asked).toEqual([]);
  });

  test.each([null, 5, {}])("refuses %j as a command", async (command) => {
    await using world = createToolWorld();
    const { json, isError } = await world.call("terminal", { command });
    expect(isError).toBe(true);
    expect(json["error"]).toContain("command");
  });

  test("refuses a timeout above ten minutes and accepts exactly ten", async () => {
    await using world = createToolWorld();
    expect((await world.call("terminal", { command: "echo x", timeout: 601 })).json).toMatchObject({ exit_code: -1 });
    expect((await world.call("terminal", { command: "echo x", timeout: 600 })).json).toMatchObject({ output: "x" });
  });

  test("does not run what was not approved", async () => {
    await using world = createToolWorld({ authorize: () => ({ allowed: false, message: "denied by the user" }) });
    const { json } = await world.call("terminal", { command: "touch made" });
    expect(json).toEqual({ output: "", exit_code: -1, error: "denied by the user", status: "blocked" });
    expect(existsSync(world.path("made"))).toBe(false);
  });

  test("asks for approval of background commands too", async () => {
    await using world = createToolWorld({ authorize: () => ({ allowed: false, message: "no" }) });
    const { json } = await world.call("terminal", { command: "touch made", background: true });
    expect(json["status"]).toBe("blocked");
    expect(world.asked).toEqual(["touch made"]);
  });

  test("keeps keys of the agent from commands", async () => {
    await using world = createToolWorld();
    world.context.environment["OPENAI_API_KEY"] = "sk-proj-abcdefghijklmnop";
    const { json } = await world.call("terminal", { command: 'echo "[$OPENAI_API_KEY]"' });
    expect(json["output"]).toBe("[]");
  });

  test("masks secrets that a command prints", async () => {
    await using world = createToolWorld();
    const { json } = await world.call("terminal", { command: "echo ghp_abcdefghijklmnopqrstuvwxyz0123456789" });
    expect(json["output"]).toBe("ghp_ab...6789");
  });

  test("is not led astray by variables that change bash", async () => {
    await using world = createToolWorld();
    const script = world.put("evil.sh", "echo EVIL");
    const result = await world.terminal.run(
      "ls; echo '{a,b}' {a,b}",
      {
        cwd: world.root,
        timeoutMs: 10_000,
        env: { PATH: "/usr/bin:/bin", BASH_ENV: script, POSIXLY_CORRECT: "1", "BASH_FUNC_ls%%": "() { echo EVIL; }" },
        maxChars: 1000,
      },
      new AbortController().signal,
    );
    expect(result.output).toBe("evil.sh\n{a,b} a b\n");
  });

  test("refuses a NUL character with a hint", async () => {
    await using world = createToolWorld();
    const { json } = await world.call("terminal", { command: "echo a\0b" });
    expect(json).toMatchObject({ exit_code: -1, status: "error" });
  });

  test("names the tool's limits for a command too long for the system", async () => {
    await using world = createToolWorld();
    const { json } = await world.call("terminal", { command: `echo ${"a".repeat(300_000)}` });
    expect(json).toMatchObject({ exit_code: -1, status: "error" });
    expect(String(json["error"]).length).toBeLessThan(500);
  });

  test("says that there is no pseudo-terminal", async () => {
    await using world = createToolWorld();
    expect((await world.call("terminal", { command: "echo x", pty: true })).json["pty_note"]).toContain("no pseudo");
  });

  test("works where the folder of temporary files is", async () => {
    await using world = createToolWorld();
    const { json } = await world.call("terminal", { command: "pwd", workdir: realpathSync(tmpdir()) });
    expect(json["output"]).toBe(realpathSync(tmpdir()));
  });
});

describe("foreground commands", () => {
  test.each([
    "nohup x",
    "a; setsid b",
    "x & disown",
    "server &",
    "a & b",
    "npm run dev",
    "yarn start",
    "docker compose up",
    "next dev",
    "vite",
    "nodemon x.js",
    "uvicorn app:app",
    "python -m http.server",
    "cd app && npm start",
  ])("%j is refused", (command) => {
    expect(foregroundRefusal(command)).toBeString();
  });

  test.each([
    "export FOO=setsid",
    'git commit -m "use nohup"',
    'python3 -c "os.setsid()"',
    "cmd 2>&1",
    "cmd &>/dev/null",
    "a && b",
    "npm run dev --help",
    "npm run build",
    "docker compose up -d",
    "vite build",
    "cat <<'E'\na & b\nE",
    "echo 'A && B &'",
    "echo a \\& b",
  ])("%j is allowed", (command) => {
    expect(foregroundRefusal(command)).toBeUndefined();
  });
});

describe("exit codes", () => {
  test.each([
    ["LANG=C /usr/bin/grep x f", 1, "no matches"],
    ["grep x f", 2, undefined],
    ["cat f | grep x", 1, "no matches"],
    ["FOO=bar", 1, undefined],
    ["diff a b", 1, "the files differ"],
    ["curl http://x", 7, "the connection failed"],
    ["ls; [ -f x ]", 1, "the condition is false"],
  ])("of %j: %i", (command, exitCode, meaning) => {
    expect(exitMeaning(command, exitCode)).toBe(meaning);
  });
});

describe("escape sequences", () => {
  test.each([
    ["\u001b[38;5;196mred\u001b[0m", "red"],
    ["\u001b]8;;http://x\u0007t\u001b]8;;\u0007", "t"],
    ["\u001b]0;title\u001b\\x", "x"],
    ["\u001b[?25lx\u001b[4:3my", "xy"],
    ["\u001bPq#0\u001b\\x", "x"],
    ["\u001b(Bx\u001b=y", "xy"],
    ["\u009b31mred", "red"],
    ["plain ünïcode 日本", "plain ünïcode 日本"],
  ])("%j", (text, expected) => {
    expect(stripAnsi(text)).toBe(expected);
  });
});
