/** The one place that wires agent, tools, store, models and prompt together. */
export { createRuntime } from "./runtime.ts";
export type { OpenSession, RunOptions, Runtime, RuntimeOptions, SessionRequest } from "./types.ts";
