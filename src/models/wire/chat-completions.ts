import { randomUUID } from "node:crypto";
import { isHermesError, ProviderError } from "../../base/errors.ts";
import { isRecord } from "../../base/json.ts";
import type { ModelClient, ModelEvent, ModelInfo, ModelRequest } from "../../plugin/provider.ts";
import { asProviderError, toProviderError } from "../classify.ts";
import { guardStale } from "../stale-guard.ts";
import { estimateRequestTokens } from "../token-estimate.ts";
import { toChatBody } from "./chat-request.ts";
import { createChatAssembler } from "./chat-stream.ts";
import { createCheckedFetch, type StreamTrace } from "./checked-fetch.ts";
import { listModels } from "./model-list.ts";
import type { WireEndpoint } from "./wire-endpoint.ts";

/** Speaks chat-completions to one endpoint, always streaming; a server that cannot stream is asked without. */
export function createChatCompletionsClient(endpoint: WireEndpoint): ModelClient {
  let canStream = true;
  let streamOptions = endpoint.quirks.noStreamOptions !== true;

  async function* attempt(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const trace: StreamTrace = { done: false };
    const controller = new AbortController();
    const stop = AbortSignal.any([signal, controller.signal]);
    const assembler = createChatAssembler(() => `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`);
    const { default: OpenAI } = await import("openai");
    const client = new OpenAI({
      apiKey: endpoint.apiKey ?? "no-key-required",
      baseURL: endpoint.baseUrl,
      maxRetries: 0,
      timeout: totalTimeoutMs,
      defaultHeaders: { ...endpoint.quirks.headers, ...(endpoint.apiKey === undefined ? { authorization: null } : {}) },
      fetch: createCheckedFetch(endpoint, { model: request.model, canStream }, trace),
      logLevel: "off",
    });
    const body = toChatBody(request, endpoint.provider, { ...endpoint.quirks, noStreamOptions: !streamOptions });
    try {
      const chunks = chunksOf(client.chat.completions.create(body, { signal: stop }));
      const guarded = guardStale(chunks, endpoint.staleMs(estimateRequestTokens(request)), endpoint.provider, () =>
        controller.abort(),
      );
      for await (const chunk of guarded) yield* assembler.push(chunk);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw toError(error, endpoint, request.model);
    }
    if (signal.aborted) throw signal.reason;
    if (!assembler.finished && !trace.done) throw brokenOff(endpoint, assembler.started);
    if (!assembler.started) throw emptyStream(endpoint);
    yield* assembler.end();
  }

  return {
    async *stream(request, signal) {
      try {
        yield* attempt(request, signal);
      } catch (error) {
        if (!(error instanceof ProviderError) || error.failure !== "format") throw error;
        // only before anything was shown: a refused parameter is refused at once
        if (streamOptions && /stream_options/.test(error.message)) streamOptions = false;
        else if (canStream && /\bstream(?:ing)?\b/i.test(error.message)) canStream = false;
        else throw error;
        yield* attempt(request, signal);
      }
    },
    listModels: (signal: AbortSignal): Promise<ModelInfo[]> => listModels(endpoint, signal),
  };
}

const totalTimeoutMs = 1_800_000;

async function* chunksOf(opened: Promise<AsyncIterable<unknown>>): AsyncGenerator {
  yield* await opened;
}

function brokenOff(endpoint: WireEndpoint, started: boolean): ProviderError {
  return new ProviderError(
    "E_PROVIDER_CONNECTION",
    `${endpoint.provider} (${endpoint.baseUrl}) broke off the answer ${started ? "in the middle" : "before it began"}`,
    { failure: "connection", retryable: true, hint: "try again; hermes doctor checks the connection" },
  );
}

function emptyStream(endpoint: WireEndpoint): ProviderError {
  return new ProviderError(
    "E_PROVIDER_EMPTY",
    `${endpoint.provider} (${endpoint.baseUrl}) answered with an empty stream`,
    {
      failure: "server",
      retryable: true,
      hint: "check that the base URL ends in /v1 and that the model's context is large enough",
    },
  );
}

function toError(error: unknown, endpoint: WireEndpoint, model: string): Error {
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    if (isHermesError(current)) return current;
  }
  const call = { provider: endpoint.provider, baseUrl: endpoint.baseUrl, model, cause: error };
  const sent = isRecord(error) ? error["error"] : undefined;
  if (isRecord(sent) || typeof sent === "string") {
    // an error event inside the stream has no HTTP status; its code may be one
    const code = isRecord(sent) ? Number(sent["code"] ?? sent["status"]) : Number.NaN;
    const status = code >= 400 && code < 600 ? code : "event";
    return toProviderError({ ...call, status, body: JSON.stringify({ error: sent }), headers: {} }, endpoint.now());
  }
  // the client stumbles with a TypeError over chunks of the wrong shape
  if (error instanceof SyntaxError || (error instanceof TypeError && !("code" in error))) {
    return new ProviderError(
      "E_PROVIDER_CONNECTION",
      `${endpoint.provider} (${endpoint.baseUrl}) sent a broken stream: ${error.message}`,
      {
        failure: "connection",
        retryable: true,
        hint: "try again; hermes doctor checks the connection",
        cause: error,
      },
    );
  }
  return asProviderError(error, call);
}
