import type { Environment } from "../base/env.ts";
import { readEnv } from "../base/env.ts";
import { loadProvider } from "../plugin-host/index.ts";

const candidates = ["ollama", "lmstudio", "llamacpp"];
const probeTimeoutMs = 400;

/** The first local model server that answers, by provider id; undefined when there is none. */
export async function findLocalServer(options: {
  environment: Environment;
  fetch: typeof fetch;
}): Promise<string | undefined> {
  const answers = await Promise.all(candidates.map((id) => answersAt(id, options)));
  return candidates.find((_, index) => answers[index]);
}

async function answersAt(id: string, options: { environment: Environment; fetch: typeof fetch }): Promise<boolean> {
  const definition = await loadProvider(id);
  if (!("wire" in definition) || definition.baseUrl === undefined) return false;
  const base =
    definition.baseUrlEnv?.map((name) => readEnv(name, options.environment)).find((url) => url !== undefined) ??
    definition.baseUrl;
  try {
    const response = await options.fetch(`${base.replace(/\/+$/, "")}/models`, {
      signal: AbortSignal.timeout(probeTimeoutMs),
    });
    const body: unknown = await response.json();
    return response.ok && typeof body === "object" && body !== null && "data" in body;
  } catch {
    // nobody listens there, or it is no model server
    return false;
  }
}
