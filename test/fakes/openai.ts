import { AssertionError } from "node:assert";

/** One recorded request of the fake. */
export interface RecordedRequest {
  path: string;
  headers: Record<string, string>;
  /** the raw bytes of the body */
  text: string;
  body: ChatBody;
}

export interface ChatBody {
  model: string;
  messages: {
    role: string;
    content?: unknown;
    tool_calls?: WireCall[];
    tool_call_id?: string;
  }[];
  tools?: { type: string; function: { name: string; description: string; parameters: Record<string, unknown> } }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  [key: string]: unknown;
}

interface WireCall {
  id: string;
  function: { name: string; arguments: string };
}

export interface ToolCall {
  name: string;
  arguments: unknown;
  id?: string;
}

export interface Reply {
  text?: string;
  reasoning?: string;
  tools?: ToolCall[];
  finish?: string | null;
  usage?: { prompt: number; completion: number; cached?: number };
  /** characters of one text delta */
  pieceLength?: number;
  /** waited between chunks, in ms */
  paceMs?: number;
  /** close the connection after so many chunks */
  cutAfter?: number;
  /** say nothing more after so many chunks, but keep the connection open */
  stallAfter?: number;
  /** leave out `data: [DONE]` */
  noDone?: boolean;
}

type Step =
  | { type: "reply"; reply: Reply | ((body: ChatBody) => Reply) }
  | { type: "raw"; respond: (body: ChatBody) => Response | Promise<Response> };

/** A strict, scriptable OpenAI-compatible server on 127.0.0.1. */
export interface FakeOpenAi extends AsyncDisposable {
  baseUrl: string;
  requests: RecordedRequest[];
  /** resolves when so many requests have arrived, with the newest of them */
  arrived(count: number): Promise<RecordedRequest>;
  /** bytes of every chunk that was written, newest last */
  reply(...replies: (Reply | ((body: ChatBody) => Reply))[]): void;
  /** answers every further request that nothing is scripted for */
  always(reply: Reply | ((body: ChatBody) => Reply)): void;
  fail(status: number, options?: { body?: string; headers?: Record<string, string>; times?: number }): void;
  raw(respond: (body: ChatBody) => Response | Promise<Response>): void;
  models(ids: (string | { id: string; context_length?: number })[]): void;
  /** faults of the client: unknown paths, missing headers, malformed bodies */
  violations: string[];
  close(): Promise<void>;
}

