import type { ResolvedModel } from "../models/index.ts";

const timeoutMs = 120_000;

/** One answer to one prompt, without tools. @throws {ProviderError} the signal's reason when aborted */
export async function completeWith(model: ResolvedModel, prompt: string, signal: AbortSignal): Promise<string> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let text = "";
  const request = {
    model: model.model,
    messages: [{ role: "user" as const, parts: [{ type: "text" as const, text: prompt }] }],
    tools: [],
  };
  for await (const event of model.client.stream(request, stop)) if (event.type === "text-delta") text += event.text;
  return text;
}
