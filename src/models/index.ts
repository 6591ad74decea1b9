/** Models: providers resolved to clients, wires, estimates. */
export { preloadWires } from "./wire/preload.ts";
export { findModelProblems, resolveModel } from "./resolve.ts";
export type { CustomProvider, ModelConfig, ModelQuery, ResolvedModel } from "./resolve.ts";
export { estimateMessageTokens, estimateToolTokens } from "./token-estimate.ts";
