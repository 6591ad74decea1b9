import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expectNoViolations } from "../fakes/openai.ts";
import { createWorld, fileAppears, hangingCommand, isAlive, sessionIdOf, toolCall, type World } from "./world.ts";

setDefaultTimeout(60_000);

/** Lets the model make one call and answer; what the call brought. */
async function resultOf(world: World, name: string, args: unknown): Promise<string> {
  world.fake.reply(toolCall(name, args), { text: "seen" });
  const result = await world.ask("try it", ["-Q"]);
  expect(result.stdout).toBe("seen\n");
  expect(result.code).toBe(0);
  expectNoViolations(world.fake);
  return String(world.fake.requests[1]?.body.messages.at(-1)?.content);
}

describe.concurrent("tools that meet something odd", () => {
  test("10 MB of output reach the model cut, with beginning and end", async () => {
    await using world = await createWorld();
    const text = await resultOf(world, "terminal", {
      command: "echo first-line; yes 'some output of a long build' | head -c 10000000; echo; echo last-line",
    });
    expect(text).toContain("first-line");
    expect(text).toContain("last-line");
    expect(text.length).toBeLessThan(120_000);
  });

  test("a sparse file of 2 GB is not read into memory", async () => {
    await using world = await createWorld();
    const file = openSync(join(world.cwd, "huge.log"), "w");
    ftruncateSync(file, 2 * 1024 ** 3);
    closeSync(file);
    const text = await resultOf(world, "read_file", { path: "huge.log" });
    expect(JSON.parse(text)).toMatchObject({ is_binary: true, file_size: 2 * 1024 ** 3 });
  });

  test("a binary file and invalid UTF-8 are told as what they are", async () => {
    await using world = await createWorld();
    writeFileSync(join(world.cwd, "data"), Buffer.from([0, 1, 2, 0, 255, 254, 0, 7]));
    writeFileSync(join(world.cwd, "latin.txt"), Buffer.from("caf\u00e9 au lait\n", "latin1"));
    world.fake.reply(
      toolCall("read_file", { path: "data" }),
      toolCall("read_file", { path: "latin.txt" }),
      toolCall("terminal", { command: "cat latin.txt" }),
      { text: "seen" },
    );
    const result = await world.ask("read both", ["-Q"]);
    expect(result.stdout).toBe("seen\n");
    const answers = world.fake.requests.at(-1)?.body.messages.filter((message) => message.role === "tool") ?? [];
    expect(String(answers[0]?.content)).toContain("is a binary file");
    expect(String(answers[1]?.content)).toContain("not valid UTF-8");
    expect(String(answers[2]?.content)).toContain("caf\uFFFD au lait");
    expectNoViolations(world.fake);
  });

  test("lone surrogates in arguments and answers are stored and sent as well-formed text", async () => {
    await using world = await createWorld();
    world.fake.reply(toolCall("write_file", { path: "odd.txt", content: "a\ud800b" }), { text: "done \udfff!" });
    const result = await world.ask("write odd text", ["-Q"]);
    expect(result.code).toBe(0);
    expect(readFileSync(join(world.cwd, "odd.txt"), "utf8")).toBe("a\uFFFDb");
    world.fake.reply({ text: "fine" });
    expect((await world.run(["chat", "-c", "-Q", "-q", "again"])).stdout).toBe("fine\n");
    expect(world.fake.requests.every((request) => !/\\ud8|\\udf/i.test(request.text))).toBe(true);
    expectNoViolations(world.fake);
  });

  test("arguments that are no JSON are sent back to the model, and never run", async () => {
    await using world = await createWorld();
    world.fake.reply(
      { text: "I try.", tools: [{ name: "terminal", arguments: '{"command": "touch ran' }], finish: "tool_calls" },
      { text: "done" },
    );
    const result = await world.ask("go", ["-Q"]);
    expect(result.code).toBe(0);
    expect(() => readFileSync(join(world.cwd, "ran"))).toThrow("ENOENT");
    expectNoViolations(world.fake);
  });

  test("hostile tool names and call ids are stored and sent in the form that servers take", async () => {
    await using world = await createWorld();
    world.fake.reply(
      {
        tools: [
          { name: `evil\u001b[2J\u202e${"n".repeat(1_000_000)}`, id: "i".repeat(1_000_000), arguments: { a: 1 } },
          { name: "read file\ud800!", id: "bell\u0007\nline", arguments: { path: "x" } },
          { name: "todo", id: "bell\u0007\nline", arguments: {} },
        ],
      },
      { text: "done" },
    );
    const result = await world.ask("go", ["--json"]);
    expect(result.code).toBe(0);
    expect(result.stdout).not.toMatch(/\\u001b|\\u202e|n{1000}|i{1000}/);
    const [, second] = world.fake.requests;
    const calls = second?.body.messages.find((message) => message.tool_calls !== undefined)?.tool_calls ?? [];
    expect(calls.map((call) => call.function.name.length)).toEqual([64, 9, 4]);
    expect(second?.text.length).toBeLessThan(60_000);
    expectNoViolations(world.fake);
  });

  test("of more than 128 calls in one answer the first 128 run, and the model is told", async () => {
    await using world = await createWorld();
    world.fake.reply(
      {
        tools: Array.from({ length: 300 }, (_, index) => ({ name: "read_file", arguments: { path: `${index}.txt` } })),
      },
      { text: "done" },
    );
    const result = await world.ask("go", ["-Q"]);
    expect(result.stdout).toBe("done\n");
    const [, second] = world.fake.requests;
    expect(second?.body.messages.filter((message) => message.role === "tool")).toHaveLength(128);
    expect(String(second?.body.messages.at(-1)?.content)).toContain("only the first 128 of 300 tool calls");
    expectNoViolations(world.fake);
  });

  test("a command that fails, one that floods stderr and one that times out are answers, not failures", async () => {
    await using world = await createWorld();
    world.fake.reply(
      toolCall("terminal", { command: "echo broken >&2; exit 3" }),
      toolCall("terminal", { command: "exec sleep 300", timeout: 1 }),
      toolCall("read_file", { path: "missing.txt" }),
      { text: "all three told" },
    );
    const result = await world.ask("go", ["-Q"]);
    expect(result.stdout).toBe("all three told\n");
    const answers = (world.fake.requests.at(-1)?.body.messages ?? []).filter((message) => message.role === "tool");
    expect(JSON.parse(String(answers[0]?.content))).toMatchObject({ output: "broken", exit_code: 3 });
    expect(JSON.parse(String(answers[1]?.content))).toMatchObject({ exit_code: 124 });
    expect(String(answers[2]?.content)).toContain("File not found: missing.txt");
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s during a command ends the command, stores the turn as interrupted, and the session goes on",
    async (signal) => {
      await using world = await createWorld();
      world.fake.reply(toolCall("terminal", { command: hangingCommand }));
      const running = world.start(["chat", "-m", "test-model", "-q", "hang"]);
      const child = Number(await fileAppears(join(world.cwd, "started"), running.ended));
      expect(isAlive(child)).toBe(true);
      running.kill(signal);
      const result = await running.ended;
      expect(result.code).toBe(130);
      expect(isAlive(child)).toBe(false);
      expect(result.stderr).not.toMatch(/^\s+at /m);
      const id = sessionIdOf(result);
      expect(world.turns(id)).toMatchObject([{ outcome: "interrupted" }]);
      world.fake.reply({ text: "still here" });
      expect((await world.run(["chat", "-c", "-Q", "-q", "well?"])).stdout).toBe("still here\n");
      expectNoViolations(world.fake);
    },
  );

  test("SIGINT during a stream keeps the text that was shown", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "one two three four five six", stallAfter: 4 });
    const running = world.start(["chat", "-m", "test-model", "-q", "count"]);
    await running.printed("one");
    running.kill("SIGINT");
    const result = await running.ended;
    expect(result.code).toBe(130);
    const shown = await world.show(sessionIdOf(result));
    expect(shown.messages[1]?.role).toBe("assistant");
    expect(shown.messages[1]?.parts[0]?.text).toStartWith("one");
    expect(world.turns(shown.id)).toMatchObject([{ outcome: "interrupted" }]);
  });

  test("a reader that goes away ends the process quietly, and the turn is stored", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "word ".repeat(50_000) });
    const result = await world.run(["-m", "test-model", "-q", "much"], {
      prefix: ["bash", "-c", '"$@" | head -c 10', "bash"],
    });
    expect(result.stdout).toBe("word word ");
    expect(result.stderr).not.toMatch(/^\s+at |EPIPE/m);
    expect(world.turns(sessionIdOf(result))).toMatchObject([{ outcome: "completed" }]);
  });
});
