import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "../../src/plugin/events.ts";
import { expectNoViolations } from "../fakes/openai.ts";
import { createWorld, expectFriendlyFailure, sessionIdOf, toolCall } from "./world.ts";

setDefaultTimeout(60_000);

describe.concurrent("one question", () => {
  test("a task with four tools changes real files and answers with what the last call said", async () => {
    await using world = await createWorld();
    writeFileSync(join(world.cwd, "sum.sh"), "echo $((2 - 3))\n");
    world.fake.reply(
      toolCall("read_file", { path: "sum.sh" }),
      toolCall("patch", { path: "sum.sh", old_string: "2 - 3", new_string: "2 + 3" }),
      toolCall("terminal", { command: "bash sum.sh | tee out.txt" }),
      toolCall("write_file", { path: "notes/report.md", content: "mended 中文 😀\n" }),
      (body) => ({ text: `seen: ${JSON.parse(String(body.messages[7]?.content)).output}` }),
    );
    const result = await world.ask("mend sum.sh");
    expect(result.code).toBe(0);
    expect(result.stdout).toBe("seen: 5\n");
    expect(readFileSync(join(world.cwd, "sum.sh"), "utf8")).toBe("echo $((2 + 3))\n");
    expect(readFileSync(join(world.cwd, "out.txt"), "utf8")).toBe("5\n");
    expect(readFileSync(join(world.cwd, "notes/report.md"), "utf8")).toBe("mended 中文 😀\n");
    expect(world.fake.requests).toHaveLength(5);
    expectNoViolations(world.fake);
  });

  test("three calls of one answer are answered in their order, whatever takes longest", async () => {
    await using world = await createWorld();
    writeFileSync(join(world.cwd, "a.txt"), "alpha\n");
    world.fake.reply({
      tools: [
        { name: "terminal", arguments: { command: "sleep 0.3; echo slow" }, id: "call_one" },
        { name: "read_file", arguments: { path: "a.txt" }, id: "call_two" },
        { name: "no_such_tool_here", arguments: {}, id: "call_three" },
      ],
    });
    world.fake.reply({ text: "done" });
    const result = await world.ask("all three", ["-Q"]);
    expect(result.stdout).toBe("done\n");
    const answers = world.fake.requests[1]?.body.messages.slice(3) ?? [];
    expect(answers.map((message) => [message.role, message.tool_call_id])).toEqual([
      ["tool", "call_one"],
      ["tool", "call_two"],
      ["tool", "call_three"],
    ]);
    expectNoViolations(world.fake);
  });

  test("-Q prints the answer on stdout and nothing but the session id on stderr", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "working on it", tools: [{ name: "terminal", arguments: { command: "true" } }] });
    world.fake.reply({ text: "forty-two" });
    const result = await world.ask("how many?", ["-Q"]);
    expect(result.stdout).toBe("forty-two\n");
    expect(result.stderr).toMatch(/^session_id: \d{8}_\d{6}_[0-9a-f]{6}\n$/);
    expect(result.code).toBe(0);
  });

  test("--json writes one event a line, from turn-start to turn-end, in the order things happened", async () => {
    await using world = await createWorld();
    world.fake.reply(toolCall("terminal", { command: "echo hi" }), { text: "line one\nline two", pieceLength: 4 });
    const result = await world.ask("go", ["--json"]);
    const events = result.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as AgentEvent);
    const types = events.map((event) => event.type).filter((type, index, all) => type !== all[index - 1]);
    expect(types).toEqual([
      "turn-start",
      "model-start",
      "model-end",
      "tool-call",
      "tool-start",
      "tool-end",
      "model-start",
      "text-delta",
      "model-end",
      "turn-end",
    ]);
    const deltas = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
    expect(deltas.join("")).toBe("line one\nline two");
    expect(events.at(-1)).toMatchObject({
      type: "turn-end",
      outcome: "completed",
      text: "line one\nline two",
      modelCalls: 2,
      toolCalls: 1,
      usage: { inputTokens: 200, outputTokens: 20 },
    });
  });

  test("-q - and no -q both read the question from stdin, whole and unchanged", async () => {
    await using world = await createWorld();
    world.fake.always({ text: "ok" });
    const question = "first line\n\n第二行 😀 'quoted' $HOME\n";
    for (const args of [["-q", "-"], []]) {
      const result = await world.run(["chat", "-m", "test-model", "-Q", ...args], { stdin: question });
      expect(result.code).toBe(0);
    }
    const asked = world.fake.requests.map((request) => String(request.body.messages[1]?.content).trimEnd());
    expect(asked).toEqual([question.trimEnd(), question.trimEnd()]);
  });

  test("with -q an input that stays open is not waited for", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "at once" });
    const result = await world.ask("hello", ["-Q"], {
      prefix: ["bash", "-c", 'mkfifo pipe && exec 3<>pipe && exec "$@" <&3', "bash"],
    });
    expect(result.stdout).toBe("at once\n");
    expect(result.code).toBe(0);
    expect(result.stderr).toContain("warning: stdin is open but nothing came");
  });

  test("what is piped in follows the question of -q", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "ok" });
    await world.ask("summarize", ["-Q"], { stdin: "line one\n世界\n" });
    expect(world.fake.requests[0]?.body.messages.at(-1)).toEqual({
      role: "user",
      content: "summarize\n\nline one\n世界\n",
    });
  });

  test("an output that cannot be written is told, and the turn is stored", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "unheard" });
    const result = await world.ask("hello", [], { prefix: ["bash", "-c", `exec "$@" >/dev/full`, "bash"] });
    expect(result.stderr).toContain("error: the output could not be written");
    expectFriendlyFailure(result, 1);
    expect((await world.show(sessionIdOf(result))).messages).toHaveLength(2);
  });

  test("stdin without end is refused at its limit, and nothing is sent", async () => {
    await using world = await createWorld();
    for (const words of [
      ["-q", "-"],
      ["-q", "look at this"],
    ]) {
      const result = await world.run(["chat", "-m", "test-model", ...words], {
        prefix: ["bash", "-c", 'yes | "$@"; exit ${PIPESTATUS[1]}', "bash"],
      });
      expectFriendlyFailure(result, 2);
    }
    expect(world.fake.requests).toHaveLength(0);
  });

  test("a question of 1 MB from stdin arrives whole", async () => {
    await using world = await createWorld();
    world.fake.always({ text: "ok" });
    const question = `start ${"word ".repeat(200_000)}end`;
    const result = await world.run(["chat", "-m", "test-model", "-Q"], {
      stdin: question,
      env: { HERMES_STREAM_STALE_TIMEOUT: "20" },
    });
    expect(result.stdout).toBe("ok\n");
    expect(world.fake.requests.some((request) => String(request.body.messages[1]?.content) === question)).toBe(true);
  });

  test.each([
    ["empty stdin", ["chat", "-m", "test-model"], ""],
    ["blank stdin", ["chat", "-m", "test-model", "-q", "-"], " \n"],
    ["an empty question", ["chat", "-q", ""], ""],
    ["an unknown flag", ["chat", "--frobnicate", "-q", "hi"], ""],
    ["an unknown command", ["sesions"], ""],
    ["an unknown subcommand", ["sessions", "lst"], ""],
    ["a count that is none", ["chat", "--max-turns", "few", "-q", "hi"], ""],
    ["words without -q", ["chat", "what", "is", "this"], ""],
  ])("%s is a usage error: exit 2, a next step, no request, no database", async (_, args, stdin) => {
    await using world = await createWorld();
    const result = await world.run(args, { stdin });
    expectFriendlyFailure(result, 2);
    expect(result.stdout).toBe("");
    expect(world.fake.requests).toHaveLength(0);
    expect(existsSync(join(world.hermesHome, "hermes.db"))).toBe(false);
  });

  test("a mistyped command is answered with the one that was meant", async () => {
    await using world = await createWorld();
    expect((await world.run(["sesions"])).stderr).toContain('did you mean "hermes sessions"?');
    expect((await world.run(["sessions", "lst"])).stderr).toContain('did you mean "hermes sessions list"?');
  });

  test("-r goes on with a session by id, by the start of an id, and by title; -c with the newest", async () => {
    await using world = await createWorld();
    world.fake.always({ text: "noted" });
    const first = sessionIdOf(await world.ask("alpha"));
    const second = sessionIdOf(await world.ask("beta"));
    expect((await world.run(["sessions", "rename", first, "the", "garden", "plan"])).code).toBe(0);
    for (const [args, id] of [
      [["-r", first], first],
      [["-r", first.slice(0, -1)], first],
      [["-r", "the", "garden", "plan"], first],
      [["-c"], first],
      [["-r", second], second],
      [["-c"], second],
    ] as const) {
      const result = await world.run(["chat", ...args, "-q", "go on"]);
      expect(sessionIdOf(result)).toBe(id);
      expect(result.code).toBe(0);
    }
    const users = (await world.show(first)).messages.filter((message) => message.role === "user");
    expect(users).toHaveLength(5);
    expectNoViolations(world.fake);
  });

  test("an unknown session, and -c without any, fail without a request", async () => {
    await using world = await createWorld();
    for (const args of [["-r", "nobody"], ["-c"]]) {
      const result = await world.ask("hi", args);
      expectFriendlyFailure(result);
    }
    expect(world.fake.requests).toHaveLength(0);
  });

  test("-m and --provider choose for one run and are remembered by the session", async () => {
    await using world = await createWorld();
    world.fake.always({ text: "ok" });
    const result = await world.run(["chat", "--provider", "custom", "-m", "other/model:7b", "-q", "hi"]);
    expect(result.code).toBe(0);
    await world.run(["chat", "-c", "-q", "again"]);
    expect(world.fake.requests.map((request) => request.body.model)).toEqual(["other/model:7b", "other/model:7b"]);
    expect(await world.show(sessionIdOf(result))).toMatchObject({ model: "other/model:7b", provider: "custom" });
  });

  test("a model that never answered is not what -c goes on with", async () => {
    await using world = await createWorld();
    world.fake.fail(404, { body: '{"error":{"message":"The model typo does not exist"}}' });
    const wrong = await world.run(["chat", "-m", "typo2", "-q", "hi"]);
    expect(wrong.code).toBe(1);
    world.fake.reply({ text: "ok" });
    expect((await world.run(["chat", "-c", "-q", "again"])).code).toBe(0);
    world.fake.fail(404, { body: '{"error":{"message":"The model typo3 does not exist"}}' });
    expect((await world.run(["chat", "-c", "-m", "typo3", "-q", "and"])).code).toBe(1);
    world.fake.reply({ text: "ok" });
    expect((await world.run(["chat", "-c", "-q", "once more"])).code).toBe(0);
    expect(world.fake.requests.map((request) => request.body.model)).toEqual([
      "typo2",
      "test-model",
      "typo3",
      "test-model",
    ]);
  });

  test.each([
    [["chat", "-q", "x", "--max-turns", "1e99"], 2, "--max-turns"],
    [["chat", "-q", "x", "-q", "y"], 2, "--query is given twice"],
    [["sessions", "list", "--limit", "-1"], 2, "--limit"],
    [["sessions", "list", "--limit", "99999999999999999999"], 2, "--limit"],
    [["config", "get", "x".repeat(5000)], 1, "5002 characters)"],
  ])("%j is refused with a word of bearable length", async (args, code, text) => {
    await using world = await createWorld();
    const result = await world.run(args);
    expect([result.code, result.stderr.includes(text), result.stderr.length < 1000]).toEqual([code, true, true]);
  });

  test("an unknown provider is named, with those there are", async () => {
    await using world = await createWorld();
    const result = await world.ask("hi", ["--provider", "opnrouter"]);
    expectFriendlyFailure(result);
    expect(result.stderr).toContain("opnrouter");
  });

  test("two variables and -m are enough: no file is needed, and the key goes to the server alone", async () => {
    await using world = await createWorld({ key: "sk-secret-of-the-server-123456" });
    world.fake.reply({ text: "hello" });
    const result = await world.ask("hi", ["-Q"], { env: { HERMES_HOME: undefined } });
    expect(result.stdout).toBe("hello\n");
    expect(world.fake.requests[0]?.headers["authorization"]).toBe("Bearer sk-secret-of-the-server-123456");
    expect(world.fake.requests[0]?.text).not.toContain("sk-secret-of-the-server");
  });

  test("--max-turns ends the turn with exit 1 and keeps what was done", async () => {
    await using world = await createWorld();
    world.fake.always((body) =>
      body.tools === undefined || body.tools.length === 0
        ? { text: "the budget is used up" }
        : toolCall("terminal", { command: "echo x >> counted" }),
    );
    const result = await world.ask("count", ["--max-turns", "3"]);
    expect(result.code).toBe(1);
    expect(readFileSync(join(world.cwd, "counted"), "utf8")).toBe("x\nx\nx\n");
    expect(world.turns(sessionIdOf(result))).toMatchObject([{ outcome: "limit" }]);
    expectNoViolations(world.fake);
  });
});
