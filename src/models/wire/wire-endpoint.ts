import type { ProviderQuirks } from "../../plugin/provider.ts";

/** A server with everything a wire needs to talk to it. */
export interface WireEndpoint {
  /** provider id, for messages and for reasoning that only its maker may get back */
  provider: string;
  /** without a slash at its end */
  baseUrl: string;
  /** undefined when the server needs none */
  apiKey: string | undefined;
  quirks: ProviderQuirks;
  fetch: typeof fetch;
  now(): Date;
  /** stream silence allowed for a prompt of this many tokens, in ms; Infinity for ever */
  staleMs(promptTokens: number): number;
}
