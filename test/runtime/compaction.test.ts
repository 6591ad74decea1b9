import { expect, test } from "bun:test";
import { messageText } from "../../src/plugin/message.ts";
import { expectNoViolations } from "../fakes/openai.ts";
import { createWorld, type World } from "./world.ts";

const config = "model: {context_length: 4000}\ncompression: {threshold: 0.5, protect_last_n: 4}\n";
const isSummary = (text: string): boolean => text.includes("<transcript>");

async function fill(world: World, open: Awaited<ReturnType<World["open"]>>, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await world.ask(open, `question ${turn} ${"about many things ".repeat(12)}`);
  }
}

function answering(world: World, summary: string | (() => never)): void {
  world.fake.always((body) => {
    const last = String(body.messages.at(-1)?.content);
    if (!isSummary(last))
      return {
        text: `answer ${"in some words ".repeat(12)}`,
        usage: { prompt: JSON.stringify(body.messages).length / 4, completion: 40 },
      };
    return typeof summary === "string" ? { text: summary } : summary();
  });
}

test("a long conversation goes on in a child session with head, summary and tail; the old one keeps everything", async () => {
  await using world = await createWorld({ config });
  answering(world, "Goal: everything was about question 1.");
  const open = await world.open();
  const first = open.session.id;
  await fill(world, open, 14);
  expect(open.session.id).not.toBe(first);
  expect(open.session.parentId).not.toBeNull();
  const old = await world.runtime.store.read<{ count: number }>({
    sql: "SELECT count(*) AS count FROM messages WHERE session_id = ?",
    args: [first],
  });
  expect(old[0]?.count).toBeGreaterThan(8);
  const last = world.fake.requests.at(-1)?.body.messages ?? [];
  expect(JSON.stringify(last)).toContain("[CONTEXT COMPACTION]");
  expect(String(last[1]?.content)).toContain("question 0");
  expect(String(last.at(-1)?.content)).toContain("question 13");
  expectNoViolations(world.fake);
});

test("the old id resumes the session that goes on", async () => {
  await using world = await createWorld({ config });
  answering(world, "Goal: done.");
  const open = await world.open();
  const first = open.session.id;
  await fill(world, open, 14);
  const resumed = await world.open({ resume: first });
  expect(resumed.session.id).toBe(open.session.id);
});

test("when the summary fails nothing is dropped and the turn goes on", async () => {
  await using world = await createWorld({ config });
  answering(world, () => {
    throw new Error("no summary today");
  });
  const open = await world.open();
  const first = open.session.id;
  await fill(world, open, 9);
  expect(open.session.id).toBe(first);
  const texts = (await open.messages()).map((entry) => messageText(entry.message));
  for (let turn = 0; turn < 9; turn += 1) expect(texts.some((text) => text.startsWith(`question ${turn} `))).toBe(true);
  expect(String(world.fake.requests.at(-1)?.body.messages.length)).toBe("18");
});

test("an overflow error compacts once and asks again; a stated limit is learned", async () => {
  await using world = await createWorld({
    config: "model: {context_length: 100000}\ncompression: {protect_last_n: 4}\n",
  });
  answering(world, "Goal: done.");
  const open = await world.open();
  await fill(world, open, 10);
  const first = open.session.id;
  world.fake.fail(400, {
    body: JSON.stringify({ error: { message: "This model's maximum context length is 4096 tokens" } }),
  });
  const result = await world.ask(open, "the last one");
  expect(result).toMatchObject({ outcome: "completed", modelCalls: 1 });
  expect(open.session.id).not.toBe(first);
  expect(open.model.contextTokens).toBe(4096);
  expectNoViolations(world.fake);
});

test("413 and nothing to shorten fails with advice", async () => {
  await using world = await createWorld();
  world.fake.fail(413);
  const result = await world.ask(await world.open(), "short");
  expect(result).toMatchObject({ outcome: "failed", error: { code: "E_PROVIDER_PAYLOAD_TOO_LARGE" } });
  expect(result.error?.hint).toContain("/new");
});
