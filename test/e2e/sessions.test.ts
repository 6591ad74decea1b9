import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expectNoViolations } from "../fakes/openai.ts";
import { createWorld, expectFriendlyFailure, sessionIdOf, type World } from "./world.ts";

setDefaultTimeout(60_000);

interface Listed {
  id: string;
  title: string | null;
  preview: string;
  source: string;
  messageCount: number;
}

async function json<Value>(world: World, args: string[]): Promise<Value> {
  const result = await world.run(args);
  expect(result.code).toBe(0);
  return JSON.parse(result.stdout) as Value;
}

async function converse(world: World, question: string, answer: string): Promise<string> {
  world.fake.reply({ text: answer });
  const result = await world.ask(question);
  expect(result.code).toBe(0);
  return sessionIdOf(result);
}

describe.concurrent("past sessions", () => {
  test("looking at sessions of an empty home finds none and makes no database", async () => {
    await using world = await createWorld();
    expect(await json<Listed[]>(world, ["sessions", "list", "--json"])).toEqual([]);
    expect((await world.run(["sessions", "search", "anything"])).stdout).toBe("No sessions found.\n");
    expectFriendlyFailure(await world.run(["sessions", "show", "20260101"]));
    expect(() => statSync(join(world.hermesHome, "hermes.db"))).toThrow("ENOENT");
  });

  test("list and show --json tell what was said, newest first", async () => {
    await using world = await createWorld();
    const first = await converse(world, "how tall is the oak", "about thirty meters");
    const second = await converse(world, "花园里有什么", "有一棵橡树");
    const listed = await json<Listed[]>(world, ["sessions", "list", "--json"]);
    expect(listed.map((entry) => entry.id)).toEqual([second, first]);
    expect(listed.map((entry) => entry.preview)).toEqual(["花园里有什么", "how tall is the oak"]);
    expect(listed.map((entry) => entry.messageCount)).toEqual([2, 2]);
    expect(listed.map((entry) => entry.source)).toEqual(["cli", "cli"]);
    const shown = await world.show(first);
    expect(shown.messages.map(({ seq, role, parts }) => ({ seq, role, text: parts[0]?.text }))).toEqual([
      { seq: 1, role: "user", text: "how tall is the oak" },
      { seq: 2, role: "assistant", text: "about thirty meters" },
    ]);
    const limited = await json<Listed[]>(world, ["sessions", "list", "--json", "--limit", "1"]);
    expect(limited.map((entry) => entry.id)).toEqual([second]);
  });

  test("a question in English and one in Chinese, typed as they are, each find their session first", async () => {
    await using world = await createWorld();
    const bridge = await converse(world, "why does the parser crash on empty input", "the tokenizer returned null");
    const tea = await converse(world, "怎么泡好一壶龙井茶?", "水温八十度,泡两分钟。");
    await converse(world, "what is the weather in Lisbon", "sunny");
    const hits = async (question: string[]): Promise<string[]> =>
      (await json<Listed[]>(world, ["sessions", "search", ...question, "--json"])).map((hit) => hit.id);
    expect((await hits(["what did we find out about the crash of the parser?"]))[0]).toBe(bridge);
    expect((await hits(["what", "was", "wrong", "with", "the", "tokenizer?"]))[0]).toBe(bridge);
    expect((await hits(["上次说的龙井茶水温是多少?"]))[0]).toBe(tea);
    expect(await hits(["zebra"])).toEqual([]);
  });

  test("search takes operators and quotes of the index as plain text", async () => {
    await using world = await createWorld();
    await converse(world, "quotes", "fine");
    for (const question of ['"', "a AND (", "col:x*", "NEAR(", "'; DROP TABLE sessions; --", "😀", "-"]) {
      const result = await world.run(["sessions", "search", "--json", "--", question]);
      expect(result.stderr).toBe("");
      expect(result.code).toBe(0);
    }
  });

  test("export writes every session as one line, to a private file or to stdout", async () => {
    await using world = await createWorld();
    const ids = [await converse(world, "one", "1"), await converse(world, "two", "2")];
    const file = join(world.cwd, "all.jsonl");
    expect((await world.run(["sessions", "export", file])).stdout).toBe(`Exported 2 sessions to ${file}\n`);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as Listed).id).sort()).toEqual([...ids].sort());
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const single = await world.run(["sessions", "export", "-", "--session-id", ids[0] ?? ""]);
    expect(single.stdout.trimEnd().split("\n")).toHaveLength(1);
    expect((JSON.parse(single.stdout) as Listed).id).toBe(ids[0] ?? "");
    expectFriendlyFailure(await world.run(["sessions", "export", "/nonexistent/folder/file"]));
  });

  test("delete asks for -y without a terminal, then takes the session out of list and search", async () => {
    await using world = await createWorld();
    const kept = await converse(world, "the kept walrus", "yes");
    const gone = await converse(world, "the deleted walrus", "yes");
    expectFriendlyFailure(await world.run(["sessions", "delete", gone]), 2);
    expect((await world.run(["sessions", "delete", gone, "-y"])).stdout).toBe(`Deleted session ${gone}.\n`);
    expect((await json<Listed[]>(world, ["sessions", "list", "--json"])).map((entry) => entry.id)).toEqual([kept]);
    expect((await json<Listed[]>(world, ["sessions", "search", "walrus", "--json"])).map((hit) => hit.id)).toEqual([
      kept,
    ]);
    expectFriendlyFailure(await world.run(["sessions", "delete", gone, "-y"]));
    expectNoViolations(world.fake);
  });
});
