import { expect, test } from "bun:test";
import { holdSecret } from "../../src/base/held-secrets.ts";
import {
  countSessions,
  deleteSession,
  exportSession,
  findSession,
  indexPending,
  latestSession,
  listSessions,
  loadMessages,
  searchSessions,
  setTitle,
} from "../../src/session/index.ts";
import { nextTitle, sanitizeTitle } from "../../src/session/title.ts";
import { failureCode } from "../store/store-world.ts";
import { completed, createSessionWorld, user } from "./session-world.ts";

test("titles lose control, invisible and double white space; nothing left is no title; 100 characters fit", () => {
  expect(sanitizeTitle("  a\tb\u0007\u200B  c\u202E\n")).toBe("a b c");
  expect(sanitizeTitle("部署 🚀")).toBe("部署 🚀");
  expect(sanitizeTitle(" \u200B\n ")).toBeNull();
  expect(sanitizeTitle("x".repeat(100))).toHaveLength(100);
  expect(() => sanitizeTitle("x".repeat(101))).toThrow("101 characters");
});

test("the next title counts on from the highest number", () => {
  expect(nextTitle("auth work", [])).toBe("auth work");
  expect(nextTitle("auth work", ["auth work"])).toBe("auth work #2");
  expect(nextTitle("auth work #2", ["auth work #2", "auth work #3"])).toBe("auth work #4");
  expect(nextTitle("my project", ["my project", "my project #2", "my project #3"])).toBe("my project #4");
});

test("a title finds its newest numbered session, a numbered one exactly itself", async () => {
  await using world = await createSessionWorld();
  const ids: Record<string, string> = {};
  for (const title of ["auth work", "auth work #3", "auth work #2", "axb #2", "100%_done", "100x_done #2"]) {
    const session = await world.talk(["hello"]);
    ids[title] = session.id;
    await setTitle(world.store, session.id, title);
  }
  const found = async (text: string): Promise<string | undefined> => (await findSession(world.store, text))?.id;
  // the newest by start, not by number
  expect(await found("auth work")).toBe(ids["auth work #2"]);
  expect(await found("auth work #3")).toBe(ids["auth work #3"]);
  expect(await found("a_b")).toBeUndefined();
  expect(await found("100%_done")).toBe(ids["100%_done"]);
  expect(await found("100x_done")).toBe(ids["100x_done #2"]);
});

test("a title belongs to one session; the same one may keep it", async () => {
  await using world = await createSessionWorld();
  const [first, second] = [await world.talk(["a"]), await world.talk(["b"])];
  expect(await setTitle(world.store, first.id, " mine ")).toBe("mine");
  expect(await setTitle(world.store, first.id, "mine")).toBe("mine");
  const error = await setTitle(world.store, second.id, "mine").catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "E_SESSION_TITLE", message: expect.stringContaining(first.id) as unknown });
  expect(await setTitle(world.store, first.id, "")).toBeNull();
  expect(await failureCode(setTitle(world.store, "nobody", "x"))).toBe("E_SESSION_NOT_FOUND");
});

test("the start of an id finds its session only when no other has it, and _ is an ordinary character", async () => {
  await using world = await createSessionWorld();
  await world.talk(["a"], { id: "20260315_092437_aaaaaa" });
  await world.talk(["b"], { id: "20260315_092437_bbbbbb" });
  await world.talk(["c"], { id: "20260316_000000_cccccc" });
  expect((await findSession(world.store, "20260315_092437_a"))?.id).toBe("20260315_092437_aaaaaa");
  expect(await findSession(world.store, "20260315_0924")).toBeUndefined();
  expect((await findSession(world.store, "20260316"))?.id).toBe("20260316_000000_cccccc");
  expect(await findSession(world.store, "2026_")).toBeUndefined();
  expect(await findSession(world.store, " ")).toBeUndefined();
});

test("a known id gives the stored session", async () => {
  await using world = await createSessionWorld();
  const stored = await world.talk(["a"], { id: "mine", model: "first" });
  expect(await world.create({ id: "mine", model: "second" })).toEqual(
    (await findSession(world.store, stored.id)) ?? stored,
  );
});

