import { expect, test } from "bun:test";
import { isHermesError, ProviderError } from "../../src/base/errors.ts";
import { createChatCompletionsClient } from "../../src/models/wire/chat-completions.ts";
import type { Message } from "../../src/plugin/message.ts";
import type { ModelClient, ModelEvent, ModelRequest, ProviderQuirks } from "../../src/plugin/provider.ts";
import { expectNoViolations, type FakeOpenAi, startFakeOpenAi } from "../fakes/openai.ts";

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });

function request(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return { model: "test-model", messages: [user("hi")], tools: [], ...overrides };
}

function client(
  fake: { baseUrl: string },
  options: { key?: string; quirks?: ProviderQuirks; staleMs?: number } = {},
): ModelClient {
  return createChatCompletionsClient({
    provider: "custom",
    baseUrl: fake.baseUrl,
    apiKey: options.key,
    quirks: options.quirks ?? {},
    fetch,
    now: () => new Date("2026-03-15T12:00:00Z"),
    staleMs: () => options.staleMs ?? 5000,
  });
}

async function collect(
  from: ModelClient,
  wanted: ModelRequest = request(),
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of from.stream(wanted, signal)) events.push(event);
  return events;
}

async function failureOf(run: Promise<unknown>): Promise<ProviderError> {
  const error: unknown = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isHermesError(error) || !(error instanceof ProviderError)) throw new Error(`no ProviderError: ${String(error)}`);
  return error;
}

const textOf = (events: ModelEvent[]): string =>
  events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");

test("streams text in deltas, usage and the finish reason last", async () => {
  await using fake = startFakeOpenAi();
  fake.reply({ text: "Hello there, 世界 🙂", usage: { prompt: 30, completion: 5, cached: 20 } });
  const events = await collect(client(fake));
  expect(textOf(events)).toBe("Hello there, 世界 🙂");
  expect(events.filter((event) => event.type === "text-delta").length).toBeGreaterThan(1);
  expect(events.find((event) => event.type === "usage")).toEqual({
    type: "usage",
    usage: { inputTokens: 30, outputTokens: 5, cacheReadTokens: 20, cacheWriteTokens: 0, reasoningTokens: 0 },
  });
  expect(events.at(-1)).toEqual({ type: "finish", reason: "stop", model: "test-model" });
  expectNoViolations(fake);
});

test("assembles tool calls whose arguments come in pieces", async () => {
  await using fake = startFakeOpenAi();
  fake.reply({
    text: "I look.",
    tools: [
      { id: "a", name: "read_file", arguments: { path: "src/one.ts" } },
      { id: "b", name: "terminal", arguments: { command: "echo 'tief ☃'" } },
    ],
  });
  const events = await collect(client(fake));
  expect(events.filter((event) => event.type === "tool-call")).toEqual([
    { type: "tool-call", id: "a", name: "read_file", arguments: '{"path":"src/one.ts"}' },
    { type: "tool-call", id: "b", name: "terminal", arguments: `{"command":"echo 'tief ☃'"}` },
  ]);
  expect(events.at(-1)).toEqual({ type: "finish", reason: "tool-calls", model: "test-model" });
});

test("a new id on a reused index opens a second call", async () => {
  await using fake = startFakeOpenAi();
  const delta = (call: unknown) => `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] })}\n\n`;
  fake.raw(
    () =>
      new Response(
        delta({ index: 0, id: "a", function: { name: "todo", arguments: "{}" } }) +
          delta({ index: 0, id: "b", function: { name: "todo", arguments: '{"x"' } }) +
          delta({ index: 0, function: { arguments: ":1}" } }) +
          "data: [DONE]\n\n",
        { headers: { "content-type": "text/event-stream" } },
      ),
  );
  const calls = (await collect(client(fake))).filter((event) => event.type === "tool-call");
  expect(calls.map((call) => [call.id, call.arguments])).toEqual([
    ["a", "{}"],
    ["b", '{"x":1}'],
  ]);
});

test("arguments sent as an object become JSON text, and a missing id is made", async () => {
  await using fake = startFakeOpenAi();
  fake.raw(() =>
    Response.json({
      choices: [
        {
          message: { content: null, tool_calls: [{ function: { name: "todo", arguments: { a: 1 } } }] },
          finish_reason: "tool_calls",
        },
      ],
    }),
  );
  const call = (await collect(client(fake))).find((event) => event.type === "tool-call");
  expect(call?.arguments).toBe('{"a":1}');
  expect(call?.id).toMatch(/^call_[0-9a-f]{24}$/);
});

