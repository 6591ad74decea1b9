import { expect, test } from "bun:test";
import { indexPending, searchSessions } from "../../src/session/index.ts";
import { parseQuestion } from "../../src/session/question.ts";
import { makeSnippet } from "../../src/session/snippet.ts";
import { indexText } from "../../src/session/tokens.ts";
import { calls, completed, createSessionWorld, result, user } from "./session-world.ts";

const library = {
  ingress: ["We fixed the kubernetes ingress by renewing the certificates", "thanks a lot"],
  database: ["我们修复了数据库连接池的问题", "好的，谢谢"],
  travel: ["桂林旅游攻略：漓江和阳朔", "下次去广西"],
  release: ["use chat-send and my-app.config.ts for C++ drafts", "the P2.2 plan", "TODO: fix hello world"],
  food: ["What is a good recipe for café crème brûlée?", "running deployments is not cooking"],
};

/** Asks every question of a world with the library in it; answers are names of sessions, best first. */
async function askAll(questions: string[]): Promise<Record<string, string[]>> {
  await using world = await createSessionWorld();
  const names = new Map<string, string>();
  for (const [name, texts] of Object.entries(library)) names.set((await world.talk(texts)).id, name);
  const answers: Record<string, string[]> = {};
  for (const question of questions) {
    const hits = await searchSessions(world.store, question);
    answers[question] = hits.map((hit) => names.get(hit.session.id) ?? "");
  }
  return answers;
}

test("a question typed as is finds its session first, in English and in Chinese", async () => {
  const expected = {
    "how did we fix that ingress thing with the certificate?": "ingress",
    "What was the recipe for creme brulee again???": "food",
    "did I run a deployment?": "food",
    "上次数据库连接的问题是怎么修复的？": "database",
    我之前说过的桂林攻略在哪里: "travel",
    "k8s / Kubernetes: renew certificate!": "ingress",
  };
  const answers = await askAll(Object.keys(expected));
  expect(Object.fromEntries(Object.entries(answers).map(([question, names]) => [question, names[0]]))).toEqual(
    expected,
  );
});

test("what users of the original typed still works", async () => {
  expect(
    await askAll([
      "hello AND",
      "OR world",
      "***",
      "deploy*",
      "chat-send",
      "P2.2 plan",
      "my-app.config.ts",
      '"chat send" foo-bar',
      "C++ (draft",
      "TODO: hello",
      "广西 OR 桂林",
      "fix NOT ingress",
      '"hello world',
    ]),
  ).toEqual({
    "hello AND": ["release"],
    "OR world": ["release"],
    "***": [],
    "deploy*": ["food"],
    "chat-send": ["release"],
    "P2.2 plan": ["release"],
    "my-app.config.ts": ["release"],
    '"chat send" foo-bar': ["release"],
    "C++ (draft": ["release"],
    "TODO: hello": ["release"],
    "广西 OR 桂林": ["travel"],
    "fix NOT ingress": ["release"],
    '"hello world': ["release"],
  });
});

test("no text of a question is an error", async () => {
  const questions = [
    '"',
    '""',
    "(",
    "^",
    "NOT",
    "AND OR NOT",
    "a:b:c",
    "{x}",
    "-",
    "'",
    "\0",
    "\ud800",
    "*",
    "NEAR(a b)",
  ];
  questions.push(
    "rowid:1",
    "text : x",
    "x".repeat(5000),
    "的",
    "什么",
    "🙂",
    'NOT "a',
    "'; DROP TABLE x",
    "+-+",
    "a+b",
  );
  const answers = await askAll(questions);
  expect(Object.keys(answers)).toHaveLength(questions.length);
});

test("a question of stop words only looks for those", async () => {
  expect(await askAll(["what is", "the"])).toEqual({ "what is": ["food"], the: ["ingress", "release"] });
});

test("single characters and phrases of unspaced scripts are found, also at the end of a run", async () => {
  expect(await askAll(["桂", "池", "题", '"数据库连接"', '"数据连接"', "朔"])).toEqual({
    桂: ["travel"],
    池: ["database"],
    题: ["database"],
    '"数据库连接"': ["database"],
    '"数据连接"': [],
    朔: ["travel"],
  });
});

test("a session that holds more of the question ranks above one that repeats a single word", async () => {
  await using world = await createSessionWorld();
  await world.talk(Array.from({ length: 12 }, () => "the printer again"));
  const wanted = await world.talk(["the printer in the office lost its wifi password"]);
  await world.talk(Array.from({ length: 12 }, () => "the password again"));
  const hits = await searchSessions(world.store, "printer wifi password");
  expect(hits[0]?.session.id).toBe(wanted.id);
});