test("the list shows newest activity first, with a preview on one line, machinery hidden", async () => {
  await using world = await createSessionWorld();
  const first = await world.talk([`line one\nline two ${"x".repeat(80)}`]);
  const second = await world.talk(["数据库 question"], { source: "telegram" });
  const tool = await world.talk(["script"], { source: "tool" });
  const list = await listSessions(world.store);
  expect(list.map((session) => session.id)).toEqual([second.id, first.id]);
  expect(list.map((session) => session.preview)).toEqual(["数据库 question", `line one line two ${"x".repeat(42)}...`]);
  expect((await listSessions(world.store, { source: "tool" })).map((session) => session.id)).toEqual([tool.id]);
  expect(await listSessions(world.store, { limit: 1 })).toHaveLength(1);
  expect((await latestSession(world.store))?.id).toBe(second.id);
  expect((await latestSession(world.store, { source: "cli" }))?.id).toBe(first.id);
  expect(await countSessions(world.store)).toBe(3);
});

test("the list shows of a compacted session only where it goes on, with its first question", async () => {
  await using world = await createSessionWorld();
  const turn = await world.begin(await world.create());
  await turn.append([user("the first question")]);
  await turn.continueAs({ systemPrompt: "", tools: [], messages: [user("summary")] });
  await turn.close(completed());
  const list = await listSessions(world.store);
  expect(list.map((session) => [session.id, session.preview])).toEqual([[turn.session.id, "the first question"]]);
  expect(await listSessions(world.store, { all: true })).toHaveLength(2);
});

test("deleting a session takes what it continues, its messages and its search entries; branches stay", async () => {
  await using world = await createSessionWorld();
  const turn = await world.begin(await world.create());
  await turn.append([user("zebra")]);
  const parent = turn.session;
  await turn.continueAs({ systemPrompt: "", tools: [], messages: [user("summary")] });
  expect(await failureCode(deleteSession(world.store, turn.session.id))).toBe("E_SESSION_BUSY");
  await turn.append([user("giraffe")]);
  await turn.close(completed());
  const branch = await world.talk(["branch"], { parentId: turn.session.id });
  await indexPending(world.store);
  expect(await deleteSession(world.store, turn.session.id)).toBe(2);
  expect(await findSession(world.store, parent.id)).toBeUndefined();
  expect(await findSession(world.store, branch.id)).toMatchObject({ parentId: null });
  expect(await searchSessions(world.store, "zebra giraffe")).toEqual([]);
  const left = await world.store.read({
    sql: "SELECT rowid FROM message_index WHERE message_index MATCH 'zebra OR giraffe'",
    args: [],
  });
  expect(left).toEqual([]);
  expect(await deleteSession(world.store, "nobody")).toBe(0);
});

test("a session deleted before it was indexed does not damage the index", async () => {
  await using world = await createSessionWorld();
  const gone = await world.talk(["zebra"]);
  await deleteSession(world.store, gone.id);
  const kept = await world.talk(["zebra again"]);
  expect((await searchSessions(world.store, "zebra")).map((hit) => hit.session.id)).toEqual([kept.id]);
});

test("an export is one line of JSON with all messages, secrets hidden, other text kept", async () => {
  await using world = await createSessionWorld();
  holdSecret("very-secret-value-123", "TEST");
  const session = await world.talk(["the key is very-secret-value-123", '数据 "quoted"\nline']);
  const line = (await Array.fromAsync(exportSession(world.store, session))).join("");
  expect(line).not.toContain("\n");
  expect(line).not.toContain("very-secret-value-123");
  expect(line).toContain("数据");
  const record = JSON.parse(line) as { id: string; messages: { seq: number }[] };
  expect(record.id).toBe(session.id);
  expect(record.messages.map((message) => message.seq)).toEqual([1, 2]);
});

test("rewound messages are neither loaded nor found, and their positions are not used again", async () => {
  await using world = await createSessionWorld();
  const session = await world.talk(["keep", "zebra"]);
  await world.store.write([{ sql: "UPDATE messages SET active = 0 WHERE seq = 2", args: [] }]);
  expect(await loadMessages(world.store, session.id)).toHaveLength(1);
  expect(await searchSessions(world.store, "zebra")).toEqual([]);
  const turn = await world.begin(session);
  expect(await turn.append([user("next")])).toMatchObject([{ seq: 3 }]);
  await turn.close(completed());
});
