import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { expectNoViolations } from "../fakes/openai.ts";
import { createWorld, expectFriendlyFailure, type Finished, sessionIdOf, toolCall, type World } from "./world.ts";

setDefaultTimeout(60_000);

const quick = { env: { HERMES_RETRY_BASE_MS: "5" } };

/** After a failure: the question is in the session, the turn is closed as failed, and the next question works. */
async function expectKept(world: World, failure: Finished, question: string): Promise<void> {
  const id = sessionIdOf(failure);
  const shown = await world.show(id);
  expect(shown.messages[0]).toMatchObject({ role: "user", parts: [{ type: "text", text: question }] });
  expect(world.turns(id).map((turn) => turn.outcome)).toEqual(["failed"]);
  world.fake.reply({ text: "works again" });
  const next = await world.run(["chat", "-r", id, "-Q", "-q", "and now?"]);
  expect(next.stdout).toBe("works again\n");
  expectNoViolations(world.fake);
}

describe.concurrent("a model server that fails", () => {
  test("a wrong key is told as one, without trying again and without showing the key", async () => {
    await using world = await createWorld({ key: "sk-the-right-key-0123456789" });
    const wrong = { env: { ...quick.env, OPENAI_API_KEY: "sk-the-wrong-key-9876543210" } };
    const result = await world.ask("hello there", [], wrong);
    expectFriendlyFailure(result);
    expect(result.stderr).toContain("refused the API key (401)");
    expect(result.stdout + result.stderr).not.toContain("sk-the-wrong-key-9876543210");
    await expectKept(world, result, "hello there");
  });

  test("an unknown model is named, with where to look", async () => {
    await using world = await createWorld();
    world.fake.fail(404, { body: JSON.stringify({ error: { message: "The model `test-model` does not exist" } }) });
    const result = await world.ask("hello", [], quick);
    expectFriendlyFailure(result);
    expect(result.stderr).toContain('does not know the model "test-model"');
    expect(world.fake.requests).toHaveLength(1);
    await expectKept(world, result, "hello");
  });

  test("a page of HTML is told as a wrong address", async () => {
    await using world = await createWorld();
    world.fake.raw(
      () =>
        new Response("<!doctype html><html><title>Welcome</title></html>", {
          headers: { "content-type": "text/html" },
        }),
    );
    const result = await world.ask("hello", [], quick);
    expectFriendlyFailure(result);
    expect(result.stderr).toContain("is not an OpenAI-compatible API: it answered");
    expect(result.stderr).toContain("/v1");
    await expectKept(world, result, "hello");
  });

  test("a path that is not there is told as a wrong address", async () => {
    await using world = await createWorld();
    const result = await world.ask("hello", [], {
      env: { ...quick.env, OPENAI_BASE_URL: world.fake.baseUrl.replace("/v1", "/api") },
    });
    expectFriendlyFailure(result);
    expect(result.stderr).toContain("  try: check the base URL: most servers need /v1 at its end");
  });

  test("a port where nobody listens is told with its address", async () => {
    await using world = await createWorld();
    const free = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const { port } = free;
    await free.stop(true);
    const result = await world.ask("hello", [], {
      env: { ...quick.env, OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` },
    });
    expectFriendlyFailure(result);
    expect(result.stderr).toContain(`no connection to custom (http://127.0.0.1:${port}/v1)`);
    await expectKept(world, result, "hello");
  });

  test("a stream that breaks off is taken up again, and the answer is whole", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "The first half, ", finish: null, noDone: true }, { text: "the second half." });
    const result = await world.ask("tell me", ["-Q"], quick);
    expect(result.stdout).toBe("The first half, the second half.\n");
    expect(result.code).toBe(0);
    expect(world.fake.requests).toHaveLength(2);
    expect(world.fake.requests[1]?.body.messages[2]).toEqual({ role: "assistant", content: "The first half, " });
    expect(world.turns(sessionIdOf(result))).toMatchObject([{ outcome: "completed" }]);
    expectNoViolations(world.fake);
  });

  test("a stream that breaks off in the arguments of a call never runs half of it", async () => {
    await using world = await createWorld();
    world.fake.reply({
      tools: [{ name: "terminal", arguments: '{"command": "touch one two' }],
      finish: null,
      noDone: true,
    });
    world.fake.reply({ text: "let me not" });
    const result = await world.ask("touch", ["-Q"], quick);
    expect(result.stdout).toBe("let me not\n");
    expect(readdirSync(world.cwd)).toEqual([]);
    expectNoViolations(world.fake);
  });

  test("with --json a failure is the last event, with code and hint, and exit 1", async () => {
    await using world = await createWorld();
    world.fake.fail(401, { body: "{}" });
    const result = await world.ask("hello", ["--json"], quick);
    const last: unknown = JSON.parse(result.stdout.trimEnd().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({
      type: "turn-end",
      outcome: "failed",
      error: { code: "E_PROVIDER_AUTH", message: expect.any(String), hint: expect.any(String) },
    });
    expect(result.code).toBe(1);
  });

  test("a conversation too long for the model is summarized, goes on, and is found under its old id", async () => {
    await using world = await createWorld();
    let isFull = false;
    world.fake.always((body) => ({
      text: `answer to ${String(body.messages.at(-1)?.content).slice(0, 40)} ${"filler ".repeat(300)}`,
    }));
    const id = sessionIdOf(await world.ask("question 1", [], quick));
    for (let turn = 2; turn <= 8; turn += 1) await world.run(["chat", "-r", id, "-q", `question ${turn}`], quick);
    world.fake.raw(() => {
      isFull = true;
      const message = "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.";
      return Response.json({ error: { message, code: "context_length_exceeded" } }, { status: 400 });
    });
    const result = await world.run(["chat", "-r", id, "-q", "question 9"], quick);
    expect(isFull).toBe(true);
    expect(result.code).toBe(0);
    expect(result.stdout).toContain("answer to");
    const next = sessionIdOf(result);
    expect(next).not.toBe(id);
    expect((await world.show(id)).messages.filter((message) => message.role === "user").length).toBeGreaterThanOrEqual(
      8,
    );
    const again = await world.run(["chat", "-r", id, "-q", "question 10"], quick);
    expect(sessionIdOf(again)).toBe(next);
    expect(again.code).toBe(0);
    expectNoViolations(world.fake);
  });

  test("a stream that falls silent is given up after the set time and tried again", async () => {
    await using world = await createWorld();
    world.fake.reply({ text: "never seen", stallAfter: 0 }, { text: "second try" });
    const result = await world.ask("tell me", ["-Q"], { env: { ...quick.env, HERMES_STREAM_STALE_TIMEOUT: "1" } });
    expect(result.stdout).toBe("second try\n");
    expect(result.code).toBe(0);
    expect(world.fake.requests).toHaveLength(2);
  });

  test("a server that always falls silent is told as such", async () => {
    await using world = await createWorld();
    for (let count = 0; count < 5; count += 1) world.fake.reply({ text: "never seen", stallAfter: 0 });
    const result = await world.ask("tell me", [], { env: { ...quick.env, HERMES_STREAM_STALE_TIMEOUT: "0.2" } });
    expectFriendlyFailure(result);
    expect(result.stderr).toContain("HERMES_STREAM_STALE_TIMEOUT sets the limit");
    expect(world.turns(sessionIdOf(result))).toMatchObject([{ outcome: "failed" }]);
  });

  test("500 on every attempt fails with the server's own words", async () => {
    await using world = await createWorld();
    world.fake.fail(500, { times: 3, body: JSON.stringify({ error: { message: "out of marbles" } }) });
    const result = await world.ask("hello", [], quick);
    expectFriendlyFailure(result);
    expect(result.stderr).toContain("failed with 500: out of marbles");
    expect(world.fake.requests).toHaveLength(3);
    await expectKept(world, result, "hello");
  });

  test("500 twice, then an answer: it is shown once and the retries are told", async () => {
    await using world = await createWorld();
    world.fake.fail(500, { times: 2 });
    world.fake.reply({ text: "here I am" });
    const result = await world.ask("hello", [], quick);
    expect(result.stdout).toBe("here I am\n");
    expect(result.stderr.match(/trying again/g)).toHaveLength(2);
    expect(result.code).toBe(0);
  });

  test("429 with Retry-After: 0 is tried again at once", async () => {
    await using world = await createWorld();
    world.fake.fail(429, { headers: { "retry-after": "0" } });
    world.fake.reply({ text: "through" });
    // with the usual waits this would outlast the process's limit
    const result = await world.ask("hello", ["-Q"], { env: { HERMES_RETRY_BASE_MS: "50000" } });
    expect(result.stdout).toBe("through\n");
    expect(world.fake.requests).toHaveLength(2);
  });

  test("an answer of nothing but empty ones fails and says what to check", async () => {
    await using world = await createWorld();
    world.fake.always({ text: "" });
    const result = await world.ask("hello", [], quick);
    expectFriendlyFailure(result);
    expect(result.stderr).toContain("test-model gave 3 empty answers");
    expect((await world.show(sessionIdOf(result))).messages[0]?.parts[0]?.text).toBe("hello");
    expectNoViolations(world.fake);
  });

  test("a model that calls a tool that does not exist is told which there are", async () => {
    await using world = await createWorld();
    world.fake.reply(toolCall("frobnicate_the_disk", {}), { text: "sorry" });
    const result = await world.ask("hello", ["-Q"], quick);
    expect(result.stdout).toBe("sorry\n");
    expect(String(world.fake.requests[1]?.body.messages.at(-1)?.content)).toContain("terminal");
    expectNoViolations(world.fake);
  });

  test("a base URL that is none is refused before anything is sent", async () => {
    await using world = await createWorld();
    const result = await world.ask("hello", [], { env: { OPENAI_BASE_URL: "localhost:8000" } });
    expectFriendlyFailure(result);
    expect(result.stderr).toContain("is not an http or https URL");
  });
});