export function startFakeOpenAi(options: { key?: string } = {}): FakeOpenAi {
  const steps: Step[] = [];
  const requests: RecordedRequest[] = [];
  const violations: string[] = [];
  let fallback: Reply | ((body: ChatBody) => Reply) | undefined;
  let models: { id: string; context_length?: number }[] = [{ id: "test-model" }];
  const open = new Set<() => void>();
  const watchers = new Set<() => void>();

  const arrived = (count: number): Promise<RecordedRequest> => {
    const { promise, resolve } = Promise.withResolvers<RecordedRequest>();
    const look = (): void => {
      const request = requests[count - 1];
      if (request === undefined) return;
      watchers.delete(look);
      resolve(request);
    };
    watchers.add(look);
    look();
    return promise;
  };

  const violation = (text: string): Response => {
    violations.push(text);
    return Response.json({ error: { message: text, type: "invalid_request_error" } }, { status: 400 });
  };

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    error: () => new Response("cut", { status: 500 }),
    async fetch(request) {
      const url = new URL(request.url);
      if (options.key !== undefined && request.headers.get("authorization") !== `Bearer ${options.key}`) {
        return Response.json(
          { error: { message: "Incorrect API key provided", code: "invalid_api_key" } },
          { status: 401 },
        );
      }
      if (url.pathname === "/v1/models" && request.method === "GET") {
        return Response.json({
          object: "list",
          data: models.map((model) => ({ object: "model", owned_by: "test", ...model })),
        });
      }
      if (url.pathname !== "/v1/chat/completions" || request.method !== "POST") {
        violations.push(`${request.method} ${url.pathname}`);
        return new Response("<html><head><title>404 Not Found</title></head></html>", {
          status: 404,
          headers: { "content-type": "text/html" },
        });
      }
      if (!(request.headers.get("content-type") ?? "").includes("application/json"))
        return violation("content-type is not application/json");
      const text = await request.text();
      const body = JSON.parse(text) as ChatBody;
      requests.push({ path: url.pathname, headers: Object.fromEntries(request.headers), text, body });
      for (const look of watchers) look();
      const fault = faultOf(body);
      if (fault !== undefined) return violation(fault);
      const step = steps.shift();
      if (step?.type === "raw") return step.respond(body);
      const scripted = step?.reply ?? fallback;
      if (scripted === undefined) return violation("nothing is scripted for this request");
      const reply = typeof scripted === "function" ? scripted(body) : scripted;
      return body.stream === true ? streamed(reply, body, open) : whole(reply, body);
    },
  });

  const close = async (): Promise<void> => {
    for (const release of open) release();
    await server.stop(true);
  };
  return {
    baseUrl: `http://127.0.0.1:${server.port}/v1`,
    requests,
    arrived,
    violations,
    reply: (...replies) => void steps.push(...replies.map((reply): Step => ({ type: "reply", reply }))),
    always: (reply) => {
      fallback = reply;
    },
    fail: (
      status,
      { body = JSON.stringify({ error: { message: `scripted ${status}` } }), headers = {}, times = 1 } = {},
    ) => {
      for (let count = 0; count < times; count += 1) {
        steps.push({
          type: "raw",
          respond: () => new Response(body, { status, headers: { "content-type": "application/json", ...headers } }),
        });
      }
    },
    raw: (respond) => void steps.push({ type: "raw", respond }),
    models: (ids) => {
      models = ids.map((id) => (typeof id === "string" ? { id } : id));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What a strict server would refuse; undefined when the request is right. */
function faultOf(body: ChatBody): string | undefined {
  const allowed = new Set([
    "model",
    "messages",
    "tools",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "reasoning",
    "reasoning_effort",
  ]);
  const extra = Object.keys(body).find((key) => !allowed.has(key));
  if (extra !== undefined) return `unknown parameter: ${extra}`;
  if (typeof body.model !== "string" || body.model === "") return "model is missing";
  if (!Array.isArray(body.messages) || body.messages.length === 0) return "messages is empty";
  return faultOfMessages(body);
}

function faultOfMessages(body: ChatBody): string | undefined {
  const pending = new Set<string>();
  const keys = new Set(["role", "content", "tool_calls", "tool_call_id", "reasoning_content", "reasoning_details"]);
  for (const [index, message] of body.messages.entries()) {
    const at = `messages[${index}]`;
    const extra = Object.keys(message).find((key) => !keys.has(key));
    if (extra !== undefined) return `${at}: extra inputs are not permitted: ${extra}`;
    if (message.role === "tool") {
      if (!pending.delete(message.tool_call_id ?? ""))
        return `${at}: tool_call_id "${message.tool_call_id}" answers no call`;
      if (typeof message.content !== "string") return `${at}: content of a tool message must be a string`;
      continue;
    }
    if (pending.size > 0) return `${at}: tool calls without a result: ${[...pending].join(", ")}`;
    if (!["system", "developer", "user", "assistant"].includes(message.role))
      return `${at}: unknown role ${message.role}`;
    if (message.role === "system" && index !== 0) return `${at}: a system message must come first`;
    if (message.role !== "assistant" && (message.content === "" || message.content === undefined))
      return `${at}: empty content`;
    const before = body.messages[index - 1];
    if (message.role === "user" && before?.role === "user") return `${at}: two user messages in a row`;
    const fault = faultOfCalls(message.tool_calls ?? [], pending);
    if (fault !== undefined) return `${at}: ${fault}`;
  }
  return pending.size > 0 ? `tool calls without a result: ${[...pending].join(", ")}` : undefined;
}

function faultOfCalls(calls: WireCall[], pending: Set<string>): string | undefined {
  if (calls.length > 128) return "tool_calls has more than 128 entries";
  for (const call of calls) {
    // throws for arguments that are no JSON text, as a strict server would refuse them
    JSON.parse(call.function.arguments);
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(call.function.name))
      return "tool_calls.function.name does not match ^[a-zA-Z0-9_-]{1,64}$";
    if (!/^[!-~]{1,64}$/.test(call.id)) return "tool_calls.id is empty, too long or not printable";
    if (pending.has(call.id)) return `tool_calls.id "${call.id}" is used twice`;
    pending.add(call.id);
  }
  return undefined;
}

function argumentsText(call: ToolCall): string {
  return typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
}

let counter = 0;
const nextId = (): string => {
  counter += 1;
  return `call_${counter}`;
};

function usageOf(reply: Reply): Record<string, unknown> {
  const usage = reply.usage ?? { prompt: 100, completion: 10 };
  return {
    prompt_tokens: usage.prompt,
    completion_tokens: usage.completion,
    total_tokens: usage.prompt + usage.completion,
    ...(usage.cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: usage.cached } }),
  };
}

