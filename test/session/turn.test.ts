import { expect, test } from "bun:test";
import { join } from "node:path";
import { findSession, loadMessages, repairInterrupted, setTitle } from "../../src/session/index.ts";
import { processHolder, type Store } from "../../src/store/index.ts";
import { failureCode } from "../store/store-world.ts";
import { calls, completed, createSessionWorld, readTurns, result, say, user } from "./session-world.ts";

async function readCount(world: { store: Store }, table: string): Promise<number> {
  const rows = await world.store.read<{ count: number }>({ sql: `SELECT count(*) AS count FROM ${table}`, args: [] });
  return rows[0]?.count ?? -1;
}

test("a session that is opened and never used leaves no row", async () => {
  await using world = await createSessionWorld();
  const session = await world.create();
  expect(session.id).toMatch(/^\d{8}_\d{6}_[0-9a-f]{6}$/);
  expect(await readCount(world, "sessions")).toBe(0);
});

test("messages come back as they were stored, in order, with their context", async () => {
  await using world = await createSessionWorld();
  const turn = await world.begin(await world.create());
  const stored = await turn.append([{ ...user("hello"), context: "<recall>x</recall>" }, calls("call_1")]);
  stored.push(...(await turn.append([result("call_1", "done"), { message: say("assistant", "bye") }])));
  await turn.close(completed());
  const loaded = await loadMessages(world.store, turn.session.id);
  expect(loaded).toEqual(stored);
  expect(loaded.map((entry) => entry.seq)).toEqual([1, 2, 3, 4]);
  expect(loaded[0]?.context).toBe("<recall>x</recall>");
});

test("lone surrogates are replaced before they are stored, NUL and CJK survive", async () => {
  await using world = await createSessionWorld();
  const turn = await world.begin(await world.create());
  const stored = await turn.append([user("a\ud800b \0 数据库 🙂 \\ud800")]);
  expect(stored[0]?.message).toEqual(say("user", "a\uFFFDb \0 数据库 🙂 \\ud800"));
  expect(await loadMessages(world.store, turn.session.id)).toEqual(stored);
  await turn.close(completed());
});

test("appends that run side by side get positions without gaps, also when one fails", async () => {
  await using world = await createSessionWorld();
  const turn = await world.begin(await world.create());
  const broken = user("broken");
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  broken.message.parts.push({ type: "reasoning", text: "", opaque: circular as never });
  const results = await Promise.allSettled([
    turn.append([user("one")]),
    turn.append([broken]),
    turn.append([user("two"), user("three")]),
  ]);
  expect(results.map((entry) => entry.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const loaded = await loadMessages(world.store, turn.session.id);
  expect(loaded.map((entry) => entry.seq)).toEqual([1, 2, 3]);
  await turn.close(completed());
});

test("closing a turn stores usage, counters and the face's rows in one batch and frees the session", async () => {
  await using world = await createSessionWorld();
  const turn = await world.begin(await world.create());
  await turn.append([user("hi"), calls("call_1", "call_2")]);
  const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2, reasoningTokens: 1 };
  const writes = [{ sql: "INSERT INTO kv (key, value, updated_at) VALUES ('outbox', 'piece', '')", args: [] }];
  await turn.close(completed({ usage, costUsd: 0.25, writes, toolCalls: 2 }));
  const again = await world.begin(turn.session);
  await again.close(completed({ usage, costUsd: null }));
  const session = await findSession(world.store, turn.session.id);
  expect(session).toMatchObject({
    messageCount: 2,
    toolCallCount: 2,
    costUsd: 0.25,
    usage: { inputTokens: 20, outputTokens: 10, cacheReadTokens: 6, cacheWriteTokens: 4, reasoningTokens: 2 },
  });
  expect(await readCount(world, "kv")).toBe(1);
  expect(await readTurns(world.store)).toMatchObject([{ outcome: "completed" }, { outcome: "completed" }]);
});

test("rows of the face that cannot be stored keep the turn open", async () => {
  await using world = await createSessionWorld();
  const turn = await world.begin(await world.create());
  const writes = [{ sql: "INSERT INTO no_such_table VALUES (1)", args: [] }];
  expect(await failureCode(turn.close(completed({ writes })))).toBe("E_STORE_WRITE");
  expect(await readTurns(world.store)).toMatchObject([{ outcome: null }]);
});

test("a session has one turn at a time", async () => {
  await using world = await createSessionWorld();
  const session = await world.create();
  const turn = await world.begin(session);
  const error = await world.begin(session).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "E_SESSION_BUSY", retryable: true });
  await turn.close(completed());
  await (await world.begin(session)).close(completed());
  expect(await readTurns(world.store)).toHaveLength(2);
});

test("of twenty turns begun at once exactly one gets the session", async () => {
  await using world = await createSessionWorld();
  const session = await world.talk(["first"]);
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => world.begin(session)));
  expect(results.filter((entry) => entry.status === "fulfilled")).toHaveLength(1);
});

test("a live process keeps its session when the database's clock jumps ahead", async () => {
  await using world = await createSessionWorld();
  const session = await world.create();
  const turn = await world.begin(session);
  await world.store.write([{ sql: "UPDATE leases SET expires_at_ms = 1", args: [] }]);
  expect(await failureCode(world.begin(session))).toBe("E_SESSION_BUSY");
  await turn.append([user("still here")]);
  await turn.close(completed());
  expect(await loadMessages(world.store, session.id)).toHaveLength(1);
});

