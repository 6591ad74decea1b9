/** What may happen: commands, paths, environment of children. */
export type { Approvals, Authorization, CommandVerdict, Finding, Place, Verdict } from "./types.ts";