test("think tags split over deltas never show, and become reasoning", async () => {
  await using fake = startFakeOpenAi();
  fake.reply({ text: "<think>count the r's</think>\nThree.", pieceLength: 2 });
  const events = await collect(client(fake));
  expect(textOf(events)).toBe("Three.");
  expect(events.find((event) => event.type === "reasoning")).toEqual({ type: "reasoning", text: "count the r's" });
});

test("reasoning content is kept with the payload to send back to its maker only", async () => {
  await using fake = startFakeOpenAi();
  fake.reply({ reasoning: "hm", text: "Yes." }, { text: "again" }, { text: "again" });
  const events = await collect(client(fake));
  const reasoning = events.find((event) => event.type === "reasoning");
  expect(reasoning).toEqual({ type: "reasoning", text: "hm", opaque: { reasoning_content: "hm" } });
  const replay = (provider: string): Message[] => [
    user("hi"),
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm", provider, opaque: { reasoning_content: "hm" } },
        { type: "text", text: "Yes." },
      ],
    },
    user("more"),
  ];
  await collect(client(fake), request({ messages: replay("custom") }));
  await collect(client(fake), request({ messages: replay("other") }));
  expect(fake.requests[1]?.body.messages[1]).toEqual({
    role: "assistant",
    content: "Yes.",
    reasoning_content: "hm",
  } as never);
  expect(fake.requests[2]?.body.messages[1]).toEqual({ role: "assistant", content: "Yes." });
  expectNoViolations(fake);
});

