import { findHeldSecrets, heldSecretSpans } from "./held-secrets.ts";
import { openMatches, redactRules } from "./redact-patterns.ts";
import { findPrivateKeys, mayOpenPrivateKey, redactPrivateKeys } from "./redact-private-key.ts";

export { maskForStatus, maskSecret } from "./redact-patterns.ts";

export interface RedactOptions {
  /** false (config `security.redact_secrets: false`) leaves only the held values hidden; default true */
  patterns?: boolean;
  /** true for source code: assignments and JSON fields are left alone; default false */
  code?: boolean;
}

/** Hides secrets in a text that arrives in pieces. */
export interface StreamRedactor {
  /** @returns what is certain to hold no part of a secret; the rest waits for more text */
  push(delta: string): string;
  /** @returns what was still held back; the redactor can be used again after it */
  flush(): string;
}

let patternsByDefault = true;

/** `security.redact_secrets` of the config: false hides only the held values wherever no option says otherwise. */
export function setPatternRedaction(enabled: boolean): void {
  patternsByDefault = enabled;
}

/**
 * Hides secrets for display: held values in every spelling, and whatever has the shape of a secret.
 * Idempotent, linear in the text, never throws. The result must not be written back over its source.
 */
export function redact(text: string, options: RedactOptions = {}): string {
  const withoutHeld = redactHeld(text);
  if (!(options.patterns ?? patternsByDefault)) return withoutHeld;
  let result = redactPrivateKeys(withoutHeld);
  for (const rule of redactRules) {
    if (options.code !== true || rule.notInCode !== true) result = rule.apply(result);
  }
  return result;
}

/**
 * Redacts a stream. The pieces it gives out, joined, are the redaction of the whole text.
 * Text is held back up to the next white space or character outside of ASCII, or to the line end where a secret may go on after a blank.
 */
export function createStreamRedactor(options: RedactOptions = {}): StreamRedactor {
  let waiting = "";
  return {
    push(delta) {
      waiting += delta;
      if (!boundary.test(delta)) return "";
      const cut = safeCut(waiting);
      const ready = waiting.slice(0, cut);
      waiting = waiting.slice(cut);
      return ready === "" ? "" : redact(ready, options);
    },
    flush() {
      const rest = waiting;
      waiting = "";
      return redact(rest, options);
    },
  };
}

const white = /[ \t\n\r]/;
const boundary = /[ \t\n\r]|[^\u0000-\u007f]/;
// what gives a value away: behind these a secret may hold any character
const valueMarks = /[=:"'/@\\]/;

function redactHeld(text: string): string {
  let result = "";
  let position = 0;
  for (const match of findHeldSecrets(text)) {
    // line ends stay: the rules that follow look at lines
    result += text.slice(position, match.start) + text.slice(match.start, match.end).replace(/[^\r\n]+/g, "***");
    position = match.end;
  }
  return position === 0 ? text : result + text.slice(position);
}

/** The last place where the text can be cut without cutting a secret, 0 when there is none. */
function safeCut(text: string): number {
  const blocks = findPrivateKeys(text);
  const limit = blocks.find((block) => block.open)?.start ?? text.length;
  const blank = lastMatchEnd(text, limit, white);
  const lineEnd = text.lastIndexOf("\n", blank - 1) + 1;
  const isSafe = (cut: number): boolean =>
    !blocks.some((block) => block.start < cut && cut < block.end) && !heldSecretSpans(text, cut);
  // a key block is gone from the line before the other rules see it
  const line = redactPrivateKeys(text.slice(0, blank)).split("\n").at(-1) ?? "";
  const isOpen = mayOpenPrivateKey(line) || openMatches.some((pattern) => pattern.test(line));
  if (isOpen || !isSafe(blank)) return isSafe(lineEnd) ? lineEnd : 0;
  // unspaced scripts stream as they come, inside of a word that can be no value
  const last = lastMatchEnd(text, limit, boundary);
  // the last character waits: what stands before a secret decides whether it is one
  const cut = last - ((text.codePointAt(last - 2) ?? 0) > 0xffff ? 2 : 1);
  return cut > blank && !valueMarks.test(text.slice(blank, cut)) && isSafe(cut) ? cut : blank;
}

function lastMatchEnd(text: string, limit: number, pattern: RegExp): number {
  let position = limit;
  while (position > 0 && !pattern.test(text.charAt(position - 1))) position -= 1;
  return position;
}
