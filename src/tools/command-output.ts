import { redact } from "../base/redact.ts";
import { stripAnsi } from "./ansi.ts";
import { headShare, takeHead, takeTail } from "./output-buffer.ts";
import type { CommandResult } from "./terminal-backend.ts";

/** Kept beyond what is shown, so that a secret at the cut is seen whole when it is masked. */
export const overlapChars = 8000;

/** What the model reads of a command's output: no escape sequences, no secrets, the middle cut out when too long. */
export function showOutput(
  result: Pick<CommandResult, "output" | "droppedChars" | "droppedAt">,
  maxChars: number,
): string {
  const total = result.output.length + result.droppedChars;
  if (result.droppedAt === undefined) {
    const clean = redact(stripAnsi(result.output));
    return clean.length <= maxChars ? clean.trim() : cut(clean, clean, maxChars, total).trim();
  }
  const head = redact(stripAnsi(result.output.slice(0, result.droppedAt)));
  const tail = redact(stripAnsi(result.output.slice(result.droppedAt)));
  return cut(head, tail, maxChars, total).trim();
}

function cut(head: string, tail: string, maxChars: number, total: number): string {
  const first = takeHead(head, Math.floor(maxChars * headShare));
  const last = takeTail(tail, maxChars - Math.floor(maxChars * headShare));
  const omitted = total - first.length - last.length;
  return `${first}\n\n... [OUTPUT TRUNCATED - ${omitted} chars omitted out of ${total} total] ...\n\n${last}`;
}
