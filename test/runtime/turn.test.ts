import { expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { messageText } from "../../src/plugin/message.ts";
import type { OpenSession } from "../../src/runtime/index.ts";
import { expectNoViolations } from "../fakes/openai.ts";
import { createWorld } from "./world.ts";

async function rolesOf(open: OpenSession): Promise<string[]> {
  return (await open.messages()).map((entry) => entry.message.role);
}

test("a tool call and then text make two calls and four messages", async () => {
  await using world = await createWorld();
  world.write("note.txt", "the answer is 42\n");
  world.fake.reply(
    { text: "I look.", tools: [{ name: "read_file", arguments: { path: "note.txt" } }] },
    { text: "It is 42." },
  );
  const open = await world.open();
  const result = await world.ask(open, "what is in note.txt?");
  expect(result).toMatchObject({ outcome: "completed", text: "It is 42.", modelCalls: 2, toolCalls: 1 });
  expect(await rolesOf(open)).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(JSON.stringify(world.fake.requests[1]?.body.messages.at(-1))).toContain("the answer is 42");
  expectNoViolations(world.fake);
});

test("events come in order, are plain data, and the deltas are the stored text", async () => {
  await using world = await createWorld();
  world.fake.reply({ text: "Some words.", tools: [{ name: "todo", arguments: {} }] }, { text: "And an end." });
  const open = await world.open();
  const { events } = await world.ask(open, "go");
  expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  const types = events.map((event) => event.type).filter((type, index, all) => type !== all[index - 1]);
  expect(types).toEqual([
    "turn-start",
    "model-start",
    "text-delta",
    "model-end",
    "tool-call",
    "tool-start",
    "tool-end",
    "model-start",
    "text-delta",
    "model-end",
    "turn-end",
  ]);
  const shown = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");
  const stored = (await open.messages())
    .filter((entry) => entry.message.role === "assistant")
    .map((entry) => messageText(entry.message));
  expect(shown).toBe(stored.join(""));
});

test("the prefix of every request is byte-identical over twenty turns with tools and contexts", async () => {
  await using world = await createWorld();
  world.write("AGENTS.md", "Use tabs.\n");
  const open = await world.open();
  for (let turn = 0; turn < 20; turn += 1) {
    world.fake.reply(
      { tools: [{ name: "terminal", arguments: { command: `echo ${turn}` } }] },
      { text: `done ${turn}` },
    );
    await world.ask(open, `step ${turn}`, turn % 3 === 0 ? { context: `<recall>${turn}</recall>` } : {});
  }
  expect(world.fake.requests).toHaveLength(40);
  let before: string[] = [];
  const tools = JSON.stringify(world.fake.requests[0]?.body.tools);
  for (const request of world.fake.requests) {
    const now = request.body.messages.map((message) => JSON.stringify(message));
    expect(now.slice(0, before.length)).toEqual(before);
    expect(JSON.stringify(request.body.tools)).toBe(tools);
    before = now;
  }
  expectNoViolations(world.fake);
});

test("the prompt is frozen: a changed SOUL.md and AGENTS.md count in the next session only", async () => {
  await using world = await createWorld();
  world.write("AGENTS.md", "Old rule.");
  world.fake.always({ text: "ok" });
  const open = await world.open();
  await world.ask(open, "one");
  world.write("AGENTS.md", "New rule.");
  await world.ask(open, "two");
  await world.ask(await world.open(), "three");
  const systems = world.fake.requests.map((request) => String(request.body.messages[0]?.content));
  expect(systems.map((text) => text.includes("Old rule."))).toEqual([true, true, false]);
  expect(systems[2]).toContain("New rule.");
});

test("at the limit the model is asked once without tools, and the turn ends as limit", async () => {
  await using world = await createWorld({ overrides: { model: "test-model", maxTurns: 3 } });
  world.fake.always((body) =>
    body.tools === undefined
      ? { text: "Two of three done." }
      : { tools: [{ name: "terminal", arguments: { command: `echo ${body.messages.length}` } }] },
  );
  const open = await world.open();
  const result = await world.ask(open, "count");
  expect(result).toMatchObject({
    outcome: "limit",
    text: "Two of three done.",
    modelCalls: 4,
    toolCalls: 3,
    error: { code: "E_TURN_LIMIT" },
  });
  expect(world.fake.requests.at(-1)?.body.tools).toBeUndefined();
  expectNoViolations(world.fake);
});

test("an answer cut by its length is continued and joined", async () => {
  await using world = await createWorld();
  world.fake.reply({ text: "A", finish: "length" }, { text: "B", finish: "length" }, { text: "C" });
  const result = await world.ask(await world.open(), "long");
  expect(result).toMatchObject({ outcome: "completed", text: "ABC", modelCalls: 3 });
  expectNoViolations(world.fake);
});

test("an output limit spent on thinking fails with advice", async () => {
  await using world = await createWorld();
  world.fake.reply({ text: "<think>on and on", finish: "length" });
  const result = await world.ask(await world.open(), "think");
  expect(result).toMatchObject({ outcome: "failed", modelCalls: 1, error: { code: "E_OUTPUT_LIMIT" } });
});

test("truncated arguments are never run", async () => {
  await using world = await createWorld();
  world.fake.reply(
    { tools: [{ name: "terminal", arguments: '{"command":"touch made' }], finish: "length" },
    { text: "I stop." },
  );
  const open = await world.open();
  const result = await world.ask(open, "go");
  expect(result).toMatchObject({ outcome: "completed", toolCalls: 0 });
  expect(await rolesOf(open)).toEqual(["user", "assistant"]);
});

test("broken arguments are asked for twice in silence, then answered", async () => {
  await using world = await createWorld();
  const broken = { tools: [{ name: "todo", arguments: '{"a" 1}' }] };
  world.fake.reply(broken, broken, broken, { text: "I see." });
  const open = await world.open();
  const result = await world.ask(open, "go");
  expect(result).toMatchObject({ outcome: "completed", text: "I see.", modelCalls: 4 });
  expect(await rolesOf(open)).toEqual(["user", "assistant", "tool", "assistant"]);
  expect(JSON.stringify(world.fake.requests[3]?.body.messages.at(-1))).toContain("not valid JSON");
  expectNoViolations(world.fake);
});

test("an unknown tool is named three times, then the turn fails; its valid sibling is skipped", async () => {
  await using world = await createWorld();
  world.fake.always({
    tools: [
      { name: "quantum_teleport", arguments: {} },
      { name: "terminal", arguments: { command: "touch made" } },
    ],
  });
  const result = await world.ask(await world.open(), "go");
  expect(result).toMatchObject({ outcome: "failed", modelCalls: 3, error: { code: "E_TOOL_UNKNOWN" } });
  expect(result.error?.message).toContain("quantum_teleport");
  expect(JSON.stringify(world.fake.requests[1]?.body.messages)).toContain("Skipped");
  expect(() => readFileSync(join(world.cwd, "made"))).toThrow();
  expectNoViolations(world.fake);
});

test("misspelled names are repaired and identical calls run once", async () => {
  await using world = await createWorld();
  world.write("a.txt", "x");
  const call = { name: "Read-File", arguments: { path: "a.txt" } };
  world.fake.reply({ tools: [call, call, { name: "read_file", arguments: { path: "b.txt" } }] }, { text: "ok" });
  const result = await world.ask(await world.open(), "go");
  expect(result.toolCalls).toBe(2);
  expect(result.events.filter((event) => event.type === "tool-start").map((event) => event.name)).toEqual([
    "read_file",
    "read_file",
  ]);
  expectNoViolations(world.fake);
});

test("empty answers with the same inline thought end with that thought", async () => {
  await using world = await createWorld();
  world.fake.always({ text: "<think>idea</think>" });
  const result = await world.ask(await world.open(), "go");
  expect(result).toMatchObject({ outcome: "completed", text: "idea" });
});

test("text beside a housekeeping call is the answer when the model then says nothing", async () => {
  await using world = await createWorld();
  world.fake.reply({ text: "All done.", tools: [{ name: "todo", arguments: { todos: [] } }] }, { text: "" });
  const result = await world.ask(await world.open(), "go");
  expect(result).toMatchObject({ outcome: "completed", text: "All done." });
});

test("three empty answers fail with advice", async () => {
  await using world = await createWorld();
  world.fake.always({ text: "" });
  const result = await world.ask(await world.open(), "go");
  expect(result).toMatchObject({ outcome: "failed", modelCalls: 3, error: { code: "E_PROVIDER_EMPTY" } });
});

test("429 twice and then an answer: notices, no doubled text", async () => {
  await using world = await createWorld();
  world.fake.fail(429, { times: 2, headers: { "retry-after-ms": "1" } });
  world.fake.reply({ text: "here" });
  const result = await world.ask(await world.open(), "go");
  expect(result).toMatchObject({ outcome: "completed", text: "here", modelCalls: 1 });
  expect(result.events.filter((event) => event.type === "notice" && event.kind === "retry")).toHaveLength(2);
});

test("a server that keeps failing ends the turn with the error, and the question is kept", async () => {
  await using world = await createWorld();
  world.fake.fail(500, { times: 3 });
  const open = await world.open();
  const result = await world.ask(open, "keep this");
  expect(result).toMatchObject({ outcome: "failed", error: { code: "E_PROVIDER_SERVER" } });
  expect(messageText((await open.messages())[0]?.message ?? { role: "user", parts: [] })).toBe("keep this");
  world.fake.reply({ text: "back" });
  expect((await world.ask(open, "and now?")).text).toBe("back");
  expectNoViolations(world.fake);
});

test("a stream that breaks after text was shown is continued from there, not repeated", async () => {
  await using world = await createWorld();
  world.fake.reply({ text: "The first half and", noDone: true, finish: null }, { text: " the second." });
  const result = await world.ask(await world.open(), "go");
  expect(result).toMatchObject({ outcome: "completed", text: "The first half and the second." });
  expect(result.events.some((event) => event.type === "notice" && event.kind === "stream")).toBe(true);
  const shown = result.events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");
  expect(shown).toBe("The first half and the second.");
  expectNoViolations(world.fake);
});

test("an interrupt in the middle of the text keeps what was shown and closes the turn", async () => {
  await using world = await createWorld();
  world.fake.reply({ text: "These words were seen by the user ", stallAfter: 4 });
  const controller = new AbortController();
  const open = await world.open();
  const result = await world.ask(open, "go", {
    signal: controller.signal,
    onEvent: (event) => {
      if (event.type === "text-delta") controller.abort(new Error("stop"));
    },
  });
  expect(result.outcome).toBe("interrupted");
  expect(result.text.length).toBeGreaterThan(3);
  world.fake.reply({ text: "going on" });
  expect((await world.ask(open, "continue")).text).toBe("going on");
  expectNoViolations(world.fake);
});

test("an interrupt during a tool kills its process group and every call keeps one result", async () => {
  await using world = await createWorld();
  world.fake.reply({
    tools: [
      { name: "terminal", arguments: { command: "echo $$ > pid; sleep 300" } },
      { name: "terminal", arguments: { command: "touch never" } },
    ],
  });
  const controller = new AbortController();
  const open = await world.open();
  const running = world.ask(open, "go", { signal: controller.signal });
  let pid = 0;
  while (pid === 0) {
    pid = Number(
      await Bun.file(join(world.cwd, "pid"))
        .text()
        .catch(() => "0"),
    );
    await Bun.sleep(5);
  }
  controller.abort(new Error("stop"));
  expect((await running).outcome).toBe("interrupted");
  const state = await Bun.file(`/proc/${pid}/stat`)
    .text()
    .catch(() => "gone");
  expect(state === "gone" || / Z /.test(state)).toBe(true);
  expect(await rolesOf(open)).toEqual(["user", "assistant", "tool", "tool"]);
  expect(() => readFileSync(join(world.cwd, "never"))).toThrow();
  world.fake.reply({ text: "ok" });
  await world.ask(open, "and?");
  expectNoViolations(world.fake);
});

test("parallel reads keep the order of their calls", async () => {
  await using world = await createWorld();
  for (const name of ["a", "b", "c"]) world.write(`${name}.txt`, `text of ${name}`);
  world.fake.reply(
    { tools: ["a", "b", "c"].map((name) => ({ name: "read_file", arguments: { path: `${name}.txt` } })) },
    { text: "ok" },
  );
  await world.ask(await world.open(), "go");
  const results = world.fake.requests[1]?.body.messages
    .filter((message) => message.role === "tool")
    .map((message) => String(message.content));
  expect(results?.map((text) => /text of (\w)/.exec(text)?.[1])).toEqual(["a", "b", "c"]);
});

test("a dangerous command is denied without a person, and the model is told", async () => {
  await using world = await createWorld();
  world.write("build/x", "y");
  world.fake.reply({ tools: [{ name: "terminal", arguments: { command: "rm -rf build" } }] }, { text: "I may not." });
  await world.ask(await world.open(), "clean up");
  expect(readFileSync(join(world.cwd, "build/x"), "utf8")).toBe("y");
  expect(JSON.stringify(world.fake.requests[1]?.body.messages.at(-1))).toContain("do not retry");
});

test("an approval lets it run, and the question shows the command and its reasons", async () => {
  await using world = await createWorld();
  world.write("build/x", "y");
  const asked: unknown[] = [];
  world.fake.reply({ tools: [{ name: "terminal", arguments: { command: "rm -rf build" } }] }, { text: "Gone." });
  await world.ask(await world.open(), "clean up", {
    interaction: {
      ask: (question) => {
        asked.push(question);
        return Promise.resolve({ type: "approve", scope: "once" });
      },
    },
  });
  expect(() => readFileSync(join(world.cwd, "build/x"))).toThrow();
  expect(asked).toMatchObject([{ type: "approval", command: "rm -rf build" }]);
});

test("another runtime finds, resumes and continues the session", async () => {
  await using world = await createWorld();
  world.fake.reply({ text: "Blue." }, { text: "You said blue." });
  const open = await world.open();
  await world.ask(open, "my favorite color is blue");
  const other = await world.another();
  const resumed = await other.openSession({ source: "cli", cwd: world.cwd, resume: open.session.id.slice(0, 18) });
  await resumed.run(
    { parts: [{ type: "text", text: "which color?" }] },
    {
      interaction: { ask: () => Promise.resolve({ type: "deny" }) },
      emit: () => undefined,
      signal: new AbortController().signal,
    },
  );
  expect(world.fake.requests[1]?.body.messages.map((message) => message.role)).toEqual([
    "system",
    "user",
    "assistant",
    "user",
  ]);
  expect(JSON.stringify(world.fake.requests[1]?.body.messages[0])).toBe(
    JSON.stringify(world.fake.requests[0]?.body.messages[0]),
  );
});

test("the rows of a face are committed with the end of the turn", async () => {
  await using world = await createWorld();
  world.fake.reply({ text: "hello" });
  const open = await world.open();
  await open.run(
    {
      parts: [{ type: "text", text: "hi" }],
      finalize: (result) => [
        {
          sql: "INSERT INTO kv (key, value, updated_at) VALUES (?, ?, '2026-03-15T12:00:00Z')",
          args: ["test.reply", JSON.stringify(result.text)],
        },
      ],
    },
    {
      interaction: { ask: () => Promise.resolve({ type: "deny" }) },
      emit: () => undefined,
      signal: new AbortController().signal,
    },
  );
  const rows = await world.runtime.store.read<{ value: string }>({
    sql: "SELECT value FROM kv WHERE key = 'test.reply'",
    args: [],
  });
  expect(rows).toEqual([{ value: '"hello"' }]);
});

test("a database that was removed while the session is open is told, not written into the void", async () => {
  await using world = await createWorld();
  world.fake.always({ text: "ok" });
  const open = await world.open();
  await world.ask(open, "one");
  rmSync(join(world.home, "hermes.db"));
  const error: unknown = await world.ask(open, "two").catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "E_STORE_GONE" });
  expect(world.fake.requests).toHaveLength(1);
});
