/** safe: runs; ask: needs an approval; refuse: never runs, in no mode. */
export type Verdict = "safe" | "ask" | "refuse";

/** One reason for a verdict. `key` is stable: approvals are remembered by it. */
export interface Finding {
  key: string;
  /** one line for a person */
  description: string;
}

export interface CommandVerdict {
  verdict: Verdict;
  findings: Finding[];
}

/** Where something is about to happen; absolute paths. */
export interface Place {
  cwd: string;
  /** the hermes home */
  home: string;
  /** the user's own home */
  userHome: string;
  /** when given, file tools write only below these directories */
  writeRoots?: string[];
}

export type Authorization =
  | { allowed: true; note?: string }
  /** `message` is written for the model: what was denied, why, and not to retry or work around it */
  | { allowed: false; message: string };

/** Decides about commands of one session and remembers what was approved. */
export interface Approvals {
  authorize(request: { command: string; cwd: string }, signal: AbortSignal): Promise<Authorization>;
}