function finishOf(reply: Reply): string | null {
  if (reply.finish !== undefined) return reply.finish;
  return (reply.tools?.length ?? 0) > 0 ? "tool_calls" : "stop";
}

function whole(reply: Reply, body: ChatBody): Response {
  const calls = (reply.tools ?? []).map((call) => ({
    id: call.id ?? nextId(),
    type: "function",
    function: { name: call.name, arguments: argumentsText(call) },
  }));
  return Response.json({
    id: "chatcmpl-test",
    object: "chat.completion",
    model: body.model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: reply.text ?? null, ...(calls.length > 0 ? { tool_calls: calls } : {}) },
        finish_reason: finishOf(reply),
      },
    ],
    usage: usageOf(reply),
  });
}

/** The chunks of a reply, as a server would send them. */
export function chunksOf(reply: Reply, body: ChatBody): string[] {
  const chunk = (delta: Record<string, unknown>, finish: string | null = null): string =>
    JSON.stringify({
      id: "chatcmpl-test",
      object: "chat.completion.chunk",
      model: body.model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const chunks = [chunk({ role: "assistant", content: "" })];
  if (reply.reasoning !== undefined) chunks.push(chunk({ reasoning_content: reply.reasoning }));
  const text = [...(reply.text ?? "")];
  const length = reply.pieceLength ?? 7;
  for (let start = 0; start < text.length; start += length)
    chunks.push(chunk({ content: text.slice(start, start + length).join("") }));
  for (const [index, call] of (reply.tools ?? []).entries()) {
    chunks.push(
      chunk({
        tool_calls: [
          { index, id: call.id ?? nextId(), type: "function", function: { name: call.name, arguments: "" } },
        ],
      }),
    );
    const sent = argumentsText(call);
    for (let start = 0; start < sent.length; start += 11) {
      chunks.push(chunk({ tool_calls: [{ index, function: { arguments: sent.slice(start, start + 11) } }] }));
    }
  }
  const finish = finishOf(reply);
  if (finish !== null) chunks.push(chunk({}, finish));
  if (body.stream_options?.include_usage === true) {
    chunks.push(
      JSON.stringify({
        id: "chatcmpl-test",
        object: "chat.completion.chunk",
        model: body.model,
        choices: [],
        usage: usageOf(reply),
      }),
    );
  }
  return chunks;
}

function streamed(reply: Reply, body: ChatBody, open: Set<() => void>): Response {
  const chunks = chunksOf(reply, body);
  const encoder = new TextEncoder();
  const stop = Promise.withResolvers<void>();
  const release = (): void => stop.resolve();
  open.add(release);
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const [index, chunk] of chunks.entries()) {
        if (reply.cutAfter === index) {
          controller.error(new Error("cut"));
          return;
        }
        if (reply.stallAfter === index) {
          await stop.promise;
          controller.close();
          return;
        }
        if (reply.paceMs !== undefined) await Bun.sleep(reply.paceMs);
        try {
          controller.enqueue(encoder.encode(`data: ${chunk}\n\n`));
        } catch {
          // the client has gone: that is what its test is about
          return;
        }
      }
      if (reply.noDone !== true) controller.enqueue(encoder.encode("data: [DONE]\n\n"));
      controller.close();
      open.delete(release);
    },
    cancel() {
      open.delete(release);
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream" } });
}

/** Fails a test that talked to the fake in a way a real server would refuse. */
export function expectNoViolations(fake: FakeOpenAi): void {
  if (fake.violations.length > 0) throw new AssertionError({ message: fake.violations.join("\n") });
}
