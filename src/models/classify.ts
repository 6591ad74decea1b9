import { isHermesError, ProviderError, type ProviderFailure } from "../base/errors.ts";
import { isRecord, parseJson } from "../base/json.ts";
import { oneLine } from "../base/text.ts";
import { statedContextLimit } from "./limit-text.ts";

/** What is known of a failed call. `body` is the raw text of the answer, "" when there was none. */
export interface FailedCall {
  provider: string;
  baseUrl: string;
  model: string;
  /** undefined: there was no answer; "event": an error that the server sent inside of a stream, without a status */
  status: number | "event" | undefined;
  body: string;
  headers: Record<string, string>;
  cause?: unknown;
}

const overflowWords =
  /context[\s_-]*(?:length|size|window)|maximum context|token limit|too many tokens|reduce the length|exceeds the limit|prompt is too long|prompt exceeds max length|max_model_len|n_ctx|超过最大长度|上下文长度/i;
const parameterWords =
  /(?:unsupported|unknown|unrecognized|invalid|not supported)[^.]{0,40}(?:parameter|argument|field)|is not supported|extra inputs/i;
const modelWords =
  /model[^.]{0,60}(?:not found|does not exist|not exist|unknown|not available|no such)|not a valid model|(?:unknown|invalid) model|no such model|pull(?:ing)? it first/i;
const keyWords = /invalid api key|incorrect api key|unauthorized|authentication|api key/i;
const billingWords = /insufficient|quota|billing|credit|balance|spending limit|key limit/i;
const rateWords = /rate[\s_-]*limit|too many requests/i;
const waitWords = /try again|retry|resets? (?:at|in)|window|wait/i;
const policyWords = /content[\s_-]policy|safety|content management|moderation|flagged/i;

/** Which failure a status and a text mean. The first matching row wins. */
export function classifyFailure(status: FailedCall["status"], text: string): ProviderFailure {
  switch (status) {
    case undefined:
      return overflowWords.test(text) ? "context-overflow" : "connection";
    case "event":
      return classifyEventText(text);
    case 401:
      return "auth";
    case 402:
      return billingWords.test(text) && waitWords.test(text) ? "rate-limit" : "billing";
    case 403:
      return billingWords.test(text) ? "billing" : "auth";
    case 404:
      return modelWords.test(text) ? "model-not-found" : "unknown";
    case 408:
    case 504:
      return "timeout";
    case 413:
      return "payload-too-large";
    case 429:
      return "rate-limit";
    case 503:
    case 529:
      return "overloaded";
    default:
      return status >= 500 ? classifyServerText(text) : classifyClientText(text);
  }
}

function classifyServerText(text: string): ProviderFailure {
  return parameterWords.test(text) ? "format" : "server";
}

function classifyEventText(text: string): ProviderFailure {
  if (rateWords.test(text)) return "rate-limit";
  if (/overloaded/i.test(text)) return "overloaded";
  const failure = classifyClientText(text);
  // "format" is the answer for a text that says nothing
  return failure === "format" && !parameterWords.test(text) ? "server" : failure;
}

function classifyClientText(text: string): ProviderFailure {
  // before the overflow words: "max_tokens is not supported" is no overflow
  if (parameterWords.test(text) && !/context/i.test(text)) return "format";
  if (overflowWords.test(text)) return "context-overflow";
  if (modelWords.test(text)) return "model-not-found";
  if (keyWords.test(text)) return "auth";
  if (policyWords.test(text)) return "policy";
  return "format";
}

const retryable: ReadonlySet<ProviderFailure> = new Set([
  "rate-limit",
  "overloaded",
  "server",
  "timeout",
  "connection",
]);

/** The one-line summary of an error body: JSON message, title of a HTML page, or the raw start. */
export function summarizeBody(status: number | undefined, body: string): string {
  if (isHtml(body)) {
    const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1];
    const ray = /Ray ID:?\s*(?:<[^>]*>)*\s*([0-9a-f]{8,})/i.exec(body)?.[1];
    return [status === undefined ? "an HTML page" : `HTTP ${status}`, title && oneLine(title, 120), ray && `Ray ${ray}`]
      .filter(Boolean)
      .join(" — ");
  }
  const parsed = parseJson(body);
  const message = errorText(parsed);
  return message === undefined ? oneLine(body, 500) : oneLine(message, 300);
}

function errorText(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const error = value["error"];
  if (typeof error === "string") return error;
  if (isRecord(error)) {
    const raw = isRecord(error["metadata"]) ? error["metadata"]["raw"] : undefined;
    const inner = typeof raw === "string" ? errorText(parseJson(raw)) : undefined;
    if (inner !== undefined) return inner;
    if (typeof error["message"] === "string") return error["message"];
  }
  const direct = value["message"] ?? value["detail"];
  return typeof direct === "string" ? direct : undefined;
}

export function isHtml(text: string): boolean {
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(text);
}

/** a server that wants a longer wait is not waited for */
const longestRetryAfterMs = 120_000;

/** `Retry-After` (seconds or a date) or `retry-after-ms`, in ms; undefined when absent or unreadable. */
export function retryAfterMs(headers: Record<string, string>, now: Date): number | undefined {
  const exact = Number(headers["retry-after-ms"]);
  if (Number.isFinite(exact) && exact > 0) return exact;
  const value = headers["retry-after"];
  if (value === undefined || value.trim() === "") return undefined;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now.getTime();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
}