test("the best messages come first, marked, with their position", async () => {
  await using world = await createSessionWorld();
  const session = await world.talk(["nothing here", "one apple", "an apple and a pear"]);
  const [hit] = await searchSessions(world.store, "apple pears");
  expect(hit?.session.id).toBe(session.id);
  expect(hit?.matches.map((match) => [match.seq, match.role, match.snippet])).toEqual([
    [3, "user", "an >>>apple<<< and a >>>pear<<<"],
    [2, "user", "one >>>apple<<<"],
  ]);
});

test("tool calls and the start of their results are found, recall context is not", async () => {
  await using world = await createSessionWorld();
  const turn = await world.begin(await world.create());
  await turn.append([{ ...user("go"), context: "walrus" }, calls("flamingo")]);
  await turn.append([result("flamingo", `pelican ${"filler ".repeat(2000)} albatross`)]);
  await turn.close(completed());
  const found = async (text: string): Promise<number> => (await searchSessions(world.store, text)).length;
  expect([await found("flamingo"), await found("pelican"), await found("albatross"), await found("walrus")]).toEqual([
    1, 1, 0, 0,
  ]);
});

test("sources, roles and sessions narrow the search", async () => {
  await using world = await createSessionWorld();
  const cli = await world.talk(["zebra"]);
  const telegram = await world.talk(["zebra"], { source: "telegram" });
  const ids = async (request: Parameters<typeof searchSessions>[2]): Promise<string[]> =>
    (await searchSessions(world.store, "zebra", request)).map((hit) => hit.session.id);
  expect(await ids({})).toEqual([telegram.id, cli.id]);
  expect(await ids({ limit: 1 })).toEqual([telegram.id]);
  expect(await ids({ sources: ["cli"] })).toEqual([cli.id]);
  expect(await ids({ excludeSources: ["cli"] })).toEqual([telegram.id]);
  expect(await ids({ excludeSessionIds: [telegram.id] })).toEqual([cli.id]);
  expect(await ids({ roles: ["assistant"] })).toEqual([]);
  expect(await ids({ full: true })).toEqual([telegram.id, cli.id]);
});

test("copies made by compaction are not found, their originals are", async () => {
  await using world = await createSessionWorld();
  const turn = await world.begin(await world.create());
  await turn.append([user("zebra")]);
  const original = turn.session.id;
  await turn.continueAs({ systemPrompt: "", tools: [], messages: [user("summary of zebra"), user("zebra")] });
  await turn.close(completed());
  const hits = await searchSessions(world.store, "zebra");
  expect(hits.map((hit) => hit.session.id)).toEqual([original]);
});

test("indexing twice at once leaves one entry per message", async () => {
  await using world = await createSessionWorld();
  for (let index = 0; index < 5; index += 1) await world.talk(["zebra"]);
  const other = await world.open();
  await Promise.all([indexPending(world.store), indexPending(other), indexPending(world.store)]);
  const rows = await world.store.read<{ count: number }>({
    sql: "SELECT count(*) AS count FROM message_index WHERE message_index MATCH 'zebra'",
    args: [],
  });
  expect(rows).toEqual([{ count: 5 }]);
  expect(await indexPending(world.store)).toBe(0);
});

test("unspaced runs become pairs and their last character; other text stays", () => {
  expect(indexText("iPhone手机 ok 库").replace(/\s+/g, " ").trim()).toBe("iPhone 手机 机 ok 库");
  expect(indexText("数据库").trim()).toBe("数据 据库 库");
});

test("a question has at most 24 terms", () => {
  const text = Array.from({ length: 100 }, (_, index) => `word${index}`).join(" ");
  expect(parseQuestion(text).terms).toHaveLength(24);
});

test("a snippet has at most 240 units, on one line, around the hits", () => {
  const text = `${"before ".repeat(100)}\nthe apple and the pear\n${"after ".repeat(100)}`;
  const snippet = makeSnippet(text, parseQuestion("apple pear").terms);
  expect(snippet).toContain(">>>apple<<< and the >>>pear<<<");
  expect(snippet.length).toBeLessThanOrEqual(240);
  const dense = makeSnippet("apple ".repeat(200), parseQuestion("apple").terms);
  expect(dense.length).toBeLessThanOrEqual(240);
  expect(dense.startsWith(">>>apple<<<")).toBe(true);
});
