/** What may happen: commands, paths, environment of children. A filter for prompts, not a sandbox. */
export { createApprovals, type ApprovalMode, type ApprovalOptions } from "./approvals.ts";
export { type ChildEnvironmentOptions, childEnvironment, commandArgv } from "./child-environment.ts";
export { judgeCommand } from "./command/index.ts";
export { judgePath, type PathVerdict } from "./path.ts";
export type { Approvals, Authorization, CommandVerdict, Finding, Place, Verdict } from "./types.ts";
export { type InjectionFinding, scanInjection } from "./injection.ts";