/** The error a person and the agent loop can act on. */
export function toProviderError(call: FailedCall, now: Date): ProviderError {
  const html = isHtml(call.body);
  const status = call.status === "event" ? undefined : call.status;
  const summary = summarizeBody(status, call.body);
  const wrongPlace = html && (status === undefined || status < 500);
  const failure = wrongPlace ? "not-an-api" : classifyFailure(call.status, html ? "" : call.body);
  const { message, hint } = describeFailure(failure, { ...call, status }, summary);
  const wait = retryAfterMs(call.headers, now);
  const isTooLong = wait !== undefined && wait > longestRetryAfterMs;
  return new ProviderError(codeOf(failure), message, {
    hint: isTooLong ? `the server wants the next request in ${duration(wait)}; choose another model with -m` : hint,
    failure,
    retryable: retryable.has(failure) && !isTooLong,
    ...optional("status", status),
    ...optional("retryAfterMs", wait),
    ...optional("statedLimit", failure === "context-overflow" ? statedContextLimit(call.body) : undefined),
    cause: call.cause,
  });
}

function duration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 90 ? `${minutes} minutes` : `${Math.round(minutes / 6) / 10} hours`;
}

function optional<Key extends string>(key: Key, value: number | undefined): Partial<Record<Key, number>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, number>);
}

function codeOf(failure: ProviderFailure): string {
  return `E_PROVIDER_${failure.toUpperCase().replaceAll("-", "_")}`;
}

function describeFailure(
  failure: ProviderFailure,
  call: FailedCall & { status: number | undefined },
  summary: string,
): { message: string; hint: string } {
  const where = `${call.provider} (${call.baseUrl})`;
  const said = summary === "" ? "" : `: ${summary}`;
  const status = call.status === undefined ? "" : ` with ${call.status}`;
  switch (failure) {
    case "auth":
      return {
        message: `${call.provider} refused the API key${call.status === undefined ? "" : ` (${call.status})`}${said}`,
        hint: "hermes status shows which key is used; hermes config set NAME KEY keeps another one",
      };
    case "billing":
      return {
        message: `${where} refused for billing reasons${said}`,
        hint: "check the account's credit, or choose another provider with --provider",
      };
    case "rate-limit":
      return { message: `${where} limits the rate${said}`, hint: "wait a moment, or choose another model with -m" };
    case "overloaded":
      return {
        message: `${where} is overloaded${said}`,
        hint: "try again in a moment, or choose another model with -m",
      };
    case "server":
      return { message: `${where} failed${status}${said}`, hint: "try again; hermes doctor checks the connection" };
    case "timeout":
      return {
        message: `${where} did not answer in time${said}`,
        hint: "try again; hermes doctor checks the connection",
      };
    case "connection":
      return {
        message: `no connection to ${where}${said}`,
        hint: "is the server running and the base URL right? hermes doctor checks it",
      };
    case "context-overflow":
      return {
        message: `the conversation is too long for ${call.model}${said}`,
        hint: "start a new session with /new, or set model.context_length",
      };
    case "payload-too-large":
      return { message: `the request is too large for ${where}${said}`, hint: "start a new session with /new" };
    case "model-not-found":
      return {
        message: `${call.provider} does not know the model "${call.model}"${said}`,
        hint: `hermes doctor -m ${call.model} shows what the server offers; choose one with -m`,
      };
    case "policy":
      return {
        message: `${call.provider} refused the content${said}`,
        hint: "rephrase the request, or choose another model with -m",
      };
    case "not-an-api":
      return {
        message: `${call.baseUrl} is not an OpenAI-compatible API: it answered ${summary || "no JSON"}`,
        hint: "check the base URL: most servers need /v1 at its end",
      };
    case "format":
      return {
        message: `${where} did not accept the request${status}${said}`,
        hint: "check the model and the base URL; HERMES_DEBUG=1 shows more",
      };
    case "unknown":
      return {
        message: `${where} answered${status || " unexpectedly"}${said}`,
        hint: "check the base URL: most servers need /v1 at its end",
      };
  }
}

/** Any thrown value as a ProviderError; ProviderErrors and our other errors pass. */
export function asProviderError(error: unknown, call: Omit<FailedCall, "status" | "body" | "headers">): Error {
  if (isHermesError(error)) return error;
  const text = connectionText(error);
  return toProviderError({ ...call, status: undefined, body: text, headers: {}, cause: error }, new Date(0));
}

const plainWords: Record<string, string> = {
  ECONNREFUSED: "nothing listens there",
  ConnectionRefused: "nothing listens there",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be looked up",
  ETIMEDOUT: "the connection took too long",
  ECONNRESET: "the connection was reset",
  Malformed_HTTP_Response: "the server there does not speak HTTP",
  ZlibError: "the answer is damaged and could not be unpacked",
  BrotliDecompressionError: "the answer is damaged and could not be unpacked",
  ZstdDecompressionError: "the answer is damaged and could not be unpacked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself; NODE_EXTRA_CA_CERTS=FILE trusts it",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an unknown authority; NODE_EXTRA_CA_CERTS=FILE trusts it",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate is signed by an unknown authority; NODE_EXTRA_CA_CERTS=FILE trusts it",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
};

/** The innermost cause in plain words, with its code. */
function connectionText(error: unknown): string {
  let current: unknown = error;
  for (let depth = 0; current instanceof Error && current.cause !== undefined && depth < 4; depth += 1)
    current = current.cause;
  if (!(current instanceof Error)) return String(current);
  const code = "code" in current && typeof current.code === "string" ? current.code : "";
  const plain = plainWords[code];
  // the rest is advice for a programmer
  return plain === undefined ? current.message.replace(/ ?For more information, pass.*$/s, "") : `${plain} (${code})`;
}
