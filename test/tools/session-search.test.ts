import { expect, test } from "bun:test";
import { isRecord, parseJson } from "../../src/base/json.ts";
import type { Session } from "../../src/session/index.ts";
import { sessionSearch } from "../../src/tools/session-search.ts";
import { calls, completed, createSessionWorld, result, user } from "../session/session-world.ts";
import { createToolWorld } from "./tool-world.ts";

type World = Awaited<ReturnType<typeof createSessionWorld>>;

/** Calls the tool in a session of this world. */
async function ask(world: World, args: Record<string, unknown>, current?: Session) {
  await using tools = createToolWorld();
  const id = current?.id ?? "20990101_000000_000000";
  const session = { id, source: "cli", setCwd: () => undefined };
  const context = { ...tools.context, store: world.store, sessionId: id, session, lineage: [id] };
  const output = await sessionSearch.execute(sessionSearch.parameters.parse(args), context);
  const json = parseJson(typeof output === "string" ? output : output.text);
  if (!isRecord(json) || !Array.isArray(json["results"])) throw new Error("not an answer");
  return { json, ids: json["results"].map((entry) => (isRecord(entry) ? entry["session_id"] : undefined)) };
}

test("without query it lists the newest sessions, not the current one", async () => {
  await using world = await createSessionWorld();
  const [first, second, current] = [await world.talk(["one"]), await world.talk(["two"]), await world.talk(["now"])];
  await world.talk(["machinery"], { source: "tool" });
  const { json, ids } = await ask(world, {}, current);
  expect(ids).toEqual([second.id, first.id]);
  expect(json).toMatchObject({ success: true, mode: "recent", count: 2 });
  expect(json["results"]).toMatchObject([{ preview: "two", source: "cli", message_count: 1, title: null }, {}]);
});

test("a query finds the session with the messages around the hit", async () => {
  await using world = await createSessionWorld();
  const session = await world.talk(["before it", "the zebra crossing", "after it"]);
  const { json, ids } = await ask(world, { query: "where was that zebra?" });
  expect(ids).toEqual([session.id]);
  expect(json).toMatchObject({ success: true, query: "where was that zebra?", count: 1, sessions_searched: 1 });
  expect(json["results"]).toMatchObject([
    {
      matches: [
        {
          role: "user",
          snippet: "the >>>zebra<<< crossing",
          text: "the zebra crossing",
          before: ["user: before it"],
          after: ["user: after it"],
        },
      ],
    },
  ]);
});

test("the current session, those it continues, and machinery are left out", async () => {
  await using world = await createSessionWorld();
  const turn = await world.begin(await world.create());
  await turn.append([user("zebra")]);
  await turn.continueAs({ systemPrompt: "", tools: [], messages: [user("summary")] });
  await turn.append([user("zebra again")]);
  await turn.close(completed());
  await world.talk(["zebra"], { source: "tool" });
  expect((await ask(world, { query: "zebra" }, turn.session)).ids).toEqual([]);
  expect((await ask(world, { query: "zebra" })).ids).toHaveLength(1);
});

test("odd limits are tolerated and bounded", async () => {
  await using world = await createSessionWorld();
  for (let index = 0; index < 7; index += 1) await world.talk([`zebra ${index}`]);
  const count = async (limit: unknown): Promise<number> => (await ask(world, { query: "zebra", limit })).ids.length;
  expect([await count("2"), await count(99), await count(0), await count("many"), await count(undefined)]).toEqual([
    2, 5, 1, 3, 3,
  ]);
});

test("roles narrow the search, long messages are cut, secrets are hidden", async () => {
  await using world = await createSessionWorld();
  const turn = await world.begin(await world.create());
  const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  await turn.append([user(`zebra ${secret} ${"long ".repeat(1000)}`), calls("c1"), result("c1", "zebra in the log")]);
  await turn.close(completed());
  const { json } = await ask(world, { query: "zebra", role_filter: "user, assistant" });
  const text = JSON.stringify(json);
  expect(text).not.toContain(secret);
  expect(text).not.toContain("zebra in the log");
  expect(text.length).toBeLessThan(4000);
  const tool = await ask(world, { query: "zebra", role_filter: "tool" });
  expect(JSON.stringify(tool.json)).toContain("zebra in the log");
});

test("nothing found is an answer that says what to try", async () => {
  await using world = await createSessionWorld();
  const { json } = await ask(world, { query: "***" });
  expect(json).toMatchObject({ success: true, count: 0, message: expect.stringContaining("other words") as unknown });
});
