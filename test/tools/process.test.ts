import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import type { Clock } from "../../src/base/time.ts";
import { createLocalTerminal, createProcessRegistry, type TerminalBackend } from "../../src/tools/index.ts";
import { createToolWorld } from "./tool-world.ts";

/** a zombie that nobody collects does not count */
const isAlive = (pid: string): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

const start = async (world: ReturnType<typeof createToolWorld>, command: string): Promise<string> =>
  String((await world.call("terminal", { command, background: true })).json["session_id"]);

const finish = (world: ReturnType<typeof createToolWorld>, id: string) =>
  world.call("process", { action: "wait", session_id: id });

describe("background commands", () => {
  test("start at once and are waited for", async () => {
    await using world = createToolWorld();
    const { json } = await world.call("terminal", { command: "echo out; echo err >&2; exit 4", background: true });
    expect(json).toMatchObject({ output: "Background process started", exit_code: 0, error: null });
    expect(json["session_id"]).toMatch(/^proc_[0-9a-f]{12}$/);
    const ended = await finish(world, String(json["session_id"]));
    expect(ended.json).toMatchObject({ status: "exited", exit_code: 4, output: "out\nerr\n" });
  });

  test("are listed with their state, of this session only", async () => {
    await using world = createToolWorld();
    const id = await start(world, "sleep 60");
    const { json } = await world.call("process", { action: "list" });
    expect(json["processes"]).toMatchObject([
      { session_id: id, command: "sleep 60", cwd: world.root, status: "running" },
    ]);
    world.context.lineage = ["another"];
    expect((await world.call("process", { action: "list" })).json).toEqual({ processes: [] });
    expect((await world.call("process", { action: "kill", session_id: id })).json["status"]).toBe("not_found");
  });

  test.each([
    ["poll", "nope", { status: "not_found", error: "No process with ID nope" }],
    ["poll", 123, { status: "not_found", error: "No process with ID 123" }],
    ["log", undefined, { error: "session_id is required for log" }],
  ])("answer %s of %p in words", async (action, id, expected) => {
    await using world = createToolWorld();
    expect((await world.call("process", { action, session_id: id })).json).toEqual(expected);
  });

  test("name the actions when one is unknown", async () => {
    await using world = createToolWorld();
    expect((await world.call("process", { action: "dance" })).json["error"]).toContain("submit");
  });

  test.each<[Record<string, unknown>, number, number, string]>([
    [{}, 101, 300, "200 lines"],
    [{ limit: 50 }, 251, 300, "50 lines"],
    [{ offset: 10, limit: 5 }, 11, 15, "5 lines"],
  ])("show %j of a log of 300 lines", async (range, first, last, showing) => {
    await using world = createToolWorld();
    const id = await start(world, "seq 300");
    await finish(world, id);
    const { json } = await world.call("process", { action: "log", session_id: id, ...range });
    const lines = String(json["output"]).split("\n");
    expect([lines[0], lines.at(-1)]).toEqual([String(first), String(last)]);
    expect(json).toMatchObject({ total_lines: 300, showing });
  });

  test("take input, with and without a newline, until it is closed", async () => {
    await using world = createToolWorld();
    const id = await start(world, "cat");
    const write = await world.call("process", { action: "write", session_id: id, data: "ä" });
    expect(write.json).toMatchObject({ status: "ok", bytes_written: 2 });
    await world.call("process", { action: "submit", session_id: id, data: "b" });
    await world.call("process", { action: "close", session_id: id });
    expect((await finish(world, id)).json).toMatchObject({ exit_code: 0, output: "äb\n" });
    const late = await world.call("process", { action: "submit", session_id: id, data: "c" });
    expect(late.json).toMatchObject({ status: "already_exited", exit_code: 0 });
  });

  test("are killed once, as a group", async () => {
    await using world = createToolWorld();
    const id = await start(world, "trap '' TERM; (echo $BASHPID > child; sleep 60)");
    while (!existsSync(world.path("child")) || world.text("child") === "") await Bun.sleep(10);
    expect((await world.call("process", { action: "kill", session_id: id })).json).toMatchObject({ status: "killed" });
    const again = await world.call("process", { action: "kill", session_id: id });
    expect(again.json).toMatchObject({ status: "already_exited", exit_code: -15 });
    expect(isAlive(world.text("child").trim())).toBe(false);
  });

  test("count as ended although something they left keeps the pipe open", async () => {
    await using world = createToolWorld();
    const id = await start(world, "sleep 60 & echo $! > left; echo done");
    expect((await finish(world, id)).json).toMatchObject({ status: "exited", exit_code: 0, output: "done\n" });
    process.kill(Number(world.text("left")), "SIGKILL");
  });

  test("are waited for no longer than the limit, and the answer says so", async () => {
    await using world = createToolWorld();
    world.context.settings.terminal.timeoutMs = 1000;
    const id = await start(world, "echo partial; sleep 60");
    const { json } = await world.call("process", { action: "wait", session_id: id, timeout: 9999 });
    expect(json).toMatchObject({
      status: "timeout",
      output: "partial\n",
      timeout_note: "Waited at most 1 seconds instead of 9999.",
    });
  });

  test("run on when the user interrupts the waiting", async () => {
    await using world = createToolWorld();
    const id = await start(world, "sleep 60");
    const waiting = finish(world, id);
    world.stop();
    expect((await waiting).json["status"]).toBe("interrupted");
    expect((await world.call("process", { action: "poll", session_id: id })).json["status"]).toBe("running");
  });

  test("keep only the newest part of an endless output", async () => {
    await using world = createToolWorld();
    const id = await start(world, "seq 200000");
    await finish(world, id);
    const { json } = await world.call("process", { action: "log", session_id: id, limit: 100_000 });
    expect(String(json["output"]).length).toBeLessThanOrEqual(200_000);
    expect(json["output"]).toEndWith("\n200000");
    expect(String(json["output"]).split("\n")[0]).toMatch(/^\d{6}$/);
  });

  test("hide secrets in command and output", async () => {
    await using world = createToolWorld();
    const id = await start(world, "echo ghp_abcdefghijklmnopqrstuvwxyz0123456789");
    await finish(world, id);
    const { json } = await world.call("process", { action: "poll", session_id: id });
    expect(JSON.stringify(json)).not.toContain("ghp_abcdefghij");
  });

  test("do not see the agent's keys", async () => {
    await using world = createToolWorld();
    world.context.environment["OPENAI_API_KEY"] = "sk-proj-abcdefghijklmnop";
    const id = await start(world, 'echo "[$OPENAI_API_KEY]"');
    expect((await finish(world, id)).json["output"]).toBe("[]\n");
  });

  test("all end with stopAll", async () => {
    await using world = createToolWorld();
    const ids = [await start(world, "sleep 60"), await start(world, "trap '' TERM; sleep 60")];
    await world.processes.stopAll();
    for (const id of ids) {
      expect((await world.call("process", { action: "poll", session_id: id })).json["status"]).toBe("exited");
    }
  });

  test("die with the process that started them", async () => {
    await using world = createToolWorld();
    const script = world.put(
      "run.ts",
      `import { createLocalTerminal } from ${JSON.stringify(new URL("../../src/tools/index.ts", import.meta.url).pathname)};
       const started = await createLocalTerminal().start("trap '' TERM; sleep 60 & wait; sleep 60", { cwd: "/", env: { PATH: "/usr/bin:/bin" } });
       console.log(started.pid);
       process.exit(0);`,
    );
    const child = Bun.spawn([process.execPath, script], { stdout: "pipe" });
    const pid = (await new Response(child.stdout).text()).trim();
    await child.exited;
    // the system ends it a moment after the signal; a process that lives on lets this test run into its limit
    while (isAlive(pid)) await Bun.sleep(10);
    expect(isAlive(pid)).toBe(false);
  });
});

