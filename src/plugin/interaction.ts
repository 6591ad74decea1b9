/** How long an approval holds: this call, this session, or written to the allow list. */
export type ApprovalScope = "once" | "session" | "always";

export interface ApprovalQuestion {
  type: "approval";
  /** the original text of the command or action, redacted */
  command: string;
  /** why it needs approval, one line each */
  reasons: string[];
  scopes: ApprovalScope[];
}

export interface ClarifyQuestion {
  type: "clarify";
  question: string;
  choices: string[];
}

export interface SecretQuestion {
  type: "secret";
  name: string;
  prompt: string;
}

export type Question = ApprovalQuestion | ClarifyQuestion | SecretQuestion;

/** `unavailable` means that nobody could be asked; it counts as a denial. */
export type Answer =
  | { type: "approve"; scope: ApprovalScope }
  | { type: "deny"; reason?: string }
  | { type: "text"; text: string }
  | { type: "unavailable"; reason: string };

/** The port through which a turn asks its user. */
export interface Interaction {
  /** @throws the signal's reason when the turn is interrupted while waiting */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}

/** For faces without a person: fail closed. */
export function denyAll(reason: string): Interaction {
  return { ask: () => Promise.resolve({ type: "unavailable", reason }) };
}
