import { ProviderError } from "../../base/errors.ts";
import { isRecord, parseJson } from "../../base/json.ts";
import { isHtml, toProviderError } from "../classify.ts";
import type { WireEndpoint } from "./wire-endpoint.ts";

/** Seen while the body passed by. */
export interface StreamTrace {
  /** the server said that the stream is complete */
  done: boolean;
}

const errorBodyLimit = 64 * 1024;
/** more than any model writes; a server that sends on and on must not fill the memory */
const answerLimitBytes = 64 * 1024 * 1024;

/**
 * A fetch for one streaming call that turns every refusal into a ProviderError and
 * answers without a stream (plain JSON) into a stream of one chunk.
 */
export function createCheckedFetch(
  endpoint: WireEndpoint,
  { model, canStream }: { model: string; canStream: boolean },
  trace: StreamTrace,
): typeof fetch {
  const checked = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const sent = canStream ? init : withoutStream(init);
    // followed, a redirect would hand the whole conversation to another host
    const raw = await endpoint.fetch(input, { ...sent, redirect: "manual" });
    if (raw.status >= 300 && raw.status < 400) throw redirected(endpoint, raw);
    const type = raw.headers.get("content-type") ?? "";
    const isStream = raw.ok && type.includes("text/event-stream");
    const { response, start } = await opened(raw.ok ? bounded(raw, endpoint) : raw, isStream);
    // some servers and proxies put this label on JSON and on pages
    if (isStream && !/^\s*[{[<]/.test(start)) return watched(response, trace);
    const body = response.ok ? await response.text() : await readStart(response);
    if (!response.ok) throw failure(endpoint, model, response, body);
    if (/^\s*(?:data|event|:)/.test(body)) return watched(new Response(body, eventStream), trace);
    const parsed = parseJson(body);
    if (isRecord(parsed) && Array.isArray(parsed["choices"])) {
      return watched(new Response(`data: ${JSON.stringify(parsed)}\n\ndata: [DONE]\n\n`, eventStream), trace);
    }
    if (isRecord(parsed) && parsed["error"] !== undefined)
      throw failure(
        endpoint,
        model,
        new Response(null, { status: statusInBody(body), headers: response.headers }),
        body,
      );
    throw notAnApi(endpoint, body, type);
  };
  return Object.assign(checked, { preconnect: endpoint.fetch.preconnect });
}

function withoutStream(init: RequestInit | undefined): RequestInit {
  const body = typeof init?.body === "string" ? parseJson(init.body) : undefined;
  if (!isRecord(body)) return init ?? {};
  return { ...init, body: JSON.stringify({ ...body, stream: false, stream_options: undefined }) };
}

function redirected(endpoint: WireEndpoint, response: Response): ProviderError {
  const location = response.headers.get("location") ?? "an unnamed place";
  return new ProviderError(
    "E_PROVIDER_REDIRECT",
    `${endpoint.baseUrl} sends the request on to ${location.slice(0, 200)}`,
    {
      failure: "not-an-api",
      status: response.status,
      hint: "it was not followed; when you trust that address, set it as the base URL",
    },
  );
}

function bounded(response: Response, endpoint: WireEndpoint): Response {
  if (response.body === null) return response;
  let received = 0;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        received += chunk.byteLength;
        if (received <= answerLimitBytes) controller.enqueue(chunk);
        else controller.error(tooLarge(endpoint));
      },
    }),
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

function tooLarge(endpoint: WireEndpoint): ProviderError {
  const limit = answerLimitBytes / 1024 / 1024;
  return new ProviderError(
    "E_PROVIDER_TOO_LARGE",
    `${endpoint.provider} (${endpoint.baseUrl}) sent more than ${limit} MB`,
    {
      failure: "format",
      hint: "this is no answer of a model; check the base URL",
    },
  );
}

/** The response with the first text of its body, which stays in it; "" when it is not wanted or there is none. */
async function opened(response: Response, wanted: boolean): Promise<{ response: Response; start: string }> {
  if (!wanted || response.body === null) return { response, start: "" };
  const reader = response.body.getReader();
  const pieces: Uint8Array[] = [];
  let start = "";
  let isEnd = false;
  while (start.trim() === "" && !isEnd) {
    const { done, value } = await reader.read();
    isEnd = done;
    if (value === undefined) continue;
    pieces.push(value);
    start += new TextDecoder().decode(value);
  }
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => pieces.forEach((piece) => controller.enqueue(piece)),
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { response: new Response(body, { status: response.status, headers: response.headers }), start };
}

const eventStream = { headers: { "content-type": "text/event-stream" } };

function watched(response: Response, trace: StreamTrace): Response {
  if (response.body === null) return response;
  const decoder = new TextDecoder();
  let tail = "";
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        tail = (tail + decoder.decode(chunk, { stream: true })).slice(-256);
        if (/data:\s*\[DONE\]/.test(tail)) trace.done = true;
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

async function readStart(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > errorBodyLimit) break;
  }
  return text;
}

function failure(endpoint: WireEndpoint, model: string, response: Response, body: string): ProviderError {
  return toProviderError(
    {
      provider: endpoint.provider,
      baseUrl: endpoint.baseUrl,
      model,
      status: response.status,
      body,
      headers: Object.fromEntries(response.headers),
    },
    endpoint.now(),
  );
}

function statusInBody(body: string): number {
  const parsed = parseJson(body);
  const error = isRecord(parsed) ? parsed["error"] : undefined;
  const code = isRecord(error) ? Number(error["code"]) : Number.NaN;
  return code >= 400 && code < 600 ? code : 400;
}

function notAnApi(endpoint: WireEndpoint, body: string, type: string): ProviderError {
  if (isHtml(body)) {
    return toProviderError(
      { provider: endpoint.provider, baseUrl: endpoint.baseUrl, model: "", status: 200, body, headers: {} },
      endpoint.now(),
    );
  }
  const what = body.trim() === "" ? "an empty body" : type === "" ? "something that is no JSON" : `"${type}"`;
  return new ProviderError(
    "E_PROVIDER_NOT_AN_API",
    `${endpoint.baseUrl} is not an OpenAI-compatible API: it answered ${what}`,
    {
      failure: "not-an-api",
      hint: "check the base URL: most servers need /v1 at its end",
    },
  );
}