test("a server that answers without a stream is understood", async () => {
  await using fake = startFakeOpenAi();
  fake.raw((body) =>
    Response.json({
      model: body.model,
      choices: [{ index: 0, message: { role: "assistant", content: "whole" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 1 },
    }),
  );
  const events = await collect(client(fake));
  expect(textOf(events)).toBe("whole");
  expect(events.some((event) => event.type === "usage")).toBe(true);
});

test("a server that refuses stream_options is asked again without", async () => {
  await using fake = startFakeOpenAi();
  fake.fail(400, { body: JSON.stringify({ error: { message: "Unknown parameter: stream_options" } }) });
  fake.reply({ text: "ok" });
  const from = client(fake);
  expect(textOf(await collect(from))).toBe("ok");
  expect(fake.requests.map((entry) => entry.body.stream_options !== undefined)).toEqual([true, false]);
});

test("a server that refuses streaming is asked without, and stays so", async () => {
  await using fake = startFakeOpenAi();
  fake.fail(400, { body: JSON.stringify({ error: { message: "Streaming is not supported for this model" } }) });
  fake.reply({ text: "one" }, { text: "two" });
  const from = client(fake);
  expect(textOf(await collect(from))).toBe("one");
  expect(textOf(await collect(from))).toBe("two");
  expect(fake.requests.map((entry) => entry.body.stream)).toEqual([true, false, false]);
});

test("a stream cut in the middle is a retryable connection error, not an answer", async () => {
  await using fake = startFakeOpenAi();
  fake.reply({ text: "this will be cut somewhere", cutAfter: 3 });
  const error = await failureOf(collect(client(fake)));
  expect([error.failure, error.retryable]).toEqual(["connection", true]);
});

test("a stream that ends in silence without a finish is a connection error", async () => {
  await using fake = startFakeOpenAi();
  fake.reply({ text: "half", finish: null, noDone: true });
  const error = await failureOf(collect(client(fake)));
  expect(error.message).toContain("broke off the answer in the middle");
});

test("a stream that only says done is an empty answer of the server", async () => {
  await using fake = startFakeOpenAi();
  fake.raw(() => new Response("data: [DONE]\n\n", { headers: { "content-type": "text/event-stream" } }));
  const error = await failureOf(collect(client(fake)));
  expect(error.code).toBe("E_PROVIDER_EMPTY");
});

test("a stalled stream is broken off", async () => {
  await using fake = startFakeOpenAi();
  fake.reply({ text: "some words before silence", stallAfter: 2 });
  const error = await failureOf(collect(client(fake, { staleMs: 60 })));
  expect([error.failure, error.retryable]).toEqual(["timeout", true]);
});

test("an abort ends the stream with the signal's reason", async () => {
  await using fake = startFakeOpenAi();
  fake.reply({ text: "some words before silence", stallAfter: 2 });
  const controller = new AbortController();
  const reason = new Error("stop it");
  const run = (async () => {
    for await (const event of client(fake).stream(request(), controller.signal)) {
      if (event.type === "text-delta") controller.abort(reason);
    }
  })();
  expect(await run.catch((error: unknown) => error)).toBe(reason);
});

test.each([
  [401, "auth", false],
  [402, "billing", false],
  [413, "payload-too-large", false],
  [429, "rate-limit", true],
  [500, "server", true],
  [503, "overloaded", true],
  [529, "overloaded", true],
] as const)("status %i is %s", async (status, failure, retryable) => {
  await using fake = startFakeOpenAi();
  fake.fail(status);
  const error = await failureOf(collect(client(fake)));
  expect([error.status, error.failure, error.retryable]).toEqual([status, failure, retryable]);
  expect(error.hint).toBeDefined();
});

test("a wrong key names the provider and not the key", async () => {
  await using fake = startFakeOpenAi({ key: "right-key-1234567890" });
  const error = await failureOf(collect(client(fake, { key: "wrong-key-1234567890" })));
  expect(error.failure).toBe("auth");
  expect(error.message).not.toContain("wrong-key");
});

test("Retry-After is read in seconds; longer than two minutes is not waited for but told", async () => {
  await using fake = startFakeOpenAi();
  fake.fail(429, { headers: { "retry-after": "2" } });
  fake.fail(429, { headers: { "retry-after": "9000" } });
  const from = client(fake);
  const soon = await failureOf(collect(from));
  expect([soon.retryAfterMs, soon.retryable]).toEqual([2000, true]);
  const late = await failureOf(collect(from));
  expect([late.failure, late.retryable]).toEqual(["rate-limit", false]);
  expect(late.hint).toContain("in 2.5 hours");
});

test("an HTML page in place of an API says so with its title", async () => {
  await using fake = startFakeOpenAi();
  fake.raw(
    () =>
      new Response("<!doctype html><html><head><title>Router login</title></head></html>", {
        headers: { "content-type": "text/html" },
      }),
  );
  const error = await failureOf(collect(client(fake)));
  expect(error.failure).toBe("not-an-api");
  expect(error.message).toContain("Router login");
  expect(error.hint).toContain("/v1");
});

test("a wrong path is told by the page it answers with", async () => {
  await using fake = startFakeOpenAi();
  const error = await failureOf(collect(client({ baseUrl: fake.baseUrl.replace("/v1", "/wrong") })));
  expect(error.failure).toBe("not-an-api");
});

test("a port nobody listens on is a connection error that names the URL", async () => {
  const error = await failureOf(collect(client({ baseUrl: "http://127.0.0.1:9/v1" })));
  expect([error.failure, error.retryable]).toEqual(["connection", true]);
  expect(error.message).toBe("no connection to custom (http://127.0.0.1:9/v1): nothing listens there (ECONNREFUSED)");
});

test("an unknown model is named", async () => {
  await using fake = startFakeOpenAi();
  fake.fail(404, { body: JSON.stringify({ error: { message: "The model `nope` does not exist" } }) });
  const error = await failureOf(collect(client(fake), request({ model: "nope" })));
  expect(error.failure).toBe("model-not-found");
  expect(error.message).toContain('"nope"');
});

test("an error event inside the stream is classified by its own code", async () => {
  await using fake = startFakeOpenAi();
  fake.raw(
    () =>
      new Response(`data: ${JSON.stringify({ error: { message: "upstream overloaded", code: 503 } })}\n\n`, {
        headers: { "content-type": "text/event-stream" },
      }),
  );
  const error = await failureOf(collect(client(fake)));
  expect([error.failure, error.retryable]).toEqual(["overloaded", true]);
});

test("broken JSON inside the stream is a retryable connection error", async () => {
  await using fake = startFakeOpenAi();
  fake.raw(() => new Response("data: {broken\n\n", { headers: { "content-type": "text/event-stream" } }));
  expect((await failureOf(collect(client(fake)))).retryable).toBe(true);
});

test("lone surrogates and broken old arguments never reach the server", async () => {
  await using fake = startFakeOpenAi();
  fake.reply({ text: "ok" });
  await collect(
    client(fake),
    request({
      messages: [
        user("bad \ud800 half"),
        { role: "assistant", parts: [{ type: "tool-call", id: "x", name: "todo", arguments: "{broken" }] },
        { role: "tool", parts: [{ type: "tool-result", callId: "x", name: "todo", text: "error" }] },
      ],
    }),
  );
  expect(fake.requests[0]?.body.messages[0]?.content).toBe("bad \ufffd half");
  expect(fake.requests[0]?.body.messages[1]?.tool_calls?.[0]?.function.arguments).toBe("{}");
  expectNoViolations(fake);
});

test("the output limit goes into the field the server knows", async () => {
  await using fake: FakeOpenAi = startFakeOpenAi();
  fake.reply({ text: "a" }, { text: "b" });
  await collect(client(fake), request({ maxOutputTokens: 50 }));
  await collect(
    client(fake, { quirks: { outputLimitField: "max_completion_tokens" } }),
    request({ maxOutputTokens: 50 }),
  );
  expect(fake.requests.map((entry) => [entry.body["max_tokens"], entry.body["max_completion_tokens"]])).toEqual([
    [50, undefined],
    [undefined, 50],
  ]);
});

test("lists the models with their context length", async () => {
  await using fake = startFakeOpenAi();
  fake.models([{ id: "big", context_length: 200_000 }, "plain"]);
  expect(await client(fake).listModels?.(new AbortController().signal)).toEqual([
    { id: "big", contextTokens: 200_000 },
    { id: "plain" },
  ]);
});

test.each(["text/event-stream", "application/json"])(
  "an answer of %s without end is broken off at its limit",
  async (type) => {
    await using fake = startFakeOpenAi();
    const block = new TextEncoder().encode("x".repeat(1024 * 1024));
    fake.raw(
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(block),
          }),
          { headers: { "content-type": type } },
        ),
    );
    const error = await failureOf(collect(client(fake, { staleMs: 30_000 })));
    expect([error.code, error.retryable]).toEqual(["E_PROVIDER_TOO_LARGE", false]);
  },
);