test("a holder on another machine loses the session when its lease expires, and is fenced off", async () => {
  await using world = await createSessionWorld();
  const session = await world.create();
  const far = await world.begin(session, { holder: "elsewhere:1:s1" });
  expect(await failureCode(world.begin(session))).toBe("E_SESSION_BUSY");
  await world.store.write([{ sql: "UPDATE leases SET expires_at_ms = 1", args: [] }]);
  const turn = await world.begin(session);
  expect(await failureCode(far.append([user("too late")]))).toBe("E_STORE_FENCED");
  expect(await failureCode(far.close(completed()))).toBe("E_STORE_FENCED");
  await turn.append([user("mine")]);
  await turn.close(completed());
  expect((await loadMessages(world.store, session.id)).map((entry) => entry.message)).toEqual([say("user", "mine")]);
});

test("a lease from before the clock went back is shortened to its duration", async () => {
  await using world = await createSessionWorld();
  const session = await world.create();
  await world.begin(session, { holder: "elsewhere:1:s1" });
  await world.store.write([{ sql: "UPDATE leases SET expires_at_ms = expires_at_ms + 3600000", args: [] }]);
  expect(await failureCode(world.begin(session))).toBe("E_SESSION_BUSY");
  const rows = await world.store.read<{ ahead: number }>({
    sql: "SELECT expires_at_ms - unixepoch('subsec') * 1000 AS ahead FROM leases",
    args: [],
  });
  expect(rows[0]?.ahead).toBeLessThanOrEqual(30_000);
});

test("a process that reuses the pid of a dead holder does not keep its session", async () => {
  await using world = await createSessionWorld();
  const session = await world.create();
  const reused = processHolder().replace(/[^:]*$/, "s00000000");
  await world.begin(session, { holder: reused });
  const turn = await world.begin(session);
  await turn.close(completed());
  expect(await readTurns(world.store)).toMatchObject([{ outcome: "interrupted" }, { outcome: "completed" }]);
});

test("after kill -9 the session is repaired at once: open calls are answered, the turn is interrupted", async () => {
  await using world = await createSessionWorld();
  const id = "20260315_092437_abcdef";
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "turn-process.ts"), world.path, id], {
    stdout: "pipe",
  });
  await child.stdout.getReader().read();
  expect(await repairInterrupted(world.store, { now: world.now })).toEqual([]);
  child.kill("SIGKILL");
  await child.exited;
  expect(await repairInterrupted(world.store, { now: world.now })).toEqual([id]);
  const messages = await loadMessages(world.store, id);
  expect(messages.map((entry) => entry.message.role)).toEqual(["user", "assistant", "tool", "tool"]);
  expect(messages[3]?.message.parts).toMatchObject([{ type: "tool-result", callId: "call_2", isError: true }]);
  expect(JSON.stringify(messages[3])).toContain("interrupted");
  expect(await readTurns(world.store)).toEqual([{ session_id: id, outcome: "interrupted" }]);
  expect(await repairInterrupted(world.store, { now: world.now })).toEqual([]);
});

test("beginning a turn repairs what the one before left", async () => {
  await using world = await createSessionWorld();
  const session = await world.create();
  const dead = processHolder().replace(/[^:]*$/, "s0");
  const first = await world.begin(session, { holder: dead });
  await first.append([user("go"), calls("call_1")]);
  const turn = await world.begin(session);
  const [stored] = await turn.append([user("next")]);
  expect(stored?.seq).toBe(4);
  expect(await loadMessages(world.store, session.id)).toHaveLength(4);
  await turn.close(completed());
});

test("prompt, tools, model and directory are kept on the session", async () => {
  await using world = await createSessionWorld();
  const turn = await world.begin(await world.create());
  const tools = [{ name: "terminal", description: "runs", parameters: { type: "object" } }];
  await turn.freeze("prompt 数据 🙂", tools);
  await turn.setModel("other", "else");
  await turn.setCwd("/tmp");
  const expected = { systemPrompt: "prompt 数据 🙂", tools, model: "other", provider: "else", cwd: "/tmp" };
  expect(turn.session).toMatchObject(expected);
  await turn.close(completed());
  expect(await findSession(world.store, turn.session.id)).toMatchObject(expected);
});

test("compaction goes on in a child: originals stay, the copies are unsearchable, the lease moves", async () => {
  await using world = await createSessionWorld();
  const session = await world.create();
  const turn = await world.begin(session);
  await turn.append([user("one"), user("two")]);
  await setTitle(world.store, session.id, "auth work");
  world.advance(1000);
  const copies = await turn.continueAs({ systemPrompt: "new", tools: [], messages: [user("summary")] });
  const child = turn.session;
  expect(child).toMatchObject({ title: "auth work #2", parentId: session.id, systemPrompt: "new", messageCount: 1 });
  expect(copies).toMatchObject([{ seq: 1, unsearchable: true }]);
  await turn.append([user("three")]);
  expect(await failureCode(world.begin(child))).toBe("E_SESSION_BUSY");
  await turn.close(completed());
  expect(await loadMessages(world.store, session.id)).toHaveLength(2);
  expect((await loadMessages(world.store, child.id)).map((entry) => entry.seq)).toEqual([1, 2]);
  expect(await readTurns(world.store)).toEqual([{ session_id: child.id, outcome: "completed" }]);
  expect(await findSession(world.store, session.id)).toMatchObject({ id: child.id });
  expect(await findSession(world.store, session.id, { follow: false })).toMatchObject({ endReason: "compression" });
  expect(await failureCode(world.begin(session))).toBe("E_SESSION_CONTINUED");
});
