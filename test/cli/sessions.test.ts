import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { relativeTime } from "../../src/cli/session-report.ts";
import { setTitle } from "../../src/session/index.ts";
import { createSessionWorld } from "../session/session-world.ts";

/** Runs `hermes sessions …` on a home, without a terminal. */
async function hermes(home: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../../src/main.ts"), "sessions", ...args], {
    env: { ...process.env, HERMES_HOME: home, NO_COLOR: "1" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, stdout, stderr };
}

test("listing where nothing is says so and makes nothing", async () => {
  await using world = await createSessionWorld();
  const home = join(world.root, "none");
  expect(await hermes(home, "list")).toEqual({ code: 0, stdout: "No sessions found.\n", stderr: "" });
  expect((await hermes(home, "search", "anything")).stdout).toBe("No sessions found.\n");
  expect((await hermes(home, "list", "--json")).stdout).toBe("[]\n");
  expect((await hermes(home, "show", "x")).code).toBe(1);
  expect(existsSync(home)).toBe(false);
});

test("lists with titles when there are any, hides machinery, takes a source and a limit", async () => {
  await using world = await createSessionWorld();
  const home = dirname(world.path);
  const plain = await world.talk(["plain question"]);
  const other = await world.talk(["数据库问题"], { source: "telegram" });
  await world.talk(["script"], { source: "tool" });
  const untitled = (await hermes(home, "list")).stdout.trimEnd().split("\n");
  expect(untitled[0]).toMatch(/^Preview +Last Active +Src +ID$/);
  expect(untitled.slice(1).map((line) => line.split(" ").at(-1))).toEqual([other.id, plain.id]);
  await setTitle(world.store, plain.id, "My work");
  const titled = (await hermes(home, "list")).stdout.trimEnd().split("\n");
  expect(titled[0]).toMatch(/^Title +Preview +Last Active +ID$/);
  expect(titled[1]).toStartWith("—");
  expect(titled[2]).toStartWith("My work");
  const json = JSON.parse(
    (await hermes(home, "list", "--source", "tool", "--limit", "1", "--json")).stdout,
  ) as unknown[];
  expect(json).toMatchObject([{ source: "tool", preview: "script" }]);
  expect(await hermes(home, "list", "--limit", "x")).toMatchObject({ code: 2, stdout: "" });
});

test("shows, searches, exports and renames", async () => {
  await using world = await createSessionWorld();
  const home = dirname(world.path);
  const session = await world.talk(["the zebra 数据库"]);
  expect((await hermes(home, "show", session.id.slice(0, 20))).stdout).toContain("[user]\nthe zebra 数据库");
  expect((await hermes(home, "search", "where", "was", "the", "zebra?")).stdout).toContain("user: the >>>zebra<<<");
  expect((await hermes(home, "rename", session.id, "my", "zebra")).stdout).toContain('"my zebra"');
  const exported = await hermes(home, "export", "-");
  expect(JSON.parse(exported.stdout)).toMatchObject({
    id: session.id,
    title: "my zebra",
    messages: [{ role: "user" }],
  });
  const file = join(world.root, "out.jsonl");
  expect((await hermes(home, "export", file, "--session-id", "my zebra")).stdout).toBe(
    `Exported 1 sessions to ${file}\n`,
  );
  expect(readFileSync(file, "utf8")).toBe(exported.stdout);
  expect(await hermes(home, "export", "-", "--session-id", "nobody")).toMatchObject({ code: 1, stdout: "" });
});

test("deletes with -y, and refuses to guess without a terminal", async () => {
  await using world = await createSessionWorld();
  const home = dirname(world.path);
  const session = await world.talk(["hello"]);
  const refused = await hermes(home, "delete", session.id);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("-y");
  expect((await hermes(home, "delete", session.id.slice(0, 18), "-y")).stdout).toContain(
    `Deleted session ${session.id}`,
  );
  expect((await hermes(home, "list")).stdout).toBe("No sessions found.\n");
});

test("times are told in words up to a week", () => {
  const now = new Date("2026-03-15T12:00:00Z");
  const ago = (seconds: number): string => relativeTime(new Date(now.getTime() - seconds * 1000).toISOString(), now);
  expect([59, 60, 3599, 3600, 86_399, 86_400, 172_800, 604_799, 604_800].map(ago)).toEqual([
    "just now",
    "1m ago",
    "59m ago",
    "1h ago",
    "23h ago",
    "yesterday",
    "2d ago",
    "6d ago",
    "2026-03-08",
  ]);
  expect(relativeTime("", now)).toBe("?");
});

test("a long export keeps its order, is private, and replaces a file as a whole or not at all", async () => {
  await using world = await createSessionWorld();
  const home = dirname(world.path);
  const texts = Array.from({ length: 230 }, (_, index) => `message ${index} ${"x".repeat(20_000)}`);
  await world.talk(texts);
  const short = await world.talk(["short"]);
  const file = join(world.root, "out.jsonl");
  expect((await hermes(home, "export", file)).stdout).toBe(`Exported 2 sessions to ${file}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const [first, second] = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(JSON.parse(first ?? "")).toMatchObject({ id: short.id });
  const { messages } = JSON.parse(second ?? "") as { messages: { parts: { text: string }[] }[] };
  expect(messages.map((message) => message.parts[0]?.text)).toEqual(texts);
  expect((await hermes(home, "export", "-")).stdout).toBe(readFileSync(file, "utf8"));

  const before = readFileSync(file, "utf8");
  // a limit on the size of files is a full disk
  const main = join(import.meta.dir, "../../src/main.ts");
  const full = Bun.spawnSync(
    ["bash", "-c", `ulimit -f 1000; exec '${process.execPath}' '${main}' sessions export '${file}'`],
    {
      env: { ...process.env, HERMES_HOME: home, NO_COLOR: "1" },
    },
  );
  expect(full.exitCode).not.toBe(0);
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(readdirSync(world.root).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  const refused = await hermes(home, "export", join(world.root, "missing", "out.jsonl"));
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("try: name a file");
  expect((await hermes(home, "export", "/dev/null")).code).toBe(0);
});