test("a chunk of the wrong shape is told as a broken stream", async () => {
  await using fake = startFakeOpenAi();
  fake.raw(
    () =>
      new Response('data: {"choices":[null]}\n\ndata: [DONE]\n\n', {
        headers: { "content-type": "text/event-stream" },
      }),
  );
  const error = await failureOf(collect(client(fake)));
  expect(error.message).toContain("sent a broken stream");
});

test("a redirect to another host is not followed: the conversation stays where it was sent", async () => {
  await using fake = startFakeOpenAi();
  await using other = startFakeOpenAi();
  fake.raw(() => new Response(null, { status: 307, headers: { location: `${other.baseUrl}/chat/completions` } }));
  other.always({ text: "stolen" });
  const error = await failureOf(collect(client(fake)));
  expect(error.code).toBe("E_PROVIDER_REDIRECT");
  expect(other.requests).toHaveLength(0);
});

const streamHeaders = { headers: { "content-type": "text/event-stream" } };

test("JSON that is labelled as a stream is read as what it is", async () => {
  await using fake = startFakeOpenAi();
  fake.raw(() => new Response(JSON.stringify({ choices: [{ message: { content: "whole" } }] }), streamHeaders));
  fake.raw(() => new Response(JSON.stringify({ error: { message: "upstream overloaded", code: 503 } }), streamHeaders));
  fake.raw(() => new Response("<!doctype html><title>Sign in</title>", streamHeaders));
  expect(textOf(await collect(client(fake)))).toBe("whole");
  expect((await failureOf(collect(client(fake)))).failure).toBe("overloaded");
  const page = await failureOf(collect(client(fake)));
  expect([page.failure, page.message.includes("Sign in")]).toEqual(["not-an-api", true]);
});

test.each([
  [{ message: "the backend has failed" }, "server", true],
  ["the backend has failed", "server", true],
  [{ message: "Invalid API key" }, "auth", false],
  [{ message: "maximum context length is 4096 tokens" }, "context-overflow", false],
  [{ message: "slow down", code: "rate_limit_exceeded" }, "rate-limit", true],
])("an error event without a status is an error of the server: %j", async (error, failure, retryable) => {
  await using fake = startFakeOpenAi();
  fake.raw(() => new Response(`data: ${JSON.stringify({ error })}\n\n`, streamHeaders));
  const got = await failureOf(collect(client(fake)));
  expect([got.failure, got.retryable]).toEqual([failure as typeof got.failure, retryable]);
  expect(got.message).toContain(typeof error === "string" ? error : error.message);
  expect(got.message).not.toContain("no connection");
});

test("a body that cannot be unpacked is told as such", async () => {
  await using fake = startFakeOpenAi();
  fake.raw(
    () => new Response("this is not gzip", { headers: { ...streamHeaders.headers, "content-encoding": "gzip" } }),
  );
  const error = await failureOf(collect(client(fake)));
  expect([error.failure, error.retryable]).toEqual(["connection", true]);
  expect(error.message).toContain("could not be unpacked");
});

test("what is no HTTP at all is told as such", async () => {
  using server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.end("SSH-2.0-OpenSSH_9.9\r\n\r\n") },
  });
  const error = await failureOf(collect(client({ baseUrl: `http://127.0.0.1:${server.port}/v1` })));
  expect(error.message).toContain("does not speak HTTP");
});

test("a redirect names where it leads to, also when that is the same place", async () => {
  await using fake = startFakeOpenAi();
  fake.raw(() => new Response(null, { status: 302, headers: { location: "/v1/chat/completions" } }));
  const error = await failureOf(collect(client(fake)));
  expect([error.code, error.message.includes("/v1/chat/completions")]).toEqual(["E_PROVIDER_REDIRECT", true]);
});