describe("the process registry", () => {
  const movable = (): Clock & { ms: number } => {
    const clock = { ms: 0, now: () => new Date(0), monotonicMs: () => clock.ms };
    return clock;
  };
  /** ends at once, so that many can be started */
  const instant: TerminalBackend = {
    id: "instant",
    run: () => Promise.reject(new Error("not used")),
    start: (command) =>
      Promise.resolve({
        pid: 1,
        exited: command === "run" ? new Promise<number>(() => undefined) : Promise.resolve(0),
        write: () => Promise.resolve(),
        closeInput: () => undefined,
        kill: () => Promise.resolve(),
      }),
  };
  const request = { cwd: "/", env: {}, sessionId: "s", backend: instant };

  test("forgets the oldest finished command for a 65th, never a running one", async () => {
    const registry = createProcessRegistry({ clock: movable() });
    const running = await registry.start({ ...request, command: "run" });
    const first = await registry.start({ ...request, command: "end" });
    for (let count = 2; count < 65; count += 1) await registry.start({ ...request, command: "end" });
    expect(registry.list(["s"]).length).toBeLessThanOrEqual(64);
    expect(registry.find(first.id, ["s"])).toBeUndefined();
    expect(registry.find(running.id, ["s"])).toBeDefined();
  });

  test("keeps a finished command for half an hour after its end", async () => {
    const clock = movable();
    const registry = createProcessRegistry({ clock });
    const { id } = await registry.start({ ...request, command: "end" });
    await registry.wait(id, 1000, new AbortController().signal);
    clock.ms = 1_799_000;
    expect(registry.list(["s"])).toHaveLength(1);
    clock.ms = 1_801_000;
    expect(registry.list(["s"])).toHaveLength(0);
  });

  test("leaves no zombie of a real command", async () => {
    const registry = createProcessRegistry({ clock: movable() });
    const started = await registry.start({
      ...request,
      env: { PATH: "/usr/bin:/bin" },
      backend: createLocalTerminal(),
      command: "true",
    });
    await registry.wait(started.id, 10_000, new AbortController().signal);
    expect(existsSync(`/proc/${started.pid}`)).toBe(false);
  });
});
