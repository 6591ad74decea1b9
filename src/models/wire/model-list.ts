import { z } from "zod";
import { parseJson } from "../../base/json.ts";
import type { ModelInfo } from "../../plugin/provider.ts";
import { asProviderError, toProviderError } from "../classify.ts";
import type { WireEndpoint } from "./wire-endpoint.ts";

const contextKeys = [
  "context_length",
  "context_window",
  "max_context_length",
  "max_position_embeddings",
  "max_model_len",
  "max_input_tokens",
  "max_sequence_length",
  "max_seq_len",
  "n_ctx_train",
  "n_ctx",
];
const outputKeys = ["max_completion_tokens", "max_output_tokens", "max_tokens"];

const row = z.looseObject({ id: z.string() });
const answer = z.object({ data: z.array(z.unknown()) });

/**
 * What the server's `/models` offers.
 * @throws {ProviderError} as the stream does
 */
export async function listModels(endpoint: WireEndpoint, signal: AbortSignal): Promise<ModelInfo[]> {
  const call = { provider: endpoint.provider, baseUrl: endpoint.baseUrl, model: "" };
  const headers: Record<string, string> = { accept: "application/json", ...endpoint.quirks.headers };
  if (endpoint.apiKey !== undefined) headers["authorization"] = `Bearer ${endpoint.apiKey}`;
  let response: Response;
  let body: string;
  try {
    response = await endpoint.fetch(`${endpoint.baseUrl}/models`, { headers, signal });
    body = await response.text();
  } catch (error) {
    if (signal.aborted && signal.reason instanceof Error && signal.reason.name !== "TimeoutError") throw signal.reason;
    throw asProviderError(error, { ...call, cause: error });
  }
  const parsed = answer.safeParse(parseJson(body));
  if (!response.ok || !parsed.success) {
    const status = response.ok ? 404 : response.status;
    throw toProviderError({ ...call, status, body, headers: Object.fromEntries(response.headers) }, endpoint.now());
  }
  return parsed.data.data.flatMap((entry) => {
    const found = row.safeParse(entry);
    return found.success ? [toModelInfo(found.data)] : [];
  });
}

function toModelInfo(entry: z.output<typeof row>): ModelInfo {
  const contextTokens = firstNumber(entry, contextKeys, 1024, 10_000_000);
  const maxOutputTokens = firstNumber(entry, outputKeys, 1, 10_000_000);
  return {
    id: entry.id,
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

function firstNumber(entry: Record<string, unknown>, keys: string[], low: number, high: number): number | undefined {
  for (const key of keys) {
    const value = entry[key];
    if (typeof value === "number" && value >= low && value <= high) return Math.floor(value);
  }
  return undefined;
}
